#!/bin/sh
# progress_test.sh - on a terminal simprof says how far reading a large file
# is, and wipes that away; elsewhere it does not. timeout: 60
set -u
. tests/lib/terminal.sh
has_terminal || exit 77
exp=$TMPDIR/1.exp
bad=0
${CC:-gcc} -std=gnu11 -O1 -I. tests/bench/mksamples.c "$BUILD/libtest.a" \
    $(tests/setup/libraries pmu) -o "$TMPDIR/mksamples" || exit 1
"$TMPDIR/mksamples" 500000 "$exp" || exit 1

script -qec "$BUILD/simprof pcs --limit=1 $exp" /dev/null </dev/null \
    >"$TMPDIR/shown" 2>&1
esc=$(printf '\033')
grep -q "reading profile.rec: [0-9]*%$esc\[K" "$TMPDIR/shown" || {
    echo "a terminal is told nothing"
    bad=1
}
tr '\r' '\n' <"$TMPDIR/shown" | grep -A1 "reading profile.rec" | tail -n 1 |
    grep -q "^$esc\[K" || {
    echo "what was told is not wiped away"
    bad=1
}
"$BUILD/simprof" pcs --limit=1 "$exp" >"$TMPDIR/out" 2>"$TMPDIR/err" || bad=1
if grep -q reading "$TMPDIR/out" "$TMPDIR/err"; then
    echo "a file is told how far reading is"
    bad=1
fi
exit $bad
