#!/bin/sh
# turns_test.sh - simprof predict plays whose turn it is as the scheduler, a barrier and a
# read-write lock give it: where there are more threads than CPUs, what a change brings hangs on
# who is let go on first. Measured with simrun --what-if, under --user and in the guest.
# timeout: 200
set -u
. tests/guest/lib.sh
command -v powerpc-linux-gnu-gcc >/dev/null || { echo "no cross compiler"; exit 77; }
simprof=$BUILD/simprof

cat >"$dir/common.h" <<'C'
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

static __attribute__((noipa)) uint32_t compute(uint32_t x, unsigned steps)
{
    while (steps--)
        x = x * 1664525u + 1013904223u;
    return x;
}
C
# Seven threads do the same in each round, the one in the middle more; then all do the same.
cat >"$dir/barrier.c" <<'C'
#include "common.h"
#define THREADS 8
static pthread_barrier_t round;
static uint32_t done[THREADS];

static __attribute__((noipa)) uint32_t more(uint32_t x)
{
    return compute(x, 26000) ^ 1;
}

static void *run(void *index)
{
    unsigned me = *(unsigned *)index;
    uint32_t x = me;

    for (unsigned i = 0; i < 30; i++) {
        x = compute(x, 8000);
        if (me == 3)
            x = more(x);
        pthread_barrier_wait(&round);
        x = compute(x, 8000);
        pthread_barrier_wait(&round);
    }
    done[me] = x;
    return NULL;
}

