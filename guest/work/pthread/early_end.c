/* early_end.c - cause: the work is divided beforehand, and unevenly.
 *
 * The first thread gets as much as all others together. These end, one after
 * the other, and their CPUs have nothing more to do: idle behind the end of a
 * thread.
 */
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define PIECE 2000 /* steps */

static struct load size = {.rounds = 40, .threads = 4};
static uint32_t done[LOAD_THREADS];

static unsigned pieces_of(unsigned thread)
{
    return thread ? size.rounds : size.rounds * size.threads;
}

static void *worker(void *index)
{
    unsigned me = *(unsigned *)index;
    uint32_t x = me;

    for (unsigned i = 0; i < pieces_of(me); i++)
        x = compute(x, PIECE);
    done[me] = x;
    return NULL;
}

int main(int count, char **word)
{
    uint32_t sum = 0;
    unsigned pieces = 0;

    load_arguments(&size, count, word);
    load_run(size.threads, worker);
    for (unsigned i = 0; i < size.threads; i++) {
        sum += done[i];
        pieces += pieces_of(i);
    }
    printf("early_end: %u pieces, done %u\n", pieces, (unsigned)sum);
    return 0;
}
