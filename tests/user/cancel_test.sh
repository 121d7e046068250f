#!/bin/sh
# cancel_test.sh - a thread is cancelled wherever it is, and its stack unwound
# through the frame of a signal, by way of the page that the system lends.
# qemu-ppc 7 has no such page and aborts, so what is right stands here.
set -u
cd "$(dirname "$0")/../.."
bad=0

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
cat >"$TMPDIR/right" <<'R'
cleaned up: sleep
0 cancelled
cleaned up: read
1 cancelled
cleaned up: pause
2 cancelled
cleaned up: sem_wait
3 cancelled
unlocked: 0
4 cancelled
cleaned up: sigwait
5 cancelled
cleaned up: testcancel
6 cancelled
cleaned up: a loop
7 cancelled
8 came back
handler: 1 interrupted, deep: 1
informed: 1 interrupted, deep: 1
R
for optimize in -O0 -O2; do
    powerpc-linux-gnu-gcc $optimize -w -static -pthread \
        -fasynchronous-unwind-tables -o "$TMPDIR/cancel" \
        tests/user/prog/cancel.c || exit 1
    for mode in fast detailed; do
        "$BUILD/simrun" -q --mode=$mode --user "$TMPDIR/cancel" \
            >"$TMPDIR/out" 2>&1 </dev/null || { echo "status $?"; bad=1; }
        diff "$TMPDIR/right" "$TMPDIR/out" || bad=1
    done
done
exit $bad
