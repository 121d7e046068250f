/* integer.c - shifts, additions and products in registers, and a table of 4 KB:
 * a hash of the kind that checksums and random numbers are made with. No branch
 * depends on data, nothing misses a cache.
 */
#include "tests/bench/prog/bench.h"

#define WORDS 1024

const unsigned bench_steps = 10000;

static uint32_t table[WORDS];

void bench_begin(void)
{
    for (unsigned k = 0; k < WORDS; k++)
        table[k] = k * 2654435761u;
}

__attribute__((noipa)) uint32_t bench_step(uint32_t sum)
{
    uint32_t x = sum | 1;

    for (unsigned k = 0; k < 5; k++) {
        x = bench_random(x);
        sum = (sum << 5 | sum >> 27) + x * 2246822519u;
        sum ^= table[x % WORDS];
        table[sum % WORDS] += x >> 7;
    }
    return sum;
}
