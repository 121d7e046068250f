#!/bin/sh
# cancel_test.sh - a thread is cancelled wherever it is, and its stack unwound
# through the frame of a signal, by way of the page that the system lends.
# qemu-ppc 7 has no such page and aborts, so what is right stands in
# prog/cancel.right, also for tests/guest/cancel_test.sh.
set -u
cd "$(dirname "$0")/../.."
bad=0

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
for optimize in -O0 -O2; do
    powerpc-linux-gnu-gcc $optimize -w -static -pthread \
        -fasynchronous-unwind-tables -o "$TMPDIR/cancel" \
        tests/user/prog/cancel.c || exit 1
    for mode in fast detailed; do
        "$BUILD/simrun" -q --mode=$mode --user "$TMPDIR/cancel" \
            >"$TMPDIR/out" 2>&1 </dev/null || { echo "status $?"; bad=1; }
        diff tests/user/prog/cancel.right "$TMPDIR/out" || bad=1
    done
done
exit $bad
