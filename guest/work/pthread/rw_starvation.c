/* rw_starvation.c - cause: readers that overlap keep a writer out.
 *
 * All threads but the first read a table most of the time, so that there is
 * nearly always one inside; a reader-writer lock that lets readers pass a
 * waiting writer then lets no writer in until they are through. The first
 * thread has as much to do and idles behind write_entry. EXTRA 1 takes a lock
 * that prefers writers.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

#include "guest/work/pthread/common/load.h"

#define BETWEEN 100 /* steps */
#define READING 4000
#define WRITING 100

static struct load size = {.rounds = 60, .threads = 4};
static pthread_rwlock_t table_lock;
static uint32_t table = 1, written, read_sum[LOAD_THREADS];

static void write_entry(uint32_t x)
{
    pthread_rwlock_wrlock(&table_lock);
    written += compute(x, WRITING);
    pthread_rwlock_unlock(&table_lock);
}

static uint32_t read_table(uint32_t x)
{
    pthread_rwlock_rdlock(&table_lock);
    x = compute(x + table, READING);
    pthread_rwlock_unlock(&table_lock);
    return x;
}

static void *user(void *index)
{
    unsigned me = *(unsigned *)index;
    uint32_t x = me;

    for (unsigned i = 0; i < size.rounds; i++) {
        x = compute(x, BETWEEN + me * 37);
        if (me == 0)
            write_entry(x);
        else
            read_sum[me] += read_table(x);
    }
    return NULL;
}

int main(int count, char **word)
{
    pthread_rwlockattr_t kind;
    uint32_t sum = 0;

    load_arguments(&size, count, word);
    pthread_rwlockattr_init(&kind);
    pthread_rwlockattr_setkind_np(
        &kind, size.extra ? PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP
                          : PTHREAD_RWLOCK_PREFER_READER_NP);
    pthread_rwlock_init(&table_lock, &kind);
    load_run(size.threads, user);
    for (unsigned i = 0; i < size.threads; i++)
        sum += read_sum[i];
    printf("rw_starvation: %u written %u, %u read %u\n", size.rounds,
           (unsigned)written, size.rounds * (size.threads - 1), (unsigned)sum);
    return 0;
}
