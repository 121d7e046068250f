#!/bin/sh
# virtual_test.sh - ITIMER_VIRTUAL, ITIMER_PROF and timers on the clocks of
# processor time ring when so much has been used, in both modes.
set -u
cd "$(dirname "$0")/../.."

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$TMPDIR/virtual" \
    tests/user/prog/virtual.c || exit 1
for mode in fast detailed; do
    "$BUILD/simrun" -q --mode=$mode --user "$TMPDIR/virtual" </dev/null ||
        { echo "$mode: $? things are not so"; exit 1; }
done
