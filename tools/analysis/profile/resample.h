/* resample.h - 95 % intervals of shares whose draws come in groups.
 *
 * Sample interrupts of one idle period nearly always find the same, so they
 * are no independent draws: a formula for those makes intervals too narrow.
 * Here whole periods are drawn again, with replacement, RESAMPLE_TIMES times
 * from a fixed seed, and the middle 95 % of the shares so found is the
 * interval. Where that cannot vary, a share of nothing or of all, or there are
 * fewer than RESAMPLE_FEW periods, it is widened to Wilson's interval of as
 * many independent draws as there are periods of equal size (Kish).
 */
#ifndef TOOLS_ANALYSIS_PROFILE_RESAMPLE_H
#define TOOLS_ANALYSIS_PROFILE_RESAMPLE_H

#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/profile/accuracy.h"

#define RESAMPLE_TIMES 1000
#define RESAMPLE_FEW 10
/* More periods than that are put together, neighbours in time. */
#define RESAMPLE_GROUPS 4096

struct resample_draw {
    uint64_t group; /* the period */
    uint32_t what;  /* it found */
};

/* All zero: none drawn. */
struct resample {
    struct resample_draw *draw;
    size_t count, room;
};

void resample_add(struct resample *s, uint64_t group, uint32_t what);
void resample_free(struct resample *s);

/* The intervals of the share that each of n different `what` has of all draws.
 * Of no draws: 0 to 1. */
void resample_intervals(const struct resample *s, const uint32_t *what,
                        size_t n, struct accuracy_interval *interval);

#endif
