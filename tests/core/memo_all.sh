#!/bin/sh
# memo_all.sh - the suites that know about cycles, with simrun and the tests
# compiled so that --memo=check, and then off, is the default.
# timeout: 7200
set -u
bad=0
[ "$(tests/setup/sources c sim | wc -l)" -gt 0 ] || exit 1
for mode in MEMO_CHECK MEMO_OFF; do
    make -s BUILD="$TMPDIR/$mode" EXTRA_CFLAGS="-DMEMO_DEFAULT=$mode" tests ||
        exit 1
    BUILD="$TMPDIR/$mode" tests/run core/ isa/ pmu/ machine/ \
        -core/memo_test >"$TMPDIR/log" 2>&1 ||
        { echo "with $mode:"; grep -v "^ok" "$TMPDIR/log"; bad=1; }
done
exit $bad
