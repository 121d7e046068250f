/* pmu.h - the performance monitor of one CPU: MMCR0/1, PMC1-4, SIA, SDA.
 *
 * Counters are views: base + (event total now - total when selected), frozen
 * and thawed by the MMCR0 bits and the MSR. Nothing is added per event. What
 * follows the clock (cycles, time base, idle) is derived when it is read.
 * Sources: 604 UM p.78-81, 368-375; docs/architecture.md.
 */
#ifndef PMU_PMU_H
#define PMU_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/signal.h"

#define PMU_PMCS 4

struct pmc {
    int event;        /* enum event, or -1 */
    bool counting;    /* since `since`; else `value` is all there is */
    uint32_t value;   /* at the last settlement */
    uint64_t origin;  /* derived total of the event at that moment */
};

struct pmu {
    struct ev ev; /* must stay first: ev_limit finds the pmu from it */
    uint32_t mmcr0, mmcr1, sia, sda;
    struct pmc pmc[PMU_PMCS];
    /* MSR bits that matter, as of the last pmu_msr. */
    bool pr, pm, ee;
    /* PMI: cycle at which the condition was signalled; CYCLE_NEVER: none
     * pending. The core takes it at the first dispatch after this cycle. */
    cycle_t signal;
    /* The event that signalled and whether SIA/SDA are exact (threshold). */
    int signal_event;
    bool exact;
    /* No clock-driven condition can fire before this cycle. The core calls
     * pmu_tick when it gets there. */
    cycle_t deadline;
    /* Private to pmu.c from here on. */
    uint64_t ee_off_total;
    cycle_t ee_off_since;
    uint32_t tb_shift;      /* chosen time-base bit */
    unsigned tb_ratio;      /* cycles a time-base tick */
    uint64_t tb_offset;     /* time base at cycle 0, modulo 2^64 */
    unsigned threshold_scale; /* 4 on the 604e */
};

/* Power-on. tb_ratio: cycles a time-base tick. */
void pmu_reset(struct pmu *p, unsigned tb_ratio);

/* mfspr/mtspr of 952-959 at cycle now. All earlier events have been added. */
uint32_t pmu_read(struct pmu *p, unsigned spr, cycle_t now);
void pmu_write(struct pmu *p, unsigned spr, uint32_t value, cycle_t now);

/* MSR[PR], [PM], [EE] from cycle now on. */
void pmu_msr(struct pmu *p, bool pr, bool pm, bool ee, cycle_t now);

/* The time base was written: its value at cycle 0 would have been `offset`. */
void pmu_timebase(struct pmu *p, uint64_t offset, cycle_t now);

/* The clock reached now (>= deadline): fire what is due, compute the next
 * deadline. Signal cycles are exact even if the call comes late. */
void pmu_tick(struct pmu *p, cycle_t now);

/* In nap only cycles, time base and snoops count; the rest stands still. */
void pmu_nap(struct pmu *p, bool napping, cycle_t now);

/* The core supplies the addresses that belong to the signal: the last
 * instruction completed by p->signal and a data access in progress. Ignored
 * for those that a threshold event has latched. */
void pmu_sample(struct pmu *p, uint32_t sia, uint32_t sda);

/* A load or store of `cycles` length (miss latency) finished at `at`, at ea;
 * adds the threshold events and latches SIA/SDA when one of them signals. */
void pmu_threshold(struct pmu *p, bool store, bool lateral, uint32_t pc,
                   uint32_t ea, uint64_t cycles, cycle_t at);

/* The interrupt at 0xF00 is being taken: nothing is pending any more. */
void pmu_taken(struct pmu *p);

/* Table facts for tools and tests. */
const char *event_name(enum event id);
int event_by_name(const char *name); /* -1: no such event */
int event_selector(enum event id, unsigned pmc); /* pmc 1-4; -1: not there */
const char *event_text(enum event id);

#endif
