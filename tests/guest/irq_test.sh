#!/bin/sh
# irq_test.sh - the simulator's record of interrupts against what the guest
# made of them: each is counted once, one that meets a thread is busy, one
# that meets the idle loop is idle; behind a sample the next interrupt is a
# full period away, and it comes.
set -u
. tests/guest/lib.sh

period=30000
boot 4 "n=50 trigger=event:cycles:$period dither=off" --pmu-trace="$dir/e.exp"
for kind in thread idle irq; do records "$dir/e.exp/$kind.rec"; done |
    awk '{ print ($1 == 3 ? 0 : $4), $0 }' | sort -n -k1,1 |
    cut -d ' ' -f 2- | awk -v period=$period '
        $1 == 3 { role[$3] = $6 } # 0 application, 1 idle
        $1 == 5 && $5 == 3840 { # 0xF00
            irqs++
            if (role[$3] == 0) app++
            if (role[$3] == 1) idle++
            if ($2 in armed) {
                gap = $4 - armed[$2]
                if (gap < period) early++
                if (gap > period + 6000) late++
                delete armed[$2]
                gaps++
            }
        }
        $1 == 1 { armed[$2] = $4 }
        END { print irqs, app + 0, idle + 0, early + 0, late + 0, gaps }
    ' >"$dir/verdict"
read -r irqs app idle early late gaps <"$dir/verdict"

is "interrupts taken" "$irqs" "$(total interrupts)"
above "interrupts" "$irqs" 200
busy=$(total busy)
suppressed=$(total suppressed)
[ "$app" -le $((busy + suppressed)) ] || fail "$app met threads, $busy busy"
found=$((irqs - busy - suppressed)) # idle, says the guest
above "idle" "$found" 100
# In the idle thread, but lending itself to off-level work: not idle.
[ "$found" -le "$idle" ] || fail "$idle met the idle loop, $found found"
[ $((idle - found)) -le $((suppressed + 5)) ] || fail "$idle idle, $found found"
above "periods behind a sample" "$gaps" 100
is "interrupts before a full period" "$early" 0
# The record is written a little before the sample is complete.
is "interrupts long after it" "$late" 0
exit 0
