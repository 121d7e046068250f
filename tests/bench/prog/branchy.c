/* branchy.c - branches that depend on random data: words are inserted into
 * sorted places, and looked up by halving; and a switch of eight ways, which
 * jumps through the count register.
 */
#include "tests/bench/prog/bench.h"

#define WORDS 32

const unsigned bench_steps = 8000;

static uint32_t sorted[WORDS];
static unsigned used;

void bench_begin(void)
{
    used = 0;
}

/* Where x is or belongs. */
static unsigned place(uint32_t x)
{
    unsigned low = 0, high = used;

    while (low < high) {
        unsigned middle = (low + high) / 2;

        if (sorted[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static uint32_t turn(uint32_t sum, uint32_t x)
{
    switch (x >> 29) {
    case 0:
        return sum + x;
    case 1:
        return sum ^ x;
    case 2:
        return sum - (x << 3);
    case 3:
        return sum * 33 + x;
    case 4:
        return (sum >> 3) + x;
    case 5:
        return sum & 1 ? sum + 7 : x;
    case 6:
        return ~sum;
    default:
        return sum > x ? sum - x : x - sum;
    }
}

__attribute__((noipa)) uint32_t bench_step(uint32_t sum)
{
    static uint32_t x = 2463534242u;
    unsigned at;

    x = bench_random(x);
    at = place(x);
    if (used == WORDS) {
        if (at > WORDS / 2)
            used = WORDS / 2;
        else
            sum += sorted[at];
    } else {
        for (unsigned k = used++; k > at; k--)
            sorted[k] = sorted[k - 1];
        sorted[at] = x;
    }
    return turn(turn(sum, x), x * 69069 + 1);
}
