/* small_pool.c - cause: a pool has fewer things than threads need at a time.
 *
 * Every job needs one of the pool's buffers (EXTRA of them, 2) and computes
 * with it nearly all the time. More threads than buffers wait in borrow_buffer,
 * however many CPUs there are; each of the buffers is in use all the time.
 */
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define OUTSIDE 100 /* steps */
#define USING 4000

static struct load size = {.rounds = 40, .threads = 4, .extra = 2};
static struct {
    pthread_mutex_t lock; /* guards free */
    pthread_cond_t returned;
    unsigned free;
} pool = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};
static uint32_t done[LOAD_THREADS];

static void borrow_buffer(void)
{
    pthread_mutex_lock(&pool.lock);
    while (!pool.free)
        pthread_cond_wait(&pool.returned, &pool.lock);
    pool.free--;
    pthread_mutex_unlock(&pool.lock);
}

static void return_buffer(void)
{
    pthread_mutex_lock(&pool.lock);
    pool.free++;
    pthread_cond_signal(&pool.returned);
    pthread_mutex_unlock(&pool.lock);
}

static void *worker(void *index)
{
    unsigned me = *(unsigned *)index;
    uint32_t x = me;

    for (unsigned i = 0; i < size.rounds; i++) {
        x = compute(x, OUTSIDE);
        borrow_buffer();
        x = compute(x, USING);
        return_buffer();
        done[me] += x;
    }
    return NULL;
}

int main(int count, char **word)
{
    uint32_t sum = 0;

    load_arguments(&size, count, word);
    pool.free = size.extra ? size.extra : 1;
    load_run(size.threads, worker);
    for (unsigned i = 0; i < size.threads; i++)
        sum += done[i];
    printf("small_pool: %u jobs, done %u\n", size.rounds * size.threads,
           (unsigned)sum);
    return 0;
}
