#!/bin/sh
# records_test.sh - what is recorded of threads is what the execution log says, read by
# tests/causes/logged.awk, which knows nothing of simrun's threads: of programs that
# tests/causes/generate makes of SEEDS, every instruction is executed where and when a thread
# is recorded to run, with that thread's own stack and r2; every wake-up by a thread is in a
# system call of that thread; every lock is taken and given back as recorded, to the
# cycle, and no other is.
# timeout: 300
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
compared=0
for seed in ${SEEDS:-0 5 7 9 1000}; do
    line="seed $seed"
    tests/causes/generate $seed >"$dir/one.c" &&
        powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/one" "$dir/one.c" || exit 1
    cpus=$(sed -n 's/^ \* cpus: //p' "$dir/one.c")
    options=$(sed -n 's/^ \* options: //p' "$dir/one.c")
    rm -rf "$dir/x.exp" "$dir/log"
    # shellcheck disable=SC2086 # options are words
    user "$dir/one" --cpus="$cpus" $options --log=exec:"$dir/log" --record-locks -f \
        --pmu-trace="$dir/x.exp" >"$out" 2>"$dir/err" </dev/null ||
        fail "$(cat "$dir/err")"
    for kind in state wake lock; do
        records "$dir/x.exp/$kind.rec" >"$dir/$kind"
    done
    awk -f tests/causes/logged.awk "$dir/state" "$dir/wake" "$dir/lock" "$dir/log" >"$dir/said" ||
        fail "$(cat "$dir/said")"
    compared=$((compared + $(sed -n 's/.* wake-ups, \([0-9]*\) events.*/\1/p' "$dir/said")))
    echo "seed $seed, $(sed -n 's/.*family: //p' "$dir/one.c"): $(cat "$dir/said")"
done
# A record that is missing, of another thread, or a cycle off is noticed.
spoiled() { # spoiled STATES WAKES LOCKS
    ! awk -f tests/causes/logged.awk "$@" "$dir/log" >"$dir/said" || fail "taken: $*"
}
awk '$5 == 1 && ++n == 4 { next } { print }' "$dir/state" >"$dir/no_state"
awk '$5 == 1 && ++n == 5 { $6++ } { print }' "$dir/wake" >"$dir/other_waker"
awk '++n == 7 { $4++ } { print }' "$dir/lock" >"$dir/late_lock"
spoiled "$dir/no_state" "$dir/wake" "$dir/lock"
spoiled "$dir/state" "$dir/other_waker" "$dir/lock"
spoiled "$dir/state" "$dir/wake" "$dir/late_lock"
above "events of locks" $compared 100
exit 0
