#!/bin/sh
# process_test.sh - programs in the guest's user mode: unmodified static programs
# of the stock compiler print what they print under qemu-ppc and simrun --user, on
# 1 to 8 CPUs; processes, pipes, exec, signals; a program's fault, a fork bomb,
# memory that is exhausted and wild arguments are the program's own affair.
# timeout: 300
set -u
. tests/guest/lib.sh
for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
cross() { # FILE
    powerpc-linux-gnu-gcc -O1 -w -static -o "$dir/$(basename "$1" .c)" "$1" \
        -lpthread -lm || fail "$1 does not compile"
}
# run PROGRAM OPTIONS [ARGUMENT...]: console to $out
run() {
    program=$1
    options=$2
    shift 2
    line="$program $*"
    status=0
    timeout $((100 * ${TIMES:-1})) "$simrun" -q $options "$guest" \
        --program "$dir/$program" -- "$@" </dev/null >"$out" 2>"$dir/err" ||
        status=$?
    [ ! -s "$dir/err" ] || fail "simrun says: $(cat "$dir/err")"
}

cat >"$dir/words.c" <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **word)
{
    double *half = malloc(200000);
    half[20000] = count / 2.0;
    while (--count)
        puts(*++word);
    printf("%g %s\n", half[20000], getenv("HOME"));
    return 41;
}
C
cross "$dir/words.c"
env -i HOME=/ qemu-ppc "$dir/words" one "two  words" "" "it's" 'b\c' >"$dir/want"
is "status of qemu-ppc" $? 41
"$simrun" -q --mode=fast --user "$dir/words" one "two  words" "" "it's" 'b\c' \
    >"$dir/user"
is "status of --user" $? 41
cmp -s "$dir/want" "$dir/user" || fail "qemu-ppc and --user differ"
for options in --mode=fast "--mode=fast --cpus=1" --cpus=8 "--mem=16M --cpus=2"; do
    run words "$options" one "two  words" "" "it's" 'b\c'
    is "status $options" $status 41
    cmp "$dir/want" "$out" || fail "the guest prints something else, $options"
done

# The same from a directory, by the boot line.
mkdir -p "$dir/disk/bin"
cp "$dir/words" "$dir/disk/bin"
ln -s words "$dir/disk/bin/link"
for where in "$dir/disk" "$dir/disk.cpio"; do
    status=0
    "$simrun" -q --mode=fast --initrd "$where" --append "seed=3 run=/bin/link 'two  words'" \
        "$guest" >"$out" 2>"$dir/err" </dev/null || status=$?
    is "status by the boot line" "$status $(head -n 1 "$out")" "41 two  words"
    (cd "$dir/disk" && command -v cpio >/dev/null) || break
    (cd "$dir/disk" && find . | cpio -o -H newc >"$dir/disk.cpio" 2>/dev/null)
done

# Standard input, to its end; a replay reads nothing and is the same.
cat >"$dir/lines.c" <<'C'
#include <stdio.h>
int main(void)
{
    char line[80];
    int n = 0;
    while (fgets(line, sizeof line, stdin))
        printf("%d: %s", ++n, line);
    puts(feof(stdin) ? "the end" : "no end");
    return n;
}
C
cross "$dir/lines.c"
printf 'one\n\nthree' >"$dir/input"
qemu-ppc "$dir/lines" <"$dir/input" >"$dir/want"
"$simrun" -q --mode=fast --pmu-trace="$dir/a.exp" --program "$dir/lines" "$guest" \
    <"$dir/input" >"$out"
is "lines" "$? $(cmp "$dir/want" "$out")" "3 "
grep -q '^input [0-9]* over$' "$dir/a.exp/log" || fail "the end is not recorded"
"$simrun" -q --mode=fast --pmu-trace="$dir/b.exp" --replay "$dir/a.exp" \
    --program "$dir/lines" "$guest" </dev/null >"$out"
is "lines again" "$? $(cmp "$dir/want" "$out")" "3 "
cmp "$dir/a.exp/log" "$dir/b.exp/log" || fail "the replay is another run"

