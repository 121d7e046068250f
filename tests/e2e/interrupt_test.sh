#!/bin/bash
# interrupt_test.sh - Ctrl-C ends a run that would not end: with a summary, an
# experiment that reads as complete, and a status that is not success. (bash:
# other shells start background programs with SIGINT ignored for good.)
# timeout: 120
set -u
cd "$(mktemp -d)" || exit 1
cat >spin.c <<'END'
int _start(void) { for (;;) ; }
END
powerpc-linux-gnu-gcc -O2 -ffreestanding -nostdlib -static -o spin.elf spin.c ||
    exit 1

set -m # a process group of its own, with SIGINT as a terminal would have it
"$BUILD/simrun" spin.elf --pmu-trace=spin.exp >out 2>err </dev/null &
pid=$!
until grep -q '^at [1-9]' spin.exp/log 2>/dev/null; do
    kill -0 $pid || { echo "over too soon"; cat out err; exit 1; }
    sleep 0.1
done
kill -INT $pid
wait $pid
status=$?
case $status in
0 | 137 | 139 | 134) echo "status $status"; cat out err; exit 1 ;;
esac
cat out err | grep -q instructions || { echo "no summary:"; cat out err; exit 1; }
"$BUILD/simprof" functions spin.exp >functions 2>&1 ||
    { cat functions; exit 1; }
grep -q _start functions || { echo "no _start:"; cat functions; exit 1; }
"$BUILD/simprof" info spin.exp >info 2>&1 || { cat info; exit 1; }
