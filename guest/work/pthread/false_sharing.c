/* false_sharing.c - cause: counters of different threads lie in one cache line.
 *
 * Each thread counts in a word of its own, but the words are neighbours, and so
 * every store takes the line from another CPU. No thread ever waits for
 * another: there is no idle time, only slow stores in count_up. EXTRA 1 gives
 * each word a line of its own.
 */
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define ROUND 2000 /* counts */
#define APART 32   /* words: as far as lines go that are 128 bytes long */

static struct load size = {.rounds = 100, .threads = 4};
static volatile uint32_t counter[LOAD_THREADS * APART];

static void count_up(volatile uint32_t *mine)
{
    for (unsigned i = 0; i < ROUND; i++)
        *mine += 1;
}

static void *worker(void *index)
{
    unsigned me = *(unsigned *)index;

    for (unsigned i = 0; i < size.rounds; i++)
        count_up(&counter[size.extra ? me * APART : me]);
    return NULL;
}

int main(int count, char **word)
{
    uint32_t sum = 0;

    load_arguments(&size, count, word);
    load_run(size.threads, worker);
    for (unsigned i = 0; i < LOAD_THREADS * APART; i++)
        sum += counter[i];
    printf("false_sharing: %u counted\n", (unsigned)sum);
    return 0;
}
