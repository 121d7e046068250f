#!/bin/sh
# beside_test.sh - options that take a function know those of shared libraries,
# before the first instruction of one runs: --probe, --mark, --range, --detail,
# --log-from and --autoprofile; by "library:name", or by the name alone where
# one has it and the program has not. What finds out where they will be prints,
# reads and changes nothing.
# timeout: 200
set -u
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
[ -e /usr/powerpc-linux-gnu/lib/ld.so.1 ] || { echo "libc6-powerpc-cross is missing"; exit 77; }
cd "$TMPDIR" || exit 1
bad=0
complain() { echo "$*"; bad=1; }

cat >one.c <<'C'
#include <stdio.h>
#include <unistd.h>
#define F __attribute__((noipa))
int shared_word;
F int alone(int n) { return n * 3 + 1; }
F int both(int n) { return alone(n) + 1; }
F int mine(int n) { return n - 1; }
F int set(int n) { return shared_word = n; }
__attribute__((constructor)) static void early(void)
{
    FILE *f = fopen("early", "a");
    alone(1);
    fputs("early\n", f);
    fclose(f);
    write(1, "constructor\n", 12);
}
C
cat >two.c <<'C'
#define F __attribute__((noipa))
F int both(int n) { return n + 2; }
F int two(int n) { return both(n) + 2; }
C
echo '__attribute__((noipa)) int later(int n) { return n + 5; }' >three.c
cat >main.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
#define F __attribute__((noipa))
int alone(int), both(int), two(int), set(int);
F int mine(int n) { return n + 9; }
int main(int argc, char **argv)
{
    int s = getchar();
    void *h = dlopen("./libthree.so", RTLD_NOW);
    int (*later)(int) = (int (*)(int))dlsym(h, "later");
    for (int n = 0; n < 100; n++)
        s += alone(n) + both(n) + two(n) + mine(n) + later(n) + set(n);
    printf("%d\n", s);
    return 0;
}
C
for l in one two three; do
    powerpc-linux-gnu-gcc -O1 -fPIC -shared -o lib$l.so.1.2 $l.c -Wl,-soname,lib$l.so.1 || exit 1
    ln -s lib$l.so.1.2 lib$l.so.1
    ln -s lib$l.so.1 lib$l.so
done
for pie in -pie -no-pie; do
    powerpc-linux-gnu-gcc -O1 $pie -o main$pie main.c -L. -lone -ltwo -ldl || exit 1
done
run="timeout 100 $BUILD/simrun -q --mode=fast --cpus 1 --env LD_LIBRARY_PATH=. --user"
$run ./main-pie >want <<E
x
E
[ "$(cat want | wc -l)" = 2 ] || complain "does not run: $(cat want)"

# NAME SPEC COUNT: marks of one function, executions of its first instruction.
counted() {
    rm -rf c.exp early
    echo x | $run_with --mark "$1=count" --pmu-trace=c.exp --user ./$program >out 2>err || complain "$program, $1: $(cat err)"
    cmp -s want out || complain "$program, $1: prints $(cat out)"
    [ "$(cat early)" = early ] || complain "$program, $1: the constructor wrote $(wc -l <early) lines"
    got=$("$BUILD/simprof" marks c.exp --csv --limit=0 | awk -F, '$1 == "code" { n += $3 } END { print n + 0 }')
    [ "$got" = "$2" ] || complain "$program, $1: $got executions, not $2"
}
for program in main-pie main-no-pie; do
    run_with="timeout 100 $BUILD/simrun -q --mode=fast --cpus 1 --env LD_LIBRARY_PATH=."
    counted addr:alone 301 # of main, both and the constructor
    counted addr:libone:alone 301
    counted addr:libone.so.1.2:alone 301
    counted addr:libone.so:both 200 # main and two both call the first one
    counted addr:libtwo:both 0
    counted addr:mine 100 # the program's own goes first
    counted addr:libone:mine 0
    counted addr:two 100
    run_with="$run_with --env LD_PRELOAD=./libthree.so"
    counted addr:later 100
done
run_with="timeout 100 $BUILD/simrun -q --cpus 1 --env LD_LIBRARY_PATH=."

