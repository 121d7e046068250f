#!/bin/sh
# gi2_test.sh - golden script G-I2: a producer that sleeps on a timer and
# consumers on a queue, 2 CPUs. The leaf counts add up to the samples, every
# mask is as before, no target was dispatched while it was sampled, and the
# stacks are the queue's wait and the producer's sleep.
set -u
. tests/guest/lib.sh

for line in "" "sampler=to-idle" "sampler=from-idle" "trigger=time:15000" \
    "fromidle=direct toidle=direct"; do
    boot 2 "work=prodcons n=60 $line"
    for check in "leaf counts add up to the completed samples" \
        "every affinity mask is restored" \
        "each sample narrowed and restored one mask" \
        "masks are restored before stacks are processed" \
        "to-idle samples met the idle thread" \
        "no target ran between choice and capture" \
        "every stack begins where its thread left the CPU" \
        "off-level work ran once, with interrupts on" \
        "the sampler ran next after every wake-up" \
        "no sample is outstanding" "no thread is stuck"; do
        grep -q "^PASS: $check" "$out" || fail "no check that $check"
    done
    above "samples" $(($(total to-idle) + $(total from-idle))) 50
done

# Consumers wait, the producer sleeps: nothing else. From-idle on the CPU
# that the producer's timer wakes is the producer.
boot 2 "work=prodcons n=60" --pmu-trace="$dir/e.exp"
"$BUILD/simprof" idle "$dir/e.exp" >"$dir/report" || fail "simprof: $?"
sed -n '/^To-idle/,/^From-idle/p' "$dir/report" | tr -s ' \n' ' ' |
    grep -q 'cond_wait < queue_get < consumer' || fail "no queue's wait"
sed -n '/^From-idle/,/^Call tree/p' "$dir/report" | tr -s ' \n' ' ' |
    grep -q 'thread_sleep < producer < thread_begin' || fail "no sleep"

# The strategies side by side: the same stacks, as many as samples, masks touched by
# affinity alone; and all others spin for a capture, so that the same items take longer.
tops() { # stacks with a hundred samples
    sed -n 's/^top \([a-z]*-idle\) [0-9]\{3,\}:/\1/p' "$out" | sort
}
for s in affinity none spin; do
    boot 2 "work=prodcons n=200 trigger=time:15000 strategy=$s"
    grep -q "^PASS: leaf counts add up to the completed samples" "$out" || fail "$s: sums"
    set -- $(sed -n "s/^samples: strategy $s, \([0-9]*\) captures, \([0-9]*\) of a target that moved, .*/\1 \2/p" "$out")
    is "$s: captures" "$1" $(($(total to-idle) + $(total from-idle)))
    took=$(sed -n 's/^prodcons: 800 items in \([0-9]*\) us.*/\1/p' "$out")
    case $s in
    affinity)
        is "targets that moved" "$2" 0
        is "masks" "$(total affinity)" $((2 * $1))
        tops >"$dir/tops"
        is "stacks" "$(wc -l <"$dir/tops")" 3
        confined=$took
        ;;
    *)
        is "$s: masks" "$(total affinity)" 0
        above "$s: captures of targets that stayed" "$1" $((50 * $2))
        tops | cmp -s - "$dir/tops" || fail "$s: other stacks: $(tops)"
        ;;
    esac
done
above "time with spin" "$took" "$confined"
exit 0
