/* host_counters.c - counters of the host. See host_counters.h.
 *
 * A counter is a view: base plus the difference of its event's total since it
 * was turned on. Overflows are predicted: of an event by the host limit of its
 * row, of cycles by a deadline.
 */
#include "pmu/counter/host_counters.h"

#include <string.h>

#include "lib/base/snap.h"
#include "pmu/pmu.h"

static bool is_cycles(const struct host_counter *k)
{
    return k->spec.event == EV_cycles;
}

static uint64_t total(const struct host_counters *p,
                      const struct host_counter *k, cycle_t now)
{
    return is_cycles(k) ? now : p->ev->total[k->spec.event];
}

/* Up to an eighth of the period either way, so that sampling does not beat
 * with loops. */
static uint64_t dithered(struct host_counter *k)
{
    uint64_t range = k->spec.period / 4 + 1;

    k->random = k->random * 1664525u + 1013904223u;
    return k->spec.period - (range - 1) / 2 +
           (range > 1 ? (k->random >> 8) % range : 0);
}

/* The total at which k overflows; CYCLE_NEVER: it does not. */
static uint64_t overflows_at(const struct host_counter *k)
{
    return k->on && k->spec.period ? k->origin + (k->next - k->counted)
                                   : CYCLE_NEVER;
}

static void watch_clock(struct host_counters *p)
{
    p->deadline = CYCLE_NEVER;
    for (unsigned i = 0; i < p->count; i++)
        if (is_cycles(&p->counter[i]))
            p->deadline = cycle_min(p->deadline, overflows_at(&p->counter[i]));
}

static void watch(struct host_counters *p)
{
    unsigned i;

    watch_clock(p);
    for (i = 0; i < EV_COUNT; i++)
        p->ev->host[i] = UINT64_MAX;
    for (i = 0; i < p->count; i++) {
        const struct host_counter *k = &p->counter[i];
        uint64_t at = overflows_at(k);

        if (!is_cycles(k) && at < p->ev->host[k->spec.event])
            p->ev->host[k->spec.event] = at;
    }
    for (i = 0; i < EV_COUNT; i++)
        ev_arm(p->ev, (enum event)i);
}

void host_counters_init(struct host_counters *p, struct ev *ev,
                        const struct host_counter_spec *s, unsigned n,
                        uint32_t seed)
{
    unsigned i;

    memset(p, 0, sizeof *p);
    p->ev = ev;
    p->count = n;
    for (i = 0; i < n; i++) {
        struct host_counter *k = &p->counter[i];

        k->spec = s[i];
        k->random = (seed + i + 1) * 2654435761u;
        k->on = s[i].kernel;
        if (s[i].period)
            k->next = dithered(k);
    }
    watch(p);
}

bool host_counters_count(const struct host_counters *p)
{
    bool any = false;

    for (unsigned i = 0; i < p->count; i++)
        any |= !is_cycles(&p->counter[i]);
    return any;
}

bool host_counters_counts(enum event e)
{
    enum event_kind kind = event_kind(e);

    return e == EV_cycles || (kind != KIND_CLOCK && kind != KIND_IDLE);
}

bool host_counters_samples(enum event e)
{
    return host_counters_counts(e) && event_kind(e) != KIND_BUSY;
}

uint64_t host_counters_value(const struct host_counters *p, unsigned counter,
                             cycle_t now)
{
    const struct host_counter *k = &p->counter[counter];

    return k->counted + (k->on ? total(p, k, now) - k->origin : 0);
}

void host_counters_mode(struct host_counters *p, bool user, cycle_t now)
{
    unsigned i;

    host_counters_tick(p, now); /* what has overflowed did so in the old one */
    p->user = user;
    for (i = 0; i < p->count; i++) {
        struct host_counter *k = &p->counter[i];
        bool on = user ? k->spec.user : k->spec.kernel;

        if (on == k->on)
            continue;
        k->counted = host_counters_value(p, i, now);
        k->origin = total(p, k, now);
        k->on = on;
    }
    watch(p);
}

