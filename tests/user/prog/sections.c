/* sections.c - threads that mark sections: computing, under a lock, asleep.
 */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include "include/section.h"

#define THREADS 6
#define TURNS 4

static volatile unsigned sink;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void work(unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        sink += i;
}

static void *turns(void *arg)
{
    static const struct timespec nap = {0, 200000};

    for (int i = 0; i < TURNS; i++) {
        SECTION_BEGIN("turn");
        work(5000);
        pthread_mutex_lock(&lock);
        SECTION_BEGIN("under the lock");
        work(3000);
        SECTION_END("under the lock");
        pthread_mutex_unlock(&lock);
        nanosleep(&nap, NULL);
        SECTION_END("turn");
    }
    return arg;
}

int main(void)
{
    pthread_t thread[THREADS];

    for (int i = 0; i < THREADS; i++)
        pthread_create(&thread[i], NULL, turns, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    puts("done");
    return 0;
}
