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

# A process has the name of the program that it executes, from then on.
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
mkdir -p "$dir/root/bin"
for p in astray again; do
    powerpc-linux-gnu-gcc -O1 -static -pthread -o "$dir/root/bin/$p" "tests/guest/prog/$p.c" ||
        fail "$p.c does not compile"
done
named() { # named NAME THREADS: so many are sampled, all while they have that name
    rm -rf "$dir/e.exp"
    line="sampler=both trigger=time:5000 monitor=$1 run=/bin/again 2 /bin/astray"
    timeout $((100 * ${TIMES:-1})) "$simrun" -q --mode=fast --cpus=2 --append "$line" \
        -f --pmu-trace="$dir/e.exp" --initrd "$dir/root" "$guest" >"$out" 2>&1 </dev/null ||
        fail "status $?"
    {
        records "$dir/e.exp/thread.rec" | awk '{ print $4, "name", $3, $7 }'
        records "$dir/e.exp/idle.rec" | awk '{ print $4, "sample", $3 }'
    } | sort -n -k1,1 -s | awk -v first="$(printf %s "$1" | od -An -t u1 -N4 |
        awk '{ print (($1 * 256 + $2) * 256 + $3) * 256 + $4 }')" '
        $2 == "name" { is[$3] = $4 }
        $2 == "sample" { seen[$3]; wrong += is[$3] != first }
        END { for (t in seen) n++; print n + 0, wrong + 0 }' >"$dir/said"
    is "threads called $1, and samples of others" "$(cat "$dir/said")" "$2 0"
}
named again 3 # two of them until they become astray
named astray 10
exit 0
