/* paired.h - the mean of a few values and its 95 % interval, by Student's t:
 * of runs that were repeated, or of differences of pairs of them. Integers, so
 * that every host comes to the same.
 */
#ifndef LIB_BASE_PAIRED_H
#define LIB_BASE_PAIRED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct paired {
    size_t count;
    int64_t mean;  /* rounded to the nearest */
    uint64_t half; /* of the interval, which is mean - half to mean + half */
    bool spread;   /* half is known: there were two values or more */
};

/* Of `count` values, each below 2^45 in size. None: all is 0. */
struct paired paired_mean(const int64_t *value, size_t count);

#endif
