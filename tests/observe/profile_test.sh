#!/bin/sh
# profile_test.sh - counters of the host: -e changes nothing that the guest
# does, counts what the guest could count, samples as often as it counts, and
# refuses what it cannot do.
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

for mode in detailed fast; do
    run plain-$mode --mode=$mode
    run sampled-$mode --mode=$mode -e cycles:5000 -e insn_completed:1000 \
        -e insn_completed
    cmp "$dir/plain-$mode.out" "$dir/sampled-$mode.out" ||
        complain "$mode: the guest printed something else when sampled"
    for file in idle switch thread stat irq oracle; do
        cmp "$dir/plain-$mode.exp/$file.rec" "$dir/sampled-$mode.exp/$file.rec" ||
            complain "$mode: $file.rec differs when sampled"
    done
    # counter 2 of each CPU counts the instructions that the log tells
    for cpu in 0 1 2 3; do
        insns=$(sed -n "s/^insns $cpu //p" "$dir/sampled-$mode.exp/log")
        count=$(sed -n "s/^count 2 $cpu \([0-9]*\) .*/\1/p" \
            "$dir/sampled-$mode.exp/log")
        [ "$insns" = "$count" ] ||
            complain "$mode: CPU $cpu ran $insns instructions, counted $count"
    done
    # samples of a period of 5000 +- an eighth, on 4 CPUs
    end=$(sed -n 's/^end //p' "$dir/sampled-$mode.exp/log")
    bytes=$(wc -c <"$dir/sampled-$mode.exp/profile.rec")
    [ "$bytes" -gt $((end / 5000 * 4 * 50)) ] ||
        complain "$mode: $bytes bytes of samples in $end cycles are too few"
    cat "$dir"/*-$mode.err
done

refuse() { # what it must say, then options
    says=$1
    shift
    "$BUILD/simrun" "$@" "$BUILD/guest.elf" >"$dir/out" 2>"$dir/err"
    status=$?
    [ $status -eq 2 ] || complain "$*: status $status, not 2"
    grep -q -- "$says" "$dir/err" || complain "$*: no word of '$says'"
}
refuse "dcache_miss: does not happen in --mode=fast" --mode=fast -e dcache_miss
refuse "miss: does not happen in --mode=fast" -e 'miss = dcache_miss' -e miss:10 \
    --mode=fast
refuse "no such event" -e nonsense
refuse "no such event" -e nothing
refuse "neither a period" -e cycles:often
refuse "the host cannot count" -e lsu_idle
refuse "leave the period out" -e lsu_busy:100
refuse "8 counters" -e cycles -e cycles -e cycles -e cycles -e cycles \
    -e cycles -e cycles -e cycles -e cycles
exit $bad