# The same through the other options.
program=main-pie
rm -rf p.exp
echo x | $run_with --mode=fast --probe alone --probe libone.so.1:set --pmu-trace=p.exp --user ./$program >out 2>err
cmp -s want out || complain "--probe: $(cat out err)"
"$BUILD/simprof" active p.exp --csv >active
grep -q '^301,.*alone' active && grep -q '^100,.*set' active || complain "--probe: $(cat active)"
rm -rf again.exp # what was recorded knows where they were
echo unread | timeout 100 "$BUILD/simrun" -q --cpus 1 --mode=fast --probe alone --probe libone.so.1:set --pmu-trace=again.exp --replay p.exp --user ./$program >out 2>&1
cmp -s want out && diff -r p.exp again.exp >/dev/null || complain "--replay: $(cat out)"
rm -rf r.exp
echo x | $run_with --mode=fast --range libtwo:two --data-range shared_word --pmu-trace=r.exp --user ./$program >out 2>err ||
    complain "--range: $(cat err)"
[ "$(grep -c '^range 0 .*\(code libtwo:two\|data shared_word\)$' r.exp/log)" = 2 ] || complain "--range: $(grep range r.exp/log)"
echo x | $run_with --mode=fast --detail two:+30000 --summary --user ./$program >out 2>err || complain "--detail: $(cat err)"
echo x | $run_with --mode=fast --log exec:log --log-from two --log-to libone:set --user ./$program >/dev/null 2>err
two=$(powerpc-linux-gnu-nm -D libtwo.so | awk '$3 == "two" { print substr($1, 6) }')
head -1 log | awk '{ print $4 }' | grep -q "$two\$" || complain "--log-from: $(head -1 log), not $two"

# Each instruction, call and branch of the libraries is marked with the rest.
for kind in scan calls branches; do
    rm -rf a.exp
    echo x | $run_with --mode=fast --autoprofile=$kind --pmu-trace=a.exp --user ./$program >out 2>err
    cmp -s want out || complain "$kind: $(cat out err)"
    "$BUILD/simprof" marks a.exp --csv --limit=0 >marks
    [ $kind = branches ] || grep -q '^code,.*,both (libone' marks || complain "$kind: libone is not there: $(grep alone marks)"
done
run_with="$run_with --env LD_PRELOAD=./libthree.so"
echo x | $run_with --mode=fast --log exec:log --user ./$program >/dev/null 2>&1
rm -rf a.exp
echo x | $run_with --mode=fast --autoprofile=scan --pmu-trace=a.exp --user ./$program >/dev/null 2>&1
all=$("$BUILD/simprof" marks a.exp --csv --limit=0 | awk -F, '$1 == "code" { n += $3 } END { print n }')
# What meets a page for the first time is in the log twice, and mfpvr, which the
# loader asks, is the system's to do.
want=$(awk '$4 != last && $6 != "mfpvr" { n++ } { last = $4 } END { print n }' log)
[ "$all" = "$want" ] || complain "scan counts $all instructions, the log has $want"

# What is not there, or there twice, or not yet.
run_with="timeout 100 $BUILD/simrun -q --cpus 1 --env LD_LIBRARY_PATH=."
refused() { # OPTIONS... : WORDS
    words=$1
    shift
    rm -rf early
    echo x | $run_with --mode=fast "$@" --user ./$program >out 2>err
    [ $? = 125 ] || complain "$*: status is not 125"
    [ ! -s out ] && [ ! -e early ] || complain "$*: the program ran: $(cat out)"
    tr '\n' ' ' <err | grep -q "$words" || complain "$*: $(cat err)"
}
refused 'no such symbol; write libtwo.so.1.2:both or libone.so.1.2:both' --probe both
refused 'libtwo.so.1.2 and libone.so.1.2 have it: write' --mark func:both=count
refused 'has no such symbol; looked in ld.so.1, libone.so.1.2, .*LD_PRELOAD=FILE); did you mean alone' --probe alonge
refused 'has no symbol of this name; looked in .*libtwo.so.1.2' --mark func:libtwo:alone=count
refused 'has no symbol of this name; looked in .*LD_PRELOAD' --range later
refused 'symbol of the program.*looked in .*did you mean two' --detail twoo:+30000
refused 'symbol of the program.*looked in ' --log exec:log --log-from nowhere
refused 'no function of main-pie is called like this; looked in' --mark 'func:libone:t*=count'
mkdir none
refused 'dynamic loader /lib/ld.so.1 is not found' --sysroot none --probe two
exit $bad
