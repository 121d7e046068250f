/* sleep_backoff.c - cause: threads sleep where they should wait.
 *
 * One unit is used in turns. A thread that finds it taken does not wait for it
 * but sleeps and tries again, twice as long each time, up to 0.4 ms.
 * Most of the time the unit is free and all who want it sleep: CPUs idle behind
 * back_off.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "guest/work/pthread/common/load.h"

#define OUTSIDE 1000 /* steps */
#define USING 4000
#define FIRST 50000 /* ns */
#define LONGEST 400000

static struct load size = {.rounds = 25, .threads = 4};
static pthread_mutex_t unit = PTHREAD_MUTEX_INITIALIZER;
static uint32_t used, uses; /* guarded by unit */

static void back_off(long ns)
{
    struct timespec time = {0, ns};

    nanosleep(&time, NULL);
}

static void take_unit(void)
{
    long ns = FIRST;

    while (pthread_mutex_trylock(&unit)) {
        back_off(ns);
        if (ns < LONGEST)
            ns *= 2;
    }
}

static void *worker(void *index)
{
    uint32_t x = *(unsigned *)index;
    bool more = true;

    while (more) {
        x = compute(x, OUTSIDE);
        take_unit();
        more = uses < size.rounds * size.threads;
        if (more)
            used += compute(uses++, USING);
        pthread_mutex_unlock(&unit);
    }
    return NULL;
}

int main(int count, char **word)
{
    load_arguments(&size, count, word);
    load_run(size.threads, worker);
    printf("sleep_backoff: %u uses, used %u\n", size.rounds * size.threads,
           (unsigned)used);
    return 0;
}
