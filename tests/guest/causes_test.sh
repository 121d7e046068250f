#!/bin/sh
# causes_test.sh - the idle report names the cause that each workload was
# planted with, and names none where there is none.
set -u
. tests/guest/lib.sh
simprof=$BUILD/simprof

# The most frequent to-idle stack, as one line of names.
top() {
    "$simprof" idle "$1" >"$dir/report" || fail "simprof: $?"
    awk '/^To-idle/ { on = 1; next }
         on && /^ *[0-9,]+ +[0-9.]+%/ { if (seen++) exit }
         on && /^$/ { exit }
         on && seen { gsub(/ +/, " "); printf "%s", $0 }' "$dir/report"
}

boot 4 "" --pmu-trace="$dir/txn.exp"
top "$dir/txn.exp" |
    grep -q 'thread_block < mutex_lock < *txn_stage_commit < *txn_worker' ||
    fail "txn: $(top "$dir/txn.exp")"

boot 4 "work=prodcons" --pmu-trace="$dir/pc.exp"
top "$dir/pc.exp" |
    grep -q 'thread_block < cond_wait < *queue_get < *consumer' ||
    fail "prodcons: $(top "$dir/pc.exp")"

boot 4 "work=busy" --pmu-trace="$dir/busy.exp"
is "busy, idle records" "$(wc -c <"$dir/busy.exp/idle.rec")" 32
# Stacks are whole, down to the thread's first function, also those of threads
# that an interrupt had taken off the CPU anywhere in a computation.
stacks() {
    awk '/^To-idle|^From-idle/ { on = 1; next }
         /^Call tree/ { exit }
         /^Share: / { on = 0 }
         /^(samples|inter-| rupts)/ { next }
         / <[a-z]*: / { next }
         on && /^ *[0-9,]+ +[0-9.]+%/ { print stack; stack = "" }
         on { gsub(/^.*%/, ""); stack = stack " " $0; gsub(/ +/, " ", stack) }
         END { print stack }' "$dir/report" | grep '[a-z]'
}

for seed in 1 2 3 5; do
    line="work=switch n=10000 trigger=time:5000 seed=$seed"
    boot 4 "$line" --pmu-trace="$dir/switch$seed.exp"
    "$simprof" idle "$dir/switch$seed.exp" >"$dir/report" || fail "simprof"
    stacks >>"$dir/stacks"
done
above "stacks" "$(grep -c 'swtch < sched' "$dir/stacks")" 30
grep -q 'preempt < trap < crunch' "$dir/stacks" || fail "nobody interrupted"
! grep -E '0x|<.text>' "$dir/stacks" || fail "an address that is no code"
! grep 'swtch <' "$dir/stacks" | grep -v '< switcher < thread_begin *$' ||
    fail "a stack without its beginning"
! grep 'crunch_step <' "$dir/stacks" | grep -v 'crunch_step < crunch <' ||
    fail "a caller is missing"
exit 0
