#!/bin/sh
# embodiments_test.sh - only to-idle, only from-idle, both, or none: a kind
# that is off leaves no sample, no flag and no affinity change; whoever sets
# the affinity, the samples hold what the guest checks.
set -u
. tests/guest/lib.sh

boot 4 "n=20 sampler=off"
is "interrupts" "$(total interrupts)" 0
is "affinity changes" "$(total affinity)" 0

boot 4 "n=20 sampler=to-idle"
above "to-idle samples" "$(total to-idle)" 50
is "from-idle samples" "$(total from-idle)" 0
is "flags" "$(total flags)" 0
is "affinity changes" "$(total affinity)" $((2 * $(total to-idle)))

boot 4 "n=20 sampler=from-idle"
above "from-idle samples" "$(total from-idle)" 50
is "to-idle samples" "$(total to-idle)" 0
is "affinity changes" "$(total affinity)" $((2 * $(total from-idle)))
stacks=$(grep '^top from-idle' "$out" | sed 's/.*: //' | sort | head -n 2)

# No more from-idle samples than flags, no more flags than idle interrupts.
[ "$(total from-idle)" -le "$(total flags)" ] || fail "samples above flags"
[ "$(total flags)" -le "$(total interrupts)" ] || fail "flags above interrupts"

# The other ways to the sampler find the same stacks.
boot 4 "n=20 sampler=from-idle fromidle=direct"
is "stacks" "$(grep '^top from-idle' "$out" | sed 's/.*: //' | sort |
    head -n 2)" "$stacks"
boot 4 "n=20 toidle=direct fromidle=direct"
above "to-idle samples" "$(total to-idle)" 50
above "from-idle samples" "$(total from-idle)" 50

# Once per idle period: never more than there are idle periods.
boot 4 "work=prodcons n=20 sampler=to-idle trigger=time:10000"
above "weighted by time" "$(total to-idle)" "$(total idle-periods)"
boot 4 "work=prodcons n=20 sampler=to-idle trigger=time:10000 once=on"
above "once" "$(total to-idle)" 0
[ "$(total to-idle)" -le "$(total idle-periods)" ] || fail "more than periods"

# Spinning instead of napping, and a trigger that completions restart, change
# no promise.
boot 4 "n=20 idle=spin"
above "to-idle samples" "$(total to-idle)" 50
boot 4 "n=20 rearm=complete"
above "to-idle samples" "$(total to-idle)" 50
exit 0
