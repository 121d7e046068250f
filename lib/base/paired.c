/* paired.c - see paired.h. */
#include "lib/base/paired.h"

typedef unsigned __int128 wide;

/* The 97.5 % point of Student's t, thousandths, by degrees of freedom; the
 * table of every textbook. Beyond it, a hyperbola through its last values. */
static unsigned student(size_t freedom)
{
    static const unsigned short table[] = {
        12706, 4303, 3182, 2776, 2571, 2447, 2365, 2306, 2262, 2228,
        2201,  2179, 2160, 2145, 2131, 2120, 2110, 2101, 2093, 2086,
        2080,  2074, 2069, 2064, 2060, 2056, 2052, 2048, 2045, 2042};
    size_t rows = sizeof table / sizeof table[0];

    return freedom <= rows ? table[freedom - 1] : 1960u + 2400u / freedom;
}

/* The root, rounded up. */
static uint64_t root(wide n)
{
    uint64_t low = 0, high = UINT64_MAX;

    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if ((wide)middle * middle >= n)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

struct paired paired_mean(const int64_t *value, size_t count)
{
    struct paired p = {.count = count};
    int64_t sum = 0, half = (int64_t)count / 2;
    wide squares = 0, of_sum, variance;
    unsigned t;

    if (!count)
        return p;
    /* Counted from the first one, so that the numbers stay small. */
    for (size_t n = 0; n < count; n++) {
        int64_t d = value[n] - value[0];

        sum += d;
        squares += (wide)((__int128)d * d);
    }
    p.mean = value[0] + (sum + (sum < 0 ? -half : half)) / (int64_t)count;
    p.spread = count > 1;
    if (!p.spread)
        return p;
    of_sum = (wide)((__int128)sum * sum);
    variance = (squares * count - of_sum) / count / (count - 1);
    t = student(count - 1);
    p.half = root(variance * t * t / count / 1000000);
    return p;
}
