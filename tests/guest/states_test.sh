#!/bin/sh
# states_test.sh - records of what threads do and wait for (states=on): a thread's
# states follow each other as they can, agree with the context switches, and fill
# its life without a gap; a record has 40 bytes at most; waits of a program are
# told with what they are for and who has it; nothing is recorded without the
# word, and stacks take no time of the guest.
# timeout: 200
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof

boot 4 "work=txn n=10 states=on" --pmu-trace="$dir/s.exp" --switch-stacks
boot 4 "work=txn n=10 states=on" --pmu-trace="$dir/p.exp"
boot 4 "work=txn n=10" --pmu-trace="$dir/n.exp"
for kind in state wake frame; do
    is "$kind.rec without states=on" "$(wc -c <"$dir/n.exp/$kind.rec")" 32
done
is "end with stacks and without" "$(grep ^end "$dir/s.exp/log")" \
    "$(grep ^end "$dir/p.exp/log")"
for kind in state wake; do
    [ "$(od -An -v -t u2 -w2 -j 32 -N 2 "$dir/s.exp/$kind.rec" | tr -d ' ')" -eq 40 ] ||
        fail "a record of $kind.rec has not 40 bytes"
done

# Each record: kind cpu thread cycle words. States by number: record.def.
for kind in state wake switch; do
    records "$dir/p.exp/$kind.rec" | awk -v kind=$kind '{ print kind, NR, $0 }'
done >"$dir/all"
awk '
    function bad(what) { if (!failed++) print what ": " $0; }
    # Of a thread the state before decides what may come next.
    $1 == "state" {
        t = $5; now = $7; was = t in state ? state[t] : 0
        if (was == 12) bad("after the end")
        if (now == 4 && was == 4) bad("runnable twice")
        if (was == 4 && now != 2) bad("runnable, then not dispatched")
        if (was >= 5 && now != 4) bad("went on without being woken")
        if (now >= 5 && was != 2) bad("waits, but did not run")
        if (now == 5 && !$10) bad("a lock of no owner")
        if (now == 5 && $10 == t) bad("a lock of its own")
        if (now == 2 && was == 4) dispatched++
        if (now == 4 && (was == 0 || was >= 5)) runnable++
        state[t] = now; number[now]++
    }
    $1 == "wake" { woken++; if ($7 == 2 && $9 != 2304) bad("another timer") }
    END {
        if (woken != runnable) bad(woken " wake-ups, " runnable " times runnable")
        print number[5] + 0, number[10] + 0, number[6] + 0, dispatched + 0, failed + 0
    }' "$dir/all" >"$dir/said"
set -- $(tail -n 1 "$dir/said")
is "records that cannot be: $(head -n 1 "$dir/said")" "$5" 0
above "waits for locks" "$1" 10
above "sleeps" "$2" 10
above "waits in queues" "$3" 10
# Threads that are no idle ones are dispatched as often as switch.rec says.
records "$dir/p.exp/thread.rec" | awk '$6 == 1 { print $3 }' >"$dir/idle"
switched=$(records "$dir/p.exp/switch.rec" | awk -v idle="$dir/idle" '
    BEGIN { while ((getline t < idle) > 0) is[t] = 1 } !($3 in is)' | wc -l)
is "dispatches" "$4" "$switched"

# The sums fill each life: from its first record to its last, or the end.
end=$(sed -n 's/^end //p' "$dir/s.exp/log")
records "$dir/s.exp/state.rec" | awk -v end="$end" '
    !($3 in from) { from[$3] = $4 } { to[$3] = $5 == 12 ? $4 : end }
    END { for (t in from) print t, to[t] - from[t] }' | sort -n >"$dir/lives"
"$simprof" states "$dir/s.exp" --csv | awk -F, 'NR > 1 {
    for (n = sum = 0; n < 11; n++) sum += $(n + 1); print $13, sum }' |
    sort -n >"$dir/sums"
cmp -s "$dir/lives" "$dir/sums" || fail "$(diff "$dir/lives" "$dir/sums" | head)"
"$simprof" history "$dir/s.exp" --csv >"$dir/history"
grep -q ',lock,journal_lock,worker[^,]*,.*mutex_lock < txn_stage_commit < txn_worker' "$dir/history" ||
    fail "no wait for the journal's lock by its stack"
grep -q ',timer,.*thread_sleep < journal_write < txn_stage_commit' "$dir/history" ||
    fail "no sleep of the journal's write by its stack"
grep -q ',woken,"by worker.*mutex_unlock < txn_stage_commit' "$dir/history" ||
    fail "no wake-up by the lock's owner by its stack"

# Of a program.
command -v powerpc-linux-gnu-gcc >/dev/null || exit 0
powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/waits" tests/guest/prog/waits.c ||
    fail "waits.c does not compile"
line="run=/bin/waits states=on"
"$simrun" -q --mode=fast --cpus=2 --append "states=on" --pmu-trace="$dir/w.exp" \
    --switch-stacks --program "$dir/waits" "$guest" >"$out" 2>"$dir/err" </dev/null
is "waits" "$? $(cat "$out" "$dir/err")" "0 child 3"
"$simprof" history "$dir/w.exp" --csv >"$dir/history"
# cycle,cpu,name,thread,state,object,owner,stack
for wait in 'lock,lock,waits,.*pthread_mutex_lock < wants_the_lock' \
    'queue,turn+0x[0-9a-f]*,,.*pthread_cond_wait < waits_for_a_turn' \
    'queue,0x[0-9a-f]*,,.*pipe_read < .* < read < reads_a_pipe' \
    'barrier,children of 1000,,.*call_wait4 < .* < main (waits)' \
    'barrier,[^,]*,waits,.*pthread_clockjoin_ex < main (waits)' \
    'timer,,,.*nanosleep < holds_the_lock'; do
    grep -q ",$wait" "$dir/history" || fail "no $wait: $(cat "$dir/history")"
done
exit 0
