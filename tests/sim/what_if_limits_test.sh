#!/bin/sh
# what_if_limits_test.sh - a function's factor is one of the limits of its waits, too: of
# pthread_cond_timedwait, sem_timedwait and sigtimedwait, in the guest and under --user, and there
# of poll; simprof predict foresees that. A wait that another thread ends is as long as before.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof
cat >"$dir/limits.c" <<'C'
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER, ready = PTHREAD_COND_INITIALIZER;
static sem_t none;
static int is_ready;

static __attribute__((noipa)) unsigned work(unsigned x, unsigned steps)
{
    for (unsigned n = 0; n < steps; n++)
        x = x * 1664525 + 1013904223;
    return x;
}

static struct timespec later(long us)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += us * 1000;
    t.tv_sec += t.tv_nsec / 1000000000;
    t.tv_nsec %= 1000000000;
    return t;
}

static __attribute__((noipa)) void wait_condition(long us)
{
    struct timespec t = later(us);

    pthread_mutex_lock(&lock);
    pthread_cond_timedwait(&never, &lock, &t);
    pthread_mutex_unlock(&lock);
}

static __attribute__((noipa)) void wait_semaphore(long us)
{
    struct timespec t = later(us);

    sem_timedwait(&none, &t);
}

static __attribute__((noipa)) void wait_poll(long us)
{
    poll(NULL, 0, us / 1000);
}

static __attribute__((noipa)) void wait_signal(long us)
{
    struct timespec t = {0, us * 1000};
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigtimedwait(&set, NULL, &t);
}

/* Another thread ends it before its limit. */
static __attribute__((noipa)) void wait_thread(void)
{
    struct timespec t = later(400000);

    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_timedwait(&ready, &lock, &t);
    pthread_mutex_unlock(&lock);
}

static void *makes(void *arg)
{
    work(1, 400000);
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&ready);
    pthread_mutex_unlock(&lock);
    return arg;
}

int main(void)
{
    pthread_t t;

    sem_init(&none, 0, 0);
    for (int n = 0; n < 5; n++) {
        wait_condition(4000 / OF);
        wait_semaphore(4000 / OF);
        wait_poll(4000 / POLL_OF);
        wait_signal(4000 / OF);
        work(1, 20000);
    }
    pthread_create(&t, NULL, makes, NULL);
    wait_thread();
    pthread_join(t, NULL);
    return 0;
}
C
twin() { # NAME, what two limits are divided by
    powerpc-linux-gnu-gcc -O1 -g -static -pthread -DOF=$2 -DPOLL_OF=$3 -o "$dir/$1" \
        "$dir/limits.c" || exit 1
}
twin whole 1 1
twin user 2 2
twin guest 2 1

# run WHERE PROGRAM OPTION...: cycles it takes
run() {
    where=$1 program=$2
    shift 2
    if [ $where = guest ]; then
        "$simrun" -q --mode=fast --cpus=2 --append states=on --summary=json "$@" "$guest" \
            --program "$dir/$program"
    else
        "$simrun" -q --mode=fast --cpus=2 --summary=json "$@" --user "$dir/$program"
    fi >"$out" 2>"$dir/err" </dev/null || fail "$where: $(cat "$dir/err")"
    cat "$out" "$dir/err" | sed -n 's/.*"cycles":\([0-9]*\).*/\1/p'
}
# near NAME A B OF: do A and B differ by a fiftieth of OF at most?
near() {
    awk -v a="$2" -v b="$3" -v of="$4" 'BEGIN {
        d = a > b ? a - b : b - a
        exit !(a > 0 && d * 50 <= of) }' || fail "$1: $2, not near $3"
}

# The guest's poll looks again and again, and its limit stands.
signal="--what-if func:wait_signal+=x0.5"
for where in user guest; do
    halves="--what-if func:wait_condition+=x0.5 --what-if func:wait_semaphore+=x0.5 $signal"
    parts=3
    if [ $where = user ]; then
        halves="$halves --what-if func:wait_poll+=x0.5"
        parts=4
    fi
    all=$(run $where whole --record-locks -e cycles:1000 --pmu-trace="$dir/$where.exp")
    half=$(run $where $where)
    [ "$half" -lt $((all * 7 / 10)) ] || fail "$where: of $all the twin takes $half"
    near "$where: the twin" "$(run $where whole $halves)" "$half" "$all"
    near "$where: predicted" "$("$simprof" predict --csv "$dir/$where.exp" $halves |
        sed -n '$s/,.*//p')" "$half" "$all"
    near "$where: one of them" "$(run $where whole $signal)" $((all - (all - half) / parts)) "$all"
    [ $where = user ] || near "guest: poll, predicted" "$("$simprof" predict --csv \
        --what-if func:wait_poll+=x0.5 "$dir/guest.exp" | sed -n '$s/,.*//p')" \
        "$(run guest whole --what-if func:wait_poll+=x0.5)" "$all"
    # Its limit is never come to.
    near "$where: ended by a thread" "$(run $where whole --what-if func:wait_thread+=x0.5)" "$all" "$all"
done

exit 0
