#!/bin/sh
# linux_test.sh - what the emulator that judges most calls does not do is as
# the manual pages of Linux have it.
set -u
cd "$(dirname "$0")/../.."
bad=0

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -o "$TMPDIR/linux" \
    tests/user/prog/linux.c || exit 1
cd "$TMPDIR" || exit 1
for mode in fast detailed; do
    "$BUILD/simrun" -q --mode=$mode --user ./linux </dev/null ||
        { echo "$mode: status $?"; bad=1; }
done
exit $bad