# Threads, as under qemu-ppc.
cross tests/user/prog/threads.c
qemu-ppc "$dir/threads" >"$dir/want" 2>&1
for cpus in 1 2 8; do
    run threads "--mode=fast --cpus=$cpus"
    cmp "$dir/want" "$out" || fail "threads on $cpus CPUs"
    is "status of threads" $status 0
done

# A thread waits for a word of a page that is copied meanwhile, after a fork.
cross tests/guest/prog/waits.c
qemu-ppc "$dir/waits" >"$dir/want" 2>&1
# Lines of 64 bytes: the C library clears memory by them.
for options in --cpus=1 "--cpus=2 --set line_bytes=64" --cpus=4; do
    run waits "--mode=fast $options --max-cycles=100000000"
    cmp "$dir/want" "$out" || fail "waits on $options"
done

# Signals, and floating point of threads that are interrupted.
cross tests/guest/prog/signals.c
qemu-ppc "$dir/signals" >"$dir/want" 2>/dev/null
for options in "--mode=fast --cpus=1" "--mode=fast --cpus=3" --cpus=2; do
    run signals "$options"
    cmp "$dir/want" "$out" || fail "signals, $options: $(diff "$dir/want" "$out")"
    is "status of signals" $status 143
done

cross tests/guest/prog/family.c
cat >"$dir/want" <<'T'
child 7, own 5, shared 8
pipe 3918410, writer 0
no reader: -1, Broken pipe
room 65536
full -1, Resource temporarily unavailable
wrong 0
family|again||two words|b
exec 3
no program: No such file or directory
a directory: Permission denied
exec 0
abort -6
killed -15
none left: -1, No child processes
bomb: Resource temporarily unavailable
bomb: 63 of 63
memory -9
0 1
T
for cpus in 1 4 8; do
    run family "--mode=fast --cpus=$cpus --mem=32M"
    is "status of family" $status 7
    grep -v '^process\|^    ' "$out" | cmp "$dir/want" - ||
        fail "family on $cpus CPUs: $(grep -v '^process\|^    ' "$out" | diff "$dir/want" -)"
    grep -q '^process 10[0-9]* (family): killed by signal 6 (Aborted) at ' "$out" ||
        fail "an abort is not told"
    grep -q 'abort+0x' "$out" || fail "no name in the stack"
    grep -q '(family): killed, since memory is exhausted$' "$out" ||
        fail "memory: nothing is told"
done
cp "$out" "$dir/first"
run family "--mode=fast --cpus=8 --mem=32M"
cmp "$dir/first" "$out" || fail "two runs differ"

# A fault of the first program.
cat >"$dir/fault.c" <<'C'
__attribute__((noinline)) void inner(int *p) { *p = 3; }
int main(void) { inner((int *)0x24); return 0; }
C
powerpc-linux-gnu-gcc -O0 -static -o "$dir/fault" "$dir/fault.c"
run fault "--mode=fast"
is "status of a fault" $status 139
grep -q '^process 1000 (fault): killed by signal 11 (Segmentation fault) at 1[0-9a-f]*, address 24$' \
    "$out" || fail "its line"
grep -q ' inner+0x' "$out" && grep -q ' main+0x' "$out" || fail "its stack"

# A call that does not return may be the last instruction of its function.
cat >"$dir/last.c" <<'C'
__attribute__((noinline, noreturn)) void leave(void) { for (;;) __builtin_trap(); }
__attribute__((noinline)) void asks(void) { leave(); }
int main(void) { asks(); return 0; }
C
powerpc-linux-gnu-gcc -O2 -fno-optimize-sibling-calls -static -o "$dir/last" "$dir/last.c"
run last "--mode=fast"
grep -q ' leave+0x' "$out" && grep -q ' asks+0x' "$out" || fail "the stack of one that does not return"

cross tests/guest/prog/hostile.c
run hostile "--mode=fast --cpus=2"
is "status of hostile" $status 0
is "hostile" "$(tail -n 1 "$out")" alive

