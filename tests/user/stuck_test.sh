#!/bin/sh
# stuck_test.sh - a program all of whose threads wait for ever ends with 125
# and one line that says in which call each of them does; one that a timer or
# another thread will wake goes on, also if its standard input is silent.
# timeout: 200
set -u
cd "$(dirname "$0")/../.."
bad=0
fail() { echo "$1"; bad=1; }

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$TMPDIR/stuck" \
    tests/user/prog/stuck.c || exit 1

cd "$TMPDIR" || exit 1
for mode in fast detailed; do
    run() {
        timeout 60 "$BUILD/simrun" -q --mode=$mode --user "$TMPDIR/stuck" "$1" \
            2>"$TMPDIR/err"
    }
    for each in "read:1000 in read(3)" "write:1000 in write(4)" \
        "event:1000 in read(5)" "pause:1000 in pause" "poll:1000 in poll" \
        "flock:1000 in flock(6)" \
        "futex:1000 in futex at 0x.*, 1007 in futex at 0x.* and 13 more"; do
        run "${each%%:*}" </dev/null
        [ $? -eq 125 ] || fail "$mode, ${each%%:*}: not 125"
        [ "$(wc -l <"$TMPDIR/err")" -eq 1 ] &&
            grep -q "wait for ever.*: ${each#*:}; cycle" "$TMPDIR/err" ||
            fail "$mode, ${each%%:*}: $(cat "$TMPDIR/err")"
    done
    run timers </dev/null || fail "$mode: too many timers: $?"
    [ "$(run locked </dev/null)" = 0 ] || fail "$mode: a lock that is given up"
    run timer </dev/null || fail "$mode: a timer does not wake it"
    mkfifo "$TMPDIR/silent.$mode"
    out=$(run both <>"$TMPDIR/silent.$mode")
    [ "$out" = "1: 0 1" ] || fail "$mode: a thread does not wake it: $out"
done
exit $bad
