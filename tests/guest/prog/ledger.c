/* ledger.c - why CPUs are idle here: all threads commit to one ledger, and the
 * one that has its lock sleeps while an entry is written. Prints what the
 * entries add up to.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static pthread_mutex_t ledger = PTHREAD_MUTEX_INITIALIZER;
static unsigned long total;
static int rounds = 40;

__attribute__((noinline)) static unsigned long compute(unsigned long x)
{
    for (int n = 0; n < 3000; n++)
        x = x * 1103515245 + 12345;
    return x & 0xFFFF;
}

__attribute__((noinline)) static void write_entry(unsigned long entry)
{
    struct timespec t = {0, 300000};

    total += entry;
    nanosleep(&t, NULL);
}

__attribute__((noinline)) static void commit(unsigned long entry)
{
    pthread_mutex_lock(&ledger);
    write_entry(entry);
    pthread_mutex_unlock(&ledger);
}

static void *worker(void *number)
{
    unsigned long x = (unsigned long)number;

    for (int n = 0; n < rounds; n++) {
        x = compute(x);
        commit(x);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t thread[6];

    if (argc > 1)
        rounds = atoi(argv[1]);
    for (long n = 0; n < 6; n++)
        pthread_create(&thread[n], NULL, worker, (void *)n);
    for (int n = 0; n < 6; n++)
        pthread_join(thread[n], NULL);
    printf("total %lu\n", total);
    return 7;
}
