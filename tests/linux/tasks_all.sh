#!/bin/sh
# tasks_all.sh - the tasks of Debian's Linux, once make linux has built it: each
# with its name, what is idle and the kernel's own told apart, with the same bits
# from both engines; and the kernel runs as it does unseen. Functions of programs
# have names, whichever other program has the same addresses.
set -u
. tests/sim/lib.sh
. tests/linux/built.sh

# boot NAME OPTION... : what the console said is $dir/NAME
boot() {
    name=$1
    shift
    "$simrun" -q --mode=fast --cpus=2 --max-cycles=20000000000 "$@" \
        --initrd "$linux/initrd.cpio" \
        --append 'console=ttyS0 run="ls / | sort | head -n 3; exit 3"' \
        "$linux/vmlinux" >"$dir/$name" 2>"$dir/err" </dev/null
    status=$?
    cp "$dir/$name" "$dir/out"
    [ "$status" -eq 3 ] || fail "$name: status $status"
}
boot unseen
boot seen "--pmu-trace=$dir/seen.exp" -e cycles:10000
boot again "--pmu-trace=$dir/again.exp" -e cycles:10000 --engine=interpreter
cmp "$dir/unseen" "$dir/seen" || fail "it runs otherwise when it is seen"
[ -s "$dir/err" ] && fail "something to say"
for kind in oracle thread switch profile; do
    cmp "$dir/seen.exp/$kind.rec" "$dir/again.exp/$kind.rec" ||
        fail "$kind: the engines differ"
done

"$simprof" info "$dir/seen.exp" >"$dir/out" || fail "no info"
for line in "32,768 *0 .* idle *swapper/0" "32,769 *0 .* idle *swapper/1" \
    "1 *1 .* init" "2 *2 .* daemon *kthreadd" "[0-9]* *[0-9]* .* sort" \
    "[0-9]* *[0-9]* .* daemon *ksoftirqd/1"; do
    grep -q "^ *$line$" "$dir/out" || fail "not there: $line"
done
# Nobody is none but before the kernel's first task, and what sort does is done
# by the kernel for it and by its program.
"$simprof" threads --csv "$dir/seen.exp" >"$dir/out" || fail "no threads"
awk -F, '/<no thread>/ { none = $2 } END { exit none > 20 }' "$dir/out" ||
    fail "much is nobody's"
"$simprof" functions --filters='name == "sort"' "$dir/seen.exp" >"$dir/out" ||
    fail "no functions"
grep -q "load_elf_binary\|unmap_page_range" "$dir/out" || fail "not for sort"
# Stacks reach their roots, in page faults and where the address space is gone,
# too: but for one in fifty, of a child whose stack has no translation yet, say.
all=$("$simprof" functions --csv "$dir/seen.exp" |
    sed -n 's/^[0-9]*,[0-9.]*,\([0-9]*\),.*<Total>$/\1/p')
cut=$("$simprof" functions --csv --filters=truncated "$dir/seen.exp" |
    sed -n 's/^[0-9]*,[0-9.]*,\([0-9]*\),.*<Total>$/\1/p')
[ "$all" -gt 0 ] && [ $((50 * cut)) -lt "$all" ] ||
    fail "stacks of $cut of $all cycles have no root"

# Two programs at the same addresses at a time, one of them in a file system of
# its own, with threads.
cat >"$dir/own.c" <<'END'
#include <pthread.h>
volatile unsigned sum;
void *alpha(void *arg)
{
    for (unsigned i = 0; i < 300000; i++)
        sum += i;
    return arg;
}
void beta(void)
{
    for (unsigned i = 0; i < 500000; i++)
        sum ^= i;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, alpha, 0);
    beta();
    return pthread_join(t, 0);
}
END
mkdir -p "$dir/root/media" "$dir/root/bin"
"$cc" -O1 -static -pthread -o "$dir/root/media/own" "$dir/own.c" ||
    fail "own.c does not compile"
cp -L "$linux/sysroot/bin/busybox" "$dir/root/bin"
"${cc%gcc}strip" -o "$dir/stripped" "$dir/root/media/own"
echo "file /bin/own $dir/stripped 0755 0 0" >"$dir/files"
"$linux/kernel/usr/gen_init_cpio" -t 0 "$dir/files" >"$dir/more.cpio"
cat "$linux/initrd.cpio" "$dir/more.cpio" >"$dir/both.cpio"
"$simrun" -q --mode=fast --cpus=2 --max-cycles=20000000000 \
    "--pmu-trace=$dir/own.exp" --sysroot "$dir/root" -e cycles:10000 \
    --initrd "$dir/both.cpio" \
    --append 'console=ttyS0 run="mount -t tmpfs none /media; cp /bin/own /media;
        head -c 100000 /bin/busybox | md5sum & /media/own; wait; exit 4"' \
    "$linux/vmlinux" >"$dir/out" 2>"$dir/err" </dev/null
status=$?
[ "$status" -eq 4 ] || fail "own: status $status"
[ -s "$dir/err" ] && fail "own: something to say"
# cycles FUNCTION FILTER
cycles() {
    "$simprof" functions --csv "--filters=$2" "$dir/own.exp" |
        sed -n "s/^\([0-9]*\),.*,$1\( (.*)\)*\$/\1/p"
}
for one in alpha:own beta:own md5_process_block64:md5sum; do
    function=${one%:*} name=${one#*:}
    all=$(cycles $function "1==1")
    its=$(cycles $function "name==\"$name\"")
    [ -n "$all" ] && [ "$all" = "$its" ] ||
        fail "$function: $its cycles of $all are $name's"
done
# A program that replaces itself has its own stack to the end of the call, by its
# own functions, whichever one comes then.
"$simprof" export --format=folded "$dir/own.exp" |
    grep ";execve;transfer_to_syscall" >"$dir/out"
grep -q "ash_main;.*;tryexec;execve;.*;unmap_vmas" "$dir/out" ||
    fail "execve: no stack above the call that took the program away"
grep -v ";tryexec;execve;" "$dir/out" && fail "execve: of another program"
# Nearly nothing has no name: less than a thousandth.
"$simprof" functions --csv "$dir/own.exp" >"$dir/out" || fail "no functions"
awk -F, '/<Total>/ { all = $1 } /<Unknown>/ { none = $1 }
    END { exit none * 1000 > all }' "$dir/out" || fail "much has no name"
rm -rf "$dir"
