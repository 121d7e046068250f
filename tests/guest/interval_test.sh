#!/bin/sh
# interval_test.sh - what the guest counts with marks of its own (pif=) is of
# one run of the workload out of several, and both reports say so: the guest how
# many runs there were, simprof how many of all instructions were completed
# while marks were looked up. The truth is the host's count of the whole run
# (--autoprofile=scan) and the execution log.
# timeout: 200
set -u
. tests/guest/lib.sh
nm=powerpc-linux-gnu-nm
command -v $nm >/dev/null || { echo "$nm is missing"; exit 77; }
at=$((0x$($nm "$guest" | awk '$3 == "calls_leaf" { print $1 }')))
exp=$dir/e.exp

# Executions of calls_leaf that a unit counted, in the experiment.
leaf() {
    "$BUILD/simprof" marks "$exp" --csv --limit=0 | awk -F, -v by="$1" '
        $1 == "code" && $2 == by && /,calls_leaf[+,]/ { n += $3 }
        END { print n + 0 }'
}

rounds() { # WAY RUNS LOOKED: calls_leaf runs as often as the workload does
    rm -rf "$exp"
    boot 1 "work=calls n=60 sampler=off trigger=time:2000 pif=$1" \
        --pmu-trace="$exp" --autoprofile=scan
    said="pif: the workload ran $2 times, marks were looked up in $3, each whole"
    grep -qx "$said; a count is of 1 run of $2" "$out" ||
        fail "does not say: $said; it says $(grep 'workload ran' "$out")"
    above "calls_leaf" "$(leaf host)" 10000
    runs=$2
}
one() { # ... and what the guest has of it is one run's
    rounds "$@"
    is "$1: all of $runs runs" $(($(leaf guest) * runs)) "$(leaf host)"
}
one auto 2 1
one "mark:$at" 2 2
one scan:module 7 6
one sweep 2 1
rounds climb 6 5
is "climb: round 1, times its runs" "$(awk -v runs=$runs '
    /^pif: round 1:/ { print $8 * runs * 226 }' "$out")" "$(leaf host)"

# In simprof: the instructions of the log while PIFM was on, of all there are.
look() { # CPUS LINE MODE
    rm -rf "$exp"
    boot "$1" "sampler=off trigger=time:2000 $2" --mode="$3" \
        --pmu-trace="$exp" --log exec:"$dir/log"
    awk '{ all++ }
        $NF ~ /^pifm=/ {
            now = substr($NF, 6, 8) != "00000000"
            if (now && !on[$1]) { from[$1] = n[$1]; times[$1]++ }
            n[$1] += on[$1]
            if (!now && on[$1]) to[$1] = n[$1]
            on[$1] = now
            next
        }
        on[$1] { n[$1]++ }
        END {
            for (c in n) { sum += n[c]; last += to[c] - from[c] }
            print times[0], sum, last, all
        }' "$dir/log" >"$dir/truth"
    read -r times sum last all <"$dir/truth"
    awk '$1 == "looked" { t = $3; s += $4; l += $5 } $1 == "insns" { a += $3 }
        END { print t, s, l, a }' "$exp/log" >"$dir/got"
    is "$1 CPUs, $3: times, instructions, of the last, of all" \
        "$(cat "$dir/got")" "$times $sum $last $all"
    "$BUILD/simprof" marks "$exp" | tr '\n' ' ' | tr -s ' ' | tr -d , >"$dir/text"
    grep -q "not of the whole run: $sum of $all instructions (" "$dir/text" ||
        fail "simprof does not say $sum of $all: $(cut -c1-600 "$dir/text")"
    [ "$times" -eq 1 ] ||
        grep -q "did so $times times the last for $last (" "$dir/text" ||
        fail "simprof does not say $times times, the last for $last"
}
look 1 "work=calls n=20 pif=auto" fast
look 1 "work=calls n=20 pif=climb:$at" detailed
look 4 "work=txn n=1 threads=4 pif=scan:module" fast

# Where the guest counts nothing, nothing is said of it.
rm -rf "$exp"
boot 1 "work=calls n=20 sampler=off" --pmu-trace="$exp" --autoprofile=scan
"$BUILD/simprof" marks "$exp" | grep 'Counts by guest' && fail "no guest counts"
exit 0
