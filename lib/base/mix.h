/* mix.h - numbers that look random and follow from a seed: splitmix64 (Vigna;
 * https://prng.di.unimi.it/splitmix64.c has the constants).
 *
 * The n-th number of a seed's row is mix64(seed + n * MIX_STEP), n from 1: no
 * state is kept but n, and any number can be asked for at any time.
 */
#ifndef LIB_BASE_MIX_H
#define LIB_BASE_MIX_H

#include <stdint.h>

#define MIX_STEP UINT64_C(0x9E3779B97F4A7C15)

/* The bits of x, mixed. One to one. */
static inline uint64_t mix64(uint64_t x)
{
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

#endif
