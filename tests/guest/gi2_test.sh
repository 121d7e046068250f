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
exit 0
