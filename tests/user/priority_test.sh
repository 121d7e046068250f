#!/bin/sh
# priority_test.sh - SCHED_FIFO, SCHED_RR, SCHED_IDLE, niceness and locks that lend
# a priority schedule as they are defined, on simulated processors, the same in
# every run. qemu-ppc cannot tell: it would ask the host's scheduler.
# timeout: 180
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null ||
    { echo "powerpc-linux-gnu-gcc is missing"; exit 77; }
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/priority" \
    tests/user/prog/priority.c || exit 1

# 30 slices: 5 levels of niceness are a slice of 0.33, so 23 of 30 for the other.
# 'wakes': who waits is woken by priority, 9, 6, 3, 1. 'inversion': without
# inheritance middle runs before low, who has what high waits for.
cat >"$dir/want" <<'T'
policy 1, priority 50
setparam 0
too much 1
slice 0
nice: 75 25
idle: 0 100
round robin: 0 50 50
fifo: 0 100 0
wakes: 1302
wakes: 1302
inversion: mlh-
inversion: lhm-
busy: 1
late: 1
left: 1
round: 1
not mine: 1
T
for options in --mode=fast "--mode=fast --cpus=1" --mode=warm --mode=detailed; do
    "$simrun" -q $options --set slice_us=1000 --user "$dir/priority" >"$out" 2>&1 ||
        fail "$options: status $?"
    diff "$dir/want" "$out" || fail "$options: it schedules otherwise"
done

# On several processors a thread makes room only where one that is preferred may
# run: of five that are bound to nothing the four preferred ones run on 4.
cat >"$dir/five.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include <sched.h>
#include <time.h>
static volatile unsigned long done[5];
static volatile int stop;
static void *spin(void *p)
{
    int i = *(int *)p;
    struct sched_param s = {i + 1};
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &s);
    while (!stop)
        done[i]++;
    return p;
}
int main(void)
{
    struct timespec t = {0, 5000000};
    struct sched_param s = {50};
    pthread_t thread[5];
    int n[5];
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &s);
    for (int i = 0; i < 5; i++) {
        n[i] = i;
        pthread_create(&thread[i], 0, spin, &n[i]);
    }
    nanosleep(&t, 0);
    stop = 1;
    for (int i = 0; i < 5; i++)
        pthread_join(thread[i], 0);
    for (int i = 0; i < 5; i++)
        printf("%d", done[i] * 10 / done[4] > 8);
    printf("\n");
    return 0;
}
C
powerpc-linux-gnu-gcc -O1 -w -static -pthread -o "$dir/five" "$dir/five.c" || exit 1
for run in 1 2; do
    "$simrun" -q --mode=fast --pmu-trace="$dir/five.$run" --user "$dir/five" >"$out"
    is "who ran of five" "$(cat "$out")" 01111
done
diff -r "$dir/five.1" "$dir/five.2" >/dev/null || fail "two runs differ"
exit 0
