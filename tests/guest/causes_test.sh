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
exit 0
