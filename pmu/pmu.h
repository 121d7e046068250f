/* pmu.h - the performance monitor of one CPU: MMCR0/1, PMC1-8, SIA, SDA.
 *
 * Counters are views: base + (event total now - total when selected), frozen
 * and thawed by the MMCR0 bits and the MSR. Nothing is added per event. What
 * follows the clock (cycles, time base, idle) is derived when it is read.
 * Sources: 604 UM p.78-81, 368-375; docs/architecture.md. The PIF adds
 * PMC5-8, selectors of their own and filters: docs/pif.md 8.
 *
 * Time: what takes effect at cycle T holds for events stamped T + 1 and
 * later, so a counter started at T and stopped at S has counted T + 1 .. S.
 */
#ifndef PMU_PMU_H
#define PMU_PMU_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/counter/derived.h"
#include "pmu/event/event_names.h"
#include "pmu/event/signal.h"

#define PMU_PMCS 8    /* at most */
#define PMU_SELECTS 4 /* PMCs whose events MMCR0 and MMCR1 select */
#define PMU_SPANS 64  /* a power of two */

/* PMU_MMCR0 and so on: register numbers. */
enum pmu_spr {
#define SPR(number, name, level, access, owner, field) PMU_##name = number,
#include "isa/spr.def"
#undef SPR
};

#define MMCR0_DIS 0x80000000u /* stop all counters */
#define MMCR0_DP 0x40000000u  /* stop while MSR[PR] is 0 */
#define MMCR0_DU 0x20000000u  /* stop while MSR[PR] is 1 */
#define MMCR0_DMS 0x10000000u /* stop while MSR[PM] is 1 */
#define MMCR0_DMR 0x08000000u /* stop while MSR[PM] is 0 */
#define MMCR0_ENINT 0x04000000u
#define MMCR0_DISCOUNT 0x02000000u
#define MMCR0_RTCSELECT_SHIFT 23 /* 2 bits */
#define MMCR0_INTONBITTRANS 0x00400000u
#define MMCR0_THRESHOLD_SHIFT 16 /* 6 bits */
#define MMCR0_PMC1INTCONTROL 0x00008000u
#define MMCR0_PMCINTCONTROL 0x00004000u /* PMC2 to PMC4 */
#define MMCR0_PMCTRIGGER 0x00002000u
#define MMCR0_PMC1SELECT_SHIFT 6
#define MMCR0_PMC2SELECT_SHIFT 0
#define MMCR1_PMC3SELECT_SHIFT 27
#define MMCR1_PMC4SELECT_SHIFT 22
#define MMCR1_BITS 0xFFC00000u /* the others read as zero */

/* n events within the cycles from + 1 .. to; a POINT has from = to - 1. */
struct span {
    cycle_t from, to;
    uint64_t n;
};

struct pmc {
    int selected;    /* enum event, or -1: nothing selected */
    int event;       /* what is counted: that, its filtered row, or nothing */
    bool counting;   /* since `edge`; else `value` is all there is */
    uint32_t value;  /* at the last settlement */
    uint64_t origin; /* derived total of the event at that moment */
    /* Private to counter.c and pmu.c from here on. */
    int row;      /* whose adds move it: event, or its BUSY row; -1 */
    bool point;   /* its adds happen at one cycle */
    bool watch;   /* going negative has an effect */
    bool open;    /* adds stamped before `edge` may still come */
    bool before;  /* ... and count */
    bool traced;  /* every add of `row` comes by, and is in span[] */
    cycle_t edge; /* last start or stop */
    /* What else counts if stamped by `edge`: the run before it. */
    cycle_t past_from, past_to;
    unsigned spans; /* added since tracing began */
    struct span span[PMU_SPANS];
};

