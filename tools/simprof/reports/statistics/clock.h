/* clock.h - what a clock sees of threads' states (ANA-20, ANA-21, ANA-24): at
 * the end of each interval the counter of the micro-state that a thread is in
 * goes up, and the counters are recorded, and begin anew, when the thread runs
 * its program again; so a wait of several intervals is one record, with the
 * stack that the thread had while it waited.
 */
#ifndef TOOLS_SIMPROF_REPORTS_STATISTICS_CLOCK_H
#define TOOLS_SIMPROF_REPORTS_STATISTICS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/states/micro.h"
#include "tools/analysis/states/spans.h"

/* All counts are of intervals. */
struct clock_record {
    uint64_t cycle; /* when it was recorded */
    uint32_t thread;
    uint32_t stack; /* of its longest wait, in frame.rec; 0: it ran */
    uint64_t count[MICRO_STATES];
};

/* A thread's. */
struct clock_thread {
    uint64_t recorded[MICRO_STATES];
    struct clock_record waiting; /* since the last record */
    uint64_t longest;            /* of its waits */
    bool in_user;                /* it has run a program */
};

struct clock {
    uint64_t interval; /* cycles; 0: there is no clock */
    bool keep;         /* records, not only what they add up to */
    struct clock_record *list;
    size_t count, room;
};

/* A state of a thread is over, which had `from` to before `to` of it, cycles
 * from 1 on; a thread's states come in order. */
void clock_state(struct clock *c, struct clock_thread *t,
                 const struct spans_event *e, uint64_t from, uint64_t to);

/* The thread ends at this cycle, or the run. One that never ran a program, a
 * thread of the kernel's, is recorded; what others waited for is lost: it stays
 * in t->waiting. */
void clock_end(struct clock *c, struct clock_thread *t, uint64_t cycle);

/* Records by cycle, then thread. */
void clock_sort(struct clock *c);
void clock_free(struct clock *c);

#endif
