/* host_counters.h - counters that the host programs from outside, one CPU.
 *
 * They count the same events as the guest's PMCs, take none of them away and
 * cost no guest time. A counter with a period notes every overflow: which
 * counter, at which cycle, for which instruction. What ran then and how it
 * got there is the core's and the machine's to say.
 */
#ifndef PMU_COUNTER_HOST_COUNTERS_H
#define PMU_COUNTER_HOST_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/event/signal.h"

#define HOST_COUNTERS 8
#define HOST_COUNTERS_PENDING 32

/* What is asked for. period 0: only count. */
struct host_counter_spec {
    enum event event;
    uint64_t period;   /* events between samples, before the dither */
    bool user, kernel; /* count with MSR[PR] 1, 0 */
};

struct host_counters_overflow {
    bool user; /* the state it happened in */
    unsigned counter;
    cycle_t at;
    uint32_t pc;             /* the instruction it belongs to; 0: to none */
    uint64_t events;         /* since the overflow before it */
    struct data_access data; /* that caused it */
    bool first; /* ... its instruction's first, which host_counters_settle
                   brings */
};

struct host_counter {
    struct host_counter_spec spec;
    bool on;          /* the mode is one it counts in */
    uint64_t counted; /* until it was last turned off */
    uint64_t origin;  /* total of its event when it was turned on */
    uint64_t next;    /* overflows when `counted` + what came since is this */
    uint64_t last;    /* value at the latest overflow */
    uint32_t random;  /* dither */
};

struct host_counters {
    struct ev *ev;
    unsigned count;
    struct host_counter counter[HOST_COUNTERS];
    unsigned pending;
    struct host_counters_overflow overflow[HOST_COUNTERS_PENDING];
    uint64_t lost;    /* overflows that found the list full */
    cycle_t deadline; /* a counter of cycles overflows here */
    uint32_t pc;      /* the core keeps it: the instruction at work */
    bool user;        /* the mode that host_counters_mode was last told */
};

/* Begin: n specs, at most HOST_COUNTERS, over the totals of ev. Seeds with
 * `seed` so that every CPU dithers differently. */
void host_counters_init(struct host_counters *p, struct ev *ev,
                        const struct host_counter_spec *s, unsigned n,
                        uint32_t seed);

/* Is there a counter of anything but cycles, whose total has to be known where
 * it starts and stops? */
bool host_counters_count(const struct host_counters *p);

/* Can samples be taken of it? BUSY rows, which are sums, cannot. */
bool host_counters_samples(enum event e);

/* Can they be counted at all? Those of the clock, cycles apart, and idle times
 * are derived for the guest's counters only. */
bool host_counters_counts(enum event e);

/* MSR[PR] from cycle now on. */
void host_counters_mode(struct host_counters *p, bool user, cycle_t now);

/* The total of row id reached its host limit with an event at cycle `at`. */
void host_counter_row(struct host_counters *p, enum event id, cycle_t at);

/* The instruction whose events were added is through; this is its first
 * access. */
void host_counters_settle(struct host_counters *p, struct data_access first);
/* ... is that still to come? */
static inline bool host_counters_owed(const struct host_counters *p)
{
    bool any = false;

    for (unsigned i = 0; i < p->pending; i++)
        any |= p->overflow[i].first;
    return any;
}

/* The clock reached now (>= deadline). */
void host_counters_tick(struct host_counters *p, cycle_t now);

/* The processor was parked up to cycle now: nothing that a sample could be of
 * ran. Cycles counted, but overflows of then leave no trace. */
void host_counters_parked(struct host_counters *p, cycle_t now);

/* Take the oldest overflow of before cycle d. False: there is none. */
bool host_counters_take(struct host_counters *p, cycle_t d,
                        struct host_counters_overflow *o);

/* Events counted by cycle now. */
uint64_t host_counters_value(const struct host_counters *p, unsigned counter,
                             cycle_t now);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool host_counters_state(struct snap *s, struct host_counters *p);

#endif
