#!/bin/sh
# dynamic_test.sh - programs as Debian's compiler makes them by default:
# position-independent, with shared libraries, a library opened by name, and
# threads. They print what the static ones print; stacks, probes, marks and
# reports know the functions of the libraries.
# timeout: 240
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
sysroot=/usr/powerpc-linux-gnu
[ -e $sysroot/lib/ld.so.1 ] || { echo "$sysroot has no ld.so.1"; exit 77; }
include=$PWD/include
cd "$TMPDIR" || exit 1
sim="$BUILD/simrun -q"
gcc="powerpc-linux-gnu-gcc -O2"

cat >all.c <<'C'
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
extern int of_library(int n);
static int grows = 7;
static void *worker(void *arg)
{
    double sum = 0;

    for (int i = 1; i < 2000; i++)
        sum += sqrt(i) * cbrt(i);
    *(double *)arg = sum;
    return arg;
}
static int by_value(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}
int main(int argc, char **argv)
{
    pthread_t thread[3];
    double sum[3];
    int v[500];
    void *more = dlopen("./libmore.so", RTLD_NOW);
    int (*twice)(int) = more ? dlsym(more, "twice") : NULL;

    for (int i = 0; i < 3; i++)
        pthread_create(&thread[i], NULL, worker, &sum[i]);
    for (int i = 0; i < 3; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < 500; i++)
        v[i] = i * 7919 % 5003;
    qsort(v, 500, sizeof *v, by_value);
    printf("%d %s %.6f %d %d %d\n", argc, argv[argc - 1], sum[2], v[0], v[499],
           of_library(grows));
    printf("%d %s\n", twice ? twice(21) : -1, twice ? "" : dlerror());
    printf("%d\n", more ? dlclose(more) : 1);
    printf("entry %d\n", getauxval(AT_ENTRY) != 0 && getauxval(AT_PHDR) != 0);
    return 5;
}
C
echo 'int of_library(int n) { for (int i = 0; i < 20000; i++) n = n * 3 + i; return n; }' >lib.c
echo 'int twice(int n) { return 2 * n; }' >more.c
$gcc -shared -fPIC -o libof.so lib.c && $gcc -shared -fPIC -o libmore.so more.c &&
    $gcc -g -o pie all.c ./libof.so -lm &&
    $gcc -no-pie -o fixed all.c ./libof.so -lm || exit 1
for program in pie fixed; do
    for mode in fast detailed; do
        $sim --mode=$mode --user ./$program first last >out 2>err
        [ $? = 5 ] || { fail "$program $mode: status"; cat err; }
        qemu-ppc -cpu g4 -L $sysroot ./$program first last >judge 2>judge.err ||
            [ $? = 5 ] || { cp out judge; echo "qemu-ppc: $(head -n 1 judge.err)"; }
        cmp out judge || fail "$program $mode: not as under qemu-ppc"
        printf '42 \n0\nentry 1\n' | cmp - - 2>/dev/null
        sed -n '2,$p' out >rest
        printf '42 \n0\nentry 1\n' | cmp - rest || fail "$program $mode: $(cat out)"
    done
done
head -n 1 out | grep -q '^3 last .* 0 4997 ' || fail "says $(head -n 1 out)"

# What a library does has the library's names: sampled, exact, in stacks.
for run in one two; do
    $sim --cpus=2 -e cycles:500 --probe worker --mark func:worker=count \
        --pmu-trace=$run.exp --user ./pie >/dev/null
done
diff -r one.exp two.exp || fail "two runs differ"
"$BUILD/simprof" functions one.exp >out 2>err || fail "functions: $?"
for name in worker sqrtl cbrtl of_library by_value; do
    grep -q " $name" out || { fail "functions: no $name"; cat out; }
done
"$BUILD/simprof" callers-callees one.exp --function=worker >out 2>&1
"$BUILD/simprof" objects one.exp >out || fail "objects: $?"
for name in pie libof.so libm.so.6 libc.so.6 ld.so.1; do
    grep -q " $name\$" out || { fail "objects: no $name"; cat out; }
done
"$BUILD/simprof" active one.exp | grep -Eq '^ +3 .* worker$|^ +1 .* worker$' ||
    fail "no probe of a moved function"
"$BUILD/simprof" marks one.exp | grep -Eq ' 3 .* host +worker$' ||
    { fail "marks:"; "$BUILD/simprof" marks one.exp; }
# One archive a library, and a line for each of its segments, with the cycle.
[ "$(ls one.exp/archives | wc -l)" = 6 ] || { fail "archives:"; ls one.exp/archives; }
awk '$7 ~ /^libmore/ { n++; later += $2 > 0 } END { exit !(n == 2 && later == 2) }' \
    one.exp/map || { fail "map:"; cat one.exp/map; }

