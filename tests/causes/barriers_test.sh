#!/bin/sh
# barriers_test.sh - threads that meet at a barrier, and more of them than CPUs: who comes last, and so
# wakes the others, may be another thread with something changed; predict says what simrun --what-if
# measures. Barriers of the C library, and of a lock and a condition, whose last thread is always the
# same one or not.
# timeout: 120
set -u
. tests/guest/lib.sh
. tests/causes/judged.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }

# KIND: 1 of the C library, 2 of a lock and a condition.
cat >"$dir/meet.c" <<'C'
#include <pthread.h>
#define NOINLINE __attribute__((noipa))
static pthread_barrier_t barrier;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static unsigned round, came;

static NOINLINE void work(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static NOINLINE void heavy(int n)
{
    work(n);
    __asm__ volatile("");
}
static NOINLINE void behind(int n)
{
    for (volatile int i = 0; i < n; i++)
        ;
}
static NOINLINE void meet(void)
{
#if KIND == 1
    pthread_barrier_wait(&barrier);
#else
    unsigned now;

    pthread_mutex_lock(&lock);
    now = round;
    if (++came == THREADS) {
        came = 0;
        round++;
        pthread_cond_broadcast(&changed);
    } else {
        while (now == round)
            pthread_cond_wait(&changed, &lock);
    }
    pthread_mutex_unlock(&lock);
#endif
}
static void *run(void *arg)
{
    int id = (int)(long)arg;

    for (int k = 0; k < ROUNDS; k++) {
        work(1000 + id * 130 + (k * 37 + id * 17) % 11 * SPREAD);
        if (id == 2)
            heavy(HEAVY);
        meet();
        if (id % 2)
            behind(300);
    }
    return 0;
}
int main(void)
{
    pthread_t t[THREADS];

    pthread_barrier_init(&barrier, 0, THREADS);
    for (long i = 0; i < THREADS; i++)
        pthread_create(&t[i], 0, run, (void *)i);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], 0);
    return 0;
}
C
built() { # built NAME OPTION...
    name=$1
    shift
    powerpc-linux-gnu-gcc -O2 -g -static -pthread "$@" -o "$dir/$name" "$dir/meet.c" || fail "$name"
}
changes="func:heavy+=x0.5 func:heavy+=x0.9 func:heavy+=x2 func:behind=x0.5 cpus=-1"
built system -DKIND=1 -DROUNDS=40 -DTHREADS=4 -DSPREAD=0 -DHEAVY=2000
judge system 2 $changes cpus=+1
judge system 4 $changes
built same -DKIND=2 -DROUNDS=30 -DTHREADS=4 -DSPREAD=0 -DHEAVY=2000
judge same 2 $changes cpus=+1
judge same 4 $changes
built always -DKIND=2 -DROUNDS=30 -DTHREADS=4 -DSPREAD=0 -DHEAVY=4000
judge always 2 func:heavy+=x0.2 func:heavy+=x0.5
built other -DKIND=2 -DROUNDS=30 -DTHREADS=3 -DSPREAD=60 -DHEAVY=500
judge other 2 $changes cpus=+1
judge other 4 $changes
exit 0
