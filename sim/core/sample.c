/* sample.c - what ran when a counter of the host overflowed.
 * pmu/profile.c says that it did, and when; here the address is found that an
 * interrupt would have met, and handed to whoever watches.
 */
#include "sim/core/inside.h"

static void emit(struct core *c, const struct profile_overflow *o)
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

    if (!s.pc)
        s.pc = c->with.mode == CORE_DETAILED ? detailed_completed_by(c, o->at)
                                             : c->cpu.pc;
    c->with.watch.sample(c->with.watch.arg, c->number, &s);
}

void sample_attend(struct core *c, cycle_t d)
{
    struct profile *p = &c->profile;
    cycle_t before = c->with.mode == CORE_FAST ? d + 1 : d;
    struct profile_overflow o;

    if (d >= p->deadline)
        profile_tick(p, d);
    while (profile_take(p, before, &o))
        emit(c, &o);
}

cycle_t sample_due(const struct core *c)
{
    cycle_t at = c->profile.deadline;
    unsigned i;

    for (i = 0; i < c->profile.pending; i++)
        at = cycle_min(at, c->profile.overflow[i].at + 1);
    return at;
}

void sample_nap(struct core *c, cycle_t d)
{
    while (sample_due(c) < d)
        sample_attend(c, sample_due(c) + 1);
}
