/* sliced.h - what reports of functions and calls have, by slice of a run: for a
 * page that adds up the slices that a person chooses, to what those reports
 * print of the same interval.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_SLICED_H
#define TOOLS_ANALYSIS_PROFILE_SLICED_H

#include "tools/analysis/profile/samples.h"
#include "tools/analysis/profile/slices.h"

/* A cell of exact_cycles.h: in their order. */
struct sliced_cell {
    uint32_t function;
    uint8_t cpu, reason;
};

struct sliced {
    const struct recording *r;
    struct slices slices;
    struct sliced_cell *cell;
    size_t cells, cells_room;
    struct hash cell_at;
    struct slice_sums account; /* twelfths, by cell */
    /* Threads that the account has, and twelfths by thread, of no nap. */
    uint32_t *thread;
    size_t threads, threads_room;
    struct hash thread_at;
    struct slice_sums ran;
    /* Calls of functions, of samples and of what threads waited. A node that
     * is SLICED_REST stands for those of its parent's children that have none.
     */
    struct samples_metrics metric;
    struct stacktree calls;
    struct slice_sums
        stacks; /* by node * metrics + metric, of the node alone */
};

#define SLICED_REST (UINT32_MAX - 4)

/* Read oracle.rec, profile.rec and, for these bits of waits (offcpu.h),
 * state.rec, of the interval that r is set to and that the slices, which this
 * takes over, cover. No more than `nodes` of calls are kept, those that have
 * most of the first counter that they have any of. */
void sliced_read(struct sliced *s, struct recording *r,
                 const struct slices *slices, unsigned waits, uint32_t nodes);
void sliced_free(struct sliced *s);

#endif
