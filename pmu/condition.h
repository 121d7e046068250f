/* condition.h - what makes counters run, and what makes them interrupt.
 * Private to pmu/. After anything changed: condition_update, if it may start
 * or stop a counter; condition_levels, if it may make one negative; and
 * condition_refresh last.
 */
#ifndef PMU_CONDITION_H
#define PMU_CONDITION_H

#include "pmu/view.h"

/* Start and stop counters as MMCR0 and MSR say from cycle c on. */
void condition_update(struct pmu *p, cycle_t c);

/* A condition that can interrupt came true at cycle c. */
void condition_signal(struct pmu *p, cycle_t c, int event);

/* An add of row `event` has just been made, and p->signal was `before`. Was it
 * what signals? Then SIA and SDA are known, and exact. */
void condition_exact(struct pmu *p, enum event event, cycle_t before,
                     uint32_t sia, uint32_t sda);

/* Negative counters have their effect at cycle now, however they got so. */
void condition_levels(struct pmu *p, cycle_t now);

/* Compute what is watched: deadline, limits, who is traced. */
void condition_refresh(struct pmu *p);

#endif
