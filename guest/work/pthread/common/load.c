/* load.c - arguments, threads and a computation for the programs of this
 * folder. */
#define _GNU_SOURCE
#include "guest/work/pthread/common/load.h"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned number(const char *word, unsigned least, unsigned most)
{
    char *end;
    unsigned long n = strtoul(word, &end, 10);

    if (*end || end == word || n < least || n > most) {
        fprintf(stderr, "%s: not a number from %u to %u\n", word, least, most);
        exit(2);
    }
    return (unsigned)n;
}

void load_arguments(struct load *size, int count, char **word)
{
    if (count > 4) {
        fprintf(stderr, "usage: %s [ROUNDS [THREADS [EXTRA]]]\n", word[0]);
        exit(2);
    }
    if (count > 1)
        size->rounds = number(word[1], 1, 1000000);
    if (count > 2)
        size->threads = number(word[2], 1, LOAD_THREADS);
    if (count > 3)
        size->extra = number(word[3], 0, 1000000);
}

uint32_t compute(uint32_t from, unsigned steps)
{
    while (steps--) {
        from = from * 1664525u + 1013904223u;
        __asm__("" : "+r"(from)); /* one step behind the other */
    }
    return from;
}

void load_run(unsigned n, void *(*run)(void *index))
{
    pthread_t thread[LOAD_THREADS];
    unsigned index[LOAD_THREADS];

    for (unsigned i = 1; i < n; i++) {
        index[i] = i;
        if (pthread_create(&thread[i], NULL, run, &index[i])) {
            fprintf(stderr, "thread %u cannot be started\n", i);
            exit(1);
        }
    }
    index[0] = 0;
    run(&index[0]);
    for (unsigned i = 1; i < n; i++)
        pthread_join(thread[i], NULL);
}

void load_pin(unsigned cpu)
{
    cpu_set_t one;

    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    pthread_setaffinity_np(pthread_self(), sizeof one, &one);
}
