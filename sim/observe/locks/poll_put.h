/* poll_put.h - a record of poll.rec, by the cycles at which things were. */
#ifndef SIM_OBSERVE_LOCKS_POLL_PUT_H
#define SIM_OBSERVE_LOCKS_POLL_PUT_H

#include "isa/types.h"
#include "pmu/experiment/experiment.h"

/* As the fields of that kind (include/record.def). */
struct poll_wait {
    uint32_t writer;
    ea_t object;
    cycle_t since, ended, written;
    cycle_t called; /* 0: it did not call */
    uint32_t sleeps, first, yielded;
    bool tried, worked;
};

/* One record, stamped with thread, CPU and cycle. What was longer than
 * UINT32_MAX cycles ago is said to be as long ago as that. */
void poll_put(struct experiment *e, unsigned cpu, uint32_t thread, cycle_t at,
              const struct poll_wait *p);

#endif
