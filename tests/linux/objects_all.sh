#!/bin/sh
# objects_all.sh - functions of shared objects have names inside Debian's Linux, once
# make linux has built it: of a library that a program is linked with, of the C
# library, and of one that a child opens later; for programs that have them at
# other addresses at the same time, position-independent or not.
# timeout: 600
set -u
. tests/sim/lib.sh
. tests/linux/built.sh
libc=/usr/powerpc-linux-gnu/lib
if [ ! -f $libc/ld.so.1 ]; then
    echo "no ld.so.1 in $libc"
    rm -rf "$dir"
    exit 77
fi
cat >"$dir/own.c" <<'END'
volatile unsigned in_library;
__attribute__((noinline)) unsigned deep(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        in_library += i;
    return in_library;
}
END
sed 's/deep/late/' "$dir/own.c" >"$dir/late.c"
cat >"$dir/main.c" <<'END'
#include <dlfcn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
unsigned deep(unsigned n);
static int number[20000];
int order(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
__attribute__((noinline)) int work(void)
{
    for (int i = 0; i < 20000; i++)
        number[i] = i * 7919 % 20011;
    qsort(number, 20000, sizeof *number, order);
    return (int)deep(200000) + number[5];
}
int main(void)
{
    int status;
    pid_t pid = fork();
    if (!pid) {
        void *late = dlopen("/lib/liblate.so", RTLD_NOW);
        unsigned (*f)(unsigned) =
            late ? (unsigned (*)(unsigned))dlsym(late, "late") : 0;
        _exit(f ? f(200000) == 1 : 9);
    }
    status = work() == 77;
    waitpid(pid, &status, 0);
    return WEXITSTATUS(status);
}
END
mkdir -p "$dir/root/lib" "$dir/root/bin"
for name in own late; do
    "$cc" -O1 -shared -fPIC -o "$dir/root/lib/lib$name.so" "$dir/$name.c" ||
        fail "$name.c does not compile"
done
for kind in pie no-pie; do
    "$cc" -O1 -$kind -o "$dir/root/bin/$kind" "$dir/main.c" -L"$dir/root/lib" -lown \
        -Wl,-rpath,/lib || fail "main.c does not compile"
done
cp -L $libc/ld.so.1 $libc/libc.so.6 "$dir/root/lib"
(cd "$dir/root" && for file in lib/* bin/*; do
    echo "file /$file $dir/root/$file 0755 0 0"
done) >"$dir/files"
"$linux/kernel/usr/gen_init_cpio" -t 0 "$dir/files" >"$dir/more.cpio"
cat "$linux/initrd.cpio" "$dir/more.cpio" >"$dir/both.cpio"
cp -L "$linux/sysroot/bin/busybox" "$dir/root/bin"
"$simrun" -q --mode=fast --cpus=2 --max-cycles=20000000000 \
    "--pmu-trace=$dir/x.exp" --sysroot "$dir/root" -e cycles:10000 \
    --initrd "$dir/both.cpio" --append 'console=ttyS0 run="no-pie & pie; wait; exit 4"' \
    "$linux/vmlinux" >"$dir/out" 2>"$dir/err" </dev/null
status=$?
[ $status -eq 4 ] || fail "status $status"
[ -s "$dir/err" ] && fail "something to say"

# cycles FUNCTION FILTER
cycles() {
    "$simprof" functions --csv "--filters=$2" "$dir/x.exp" |
        sed -n "s/^\([0-9]*\),.*,$1\( (.*)\)*\$/\1/p"
}
for function in deep late; do
    all=$(cycles $function "1==1")
    one=$(cycles $function 'name=="pie"')
    other=$(cycles $function 'name=="no-pie"')
    [ "${one:-0}" -gt 1000000 ] && [ "${other:-0}" -gt 1000000 ] &&
        [ "$all" -eq $((one + other)) ] ||
        fail "$function: $one and $other of $all cycles"
done
# The C library's qsort is called, and calls.
"$simprof" export --format=folded "$dir/x.exp" >"$dir/out"
grep -q ";main[^;]*;work[^;]*;qsort[^;]*;.*;order" "$dir/out" || fail "no way through qsort"
grep -q ";main[^;]*;late" "$dir/out" || fail "no way to late"
"$simprof" functions --csv '--filters=name=="pie" || name=="no-pie"' "$dir/x.exp" >"$dir/out"
awk -F, '/<Total>/ { all = $1 } /<Unknown>/ { none = $1 }
    END { exit !all || none * 200 > all }' "$dir/out" || fail "much has no name"
rm -rf "$dir"
