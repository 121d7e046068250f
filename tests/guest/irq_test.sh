#!/bin/sh
# irq_test.sh - the simulator's record of interrupts against what the guest
# made of them: each is counted once, one that meets a thread is busy, one
# that meets the idle loop is idle and leaves a sample or a record of why there
# is none. They come at their rate whatever becomes of them; with rearm=complete
# the next one behind a sample is a full period away, and it comes.
set -u
. tests/guest/lib.sh

period=30000
# What the guest said, and how far interrupts are apart, in $dir/verdict.
judge() {
    rm -rf "$dir/e.exp"
    boot 4 "n=50 trigger=event:cycles:$period dither=off $1" --pmu-trace="$dir/e.exp"
    for kind in thread idle irq; do records "$dir/e.exp/$kind.rec"; done |
        awk '{ print ($1 == 3 ? 0 : $4), $0 }' | sort -n -k1,1 |
        cut -d ' ' -f 2- | awk -v period=$period '
            $1 == 3 { role[$3] = $6 } # 0 application, 1 idle
            $1 == 5 && $5 == 3840 { # 0xF00
                irqs++
                if (role[$3] == 0) app++
                if (role[$3] == 1) idle++
                if ($2 in before) {
                    apart = $4 - before[$2]
                    if (apart < period - 6000 || apart > period + 6000) uneven++
                }
                before[$2] = $4
                if ($2 in armed) {
                    gap = $4 - armed[$2]
                    if (gap < period) early++
                    if (gap > period + 6000) late++
                    delete armed[$2]
                    gaps++
                }
            }
            $1 == 1 { armed[$2] = $4 }
            END { print irqs, app + 0, idle + 0, early + 0, late + 0, gaps,
                uneven + 0 }
        ' >"$dir/verdict"
    read -r irqs app idle early late gaps uneven <"$dir/verdict"
}

judge ""

# One that is pending where main disarms its processor is taken in main, and is no
# sample's.
disarmed=$((irqs - $(total interrupts)))
[ $disarmed -ge 0 ] && [ $disarmed -le 4 ] && [ $disarmed -le $((irqs - app - idle)) ] ||
    fail "interrupts taken: $irqs, not $(total interrupts)"
irqs=$((irqs - disarmed))
above "interrupts" "$irqs" 200
busy=$(total busy)
suppressed=$(total suppressed)
[ "$app" -le $((busy + suppressed)) ] || fail "$app met threads, $busy busy"
found=$((irqs - busy - suppressed)) # idle, says the guest
above "idle" "$found" 100
# In the idle thread, but lending itself to off-level work: not idle.
[ "$found" -le "$idle" ] || fail "$idle met the idle loop, $found found"
[ $((idle - found)) -le $((suppressed + 5)) ] || fail "$idle idle, $found found"
above "interrupts behind a sample" "$gaps" 100
is "interrupts that are no period apart" "$uneven" 0
above "of ten behind a sample, before a full period" $((10 * early / gaps)) 8

# Each that found the CPU idle is a to-idle sample, or says why it is none.
why() { awk -v why="$1" 'BEGIN { split(why, w); for (i in w) of[w[i]] }
    $5 in of' "$dir/none" | wc -l; }
on_record() {
    samples=$(records "$dir/e.exp/idle.rec" | awk '$5 == 1' | wc -l)
    records "$dir/e.exp/unsampled.rec" >"$dir/none"
    is "idle interrupts on record" $((samples + $(wc -l <"$dir/none"))) \
        $(($(total interrupts) - $(total busy)))
    is "none" "$(why 1)" "$(total none)"
    is "stale" "$(why '2 3 4')" "$(total stale)"
    is "suppressed" "$(why 5)" "$(total suppressed)"
}
on_record
above "stale, for the thread has ended" "$(why 2)" 0
for also in "" toidle=direct once=on; do
    rm -rf "$dir/e.exp"
    boot 4 "work=switch n=5000 sampler=to-idle trigger=time:3000 $also" \
        --pmu-trace="$dir/e.exp"
    on_record
    case $also in
    once*) above "periods that have a sample already" "$(why 6)" 0 ;;
    *) above "stale, for the thread is runnable" "$(why 3)" 0
       above "stale, for the thread ran elsewhere" "$(why 4)" 0
       above "suppressed" "$(why 5)" 0 ;;
    esac
done

judge rearm=complete
above "periods behind a sample" "$gaps" 100
is "interrupts before a full period" "$early" 0
# The record is written a little before the sample is complete.
is "interrupts long after it" "$late" 0
exit 0
