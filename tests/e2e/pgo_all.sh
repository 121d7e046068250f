#!/bin/sh
# pgo_all.sh - `make pgo` builds a simrun that writes the same bits as the plain
# one, in each mode, and says so when the compiler is another.
# timeout: 1200
set -u
bad=0
complain() { echo "$*"; bad=1; }
case ${CC:-gcc} in *clang*) CC=gcc ;; esac
command -v gcc >/dev/null || { echo "gcc is missing"; exit 77; }

make pgo CC=clang BUILD="$TMPDIR/clang" >"$TMPDIR/refused" 2>&1 &&
    complain "make pgo takes a compiler that is not gcc"
grep -q 'is not gcc' "$TMPDIR/refused" || grep -q clang "$TMPDIR/refused" ||
    complain "it does not say why: $(cat "$TMPDIR/refused")"

tests/setup/copy_build "$TMPDIR/build" || exit 1
make -s pgo CC="${CC:-gcc}" BUILD="$TMPDIR/build" >"$TMPDIR/log" 2>&1 || {
    tail -n 20 "$TMPDIR/log"
    echo "make pgo fails"
    exit 1
}
cp "$BUILD/guest.elf" "$TMPDIR"
powerpc-linux-gnu-gcc -O2 -static -o "$TMPDIR/words" tests/bench/words.c
cd "$TMPDIR" || exit 1
[ "$TMPDIR/build/simrun" -nt "$TMPDIR/build/pgo/simrun" ] ||
    complain "it does not take the place of simrun"

pair() { # options: the same experiment and the same output from both
    for which in plain pgo; do
        simrun=$BUILD/simrun
        [ $which = plain ] || simrun=$TMPDIR/build/simrun
        rm -rf run.exp $which
        "$simrun" -q --pmu-trace=run.exp "$@" >$which.out 2>&1
        mv run.exp $which
    done
    diff -r plain pgo >diff && cmp -s plain.out pgo.out ||
        complain "differs: $* $(head -n 3 diff)"
}
pair --cpus=4 --append=n=3 guest.elf
pair --cpus=4 --append=n=3 --mode=fast guest.elf
pair -e cycles:1000 --mark=func:count --sample-insns=100 --user ./words 500
pair --mode=fast --user ./words 500
exit $bad