# Each text of uname is in its field.
cat >"$dir/names.c" <<'C'
#include <stdio.h>
#include <sys/utsname.h>
int main(void)
{
    struct utsname u;

    return uname(&u) || printf("%s|%s|%s|%s|%s\n", u.sysname, u.nodename,
                               u.release, u.version, u.machine) < 0;
}
C
cross "$dir/names.c"
run names --mode=fast
is "uname" "$status $(cat "$out")" "0 Linux|simrun|5.10.0|#1 SMP guest|ppc"

# posix_spawn and vfork (qemu-ppc's child has a copy); madvise; a file's end.
cross tests/guest/prog/spawn.c
cat >"$dir/want" <<'T'
status 6
/bin/none at all: No such file or directory
/: Permission denied
vfork: 5, 4
0 0 [shared] []
ELF 0
SIGBUS code 2, 10
T
for cpus in 1 4; do
    run spawn "--mode=fast --cpus=$cpus"
    cmp "$dir/want" "$out" || fail "spawn on $cpus CPUs: $(diff "$dir/want" "$out")"
done

# The real-time timer.
cross tests/guest/prog/alarms.c
cat >"$dir/want" <<'T'
five by computing: 1
was 0.002000, left 1
now 0 0
-1 Interrupted system call, 1
2, other thread: read
0 100 7
child: signal 14
T
for cpus in 1 4; do
    run alarms "--mode=fast --cpus=$cpus"
    cmp "$dir/want" "$out" || fail "alarms on $cpus CPUs: $(diff "$dir/want" "$out")"
done

# What cannot run.
refused "run=/bin/none" 'boot line: run=/bin/none: the initrd has no such file'
refused "run=none" "no such value 'run=none'"
refused "work=txn run=/bin/none" 'work= is about the workloads'
printf 'no program' >"$dir/disk/bin/text"
chmod +x "$dir/disk/bin/text"
"$simrun" -q --mode=fast --initrd "$dir/disk" --append "run=/bin/text" "$guest" >"$out"
is "status of a text" "$? $(cat "$out")" \
    "2 boot line: run=/bin/text: is no static ELF executable for 32-bit PowerPC"
"$simrun" -q --initrd /nothing "$guest" >/dev/null 2>"$out"
is "no initrd" "$? $(cat "$out")" "125 simrun: --initrd: /nothing: No such file or directory"
"$simrun" -q --initrd "$dir/words.c" "$guest" >/dev/null 2>"$out"
is "no archive" "$?" 125
grep -q 'is neither a directory nor a cpio archive' "$out" || fail "no archive"

# An archive may hold an archive. One that is cut is told.
entry() { # NAME FILE
    size=$(wc -c <"$2")
    printf '070701%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%08x%s\0' 1 33261 0 0 1 0 \
        "$size" 0 0 0 0 $((${#1} + 1)) 0 "$1"
    head -c $(((4 - (110 + ${#1} + 1) % 4) % 4)) /dev/zero
    cat "$2"
    head -c $(((4 - size % 4) % 4)) /dev/zero
}
entry 'TRAILER!!!' /dev/null >"$dir/inner"
{ entry inner "$dir/inner"; entry bin/words "$dir/words"; cat "$dir/inner"; } >"$dir/whole"
status=0
"$simrun" -q --mode=fast --initrd "$dir/whole" --append "run=/bin/words 1" "$guest" >"$out" ||
    status=$?
is "an archive in an archive" "$status $(head -n 1 "$out")" "41 1"
head -c 30000 "$dir/whole" >"$dir/cut"
status=0
"$simrun" -q --mode=fast --initrd "$dir/cut" "$guest" >/dev/null 2>"$out" || status=$?
is "status of a cut archive" $status 125
grep -q "cut: is cut or damaged: a header should be at byte [0-9]* of 30000" "$out" ||
    fail "a cut archive"
"$simrun" -q --program "$dir/words" --append run=/x "$guest" >/dev/null 2>"$out"
is "run= twice" $? 2
"$simrun" -q --program "$dir/words" --user "$dir/words" >/dev/null 2>"$out"
is "--program with --user" $? 2
exit 0