int main(void)
{
    static unsigned index[THREADS];
    pthread_t t[THREADS];

    pthread_barrier_init(&round, NULL, THREADS);
    for (unsigned i = 0; i < THREADS; i++) {
        index[i] = i;
        pthread_create(&t[i], NULL, run, &index[i]);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", done[3]);
    return 0;
}
C
# One writes a table that five others read.
cat >"$dir/readers.c" <<'C'
#include "common.h"
#define READERS 5
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static uint32_t done[READERS + 1];

static __attribute__((noipa)) uint32_t rewrite(uint32_t x)
{
    return compute(x, 34000) ^ 1;
}

static void *run(void *index)
{
    unsigned me = *(unsigned *)index;
    uint32_t x = me;

    for (unsigned i = 0; i < (me ? 240 : 36); i++) {
        if (me)
            pthread_rwlock_rdlock(&table);
        else
            pthread_rwlock_wrlock(&table);
        x = me ? compute(x, 500) : rewrite(x);
        pthread_rwlock_unlock(&table);
        x = compute(x, me ? 3500 : 7000);
    }
    done[me] = x;
    return NULL;
}

int main(void)
{
    static unsigned index[READERS + 1];
    pthread_t t[READERS + 1];

    for (unsigned i = 0; i <= READERS; i++) {
        index[i] = i;
        pthread_create(&t[i], NULL, run, &index[i]);
    }
    for (unsigned i = 0; i <= READERS; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", done[0]);
    return 0;
}
C
# Four take a lock. With PAUSE they try it, and sleep for so long where it is another's; without,
# who comes back to it has it again before one that is woken; with SPIN they try it so often first.
cat >"$dir/four.c" <<'C'
#include "common.h"
#define THREADS 4
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t sum;

static __attribute__((noipa)) void add(uint32_t x)
{
    sum += compute(x, INSIDE);
}

static void take(void)
{
#ifdef PAUSE
    struct timespec pause = {0, PAUSE};

    while (pthread_mutex_trylock(&lock))
        nanosleep(&pause, NULL);
#else
#ifdef SPIN
    for (unsigned i = 0; i < SPIN; i++)
        if (!pthread_mutex_trylock(&lock))
            return;
#endif
    pthread_mutex_lock(&lock);
#endif
}

static void *run(void *arg)
{
    uint32_t x = 1;

    for (unsigned i = 0; i < ROUNDS; i++) {
        x = compute(x, OUTSIDE);
        take();
        add(x);
        pthread_mutex_unlock(&lock);
    }
    return arg;
}

int main(void)
{
    pthread_t t[THREADS];

    for (unsigned i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, run, NULL);
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", sum);
    return 0;
}
C

# One publishes a version when two have seen the last one; they wait for a condition that wakes both,
# which is no barrier: who publishes does not wait until they have come to it.
cat >"$dir/herd.c" <<'C'
#include "common.h"
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t next = PTHREAD_COND_INITIALIZER, seen = PTHREAD_COND_INITIALIZER;
static unsigned version, readers;
static uint32_t done[3];

static __attribute__((noipa)) uint32_t publish(uint32_t x)
{
    return compute(x, 3000) ^ 1;
}

static void see(unsigned i)
{
    pthread_mutex_lock(&lock);
    while (version < i)
        pthread_cond_wait(&next, &lock);
    if (!--readers)
        pthread_cond_signal(&seen);
    pthread_mutex_unlock(&lock);
}

static void *run(void *index)
{
    unsigned me = *(unsigned *)index;
    uint32_t x = me;

    for (unsigned i = 1; i <= 80; i++) {
        if (me) {
            see(i);
            x = compute(x, 1500);
            continue;
        }
        x = publish(x);
        pthread_mutex_lock(&lock);
        while (readers)
            pthread_cond_wait(&seen, &lock);
        version = i;
        readers = 2;
        pthread_cond_broadcast(&next);
        pthread_mutex_unlock(&lock);
    }
    done[me] = x;
    return NULL;
}

int main(void)
{
    static unsigned index[3] = {0, 1, 2};
    pthread_t t[3];

    for (unsigned i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run, &index[i]);
    for (unsigned i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", done[0]);
    return 0;
}
C
# Of two on one CPU the urgent one preempts the other each time that it has slept. How often it
# does so in the other's work hangs on how long both take.
cat >"$dir/preempt.c" <<'C'
#define _GNU_SOURCE
#include <sched.h>

#include "common.h"

static uint32_t done[2];

static void become(int level)
{
    struct sched_param p = {.sched_priority = level};
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(1, &one);
    sched_setaffinity(0, sizeof one, &one);
    sched_setscheduler(0, SCHED_FIFO, &p);
}

static __attribute__((noipa)) uint32_t urgent(uint32_t x)
{
    return compute(x, 6000) ^ 1;
}

static void *often(void *none)
{
    struct timespec t = {0, 60000};

    become(2);
    for (unsigned i = 0; i < 30; i++) {
        nanosleep(&t, NULL);
        done[0] = urgent(done[0]);
    }
    return none;
}

static void *always(void *none)
{
    become(1);
    for (unsigned i = 0; i < 6; i++)
        done[1] = compute(done[1], 50000);
    return none;
}

int main(void)
{
    pthread_t a, b;

    pthread_create(&a, NULL, often, NULL);
    pthread_create(&b, NULL, always, NULL);
    pthread_join(b, NULL);
    pthread_join(a, NULL);
    printf("%u\n", done[0] + done[1]);
    return 0;
}
C
# One of four that take a lock has a priority, and is woken first, even if another has waited longer.
cat >"$dir/favoured.c" <<'C'
#define _GNU_SOURCE
#include <sched.h>

#include "common.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t done[4];

static __attribute__((noipa)) uint32_t add(uint32_t x)
{
    return compute(x, 4000) ^ 1;
}

static void *others(void *index)
{
    unsigned me = *(unsigned *)index;

    for (unsigned i = 0; i < 40; i++) {
        pthread_mutex_lock(&lock);
        done[me] = add(done[me]);
        pthread_mutex_unlock(&lock);
        done[me] = compute(done[me], 900);
    }
    return NULL;
}

static void *first(void *none)
{
    struct sched_param p = {.sched_priority = 1};

    sched_setscheduler(0, SCHED_FIFO, &p);
    for (unsigned i = 0; i < 60; i++) {
        pthread_mutex_lock(&lock);
        done[0] = compute(done[0], 1000);
        pthread_mutex_unlock(&lock);
        done[0] = compute(done[0], 2500);
    }
    return none;
}

int main(void)
{
    static unsigned index[4];
    pthread_t t[4];

    for (unsigned i = 1; i < 4; i++) {
        index[i] = i;
        pthread_create(&t[i], NULL, others, &index[i]);
    }
    pthread_create(&t[0], NULL, first, NULL);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", done[0] + done[1] + done[2] + done[3]);
    return 0;
}
C
# Threads that need two locks of a ring; of those that end the kernel keeps one out of its own locks.
cat >"$dir/forks.c" <<'C'
#include "common.h"
#define PLACES 5
static pthread_mutex_t fork_of[PLACES];
static uint32_t done[PLACES];

static __attribute__((noipa)) uint32_t debate(uint32_t x)
{
    return compute(x, 6000 + (x >> 20 & 1023) * 5) ^ 1;
}

static void *dine(void *index)
{
    unsigned me = *(unsigned *)index, next = (me + 1) % PLACES;
    unsigned low = me < next ? me : next, high = me < next ? next : me;
    uint32_t x = me;

    for (unsigned i = 0; i < ROUNDS; i++) {
        x = compute(x, 1000 + (x >> 20 & 1023) * 3);
        pthread_mutex_lock(&fork_of[low]);
        pthread_mutex_lock(&fork_of[high]);
        x = me == 2 ? debate(x) : compute(x, 600 + (x >> 20 & 1023) * 2);
        pthread_mutex_unlock(&fork_of[high]);
        pthread_mutex_unlock(&fork_of[low]);
    }
    done[me] = x;
    return NULL;
}

int main(void)
{
    static unsigned index[PLACES];
    pthread_t t[PLACES];

    for (unsigned i = 0; i < PLACES; i++)
        pthread_mutex_init(&fork_of[i], NULL);
    for (unsigned i = 0; i < PLACES; i++) {
        index[i] = i;
        pthread_create(&t[i], NULL, dine, &index[i]);
    }
    for (unsigned i = 0; i < PLACES; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", done[2]);
    return 0;
}
C
# Who comes first to wait for a frame has a CPU first when it is there.
cat >"$dir/frames.c" <<'C'
#include "common.h"
#define ROUNDS 40
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static unsigned have, left;
static uint32_t done[4];

static __attribute__((noipa)) uint32_t decode(uint32_t x)
{
    return compute(x, 9000) ^ 1;
}

static void *decoder(void *none)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        done[0] = decode(done[0]);
        pthread_mutex_lock(&lock);
        while (left)
            pthread_cond_wait(&empty, &lock);
        have++;
        left = 3;
        pthread_cond_broadcast(&full);
        pthread_mutex_unlock(&lock);
    }
    return none;
}

static void *filter(void *index)
{
    unsigned me = *(unsigned *)index;

    for (unsigned i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&lock);
        while (have <= i)
            pthread_cond_wait(&full, &lock);
        pthread_mutex_unlock(&lock);
        done[me] = compute(done[me], 2000 * me + 1000);
        pthread_mutex_lock(&lock);
        if (!--left)
            pthread_cond_signal(&empty);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    static unsigned index[4] = {0, 1, 2, 3};
    pthread_t t[4];

    pthread_create(&t[0], NULL, decoder, NULL);
    for (unsigned i = 1; i < 4; i++)
        pthread_create(&t[i], NULL, filter, &index[i]);
    for (unsigned i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", done[0] + done[1] + done[2] + done[3]);
    return 0;
}
C
# A lock that lends a priority goes to who waits longest, though others come by before that one has
# a CPU.
cat >"$dir/lends.c" <<'C'
#include "common.h"
static pthread_mutex_t book;
static uint32_t done[4];

static __attribute__((noipa)) uint32_t enter_sum(uint32_t x)
{
    return compute(x, 3000) ^ 1;
}

static void *trade(void *index)
{
    unsigned me = *(unsigned *)index;
    uint32_t x = me;

    for (unsigned i = 0; i < 50; i++) {
        x = compute(x, 2000 + (x >> 20 & 1023) * 3);
        pthread_mutex_lock(&book);
        x = enter_sum(x);
        pthread_mutex_unlock(&book);
    }
    done[me] = x;
    return NULL;
}

int main(void)
{
    static unsigned index[4];
    pthread_mutexattr_t lends;
    pthread_t t[4];

    pthread_mutexattr_init(&lends);
    pthread_mutexattr_setprotocol(&lends, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&book, &lends);
    for (unsigned i = 0; i < 4; i++) {
        index[i] = i;
        pthread_create(&t[i], NULL, trade, &index[i]);
    }
    for (unsigned i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%u\n", done[0] + done[1] + done[2] + done[3]);
    return 0;
}
C
# run PROGRAM WHERE CPUS OPTION...: cycles it takes
run() {
    program=$1 where=$2 cpus=$3
    shift 3
    if [ "$where" = guest ]; then
        "$simrun" -q --mode=fast --cpus="$cpus" --append states=on --summary=json "$@" "$guest" \
            --program "$dir/$program"
    else
        user "$dir/$program" --cpus="$cpus" --summary=json "$@"
    fi >"$out" 2>"$dir/err" </dev/null || fail "$program: $(cat "$dir/err")"
    cat "$out" "$dir/err" | sed -n 's/.*"cycles":\([0-9]*\).*/\1/p' | head -n 1
}
# look PROGRAM FUNCTION WHERE CPUS OFF [FACTOR]: half of it, or as much (FACTOR), predicted within OFF hundredths of the gain
look() {
    cycles=$(run "$1" "$3" "$4" --record-locks -e cycles:1000 -f --pmu-trace="$dir/x.exp")
    change=func:$2+=x${6:-0.5}
    measured=$(run "$1" "$3" "$4" --what-if "$change")
    predicted=$(timeout 60 "$simprof" predict --csv --what-if "$change" "$dir/x.exp" |
        sed -n '$s/,.*//p')
    awk -v r="$cycles" -v m="$measured" -v p="${predicted:-0}" -v off="$5" 'BEGIN {
        printf "gain %.1f %%, predicted %.1f\n", 100 * (1 - m / r), 100 * (1 - p / r)
        d = p > m ? p - m : m - p
        gain = r > m ? r - m : m - r
        exit !(gain > r * 0.05 && d * 100 <= gain * off) }' >"$dir/figures" ||
        fail "$1, $3, $4 CPUs: $(cat "$dir/figures")"
    echo "$1, $3, $4 CPUs: $(cat "$dir/figures")"
}
# build PROGRAM SOURCE OPTION...
build() {
    program=$1 source=$2
    shift 2
    powerpc-linux-gnu-gcc -O2 -g -static -pthread -I "$dir" "$@" -o "$dir/$program" \
        "$dir/$source.c" || exit 1
}
build preempt preempt
build favoured favoured
build barrier barrier
build readers readers
build herd herd
build lends lends
build frames frames
build forks forks -DROUNDS=40
build convoy four -DROUNDS=80 -DOUTSIDE=900 -DINSIDE=1400
tries='-DROUNDS=30 -DOUTSIDE=5000 -DINSIDE=12000'
build tries four $tries -DPAUSE=110000
build spins four -DSPIN=60 -DROUNDS=80 -DOUTSIDE=300 -DINSIDE=1200
build spins_else four -DSPIN=40 -DROUNDS=80 -DOUTSIDE=9000 -DINSIDE=1600
build tries_often four $tries -DPAUSE=30000
look preempt always user 2 5
look preempt always guest 2 5
look preempt urgent user 2 5
look preempt urgent guest 2 5
look preempt urgent guest 2 5 2
look favoured add user 5 5
look favoured first user 5 20
look favoured add guest 5 10
look barrier more user 2 20
look barrier more user 4 5
look barrier more guest 4 10
look readers rewrite user 2 5
look readers rewrite guest 2 10
look herd publish guest 4 15
look forks debate guest 2 5 0
look frames decode guest 2 15 0.4
look lends enter_sum guest 2 5
look lends enter_sum user 2 5
look convoy add guest 4 10
look convoy add user 4 10
look spins add guest 4 10
look spins add user 4 5 0.7
look spins_else add user 4 5
look tries add user 2 10
look tries add user 4 20
look tries_often add guest 4 10
look tries add guest 2 10
exit 0
