/* bench.h - what a program that `make bench` times consists of: a step, which
 * main.c repeats. A step is some hundred instructions, for the rows that mark
 * it, and depends on the one before it, so that none can be left out.
 */
#ifndef TESTS_BENCH_PROG_BENCH_H
#define TESTS_BENCH_PROG_BENCH_H

#include <stdint.h>

/* Steps of a unit of length, about a million instructions. */
extern const unsigned bench_steps;

/* Once, in front of the first step. */
void bench_begin(void);

/* One step; `sum` is what the last one returned. */
uint32_t bench_step(uint32_t sum);

/* A number from the one before it (xorshift; not from 0). */
static inline uint32_t bench_random(uint32_t x)
{
    x ^= x << 13;
    x ^= x >> 17;
    return x ^ x << 5;
}

#endif
