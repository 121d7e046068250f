#!/bin/sh
# memo_all.sh - the suites that know about cycles, with simrun and the tests
# compiled so that --memo=check, and then off, is the default.
# timeout: 7200
set -u
bad=0
for mode in MEMO_CHECK MEMO_OFF; do
    tests/setup/copy_build "$TMPDIR/$mode" || exit 1
    make -s -W sim/core/detailed/memo/memo.c BUILD="$TMPDIR/$mode" \
        MEMO_DEFAULT=$mode tests || exit 1
    cmp -s "$BUILD/simrun" "$TMPDIR/$mode/simrun" && {
        echo "$mode is not what this simrun does"
        exit 1
    }
    BUILD="$TMPDIR/$mode" tests/run core/ isa/ pmu/ machine/ \
        -core/memo_test >"$TMPDIR/log" 2>&1 ||
        { echo "with $mode:"; grep -v "^ok" "$TMPDIR/log"; bad=1; }
done
exit $bad
