/* independence.c - agreement of neighbours. See independence.h.
 *
 * For shares p_c, S2 the sum of their squares and S3 of their cubes: two
 * independent samples agree with probability S2; the agreement less what each
 * of the two places says of it alone has variance S2 - 2 S3 + S2^2, and is not
 * correlated between pairs, even those that share a sample. Shares are those
 * of the run itself, which the count of pairs in one place corrects for.
 */
#include "tools/analysis/profile/independence.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

/* Fewer samples of a CPU, or fewer pairs in all that should disagree, say
 * nothing. */
#define LEAST_RUN 16
#define LEAST_PAIRS 25

struct sums {
    double found, expected, variance, pairs;
};

/* One CPU's pairs at all lags. `times` is room for a count of each place. */
static void add_run(struct sums sums[INDEPENDENCE_LAGS],
                    const struct independence_run *run, uint64_t *times,
                    size_t places)
{
    double n = (double)run->count, same = 0, s2 = 0, s3 = 0;

    if (run->count < LEAST_RUN)
        return;
    memset(times, 0, places * sizeof *times);
    for (size_t i = 0; i < run->count; i++)
        times[run->place[i]]++;
    for (size_t i = 0; i < places; i++) {
        double c = (double)times[i], p = c / n;

        same += c * (c - 1) / (n * (n - 1));
        s2 += p * p;
        s3 += p * p * p;
    }
    for (unsigned k = 0; k < INDEPENDENCE_LAGS; k++) {
        size_t pairs = run->count - (k + 1), found = 0;

        for (size_t i = 0; i < pairs; i++)
            found += run->place[i] == run->place[i + k + 1];
        sums[k].found += (double)found;
        sums[k].expected += same * (double)pairs;
        sums[k].variance += (s2 - 2 * s3 + s2 * s2) * (double)pairs;
        sums[k].pairs += (double)pairs;
    }
}

void independence_read(struct independence *s,
                       const struct independence_run *run, unsigned runs,
                       size_t places)
{
    struct sums sums[INDEPENDENCE_LAGS] = {{0}};
    uint64_t *times = grow_zero(places + 1, sizeof *times);

    *s = (struct independence){.worst = 1};
    for (unsigned i = 0; i < runs; i++)
        add_run(sums, &run[i], times, places);
    free(times);
    s->pairs = (size_t)sums[0].pairs;
    s->known =
        sums[0].pairs - sums[0].expected >= LEAST_PAIRS && sums[0].variance > 0;
    if (!s->known)
        return;
    for (unsigned k = 0; k < INDEPENDENCE_LAGS; k++) {
        double found = sums[k].found / sums[k].pairs;
        double expected = sums[k].expected / sums[k].pairs;

        s->lag[k].found = found;
        s->lag[k].expected = expected;
        s->lag[k].z =
            (sums[k].found - sums[k].expected) / sqrt(sums[k].variance);
        if (fabs(s->lag[k].z) > fabs(s->lag[s->worst - 1].z))
            s->worst = k + 1;
    }
}

bool independence_warns(const struct independence *s)
{
    return s->known && fabs(s->lag[s->worst - 1].z) > INDEPENDENCE_LIMIT;
}
