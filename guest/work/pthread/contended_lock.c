/* contended_lock.c - cause: one lock is held for most of the work.
 *
 * Each thread computes outside the lock and then posts to one ledger, whose
 * lock it holds four times as long. With any number of threads, one of them
 * posts while the others wait in post_to_ledger and their CPUs idle.
 */
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define OUTSIDE 1000 /* steps */
#define HELD 4000

static struct load size = {.rounds = 40, .threads = 4};
static pthread_mutex_t ledger_lock = PTHREAD_MUTEX_INITIALIZER;
static uint32_t ledger;

static void post_to_ledger(uint32_t amount)
{
    pthread_mutex_lock(&ledger_lock);
    ledger += compute(amount, HELD);
    pthread_mutex_unlock(&ledger_lock);
}

static void *clerk(void *index)
{
    uint32_t amount = *(unsigned *)index;

    for (unsigned i = 0; i < size.rounds; i++) {
        amount = compute(amount, OUTSIDE);
        post_to_ledger(amount);
    }
    return NULL;
}

int main(int count, char **word)
{
    load_arguments(&size, count, word);
    load_run(size.threads, clerk);
    printf("contended_lock: %u postings, ledger %u\n",
           size.rounds * size.threads, (unsigned)ledger);
    return 0;
}
