#!/bin/sh
# states_test.sh - under --user simrun tells what threads do and wait for
# (--switch-stacks): states follow each other as they can and fill each life, waits
# are told with what they are for and who has it, wake-ups with their waker, and
# none of it takes a cycle.
set -u
cd "$(dirname "$0")/../.." || exit 1
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
dir=$(mktemp -d)
bad=0
complain() { echo "$*"; bad=1; }
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/waits" tests/guest/prog/waits.c || exit 1
run() { # EXPERIMENT OPTION...
    exp=$1
    shift
    "$BUILD/simrun" -q --cpus=2 --pmu-trace="$dir/$exp" "$@" --user "$dir/waits" \
        >"$dir/out" 2>"$dir/err" </dev/null || complain "$exp: $? $(cat "$dir/err")"
}
for mode in fast detailed; do
    run $mode.exp --mode=$mode --switch-stacks
    run plain.$mode.exp --mode=$mode
    [ "$(grep '^end' "$dir/$mode.exp/log")" = "$(grep '^end' "$dir/plain.$mode.exp/log")" ] ||
        complain "$mode: records take cycles"
done
for kind in state wake switch frame; do
    [ "$(wc -c <"$dir/plain.fast.exp/$kind.rec")" -eq 32 ] || complain "$kind.rec unasked"
done

# cycle,cpu,name,thread,state,object,owner,stack
"$BUILD/simprof" history --csv "$dir/fast.exp" >"$dir/history" || complain "history"
for wait in 'lock,lock,1001,.*pthread_mutex_lock < wants_the_lock' \
    'queue,turn+0x[0-9a-f]*,,.*pthread_cond_wait < waits_for_a_turn' \
    'barrier,end of thread 100[0-9],100[0-9],.*pthread_clockjoin_ex < main' \
    'timer,,,.*nanosleep < holds_the_lock'; do
    grep -q ",$wait" "$dir/history" || complain "no $wait: $(cat "$dir/history")"
done
grep -q ',woken,"by timer' "$dir/history" || complain "no timer wakes"
grep -q ',woken,"by 100.*pthread_mutex_unlock' "$dir/history" || complain "no unlock wakes"

# In the order of the file (history sorts by cycle): states by number.
od -An -v -t u4 -w4 -j 32 "$dir/fast.exp/state.rec" | awk '
    { w[++n] = $1 } n == 10 { print w[2], w[5]; n = 0 }' >"$dir/states"
awk '{ t = $1; now = $2; was = state[t]
        if (was == 12 || (was == 4 && now != 1) || (was >= 5 && was < 12 && now != 4) ||
            (now >= 5 && was != 1)) { print "state " now " behind " was; bad = 1 }
        state[t] = now; n++ }
    END { exit bad || n < 20 }' "$dir/states" || complain "states in a wrong order"
"$BUILD/simprof" causes "$dir/fast.exp" | tr '\n' ' ' |
    grep -q "The classes add up to the [0-9,]* cycles that CPUs napped" || complain "no sum"

# Beside probes, which write the switches themselves.
run probes.exp --mode=fast --switch-stacks --probe main
"$BUILD/simprof" active "$dir/probes.exp" >/dev/null || complain "active: $?"
"$BUILD/simprof" causes "$dir/probes.exp" >/dev/null || complain "causes beside probes: $?"
rm -rf "$dir"
exit $bad
