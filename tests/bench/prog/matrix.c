/* matrix.c - the product of two matrices of 32 x 32 doubles, a step an element:
 * multiply-add, one operand along a row, the other down a column. 24 KB.
 */
#include "tests/bench/prog/bench.h"

#define SIDE 32

const unsigned bench_steps = 5000;

static double left[SIDE][SIDE], right[SIDE][SIDE], product[SIDE][SIDE];

void bench_begin(void)
{
    uint32_t x = 1;

    for (unsigned i = 0; i < SIDE; i++)
        for (unsigned j = 0; j < SIDE; j++) {
            x = bench_random(x);
            left[i][j] = (double)(x >> 8) / 16777216.0;
            x = bench_random(x);
            right[i][j] = (double)(x >> 8) / 16777216.0 - 0.5;
        }
}

__attribute__((noipa)) uint32_t bench_step(uint32_t sum)
{
    static unsigned element;
    unsigned i = element / SIDE, j = element % SIDE;
    double dot = 0;

    for (unsigned k = 0; k < SIDE; k++)
        dot += left[i][k] * right[k][j];
    /* The next product differs: the row drifts with its results, about a
     * mean, as products of the smallest numbers are not what is timed. */
    left[i][j] =
        0.5 * (right[j][i] - left[i][j]) + 0.125 * (dot - product[i][j]);
    product[i][j] = dot;
    element = (element + 1) % (SIDE * SIDE);
    return sum + (uint32_t)(int32_t)(dot * 65536.0);
}
