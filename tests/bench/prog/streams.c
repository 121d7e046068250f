/* streams.c - memory as a stream: copies, scales and adds arrays of 256 KB
 * each, 16 words a step. Every line misses the data cache once, modified ones
 * are written back.
 */
#include "tests/bench/prog/bench.h"

#define WORDS 65536
#define PIECE 16

const unsigned bench_steps = 6200;

static uint32_t a[WORDS], b[WORDS], c[WORDS];

void bench_begin(void)
{
    for (unsigned k = 0; k < WORDS; k++)
        a[k] = k;
}

__attribute__((noipa)) uint32_t bench_step(uint32_t sum)
{
    static unsigned kind, at;

    switch (kind) {
    case 0:
        for (unsigned k = at; k < at + PIECE; k++)
            c[k] = a[k];
        break;
    case 1:
        for (unsigned k = at; k < at + PIECE; k++)
            b[k] = 3 * c[k];
        break;
    default:
        for (unsigned k = at; k < at + PIECE; k++)
            a[k] = b[k] + c[k];
        break;
    }
    sum += a[at];
    at += PIECE;
    if (at == WORDS) {
        at = 0;
        kind = (kind + 1) % 3;
    }
    return sum;
}
