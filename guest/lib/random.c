/* random.c - small reproducible noise: xorshift (Marsaglia), one stream a
 * user, never zero.
 */
#include "guest/lib/lib.h"

uint32_t random_seed(uint32_t seed, uint32_t stream)
{
    uint32_t x = (seed ^ 0x9E3779B9u) + stream * 0x85EBCA6Bu;

    x ^= x >> 16;
    x *= 0x7FEB352Du;
    x ^= x >> 15;
    return x ? x : 1;
}

static uint32_t random_next(uint32_t *state)
{
    uint32_t x = *state;

    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return *state = x;
}

uint32_t random_below(uint32_t *state, uint32_t limit)
{
    return (uint32_t)((uint64_t)random_next(state) * limit >> 32);
}
