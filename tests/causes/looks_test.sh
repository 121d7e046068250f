#!/bin/sh
# looks_test.sh - with --record-locks all cycles of a function in which threads only spin are spun,
# in both modes: where they come back to try a lock when it is free, and others are sooner; and where
# they wait for a word again and again, with another value each time. What they spin for is what is
# done under the lock, not what the thread does that gives it back.
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
cat >"$dir/spin.c" <<'C'
#include <pthread.h>
#define NOINLINE __attribute__((noipa))
static volatile int gate, ready;
static volatile unsigned sum;
static NOINLINE unsigned mix(unsigned x, int n)
{
    while (n--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static NOINLINE void take(void)
{
    while (__sync_lock_test_and_set(&gate, 1))
        while (gate)
            ;
}
static NOINLINE void await(int n)
{
    while (ready < n)
        ;
}
static NOINLINE void outside(void)
{
    for (volatile int i = 0; i < 2000; i++)
        ;
}
static NOINLINE void inside(void)
{
    for (volatile int i = 0; i < 1500; i++)
        ;
}
static void *player(void *arg)
{
    for (int i = 0; i < 12; i++) {
        outside();
        take();
        inside();
        __sync_lock_release(&gate);
    }
    return arg;
}
static void *reader(void *arg)
{
    for (int i = 1; i <= 15; i++)
        await(i);
    return arg;
}
int main(int argc, char **argv)
{
    void *(*work)(void *) = argc > 1 ? reader : player;
    pthread_t t[5];

    for (int i = 0; i < 4 + (argc == 1); i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 1; argc > 1 && i <= 15; i++) {
        sum = mix(sum, 10000);
        ready = i;
    }
    for (int i = 0; i < 4 + (argc == 1); i++)
        pthread_join(t[i], 0);
    return argv[0] == 0;
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/spin" "$dir/spin.c" || fail "it does not compile"
# all_spun FUNCTION MODE CPUS [ARGUMENT]: of its cycles, by the exact account, 19 in 20.
all_spun() {
    rm -rf "$dir/x.exp"
    (cd "$dir" && "$simrun" -q --mode="$2" --root=.:/here --cpus="$3" --record-locks -e cycles:1000 -f \
        --pmu-trace=x.exp --user ./spin ${4:-}) >"$out" 2>&1 || fail "$*: $(cat "$out")"
    exact=$("$simprof" functions --csv --limit=0 "$dir/x.exp" | awk -F, -v f="$1" '$NF == f { print $1 }')
    spun=$("$simprof" locks --spun --csv --limit=0 "$dir/x.exp" | awk -F, 'NR > 1 { sum += $1 } END { print sum + 0 }')
    echo "$*: $spun of $exact cycles are spun"
    [ "${exact:-0}" -gt 100000 ] && [ $((spun * 20)) -ge $((exact * 19)) ] && [ "$spun" -le "$exact" ] ||
        fail "$*: $spun of $exact cycles are spun"
}
for mode in fast detailed; do
    all_spun take $mode 4
    # Who had the lock meanwhile is waited for, and did nothing but what is done under it.
    "$simprof" causes --csv "$dir/x.exp" >"$dir/csv"
    awk -F, 'NR == 1 { for (n = 1; n <= NF; n++) if ($n == "spun") at = n }
        NR > 1 { all += $at } NR > 1 && /,inside/ { in_it += $at } END { exit !(all > 100000 && in_it > all * 0.9) }' \
        "$dir/csv" || fail "$mode: $(cat "$dir/csv")"
    all_spun await $mode 5 reader
done
exit 0
