/* lock_convoy.c - cause: a fair lock is handed from sleeper to sleeper.
 *
 * What the lock guards takes no time. But it is given in the order in which it
 * was asked for, to a thread that sleeps and first has to be woken, and until
 * that thread runs it is no other's. Once a queue has formed it stays: each
 * thread that comes again goes to its end. CPUs idle behind fair_lock. With a
 * lock that the next comer may take there would be no queue: EXTRA 1 takes one.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define OUTSIDE 300 /* steps */
#define HELD 20

struct fair {
    pthread_mutex_t guard;
    pthread_cond_t turn[LOAD_THREADS]; /* of the ticket, by its remainder */
    unsigned taken, serving;
};

static struct load size = {.rounds = 200, .threads = 4};
static struct fair fair = {.guard = PTHREAD_MUTEX_INITIALIZER};
static uint32_t shared;

static void fair_lock(struct fair *f)
{
    unsigned mine;

    pthread_mutex_lock(&f->guard);
    mine = f->taken++;
    while (f->serving != mine)
        pthread_cond_wait(&f->turn[mine % LOAD_THREADS], &f->guard);
    pthread_mutex_unlock(&f->guard);
}

static void fair_unlock(struct fair *f)
{
    pthread_mutex_lock(&f->guard);
    f->serving++;
    pthread_cond_signal(&f->turn[f->serving % LOAD_THREADS]);
    pthread_mutex_unlock(&f->guard);
}

static void touch_shared(uint32_t x)
{
    if (size.extra)
        pthread_mutex_lock(&fair.guard);
    else
        fair_lock(&fair);
    shared += compute(x, HELD);
    if (size.extra)
        pthread_mutex_unlock(&fair.guard);
    else
        fair_unlock(&fair);
}

static void *walker(void *index)
{
    uint32_t x = *(unsigned *)index;

    for (unsigned i = 0; i < size.rounds; i++) {
        x = compute(x, OUTSIDE);
        touch_shared(x);
    }
    return NULL;
}

int main(int count, char **word)
{
    load_arguments(&size, count, word);
    for (unsigned i = 0; i < LOAD_THREADS; i++)
        pthread_cond_init(&fair.turn[i], NULL);
    load_run(size.threads, walker);
    printf("lock_convoy: %u turns, shared %u\n", size.rounds * size.threads,
           (unsigned)shared);
    return 0;
}
