#!/bin/sh
# step_test.sh - idle samples do not fall into step with the workload, though
# its round is half their period and each sample moves it: over many seeds the
# two waits of txn have the shares of idle interrupts that they have of idle time.
# What is missing are the interrupts that gave no sample, 3 in 100.
# timeout: 300
set -u
. tests/guest/lib.sh
seeds=40

seed=1
while [ $seed -le $seeds ]; do
    rm -rf "$dir/e.exp"
    boot 2 "work=txn n=10" --mode=fast --switch-stacks --set seed=$seed \
        --pmu-trace="$dir/e.exp"
    "$BUILD/simprof" truth --csv --limit=0 --event=to-idle-causes \
        "$dir/e.exp" >>"$dir/rows" || fail "no truth of seed $seed"
    seed=$((seed + 1))
done
awk -F, -v seeds=$seeds '
    function judge(what, exact, found) {
        printf "%s: %.1f %% of idle time, %.1f %% of interrupts\n", what,
            100 * exact / seeds, 100 * found / seeds
        if (found - exact > 0.06 * seeds || exact - found > 0.06 * seeds)
            bad = 1
    }
    /journal_write/ { e1 += $1; f1 += $2 }
    /mutex_lock/ { e2 += $1; f2 += $2 }
    END {
        judge("journal_write", e1, f1)
        judge("mutex_lock", e2, f2)
        exit bad || e1 < 0.3 * seeds || e2 < 0.3 * seeds
    }' "$dir/rows" || fail "samples and workload are in step"
