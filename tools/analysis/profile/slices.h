/* slices.h - a run, or an interval of it, cut into slices of time, and how much
 * of many things lies in each.
 *
 * Slices end where intervals of the account end (knob account_us). So what
 * reports say of one slice after the other adds up, to the unit, to what they
 * say of all of them at once.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_SLICES_H
#define TOOLS_ANALYSIS_PROFILE_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"
#include "tools/analysis/experiment/recording.h"

/* Slice k has cycles edge[k] to edge[k + 1], the latter not included. */
struct slices {
    uint64_t *edge; /* count + 1 */
    unsigned count;
};

/* Cut [from, to) into `most` slices, or fewer. False, and nothing is held: how
 * long the account's intervals are is not known, or there is nothing to cut. */
bool slices_open(struct slices *s, const struct recording *r, uint64_t from,
                 uint64_t to, unsigned most);
void slices_free(struct slices *s);

/* The slice that has a cycle; before the first it is that, behind the last that
 * one. */
unsigned slices_at(const struct slices *s, uint64_t cycle);

/* So much of a thing, which has a number, in a slice. */
struct slice_sum {
    uint32_t what, slice;
    uint64_t n;
};

/* All there are. */
struct slice_sums {
    const struct slices *of;
    struct slice_sum *list;
    size_t count, room;
    struct hash at;
};

/* `of` must outlive them. */
void slice_sums_open(struct slice_sums *s, const struct slices *of);
void slice_sums_free(struct slice_sums *s);

/* What happened at a cycle. */
void slice_sums_add(struct slice_sums *s, uint32_t what, uint64_t cycle,
                    uint64_t n);

/* Not a sum: the most there was. */
void slice_sums_most(struct slice_sums *s, uint32_t what, uint64_t cycle,
                     uint64_t n);

/* By slice, then number; no more is added. */
void slice_sums_sort(struct slice_sums *s);

/* Two neighbours become one, in the slices and in `count` sorted sums of them.
 */
void slices_halve(struct slices *s, struct slice_sums *const *sums,
                  size_t count);

#endif
