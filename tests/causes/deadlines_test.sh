#!/bin/sh
# deadlines_test.sh - a thread that sleeps up to points of a clock (TIMER_ABSTIME) sleeps longer if
# it comes sooner, and not at all if it is late: what predict says of that is what simrun --what-if
# measures, under --user and in the guest; also where it was late in the recording.
# timeout: 100
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/every.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#define NOINLINE __attribute__((noipa))

static long period;

static NOINLINE unsigned mix(unsigned x, int steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
static NOINLINE unsigned prepare(unsigned x)
{
    return mix(x, 100000) ^ 1;
}
static NOINLINE unsigned sample(unsigned x, int i)
{
    return mix(x, 8000 + i % 5 * 1000) ^ 2;
}
static NOINLINE unsigned sum_up(unsigned x)
{
    return mix(x, 20000) ^ 3;
}
static void *every(void *arg)
{
    struct timespec t;
    unsigned x = 1;

    clock_gettime(CLOCK_MONOTONIC, &t);
    for (int i = 0; i < 20; i++) {
        x = sample(x, i);
        t.tv_nsec += period;
        t.tv_sec += t.tv_nsec / 1000000000;
        t.tv_nsec %= 1000000000;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
    }
    *(unsigned *)arg = sum_up(x);
    return NULL;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    unsigned x[2] = {prepare(1), 0};

    period = argc > 1 ? atol(argv[1]) : 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, every, &x[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%u %u\n", x[0], x[1]);
}
C
powerpc-linux-gnu-gcc -O2 -g -static -pthread -o "$dir/every" "$dir/every.c" 2>"$dir/err" ||
    fail "$(cat "$dir/err")"

# run WHERE PERIOD OPTION...: its cycles
run() {
    where=$1 period=$2
    shift 2
    case $where in
    user) set -- "$@" --user "$dir/every" "$period" ;;
    *) set -- "$@" --append states=on "$guest" --program "$dir/every" -- "$period" ;;
    esac
    "$simrun" -q --mode=fast --cpus=4 --summary=json:"$dir/json" "$@" >"$out" 2>"$dir/err" </dev/null ||
        fail "$*: $(cat "$dir/err")"
    sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' "$dir/json"
}
# As much of the run, to a fiftieth of it, as measured.
predicted() { # predicted CHANGE
    says=$("$simprof" predict --csv --what-if "$1" "$dir/x.exp" | sed -n 3p)
    is=$(run "$where" "$period" --what-if "$1") || exit 1
    awk -v says="${says%%,*}" -v is="$is" -v all="$whole" 'BEGIN {
        off = says < is ? is - says : says - is; exit !(says && off <= all / 50) }' ||
        fail "$where, $1: $says, measured $is of $whole"
}
for where in user guest; do
    rm -rf "$dir/x.exp"
    whole=$(run $where 250000 --record-locks -e cycles:1000 -f --pmu-trace="$dir/x.exp") || exit 1
    period=250000
    # In time, in time, earlier from the start, late, behind the last one.
    predicted func:sample+=x0.5
    awk -v is="$is" -v all="$whole" 'BEGIN { exit !(is > 0.99 * all) }' || fail "$where: it waits for no deadline"
    predicted func:sample+=x0
    predicted func:prepare+=x0.5
    predicted func:sample+=x3
    predicted func:sum_up+=x0
    [ -z "${says##*,}" ] || fail "$where: a doubt: $says"
    [ "$("$simprof" history --csv "$dir/x.exp" | grep -c ',timer,up to a deadline,')" = 40 ] ||
        fail "$where: $("$simprof" history "$dir/x.exp" | grep timer)"
    "$simprof" causes "$dir/x.exp" | tr '\n' ' ' | grep -q 'sleeps in every (' ||
        fail "$where: $("$simprof" causes "$dir/x.exp")"
done

# Too late for all in the recording, and in time with a change, for some or for all.
period=60000
for where in user guest; do
    rm -rf "$dir/x.exp"
    whole=$(run $where $period --record-locks -e cycles:1000 -f --pmu-trace="$dir/x.exp") || exit 1
    predicted func:sample+=x0.7
    predicted func:sample+=x0.1
    awk -v is="$is" -v all="$whole" 'BEGIN { exit !(is > 0.3 * all) }' || fail "$where: it waits for no deadline"
    predicted func:sample+=x2
    [ "$("$simprof" history --csv "$dir/x.exp" | grep -c ',timer,up to a deadline,')" = 40 ] ||
        fail "$where: $("$simprof" history "$dir/x.exp" | grep timer)"
done
exit 0
