#!/bin/sh
# killed_test.sh - an experiment whose run was killed can be read, and what it
# says agrees with the beginning of the whole run's.
# timeout: 180
set -u
guest=$BUILD/guest.elf
cd "$(mktemp -d)" || exit 1

"$BUILD/simrun" "$guest" --pmu-trace=killed.exp >out 2>err </dev/null &
pid=$!
tries=0
while [ ! -s killed.exp/idle.rec ] ||
    [ "$(wc -c <killed.exp/idle.rec)" -lt 2000 ]; do
    tries=$((tries + 1))
    kill -0 $pid 2>/dev/null || break
    [ $tries -lt 600 ] || { echo "no idle records in a minute"; kill -9 $pid; exit 1; }
    sleep 0.1
done
# Readable while it is being written, too.
"$BUILD/simprof" info killed.exp >during 2>&1 ||
    { echo "during the run:"; cat during; kill -9 $pid; exit 1; }
kill -9 $pid 2>/dev/null
wait $pid
status=$?
[ $status -eq 137 ] || echo "(the run was over before it could be killed)"
"$BUILD/simprof" info killed.exp >info 2>&1 || { cat info; exit 1; }
"$BUILD/simprof" idle killed.exp >idle 2>&1 || { cat idle; exit 1; }
"$BUILD/simprof" functions killed.exp >functions 2>&1 ||
    { cat functions; exit 1; }
grep -q . idle || { echo "an empty report"; exit 1; }

"$BUILD/simrun" "$guest" --pmu-trace=whole.exp >out 2>err </dev/null ||
    { cat err; exit 1; }
for file in killed.exp/*.rec; do
    name=$(basename "$file")
    n=$(wc -c <"$file")
    head -c "$n" "whole.exp/$name" | cmp -s - "$file" ||
        { echo "$name: not the beginning of the whole run's"; exit 1; }
done

# How a run ended that did not end as its program had it to stands in front of every report.
"$BUILD/simrun" -q --max-cycles=1000000 "$guest" --pmu-trace=limit.exp >out 2>err </dev/null
"$BUILD/simprof" functions limit.exp | sed -n 2p | grep -q ': reached --max-cycles$' ||
    { echo "no word of a limit"; "$BUILD/simprof" functions limit.exp | head -n 2; exit 1; }
"$BUILD/simprof" functions whole.exp | sed -n 2p | grep -q ')$' || { echo "the whole run's end"; exit 1; }
command -v powerpc-linux-gnu-gcc >/dev/null || exit 0
for program in 'abort()' 'return 139'; do
    printf '#include <stdlib.h>\nint main(void) { %s; }\n' "$program" >ends.c
    powerpc-linux-gnu-gcc -static -o ends ends.c || { echo "does not compile"; exit 1; }
    rm -rf ends.exp
    "$BUILD/simrun" -q --pmu-trace=ends.exp --user ./ends >out 2>err </dev/null
    "$BUILD/simprof" functions ends.exp | sed -n 2p >head
    case $program in
    return*) ! grep -q 'killed\|:' head || { echo "$program: $(cat head)"; exit 1; } ;;
    *) grep -q ': killed by signal 6$' head || { echo "$program: $(cat head)"; exit 1; } ;;
    esac
done
