/* barrier_imbalance.c - cause: one thread has more to do between two barriers.
 *
 * All threads meet after each round, and the first one's part takes four times
 * as long as another's. The others idle behind meet three quarters of the time.
 */
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define PART 2000 /* steps */
#define LARGER 4  /* times */

static struct load size = {.rounds = 40, .threads = 4};
static pthread_barrier_t barrier;
static uint32_t cell[LOAD_THREADS];

static void meet(void)
{
    pthread_barrier_wait(&barrier);
}

static void *worker(void *index)
{
    unsigned me = *(unsigned *)index;
    uint32_t x = me;

    for (unsigned i = 0; i < size.rounds; i++) {
        x = compute(x, me == 0 ? PART * LARGER : PART);
        meet();
    }
    cell[me] = x;
    return NULL;
}

int main(int count, char **word)
{
    uint32_t sum = 0;

    load_arguments(&size, count, word);
    pthread_barrier_init(&barrier, NULL, size.threads);
    load_run(size.threads, worker);
    for (unsigned i = 0; i < size.threads; i++)
        sum += cell[i];
    printf("barrier_imbalance: %u rounds, cells %u\n", size.rounds,
           (unsigned)sum);
    return 0;
}
