#!/bin/sh
# threads_all.sh - a million handovers of a lock between 4 threads on 4
# processors, in detailed mode a tenth of that: none is lost, and the run is the
# same twice.
# timeout: 1800
set -u
cd "$(dirname "$0")/../.."

command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
program=$TMPDIR/threads
powerpc-linux-gnu-gcc -O1 -fexceptions -static -pthread -o "$program" \
    tests/user/prog/threads.c || exit 1
for mode in fast detailed; do
    count=1000000
    [ $mode = fast ] || count=100000
    for n in 1 2; do
        "$BUILD/simrun" --mode=$mode --summary --user "$program" $count \
            >"$TMPDIR/$mode.$n" 2>"$TMPDIR/$mode.$n.err" || {
            cat "$TMPDIR/$mode.$n.err"
            exit 1
        }
        grep -v host "$TMPDIR/$mode.$n.err" >>"$TMPDIR/$mode.$n"
        grep -q " given ${count%?}[0-9] " "$TMPDIR/$mode.$n" || {
            cat "$TMPDIR/$mode.$n"
            exit 1
        }
    done
    cmp "$TMPDIR/$mode.1" "$TMPDIR/$mode.2" || exit 1
done
