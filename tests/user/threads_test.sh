#!/bin/sh
# threads_test.sh - a pthread program really runs on 4 processors, gets the
# right results in both modes and on 1 and 8 processors, and the same bits
# each run.
# timeout: 300
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

for tool in powerpc-linux-gnu-gcc qemu-ppc; do
    command -v $tool >/dev/null || { echo "$tool is missing"; exit 77; }
done
program=$TMPDIR/threads
powerpc-linux-gnu-gcc -O1 -fexceptions -static -pthread -o "$program" \
    tests/user/prog/threads.c || exit 1
tests/user/same "$program" 4000 || bad=1
for cpus in 1 8; do
    FLAGS=--cpus=$cpus MODES=fast tests/user/same "$program" 2000 || bad=1
done
for mode in fast detailed; do
    "$BUILD/simrun" -q --mode=$mode --user "$program" 500 show \
        >"$TMPDIR/show"
    grep -q '^processors f$' "$TMPDIR/show" ||
        fail "$mode: not all of 4 processors worked"
    grep -q '^cancelled 1$' "$TMPDIR/show" || fail "$mode: not cancelled"
    for n in 1 2; do
        "$BUILD/simrun" -q --mode=$mode --pmu-trace="$TMPDIR/$mode.$n" --user \
            "$program" 500 show >"$TMPDIR/$mode.$n.out" || fail "$mode: $?"
    done
    cmp "$TMPDIR/$mode.1.out" "$TMPDIR/$mode.2.out" || bad=1
    diff -r "$TMPDIR/$mode.1" "$TMPDIR/$mode.2" || bad=1
done
exit $bad
