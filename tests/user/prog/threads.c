/* threads.c - what pthread programs lean on: mutexes, conditions, barriers,
 * semaphores, read-write locks, once, keys, cancellation, exits. Prints what
 * must come out whatever the order. HANDOVERS of a token, 4 threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define N 4

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t turned = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_key_t key;
static sem_t items;
static long sum, handovers = 20000, given, onces, freed;
static int turn;
static atomic_long atoms;
static unsigned places;

static void begin(void)
{
    onces++;
}

static void gone(void *value)
{
    freed += (long)value;
}

static void counted(long me)
{
    for (int i = 0; i < 5000; i++) {
        pthread_mutex_lock(&lock);
        sum += me;
        places |= 1u << sched_getcpu();
        pthread_mutex_unlock(&lock);
        atomic_fetch_add(&atoms, 1);
    }
}

static void token(long me)
{
    pthread_mutex_lock(&lock);
    while (given < handovers) {
        while (turn != me && given < handovers)
            pthread_cond_wait(&turned, &lock);
        turn = (turn + 1) % N;
        given++;
        pthread_cond_broadcast(&turned);
    }
    pthread_mutex_unlock(&lock);
}

static void shared(long me)
{
    for (int i = 0; i < 300; i++) {
        if (i % 10 == me) {
            pthread_rwlock_wrlock(&rw);
            sum++;
            pthread_rwlock_unlock(&rw);
        } else {
            pthread_rwlock_rdlock(&rw);
            (void)*(volatile long *)&sum;
            pthread_rwlock_unlock(&rw);
        }
        sem_post(&items);
    }
}

static void *work(void *arg)
{
    long me = (long)arg;

    pthread_once(&once, begin);
    pthread_setspecific(key, (void *)(me + 1));
    pthread_barrier_wait(&barrier);
    counted(me);
    pthread_barrier_wait(&barrier);
    token(me);
    pthread_barrier_wait(&barrier);
    shared(me);
    if (me == 1)
        pthread_exit((void *)11);
    return (void *)me;
}

static void *endless(void *arg)
{
    (void)arg;
    for (;;)
        pthread_testcancel();
    return NULL;
}

static void *spin(void *arg)
{
    while (!atomic_load((atomic_long *)arg))
        ;
    return NULL;
}

static void timed(void)
{
    struct timespec t;

    pthread_mutex_lock(&lock);
    clock_gettime(CLOCK_REALTIME, &t);
    t.tv_nsec += 2000000;
    if (t.tv_nsec >= 1000000000) {
        t.tv_nsec -= 1000000000;
        t.tv_sec++;
    }
    printf("timedwait %d\n",
           pthread_cond_timedwait(&turned, &lock, &t) == ETIMEDOUT);
    pthread_mutex_unlock(&lock);
    while (sem_trywait(&items) == 0)
        sum += 0;
    clock_gettime(CLOCK_REALTIME, &t);
    printf("semaphore %d\n", sem_timedwait(&items, &t) == -1);
}

int main(int argc, char **argv)
{
    static atomic_long go;
    pthread_t t[N], more[9];
    void *result;
    long results = 0;

    if (argc > 1)
        handovers = atol(argv[1]);
    pthread_barrier_init(&barrier, NULL, N);
    pthread_key_create(&key, gone);
    sem_init(&items, 0, 0);
    for (long i = 0; i < N; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < N; i++) {
        pthread_join(t[i], &result);
        results = results * 100 + (long)result;
    }
    printf("sum %ld atoms %ld given %ld onces %ld freed %ld results %ld\n", sum,
           atomic_load(&atoms), given, onces, freed, results);
    timed();
    pthread_create(&t[0], NULL, endless, NULL);
    usleep(500);
    pthread_cancel(t[0]);
    pthread_join(t[0], &result);
    printf("cancelled %d\n", result == PTHREAD_CANCELED);
    /* more that never wait than there are processors: they are preempted */
    for (int i = 0; i < 9; i++)
        pthread_create(&more[i], NULL, spin, &go);
    usleep(1000);
    atomic_store(&go, 1);
    for (int i = 0; i < 9; i++)
        pthread_join(more[i], NULL);
    printf("preempted\n");
    if (argc > 2)
        printf("processors %x\n", places);
    return 0;
}
