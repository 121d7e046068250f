#!/bin/sh
# valgrind_all.sh - the PowerPC programs with which Valgrind's authors try
# single instructions print what they are said to print: integer, shifts,
# loads and stores of every kind, compares, traps, FPSCR, rounding. What a
# 604e lacks (fsqrt, popcntb) is stepped over and left out of both sides; so
# are the names of tests for later chips and for AltiVec.
# timeout: 1200
. "$(dirname "$0")/../user/real.sh"

real_unpack valgrind 1:3.19.0-1 valgrind_3.19.0.orig.tar.bz2 \
    dd5e34486f1a483ff7be7300cc16b4d6b24690987877c3278d797534d6738f02
from=$TMPDIR/src/none/tests/ppc32
work=$TMPDIR/work
mkdir "$work"
: >"$work/config.h"
powerpc-linux-gnu-gcc -Wall -O1 -c -o "$work/skip.o" tests/conform/skip.c || exit 1

# try NAME EXPECTED [ARGUMENT...]
lines=0
try() {
    name=$1 expected=$from/$2
    shift 2
    [ -x "$work/$name" ] || powerpc-linux-gnu-gcc -w -O2 -fno-pie -no-pie \
        -fomit-frame-pointer -mregnames -DHAVE_AS_PPC_MFTOCRF=1 -static \
        -I"$work" -I"$TMPDIR/src" -I"$TMPDIR/src/include" \
        -I"$TMPDIR/src/VEX/pub" -o "$work/$name" "$from/$name.c" \
        "$work/skip.o" -lm || { bad=1; return; }
    grep -a -v -e sqrt -e popcntb "$expected" >"$work/expected"
    lines=$((lines + $(wc -l <"$work/expected")))
    for mode in fast detailed; do
        "$BUILD/simrun" -q --mode=$mode --user "$work/$name" "$@" \
            >"$work/all" 2>"$work/err"
        # after a wrong square root the program says what it hoped for
        awk '/sqrt/ { root = 1; next } root && /^\texpected/ { next }
            { root = 0 } !/popcntb/' "$work/all" >"$work/out"
        cmp -s "$work/expected" "$work/out" && continue
        echo "$name $* in $mode mode (< expected):"
        diff -a "$work/expected" "$work/out" | head -n 20
        head -n 3 "$work/err"
        bad=1
    done
}

for name in bug129390-ppc32 data-cache-instructions ldst_multiple ldstrev lsw \
    mftocrf tw twi xlc_dbl_u32 round test_fx; do
    try $name $name.stdout.exp
done
try jm-insns jm-int.stdout.exp -i
try jm-insns jm-int_other.stdout.exp -l -L -c
try jm-insns jm-int-sh_algebraic.stdout.exp -s
try jm-insns jm-mfspr.stdout.exp -M
try jm-insns jm-misc.stdout.exp -m
try jm-insns jm-fp.stdout.exp-BE2 -f
echo "$lines lines compared"
exit $bad