# Directives are where the program was moved to.
cat >marked.c <<C
#include "$include/perfinst.h"
#include "$include/section.h"
__attribute__((noinline)) int counted(int n) { return n * 3; }
PERFINST_COUNT_FUNCTION(counted);
int main(void)
{
    int n = 0;
    SECTION_BEGIN("loop");
    for (int i = 0; i < 100; i++)
        n += counted(i);
    SECTION_END("loop");
    return n & 1;
}
C
$gcc -o marked marked.c || exit 1
$sim --cpus=1 --sections --pmu-trace=marked.exp --user ./marked ||
    fail "marked: status $?"
"$BUILD/simprof" marks marked.exp | grep -Eq ' 100 .*counted$' ||
    { fail "directives:"; "$BUILD/simprof" marks marked.exp; }
"$BUILD/simprof" active marked.exp --section=loop | grep -q loop ||
    fail "no section in a moved program"

# A fault is named, in a library, too.
echo 'int main(void) { return *(volatile int *)16 + 1; }' >fault.c
$gcc -o fault fault.c || exit 1
$sim --mode=fast --user ./fault 2>err
grep -q ' main' err || { fail "a fault:"; cat err; }
echo '#include <string.h>
int main(int c, char **v) { return (int)strlen((char *)(long)(c * 16)); }' >strlen.c
$gcc -fno-builtin -o strlen strlen.c || exit 1
$sim --mode=fast --user ./strlen 2>err
grep -q ' strlen' err || { fail "a library's fault:"; cat err; }

# What is missing is named; nothing in the libraries' directory is changed.
refuse() { # status, words, option...
    status=$1
    words=$2
    shift 2
    $sim --mode=fast "$@" >out 2>err
    got=$?
    [ $got = "$status" ] && grep -q -e "$words" err ||
        { fail "$*: status $got"; cat err; }
}
mkdir -p empty broken/lib
echo "no ELF" >broken/lib/ld.so.1
refuse 125 'ld.so.1 is not found; name the dir.*--sysroot' --sysroot=empty --user ./pie
refuse 125 'ld.so.1 is not an ELF file' --sysroot=broken --user ./pie
refuse 125 'sysroot=nowhere: No such' --sysroot=nowhere --user ./pie
refuse 125 'sysroot: .* is no Linux kernel' --sysroot=empty "$BUILD/guest.elf"
refuse 125 'a Linux program wants --user' ./pie
refuse 125 'a Linux program wants --user' ./fixed
cp libof.so broken/lib/ld.so.1
refuse 125 'is no dynamic loader' --sysroot=broken --user ./pie
cat >touches.c <<'C'
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#define TRY(call) (errno = 0, printf(#call " %d\n", (int)(call) < 0 ? errno : 0))
int main(void)
{
    int fd = open("/lib/thing", O_RDONLY);
    struct stat st;
    TRY(fd);
    TRY(stat("/lib/thing", &st));
    TRY(access("/lib/thing", R_OK));
    TRY(access("/lib/thing", W_OK));
    TRY(open("/lib/thing", O_RDWR));
    TRY(open("/lib/thing", O_RDONLY | O_TRUNC));
    TRY(open("/lib/new", O_WRONLY | O_CREAT, 0600));
    TRY(open("/lib", O_RDWR | O_TMPFILE, 0600));
    TRY(fchmod(dup(fd), 0));
    TRY(futimens(fd, NULL));
    TRY(chmod("/lib/thing", 0));
    TRY(truncate("/lib/thing", 0));
    TRY(unlink("/lib/thing"));
    TRY(mkdir("/lib/x", 0700));
    TRY(rename("/lib/thing", "/lib/other"));
    TRY(rename("/lib/thing", "here"));
    TRY(link("/lib/thing", "here"));
    TRY(symlink("x", "/lib/y"));
    TRY(utimensat(AT_FDCWD, "/lib/thing", NULL, 0));
    TRY(open("/lib/../../secret", O_RDONLY));
    TRY(open("/lib/out", O_RDONLY));
    TRY(open("/", O_RDONLY));
    return 0;
}
C
$gcc -static -o touches touches.c || exit 1
mkdir -p libs/lib work
echo thing >libs/lib/thing
echo secret >secret
ln -s "$PWD/secret" libs/lib/out
(cd work && $sim --mode=fast --sysroot=../libs --user ../touches) >out
sed 's/.* //' out | tr '\n' ' ' >numbers
wanted='0 0 0 30 30 30 30 30 1 1 30 30 30 30 30 30 18 30 30 2 2 2 '
[ "$(cat numbers)" = "$wanted" ] || { fail "a library was changed:"; cat out; }
[ "$(cat libs/lib/thing)" = thing ] && [ "$(ls libs/lib)" = "out
thing" ] || fail "the library's directory is another"
(cd work && $sim --mode=fast --user ../touches) | grep -q '^stat.* 2$' ||
    fail "a static program sees libraries"
exit $bad
