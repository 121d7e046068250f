/* load.h - what the programs of this folder have in common: arguments, a
 * computation whose result is known, threads that are started and joined.
 *
 * Portable C and POSIX threads. Every result is a number that does not depend
 * on who ran when, so that the same program prints the same line everywhere.
 */
#ifndef GUEST_WORK_PTHREAD_COMMON_LOAD_H
#define GUEST_WORK_PTHREAD_COMMON_LOAD_H

#include <stdint.h>

#define LOAD_THREADS 64

/* The size of a run: PROGRAM [ROUNDS [THREADS [EXTRA]]]. */
struct load {
    unsigned rounds;
    unsigned threads; /* 1 to LOAD_THREADS */
    unsigned extra;   /* what it means its program says */
};

/* Replace what `size` has by the arguments there are. One that is no number
 * from 1 (extra: 0) to a million, or more threads than LOAD_THREADS, ends the
 * program with status 2. */
void load_arguments(struct load *size, int count, char **word);

/* `steps` steps of a generator that began with `from`: some five instructions
 * each. Returns what it came to. */
uint32_t compute(uint32_t from, unsigned steps);

/* Have n threads in `run`, whose argument points to its index, and wait for all
 * of them. The calling thread is the first. No thread: status 1. */
void load_run(unsigned n, void *(*run)(void *index));

/* The calling thread may run on CPU `cpu` only. A machine that has no such CPU
 * or does not let it goes on without. */
void load_pin(unsigned cpu);

#endif
