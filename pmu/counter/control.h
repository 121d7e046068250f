/* control.h - what makes counters run, and what makes them interrupt.
 * Private to pmu/. After anything changed: control_update, if it may start
 * or stop a counter; control_levels, if it may make one negative; and
 * control_refresh last.
 */
#ifndef PMU_COUNTER_CONTROL_H
#define PMU_COUNTER_CONTROL_H

#include "pmu/counter/counter.h"

/* Start and stop counters as MMCR0 and MSR say from cycle c on. */
void control_update(struct pmu *p, cycle_t c);

/* A condition that can interrupt came true at cycle c. */
void control_signal(struct pmu *p, cycle_t c, int event);

/* An add of row `event` has just been made, and p->signal was `before`. Was it
 * what signals? Then SIA and SDA are known, and exact. */
void control_exact(struct pmu *p, enum event event, cycle_t before,
                   uint32_t sia, uint32_t sda);

/* Negative counters have their effect at cycle now, however they got so. */
void control_levels(struct pmu *p, cycle_t now);

/* Compute what is watched: deadline, limits, who is traced. */
void control_refresh(struct pmu *p);

#endif
