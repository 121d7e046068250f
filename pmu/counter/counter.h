/* counter.h - one counter as a function of the cycle. Private to pmu/.
 *
 * Events arrive in the order in which the core works instructions out, which
 * is not the order of their stamps. Where that matters - around a start, a
 * stop, an overflow - a counter is traced: every add of its row comes by and
 * is remembered as a span, so that it can be said what had happened by any
 * cycle. Elsewhere an add is not looked at.
 */
#ifndef PMU_COUNTER_COUNTER_H
#define PMU_COUNTER_COUNTER_H

#include "pmu/pmu.h"

#define PMC_NEGATIVE 0x80000000u

/* How often the chosen time-base bit went 0 -> 1 by cycle c; only differences
 * mean anything, and only between writes of MMCR0. */
uint64_t counter_rises(const struct pmu *p, cycle_t c);

/* The next cycle after c at which it does so for the k-th time (k >= 1). */
cycle_t counter_rise_after(const struct pmu *p, cycle_t c, uint64_t k);

/* Cycles with MSR[EE] off, by cycle c, nap left out. */
uint64_t counter_ee_off(const struct pmu *p, cycle_t c);

/* What k shows at cycle c. */
uint32_t counter_value(const struct pmu *p, const struct pmc *k, cycle_t c);

/* Is k moved by adds of its own row? */
bool counter_is_added(const struct pmc *k);

/* Counts left until k goes negative: of everything added so far for rows that
 * are added to, by cycle c for the others. 0: it is. */
uint64_t counter_left(const struct pmu *p, const struct pmc *k, cycle_t c);

/* An add came by: remember it, and take back what lies on the wrong side of
 * the last start or stop. */
void counter_add(struct pmc *k, uint64_t n, cycle_t at);

/* The first cycle by which k had gone negative, given that it has; for rows
 * that are added to. */
cycle_t counter_crossing(const struct pmu *p, const struct pmc *k);

/* Start or stop at cycle c. */
void counter_start(const struct pmu *p, struct pmc *k, cycle_t c);
void counter_stop(const struct pmu *p, struct pmc *k, cycle_t c);
/* Neither: take everything up to c into `value`. A stop ahead of c moves to c.
 */
void counter_settle(const struct pmu *p, struct pmc *k, cycle_t c);
/* Software wrote the counter; its event may have changed as well. */
void counter_write(const struct pmu *p, struct pmc *k, uint32_t value,
                   cycle_t c);
/* The last start or stop turns out to have been at cycle c. */
void counter_move(const struct pmu *p, struct pmc *k, cycle_t c);

/* Begin and end tracing. Idempotent. */
void counter_trace(struct pmc *k, bool on);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool pmc_state(struct snap *s, struct pmc *k);

#endif
