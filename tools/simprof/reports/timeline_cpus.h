/* timeline_cpus.h - what CPUs did in steps of time: which threads ran, and why
 * none did.
 */
#ifndef TOOLS_SIMPROF_REPORTS_TIMELINE_CPUS_H
#define TOOLS_SIMPROF_REPORTS_TIMELINE_CPUS_H

#include "tools/analysis/causes/causes.h"
#include "tools/analysis/experiment/recording.h"

struct timeline_cpus {
    uint64_t from, to, step; /* cycles; the last step may be shorter */
    size_t steps;
    unsigned cpus;
    /* By CPU and step: cycles in which threads ran, that were not idle, and the
     * one of them that ran longest. */
    uint64_t *busy;
    uint32_t *who;
    /* The same by class behind that: cycles in which the idle thread ran.
     * Without states of threads there are none. */
    uint64_t *idle;
};

/* Reads from cycle `from` on up to `to`, in steps of `step` cycles, not 0. */
void timeline_cpus_read(struct timeline_cpus *t, struct recording *r,
                        uint64_t from, uint64_t to, uint64_t step);
void timeline_cpus_free(struct timeline_cpus *t);

/* The number of a CPU's step in `busy` and `who`; `idle` has CAUSES_CLASSES for
 * each. */
static inline size_t timeline_cpus_at(const struct timeline_cpus *t,
                                      unsigned cpu, size_t step)
{
    return cpu * t->steps + step;
}

/* The key of a class, as `causes` has it. */
const char *timeline_cpus_class(unsigned class);

/* To every step what lies in it of the cycles between two, `stride` numbers
 * from one step to the next. */
void timeline_spread(const struct timeline_cpus *t, uint64_t *at, size_t stride,
                     uint64_t from, uint64_t to);

#endif
