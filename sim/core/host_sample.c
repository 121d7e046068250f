/* host_sample.c - what ran when a counter of the host overflowed.
 * pmu/counter/host_counters.c says that it did, and when; here the address is
 * found that an interrupt would have met, and handed to the observers.
 */
#include "sim/core/core_private.h"
#include "sim/core/timing.h"

static void emit(struct core *c, const struct host_counters_overflow *o)
{
    struct core_sample s = {
        .counter = o->counter,
        .at = o->at,
        .events = o->events,
        .pc = o->pc,
        .interrupted = c->cpu.pc,
        .data = o->data,
        .user = o->user,
        .napping = c->state == CORE_NAPPING && o->at >= c->nap_since,
        .resting = c->state == CORE_NAPPING,
    };

    if (!s.pc) /* of the clock: a serial model is at cpu.pc in that cycle */
        s.pc = c->with.timing->serial ? c->cpu.pc
                                      : c->with.timing->completed_by(c, o->at);
    OBSERVERS_TELL(c->with.observers, sample, c, &s);
}

void sample_attend(struct core *c, cycle_t d)
{
    struct host_counters *p = &c->host_counters;
    cycle_t before = c->with.timing->serial ? d + 1 : d;
    struct host_counters_overflow o;

    if (d >= p->deadline)
        host_counters_tick(p, d);
    while (host_counters_take(p, before, &o))
        emit(c, &o);
}

cycle_t sample_due(const struct core *c)
{
    cycle_t at = c->host_counters.deadline;
    unsigned i;

    for (i = 0; i < c->host_counters.pending; i++)
        at = cycle_min(at, c->host_counters.overflow[i].at + 1);
    return at;
}

void sample_nap(struct core *c, cycle_t d)
{
    while (sample_due(c) < d)
        sample_attend(c, sample_due(c) + 1);
}