static void overflow(struct host_counters *p, unsigned i, cycle_t at)
{
    struct host_counter *k = &p->counter[i];
    enum event_data data = event_data(k->spec.event);

    if (p->pending == HOST_COUNTERS_PENDING)
        p->lost++;
    else
        p->overflow[p->pending++] = (struct host_counters_overflow){
            .counter = i,
            .at = at,
            .pc = event_owned(k->spec.event) ? p->pc : 0,
            .user = p->user,
            .events = k->next - k->last,
            .data = data == DATA_EACH ? p->ev->data : (struct data_access){0},
            .first = data == DATA_FIRST,
        };
    k->last = k->next;
    k->next += dithered(k);
}

void host_counter_row(struct host_counters *p, enum event id, cycle_t at)
{
    unsigned i;

    for (i = 0; i < p->count; i++) {
        struct host_counter *k = &p->counter[i];

        if (k->spec.event != id || !k->on || !k->spec.period)
            continue;
        while (host_counters_value(p, i, at) >= k->next)
            overflow(p, i, at);
    }
    watch(p);
}

void host_counters_settle(struct host_counters *p, struct data_access first)
{
    unsigned i;

    for (i = 0; i < p->pending; i++) {
        if (p->overflow[i].first)
            p->overflow[i].data = first;
        p->overflow[i].first = false;
    }
}

void host_counters_tick(struct host_counters *p, cycle_t now)
{
    unsigned i;

    for (i = 0; i < p->count; i++) {
        struct host_counter *k = &p->counter[i];

        if (!is_cycles(k) || !k->on || !k->spec.period)
            continue;
        while (host_counters_value(p, i, now) >= k->next)
            overflow(p, i, k->origin + (k->next - k->counted));
    }
    watch_clock(p);
}

void host_counters_parked(struct host_counters *p, cycle_t now)
{
    unsigned i;

    for (i = 0; i < p->count; i++) {
        struct host_counter *k = &p->counter[i];

        if (!is_cycles(k) || !k->on || !k->spec.period)
            continue;
        while (host_counters_value(p, i, now) >= k->next) {
            k->last = k->next;
            k->next += dithered(k);
        }
    }
    watch_clock(p);
}

bool host_counters_take(struct host_counters *p, cycle_t d,
                        struct host_counters_overflow *o)
{
    unsigned i, first = p->pending;

    for (i = 0; i < p->pending; i++)
        if (p->overflow[i].at < d &&
            (first == p->pending || p->overflow[i].at < p->overflow[first].at))
            first = i;
    if (first == p->pending)
        return false;
    *o = p->overflow[first];
    p->pending--;
    memmove(&p->overflow[first], &p->overflow[first + 1],
            (p->pending - first) * sizeof *o);
    return true;
}

/* ---- save and load --------------------------------------------------------
 */

static void overflow_state(struct snap *s, struct host_counters_overflow *o)
{
    SNAP(s, o->user);
    SNAP_BELOW(s, o->counter, HOST_COUNTERS);
    SNAP(s, o->at);
    SNAP(s, o->pc);
    SNAP(s, o->events);
    data_access_state(s, &o->data);
    SNAP(s, o->first);
}

bool host_counters_state(struct snap *s, struct host_counters *p)
{
    snap_begin(s, "host counters", 1);
    SNAP_SKIP(s, p->ev, "plugged in by host_counters_init");
    SNAP_SAME(s, p->count);
    for (size_t n = 0; n < snap_used(s, p->count, HOST_COUNTERS); n++) {
        struct host_counter *k = &p->counter[n];

        SNAP_SKIP(s, k->spec, "of the command line");
        SNAP(s, k->on);
        SNAP(s, k->counted);
        SNAP(s, k->origin);
        SNAP(s, k->next);
        SNAP(s, k->last);
        SNAP(s, k->random);
    }
    SNAP_BELOW(s, p->pending, HOST_COUNTERS_PENDING + 1);
    for (size_t n = 0; n < snap_used(s, p->pending, HOST_COUNTERS_PENDING); n++)
        overflow_state(s, &p->overflow[n]);
    SNAP(s, p->lost);
    SNAP(s, p->deadline);
    SNAP(s, p->pc);
    SNAP(s, p->user);
    return snap_end(s);
}
