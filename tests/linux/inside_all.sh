#!/bin/sh
# inside_all.sh - marks of programs inside Debian's Linux, once make linux has built
# it, count what the programs themselves count: of a static one, of a
# position-independent one that each process has somewhere else, of shared objects
# that several have, on two processors; and not where another program runs.
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
    in_library += n;
    return in_library;
}
END
cat >"$dir/main.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
unsigned deep(unsigned n);
static int number[3000], calls;
__attribute__((noinline)) int order(const void *a, const void *b)
{
    calls++;
    return *(const int *)a - *(const int *)b;
}
int main(int argc, char **argv)
{
    for (int i = 0; i < 3000; i++)
        number[i] = i * 7919 % 20011;
    for (int i = 0; i < argc; i++)
        qsort(number, 3000, sizeof *number, order);
    deep(1);
    printf("%s ordered %d %d\n", argv[0], argc, calls);
    return 0;
}
END
# A thread that does not enter the kernel meets a library that another one opens.
cat >"$dir/late.c" <<'END'
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
static unsigned (*volatile late)(unsigned);
static volatile int waits;
static void *other(void *arg)
{
    waits = 1;
    while (!late)
        ;
    for (int i = 0; i < 500; i++)
        late(1);
    return arg;
}
int main(void)
{
    pthread_t t;
    void *library;
    unsigned (*f)(unsigned);
    pthread_create(&t, 0, other, 0);
    while (!waits)
        ;
    library = dlopen("/lib/libown.so", RTLD_NOW);
    f = (unsigned (*)(unsigned))dlsym(library, "deep");
    f(1);
    late = f;
    return pthread_join(t, 0);
}
END
mkdir -p "$dir/root/lib" "$dir/root/bin"
"$cc" -O1 -shared -fPIC -o "$dir/root/lib/libown.so" "$dir/own.c" ||
    fail "own.c does not compile"
for kind in pie no-pie; do
    "$cc" -O1 -$kind -o "$dir/root/bin/$kind" "$dir/main.c" -L"$dir/root/lib" -lown \
        -Wl,-rpath,/lib || fail "main.c does not compile"
done
"$cc" -O1 -pthread -o "$dir/root/bin/late" "$dir/late.c" || fail "late.c does not compile"
for name in static twin; do
    "$cc" -O1 -static -DNAME=$name -o "$dir/root/bin/$name" "$dir/main.c" \
        "$dir/own.c" -Wl,--build-id=uuid || fail "main.c does not compile"
done
cp -L $libc/ld.so.1 $libc/libc.so.6 "$dir/root/lib"
(cd "$dir/root" && for file in lib/* bin/*; do
    echo "file /$file $dir/root/$file 0755 0 0"
done) >"$dir/files"
"$linux/kernel/usr/gen_init_cpio" -t 0 "$dir/files" >"$dir/more.cpio"
cat "$linux/initrd.cpio" "$dir/more.cpio" >"$dir/both.cpio"
cp -L "$linux/sysroot/bin/busybox" "$dir/root/bin"

# boot NAME OPTION...: the experiment is $dir/NAME.exp
boot() {
    name=$1
    shift
    "$simrun" -q --max-cycles=20000000000 --sysroot "$dir/root" \
        "--pmu-trace=$dir/$name.exp" --initrd "$dir/both.cpio" "$@" \
        --append 'console=ttyS0 run="pie & pie x & static; twin x x & no-pie; wait;
            pie x x; late; exit 4"' "$linux/vmlinux" >"$dir/out" 2>"$dir/err" </dev/null
    status=$?
    [ $status -eq 4 ] || fail "$name: status $status"
    [ -s "$dir/err" ] && fail "$name: something to say"
    tr -d '\r' <"$dir/out" >"$dir/$name.said"
    "$simprof" marks --csv --limit=0 "$dir/$name.exp" >"$dir/$name.csv" ||
        fail "$name: no marks"
}
# said NAME PROGRAM FIELD: the sum of what the processes say
said() {
    awk -v p="$2" -v f="$3" '$2 == "ordered" && (p == "" || $1 == p) { n += $f }
        END { print n + 0 }' "$dir/$1.said"
}
# entered NAME FUNCTION: how often, by the marks
entered() {
    awk -F, -v f="$2" '$7 == f { n += $3 } END { print n + 0 }' "$dir/$1.csv"
}
same() { # NAME FUNCTION WANT
    got=$(entered "$1" "$2")
    [ "$got" -gt 0 ] && [ "$got" -eq "$3" ] || fail "$1: $2: $got calls, not $3"
}
for mode in fast detailed; do
    boot $mode --cpus=2 --mode=$mode --mark=func:pie:order=count \
        --mark=func:static:order=count --mark=func:libown:deep=count \
        --mark=func:libc:qsort=count --mark=func:schedule=count
    same $mode "order (pie)" "$(said $mode pie 4)"
    same $mode "order (static)" "$(said $mode static 4)"
    same $mode "deep (libown.so)" $((4 + 501))
    same $mode "qsort (libc.so.6)" $(($(said $mode pie 3) + $(said $mode no-pie 3)))
    [ "$(entered $mode schedule)" -gt 50 ] || fail "$mode: schedule"
done
rm -rf "$dir"
