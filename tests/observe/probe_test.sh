#!/bin/sh
# probe_test.sh - simrun --probe: every entry and exit of a function is
# recorded once; a free probe changes nothing; a costly one is charged exactly.
set -u
cd "$(dirname "$0")/../.." || exit 1
dir=$TMPDIR
bad=0
complain() {
    echo "$1"
    bad=1
}
run() { # name, then options
    name=$1
    shift
    "$BUILD/simrun" "$@" --append "work=txn n=20" --pmu-trace="$dir/$name.exp" \
        "$BUILD/guest.elf" >"$dir/$name.out" 2>"$dir/$name.err" ||
        complain "$name: status $?"
}
# Records as lines: kind function cost
records() {
    od -A n -v -t u4 -w40 -j 32 "$dir/$1.exp/probe.rec" |
        awk '{ print $5, $6, $7 }'
}

for mode in detailed fast; do
    run plain --mode=$mode
    run free --mode=$mode --probe txn_stage_commit --probe thread_sleep
    run costly --mode=$mode --probe txn_stage_commit --set probe_cycles=100
    cmp "$dir/plain.out" "$dir/free.out" ||
        complain "$mode: the guest printed something else when probed"
    for file in idle switch thread stat irq oracle; do
        cmp "$dir/plain.exp/$file.rec" "$dir/free.exp/$file.rec" ||
            complain "$mode: $file.rec differs when probed"
    done
    # 8 threads commit 20 transactions each
    for name in free costly; do
        commit=$(records $name | awk '$1 == 1 { print $2; exit }')
        for kind in 1 2; do
            n=$(records $name | awk -v k=$kind -v f="$commit" \
                '$1 == k && $2 == f' | wc -l)
            [ "$n" -eq 160 ] ||
                complain "$mode, $name: $n records of kind $kind, not 160"
        done
    done
    [ "$(records costly | awk '$3 != 100' | wc -l)" -eq 0 ] ||
        complain "$mode: a record with another cost"
    "$BUILD/simprof" functions --reasons --csv "$dir/costly.exp" \
        >"$dir/reasons.csv" || complain "$mode: simprof functions fails"
    head -1 "$dir/reasons.csv" | tr ',' '\n' | grep -qi system ||
        complain "$mode: no reason 'system' in $(head -1 "$dir/reasons.csv")"
    system=$(awk -F, 'NR == 1 { for (i = 1; i <= NF; i++)
            if (tolower($i) ~ /system/) c = i }
        NR == 2 { print $c }' "$dir/reasons.csv" | tr -d '"')
    [ "$system" = 32000 ] ||
        complain "$mode: $system cycles charged, not 320 x 100"
    rm -rf "$dir"/*.exp
done

"$BUILD/simrun" --probe no_such_function "$BUILD/guest.elf" >"$dir/out" 2>&1
[ $? -eq 125 ] || complain "an unknown function is not refused"
grep -q "no such symbol" "$dir/out" || complain "$(cat "$dir/out")"
exit $bad
