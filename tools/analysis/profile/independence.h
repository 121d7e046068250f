/* independence.h - are samples in a row independent of each other?
 *
 * Intervals around shares take samples for independent draws. Samples that
 * follow a program's phases, or resonate with its loops, are not: the first
 * are nearer to the truth than an interval says, for each phase gets its due;
 * the others may be farther from it. The statistic: how many pairs of samples
 * of one CPU, `lag` apart, are in the same place, against how many would be if
 * the same samples stood in random order; in standard deviations. Of
 * independent samples it is a normal variable with mean 0 and variance 1,
 * whatever the shares are.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_INDEPENDENCE_H
#define TOOLS_ANALYSIS_PROFILE_INDEPENDENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The samples of one CPU in their order: numbers of places from 0. */
struct independence_run {
    uint32_t *place;
    size_t count, room;
};

#define INDEPENDENCE_LAGS 8
/* Beyond so many deviations at any lag we warn: independent samples are there
 * once in 2,000 profiles (8 lags, both sides of a normal variable). */
#define INDEPENDENCE_LIMIT 4.0

struct independence {
    bool known;   /* there is enough to tell from */
    size_t pairs; /* at lag 1 */
    /* At lag k + 1: shares of pairs in one place, as found and as expected
     * of independent samples, and the difference in deviations. */
    struct {
        double found, expected, z;
    } lag[INDEPENDENCE_LAGS];
    unsigned worst; /* the lag with the largest deviation, from 1 */
};

/* `places` is one more than the largest number. */
void independence_read(struct independence *s,
                       const struct independence_run *run, unsigned runs,
                       size_t places);

/* Is it a reason to doubt the intervals? */
bool independence_warns(const struct independence *s);

#endif
