/* signal.h - the one wire from the machine to its observer.
 * The core names what happened and when; it never asks who listens.
 */
#ifndef PMU_EVENT_SIGNAL_H
#define PMU_EVENT_SIGNAL_H

#include <stdbool.h>
#include <stdint.h>

typedef uint64_t cycle_t; /* processor cycles since power-on */
#define CYCLE_NEVER UINT64_MAX

static inline cycle_t cycle_max(cycle_t a, cycle_t b)
{
    return a > b ? a : b;
}

static inline cycle_t cycle_min(cycle_t a, cycle_t b)
{
    return a < b ? a : b;
}

enum event {
#define EVENT(name, kind, owner, data, p1, p2, p3, p4, unit, text) EV_##name,
#include "pmu/events.def"
#undef EVENT
    EV_COUNT
};

/* An access to data, as samples name it. */
struct data_access {
    bool is; /* there is one */
    uint32_t ea, pa;
};

struct host_counters; /* pmu/counter/host_counters.h */

/* Totals since power-on, one CPU. A limit is the total at which a
 * counter has to act, UINT64_MAX: none. The guest's PMCs want `own`, the host's
 * counters `host`; `limit` is the smaller one, or 0 where every add
 * is looked at: pmu/counter/derived.h. `touched` has a bit for each event that
 * was added to since its reader cleared it; it is no part of a state. */
#define EV_BITS 32u /* of a word of `touched` */
#define EV_WORDS (EV_COUNT / EV_BITS + 1)

struct ev {
    uint64_t total[EV_COUNT];
    uint64_t limit[EV_COUNT];
    uint64_t own[EV_COUNT];
    uint64_t host[EV_COUNT];
    bool tap[EV_COUNT];
    uint32_t touched[EV_WORDS];
    struct data_access data; /* of what is added now: the core keeps it */
    struct host_counters *host_counters; /* NULL: the host counts nothing */
};

/* Own, host or tap changed. */
static inline void ev_arm(struct ev *ev, enum event id)
{
    ev->limit[id] = ev->tap[id]                  ? 0
                    : ev->own[id] < ev->host[id] ? ev->own[id]
                                                 : ev->host[id];
}

static inline void ev_own(struct ev *ev, enum event id, uint64_t total)
{
    ev->own[id] = total;
    ev_arm(ev, id);
}

/* Called when a total reaches its limit. `at` is the cycle of the event. */
void ev_limit(struct ev *ev, enum event id, uint64_t n, cycle_t at);

/* n events `id` happened, the last of them at cycle `at`. INTERVAL and LEVEL
 * rows pass their cycles as n when they end. */
static inline void ev_add(struct ev *ev, enum event id, uint64_t n, cycle_t at)
{
    ev->touched[id / EV_BITS] |= (uint32_t)1 << id % EV_BITS;
    if (__builtin_expect((ev->total[id] += n) >= ev->limit[id], 0))
        ev_limit(ev, id, n, at);
}

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool data_access_state(struct snap *s, struct data_access *d);
bool ev_state(struct snap *s, struct ev *ev);

#endif
