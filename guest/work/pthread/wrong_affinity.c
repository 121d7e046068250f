/* wrong_affinity.c - cause: threads are bound to one CPU by mistake.
 *
 * Every thread is to have a CPU of its own; but home_of divides where it should
 * take the remainder, so that all are bound to CPU 0. The other CPUs idle since
 * a thread left them in bind_home, while threads are ready that may not use
 * them.
 */
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define PART 20000 /* steps */

static struct load size = {.rounds = 20, .threads = 4};
static pthread_barrier_t begin;
static uint32_t done[LOAD_THREADS];

static unsigned home_of(unsigned thread)
{
    return thread / size.threads; /* should be thread % CPUs */
}

static void bind_home(unsigned thread)
{
    load_pin(home_of(thread));
}

static void *worker(void *index)
{
    unsigned me = *(unsigned *)index;
    uint32_t x = me;

    x = compute(x, PART); /* anywhere */
    pthread_barrier_wait(&begin);
    bind_home(me);
    for (unsigned i = 0; i < size.rounds; i++)
        x = compute(x, PART);
    done[me] = x;
    return NULL;
}

int main(int count, char **word)
{
    uint32_t sum = 0;

    load_arguments(&size, count, word);
    pthread_barrier_init(&begin, NULL, size.threads);
    load_run(size.threads, worker);
    for (unsigned i = 0; i < size.threads; i++)
        sum += done[i];
    printf("wrong_affinity: %u parts, done %u\n", size.rounds * size.threads,
           (unsigned)sum);
    return 0;
}
