/* serial_phase.c - cause: between parallel phases one thread works alone.
 *
 * All threads compute their parts; then the first merges them, which takes as
 * long as the phase itself did, while the others wait for the next one. Their
 * CPUs idle behind await_merge half of the time.
 */
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define PART 4000 /* steps */

static struct load size = {.rounds = 40, .threads = 4};
static pthread_barrier_t parts_done, merge_done;
static uint32_t part[LOAD_THREADS], merged;

static void merge_parts(void)
{
    for (unsigned i = 0; i < size.threads; i++)
        merged += compute(part[i], PART / size.threads);
}

static void await_merge(void)
{
    pthread_barrier_wait(&merge_done);
}

static void *worker(void *index)
{
    unsigned me = *(unsigned *)index;

    for (unsigned i = 0; i < size.rounds; i++) {
        part[me] = compute(i + me, PART);
        pthread_barrier_wait(&parts_done);
        if (me == 0)
            merge_parts();
        await_merge();
    }
    return NULL;
}

int main(int count, char **word)
{
    load_arguments(&size, count, word);
    pthread_barrier_init(&parts_done, NULL, size.threads);
    pthread_barrier_init(&merge_done, NULL, size.threads);
    load_run(size.threads, worker);
    printf("serial_phase: %u phases, merged %u\n", size.rounds,
           (unsigned)merged);
    return 0;
}