struct pmu {
    struct ev ev; /* must stay first: ev_limit finds the pmu from it */
    uint32_t mmcr0, mmcr1, sia, sda;
    struct pmc pmc[PMU_PMCS];
    struct derived derived;
    /* What software has selected: events, and of PMCn (PIFEn may name
     * another's) bit s a selector s that names none, so that the counter stood
     * still. */
    bool asked[EV_COUNT];
    uint32_t absent[PMU_SELECTS];
    bool pif;                /* HID0[PIFE]: the following are in effect */
    uint32_t pmix;           /* whom PMDX stands for: an SPR number */
    uint32_t piff;           /* filters, 4 bits a PMC */
    uint32_t pife[PMU_PMCS]; /* selectors that replace those of MMCRn; 0 */
    /* MSR bits that matter, as of the last pmu_msr. */
    bool pr, pm, ee;
    /* PMI: cycle at which the condition was signalled; CYCLE_NEVER: none
     * pending. The core takes it at the first dispatch after this cycle.
     * Until then it can still move to an earlier cycle, when something of an
     * instruction further back proves to have happened before it. */
    cycle_t signal;
    /* The event that signalled and whether SIA/SDA are exact (threshold). */
    int signal_event;
    struct data_access signal_data; /* whose add it was */
    bool exact;
    bool unsampled; /* SIA and SDA are still to come: pmu_sample */
    /* No clock-driven condition can fire before this cycle. The core calls
     * pmu_tick when it gets there. */
    cycle_t deadline;
    /* Signal or deadline changed; the reader of them clears it. */
    bool news;
    /* Knobs; set them right after pmu_reset. */
    unsigned pmcs;            /* counters built in, 2 to PMU_PMCS */
    unsigned threshold_scale; /* 4 on the 604e */
    bool rtcselect_604;       /* RTCSELECT in the 604 table's order */
    /* Private to pmu.c and counter.c from here on. */
    cycle_t clock;    /* the latest `now` */
    cycle_t fired;    /* the condition that cleared ENINT came true; can
                       * still prove to have been earlier; else NEVER */
    bool stopped;     /* DISCOUNT holds the counters */
    bool triggered;   /* PMCTRIGGER has released PMC2-4 */
    cycle_t released; /* ... when PMC1 went negative; CYCLE_NEVER: not
                       * lately */
    cycle_t written;  /* when software last wrote: all before is known */
    bool napping;
    cycle_t nap_since;
    uint64_t nap_total;
    uint64_t ee_off_total;
    cycle_t ee_off_since;
    uint32_t tb_shift;  /* chosen time-base bit, 0 the lowest */
    unsigned tb_ratio;  /* cycles a time-base tick */
    uint64_t tb_offset; /* time base at cycle 0, modulo 2^64 */
    uint64_t tb_extra;  /* keeps the rises continuous over writes */
};

/* Power-on. tb_ratio: cycles a time-base tick. */
void pmu_reset(struct pmu *p, unsigned tb_ratio);

/* mfspr/mtspr of 952-959, PIFF, PIFEn, PMC5-8, PMIX and PMDX at cycle now. All
 * earlier events have been added. Reading may find a deadline due and signal;
 * other SPRs read as zero. */
uint32_t pmu_read(struct pmu *p, unsigned spr, cycle_t now);
void pmu_write(struct pmu *p, unsigned spr, uint32_t value, cycle_t now);
/* The same without effects, for debuggers and logs. */
uint32_t pmu_peek(const struct pmu *p, unsigned spr, cycle_t now);

/* Is it one of these? */
bool pmu_has(unsigned spr);
/* Is it built in? */
bool pmu_there(const struct pmu *p, unsigned spr);
/* Is it built in, and one that has a number for PMDX and for a window of the
 * board (docs/pif.md 8)? */
bool pmu_numbered(const struct pmu *p, unsigned spr);

/* HID0[PIFE] from cycle now on. Off: PIFF and PIFEn have no effect, PMC5-8
 * stand still. */
void pmu_pif(struct pmu *p, bool on, cycle_t now);

/* MSR[PR], [PM], [EE] from cycle now on. */
void pmu_msr(struct pmu *p, bool pr, bool pm, bool ee, cycle_t now);

/* The time base was written: its value at cycle 0 would have been `offset`.
 * A write that turns the chosen bit from 0 to 1 is a transition too. */
void pmu_timebase(struct pmu *p, uint64_t offset, cycle_t now);

/* The clock reached now (>= deadline): fire what is due, compute the next
 * deadline. Signal cycles are exact even if the call comes late. */
void pmu_tick(struct pmu *p, cycle_t now);

/* In nap only cycles, time base and snoops count; the rest stands still. */
void pmu_nap(struct pmu *p, bool napping, cycle_t now);

/* The core supplies the addresses that belong to the signal: the last
 * instruction completed by p->signal and a data access in progress. Ignored
 * for those that a threshold event has latched. Held until the next signal,
 * which needs ENINT to be set again. */
void pmu_sample(struct pmu *p, uint32_t sia, uint32_t sda);

/* A load or store of `cycles` length (miss latency) finished at `at`, at ea;
 * adds the threshold events and latches SIA/SDA when one of them signals.
 * Lateral: the line came from another processor's cache. */
void pmu_threshold(struct pmu *p, bool store, bool lateral, uint32_t pc,
                   uint32_t ea, uint64_t cycles, cycle_t at);

/* The interrupt at 0xF00 is being taken: nothing is pending any more. */
void pmu_taken(struct pmu *p);

/* What counter n (from 1) shows at cycle now. Changes nothing. */
uint32_t pmu_count(const struct pmu *p, unsigned n, cycle_t now);

/* Save or load it: lib/base/snap.h. False: s->why says why. The knobs must be
 * those that it was saved with. */
struct snap;
bool pmu_state(struct snap *s, struct pmu *p);

#endif
