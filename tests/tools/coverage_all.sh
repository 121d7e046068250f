#!/bin/sh
# coverage_all.sh - do the 95 % intervals of simprof truth hold what they
# should in 95 of 100 runs? Measured over 200 seeds each of a program whose
# functions take turns at random, of one with long phases, and of the guest,
# whose idle shares are of all sample interrupts that found a CPU idle, with
# intervals by drawing idle periods again. Prints the shares of intervals that
# hold, and how far the largest share found lies from the exact one on average.
# Those of independent samples must be near 95 %, those of idle threads not
# below; the others are what they are.
# timeout: 1800
set -u
cd "$(dirname "$0")/../.." || exit 1
cc=${CROSS:-powerpc-linux-gnu-}gcc
command -v "$cc" >/dev/null || { echo "no $cc"; exit 77; }
dir=$TMPDIR
seeds=${SEEDS:-200}
: >"$dir/rows"

# A profile's CSV to rows "NAME EVENT inside exact found", the largest share
# first, of what has at least a hundredth. Idle interrupts without a sample
# have no exact share: they are "NAME EVENT none - found", and with the others
# all there is. Shares have four decimals.
rows() {
    awk -F, -v n="$1" -v e="$2" '
        NR == 1 { next }
        { sum += $2 }
        $1 == "" { print n, e, "none", "-", $2; next }
        $1 >= 0.01 { print n, e, $5, $1, $2 }
        END {
            apart = sum - 1
            if (e ~ /idle/ && apart * apart > (NR * 0.00005) ^ 2) {
                print "shares add up to " sum >"/dev/stderr"
                exit 1
            }
        }'
}

# sample NAME EVENTS SIMRUN-ARGUMENTS...
sample() {
    name=$1 events=$2
    shift 2
    rm -rf "$dir/x.exp"
    "$BUILD/simrun" -q --pmu-trace="$dir/x.exp" "$@" >"$dir/out" 2>&1 || {
        echo "$name: simrun: status $?: $(tail -n 2 "$dir/out")"
        exit 1
    }
    for event in $events; do
        "$BUILD/simprof" truth --csv --limit=0 --event=$event \
            "$dir/x.exp" >"$dir/csv" || exit 1
        rows "$name" $event <"$dir/csv" >>"$dir/rows" || {
            echo "$name $event, seed $seed: not the whole"
            exit 1
        }
    done
}

"$cc" -I. -O2 -ffreestanding -nostdlib -static -o "$dir/random.elf" \
    tests/observe/phases.c || exit 1
"$cc" -I. -O2 -ffreestanding -nostdlib -static -DPHASES \
    -o "$dir/phases.elf" tests/observe/phases.c || exit 1
idle="to-idle to-idle-causes"
seed=1
while [ $seed -le "$seeds" ]; do
    sample random cycles -e cycles:2000 --cpus=1 --set=seed=$seed \
        "$dir/random.elf"
    sample phases cycles -e cycles:2000 --cpus=1 --set=seed=$seed \
        "$dir/phases.elf"
    sample fast "cycles $idle" -e cycles:5000 --cpus=2 --mode=fast \
        --switch-stacks --set=seed=$seed --append="work=txn n=10" \
        "$BUILD/guest.elf"
    sample guest "cycles $idle" -e cycles:5000 --cpus=2 \
        --switch-stacks --set=seed=$seed --append="work=txn n=10" \
        "$BUILD/guest.elf"
    seed=$((seed + 1))
done

awk -v seeds="$seeds" '
    { k = $1 " " $2; if (!(k in rows)) order[++kinds] = k }
    $3 == "none" { none[k] += $5; next }
    { if (k != of || $4 > last) { far[k] += $5 - $4; runs[k]++ }
      of = k; last = $4
      rows[k]++; inside[k] += $3 }
    END {
        for (i = 1; i <= kinds; i++) {
            k = order[i]
            printf "%-20s %5d intervals over %d seeds, %.1f%% hold the exact share; largest %+.1f%% off", \
                k, rows[k], seeds, 100 * inside[k] / rows[k], \
                100 * far[k] / runs[k]
            if (k in none)
                printf ", %.1f%% without a sample", 100 * none[k] / seeds
            print ""
            if (rows[k] < 2 * seeds) { print "too few"; bad = 1 }
            if (k ~ /idle/ && !none[k]) {
                print "no idle interrupt was without a sample"
                bad = 1
            }
            if (k ~ /to-idle$|^fast .*causes/ && inside[k] / rows[k] < 0.93) {
                print "intervals of idle threads do not hold 95 %"
                bad = 1
            }
        }
        share = inside["random cycles"] / rows["random cycles"]
        if (share < 0.93 || share > 0.975) {
            print "intervals of independent samples do not hold 95 %"
            bad = 1
        }
        exit bad
    }' "$dir/rows"
