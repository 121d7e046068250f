#!/bin/sh
# rates_test.sh - every CPU gets its sample interrupts at the same rate, by
# time or by event; a busy CPU does nothing but count them; while a sample is
# outstanding interrupts are counted and start nothing.
set -u
. tests/guest/lib.sh

near() { # near WHAT A B: equal but for one
    d=$(($2 - $3))
    [ $d -ge -1 ] && [ $d -le 1 ] || fail "$1: $2 against $3"
}

# busy: 40 units a CPU; equal work, equal time, equal interrupts.
boot 4 "work=busy n=40 trigger=time:20000 dither=off"
first=$(value 0 interrupts)
above "interrupts" "$first" 50
for cpu in 1 2 3; do near "CPU $cpu" "$(value $cpu interrupts)" "$first"; done
is "interrupts that found a busy CPU" "$(total busy)" "$(total interrupts)"
for what in suppressed none stale to-idle from-idle affinity flags; do
    is "$what" "$(total $what)" 0
done
[ "$(total switches)" -le 24 ] || fail "samplers or others came to run"
# Sampling ended before the threads did: nobody was there to remember them.
grep -q ', 0 CPUs remember' "$out" || fail "the monitor went on"
sum=$(sed -n 's/.*sum //p' "$out")
is "nodes" "$(sed -n 's/.* stacks in \([0-9]*\) nodes.*/\1/p' "$out")" 0

# The sum of what was computed does not depend on being interrupted.
boot 4 "work=busy n=40 sampler=off"
is "sum without interrupts" "$(sed -n 's/.*sum //p' "$out")" "$sum"
boot 4 "work=busy n=40 trigger=time:1000"
is "sum with many" "$(sed -n 's/.*sum //p' "$out")" "$sum"

# With dither a period is longer or shorter at random on each CPU, by up to half,
# and their mean is the period. Of 113 periods the sum has a deviation of 3: as
# many interrupts on each CPU to an eighth, on the four to a 20th.
boot 4 "work=busy n=40 trigger=time:20000"
for cpu in 0 1 2 3; do
    d=$(($(value $cpu interrupts) - first))
    [ $((d * d * 64)) -le $((first * first)) ] ||
        fail "CPU $cpu: $(value $cpu interrupts) interrupts with dither, $first without"
done
d=$(($(total interrupts) - 4 * first))
[ $((d * d * 25)) -le $((first * first)) ] ||
    fail "$(total interrupts) interrupts with dither, $first without"

# By event: every n-th. 8 cycles for each instruction of the loop, so that
# cycles and instructions differ; half the n, twice the interrupts.
boot 2 "work=busy n=40 trigger=event:insn_completed:40000 dither=off"
slow=$(value 0 interrupts)
boot 2 "work=busy n=40 trigger=event:insn_completed:20000 dither=off"
fast=$(value 0 interrupts)
above "interrupts by event" "$slow" 20
d=$((fast - 2 * slow))
[ $d -ge -1 ] && [ $d -le 2 ] || fail "$fast interrupts against 2 x $slow"
boot 2 "work=busy n=40 trigger=event:insn_completed:40000 dither=off" \
    --set fast_cpi=8
near "events, not cycles" "$(value 0 interrupts)" "$slow"
boot 2 "work=busy n=40 trigger=event:cycles:40000 dither=off"
slow=$(value 0 interrupts)
boot 2 "work=busy n=40 trigger=time:40000 dither=off"
near "cycles by event and by time" "$(value 0 interrupts)" "$slow"

# An event trigger samples idle CPUs as well: cycles go on in nap.
boot 4 "n=20 trigger=event:cycles:30000"
above "to-idle samples" "$(total to-idle)" 50
above "from-idle samples" "$(total from-idle)" 50

# A period of 1000 cycles is shorter than a sample: some are suppressed.
boot 4 "work=prodcons n=10 trigger=time:1000"
above "suppressed" "$(total suppressed)" 10

# Dither changes the samples, not the work; a seed repeats.
boot 4 "n=20 seed=5"
cp "$out" "$dir/five"
boot 4 "n=20 seed=5"
cmp "$out" "$dir/five" || fail "the same seed, another run"
boot 4 "n=20 seed=6"
! cmp -s "$out" "$dir/five" || fail "another seed, the same run"
boot 4 "n=20" --seed=5
grep -q '^guest: .* seed=5' "$out" || fail "--seed=5 is not the default seed"
exit 0
