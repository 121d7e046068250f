#!/bin/sh
# monitor_test.sh - only threads of interest are sampled, chosen by process,
# by thread or by name.
set -u
. tests/guest/lib.sh

# The threads (column 3) or processes (7) in idle.rec, each once.
targets() {
    records "$dir/e.exp/idle.rec" | awk -v what="$1" '
        { print what == "tid" ? $3 : $7 }' | sort -un | tr '\n' ' '
}

sampled() { # sampled LINE
    rm -rf "$dir/e.exp"
    boot 2 "work=prodcons n=90 $1" --pmu-trace="$dir/e.exp"
    above "samples" "$(wc -c <"$dir/e.exp/idle.rec")" 1000
}

# prodcons on 2 CPUs: the producer is process 1, four consumers process 2.
sampled "monitor=all"
is "processes" "$(targets pid)" "1 2 "
sampled "monitor=1"
is "processes" "$(targets pid)" "1 "
producer=$(targets tid)
is "the producer is one thread" "$(echo $producer | wc -w)" 1
sampled "monitor=producer"
is "threads" "$(targets tid)" "$producer"
sampled "monitor=t$(echo $producer)"
is "threads" "$(targets tid)" "$producer"
sampled "monitor=2"
is "processes" "$(targets pid)" "2 "
all=$(targets tid)
sampled "monitor=consumer"
is "threads" "$(targets tid)" "$all"
sampled "monitor=consumer.1"
is "consumer.1 is one thread" "$(targets tid | wc -w)" 1
sampled "monitor=consumer.1,producer"
is "two threads" "$(targets tid | wc -w)" 2

# Nobody of interest: idle CPUs are seen, nothing is taken.
boot 2 "work=prodcons n=30 monitor=t250"
is "samples" "$(($(total to-idle) + $(total from-idle)))" 0
above "idle, nobody saved" "$(total none)" 50
is "affinity changes" "$(total affinity)" 0
exit 0
