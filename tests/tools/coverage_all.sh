#!/bin/sh
# coverage_all.sh - do the 95 % intervals of simprof truth hold what they
# should in 95 of 100 runs? Measured over 200 seeds each of a program whose
# functions take turns at random, of one with long phases, and of the guest.
# Prints the shares; the first must be near 95 %, the others are what they are.
# timeout: 900
set -u
cd "$(dirname "$0")/../.." || exit 1
cc=${CROSS:-powerpc-linux-gnu-}gcc
command -v "$cc" >/dev/null || { echo "no $cc"; exit 77; }
dir=$TMPDIR
seeds=${SEEDS:-200}
: >"$dir/rows"

# sample NAME EVENTS SIMRUN-ARGUMENTS...: rows "NAME EVENT inside exact found"
sample() {
    name=$1 events=$2
    shift 2
    rm -rf "$dir/x.exp"
    "$BUILD/simrun" -q --pmu-trace="$dir/x.exp" "$@" >"$dir/out" 2>&1 || {
        echo "$name: simrun: status $?: $(tail -n 2 "$dir/out")"
        exit 1
    }
    for event in $events; do
        "$BUILD/simprof" truth --csv --limit=0 --event=$event "$dir/x.exp" |
            awk -F, -v n="$name" -v e=$event 'NR > 1 && $1 >= 0.01 {
                print n, e, $5, $1, $2 }' >>"$dir/rows"
    done
}

"$cc" -I. -O2 -ffreestanding -nostdlib -static -o "$dir/random.elf" \
    tests/sim/phases.c || exit 1
"$cc" -I. -O2 -ffreestanding -nostdlib -static -DPHASES \
    -o "$dir/phases.elf" tests/sim/phases.c || exit 1
seed=1
while [ $seed -le "$seeds" ]; do
    sample random cycles -e cycles:2000 --cpus=1 --set=seed=$seed \
        "$dir/random.elf"
    sample phases cycles -e cycles:2000 --cpus=1 --set=seed=$seed \
        "$dir/phases.elf"
    sample guest "cycles to-idle" -e cycles:5000 --cpus=2 --mode=fast \
        --set=seed=$seed --append="work=txn n=10" "$BUILD/guest.elf"
    seed=$((seed + 1))
done

awk -v seeds="$seeds" '
    { k = $1 " " $2; if (!(k in rows)) order[++kinds] = k
      rows[k]++; inside[k] += $3 }
    END {
        for (i = 1; i <= kinds; i++) {
            k = order[i]
            printf "%-15s %5d intervals over %d seeds, %.1f%% hold the exact share\n", \
                k, rows[k], seeds, 100 * inside[k] / rows[k]
            if (rows[k] < 3 * seeds) { print "too few"; bad = 1 }
        }
        share = inside["random cycles"] / rows["random cycles"]
        if (share < 0.93 || share > 0.975) {
            print "intervals of independent samples do not hold 95 %"
            bad = 1
        }
        exit bad
    }' "$dir/rows"
