/* priority_inversion.c - cause: a thread of middle priority keeps the holder of
 * a lock from its CPU, and so one of high priority from the lock.
 *
 * `low` holds a lock for a moment, on CPU 0. There `middle`, which does not
 * need it, becomes ready and is preferred. `high`, alone on CPU 1, wants the
 * lock: its CPU idles behind urgent_update as long as `middle` computes. EXTRA
 * 1 makes it a lock that lends its holder the priority of who waits. Where
 * priorities may not be set the three share the time.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define HELD 1000 /* steps */
#define MIDDLE 20000
#define URGENT 1000

static struct load size = {.rounds = 20};
static pthread_mutex_t lock;
static pthread_barrier_t round_over;
static sem_t held, go;
static uint32_t state, middle_sum;

static void prefer(int priority, unsigned cpu)
{
    struct sched_param p = {.sched_priority = priority};

    load_pin(cpu);
    pthread_setschedparam(pthread_self(), SCHED_FIFO, &p);
}

static void low_update(unsigned i)
{
    pthread_mutex_lock(&lock);
    sem_post(&held);
    sem_post(&go);
    state += compute(i, HELD);
    pthread_mutex_unlock(&lock);
}

static void *low(void *unused)
{
    prefer(1, 0);
    for (unsigned i = 0; i < size.rounds; i++) {
        low_update(i);
        pthread_barrier_wait(&round_over);
    }
    return unused;
}

static void *middle(void *unused)
{
    prefer(2, 0);
    for (unsigned i = 0; i < size.rounds; i++) {
        sem_wait(&go);
        middle_sum += compute(i, MIDDLE);
        pthread_barrier_wait(&round_over);
    }
    return unused;
}

static void urgent_update(unsigned i)
{
    pthread_mutex_lock(&lock);
    state += compute(i, URGENT);
    pthread_mutex_unlock(&lock);
}

static void *high(void *unused)
{
    prefer(3, 1);
    for (unsigned i = 0; i < size.rounds; i++) {
        sem_wait(&held);
        urgent_update(i);
        pthread_barrier_wait(&round_over);
    }
    return unused;
}

static void *role(void *index)
{
    static void *(*const roles[])(void *) = {low, middle, high};

    return roles[*(unsigned *)index](NULL);
}

int main(int count, char **word)
{
    pthread_mutexattr_t kind;

    load_arguments(&size, count, word);
    pthread_mutexattr_init(&kind);
    if (size.extra)
        pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
    if (pthread_mutex_init(&lock, &kind)) {
        fprintf(stderr, "there are no locks that lend a priority\n");
        return 1;
    }
    pthread_barrier_init(&round_over, NULL, 3);
    sem_init(&held, 0, 0);
    sem_init(&go, 0, 0);
    load_run(3, role);
    printf("priority_inversion: %u rounds, state %u, middle %u\n", size.rounds,
           (unsigned)state, (unsigned)middle_sum);
    return 0;
}
