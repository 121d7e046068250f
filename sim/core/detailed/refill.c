/* refill.c - when the data cache has what it asked the bus for: fills and
 * castouts. Two fills may be outstanding, three castouts (604 UM p.36, 240; the
 * 604e's monitor counts them). Which lines they are of is answered in access.c.
 */
#include "sim/core/detailed/pipe.h"
#include "sim/core/mark_feed.h"

cycle_t refill_usable(const struct core *c, const struct line_outcome *o,
                      cycle_t at)
{
    return cycle_max(at,
                     cache_usable(&pipe_of(c)->tags.dcache, o->frame, o->word));
}

cycle_t refill_single(struct core *c, cycle_t at)
{
    static const struct snooped no_owner;

    return bus_tenure(c->with.bus, BUS_SINGLE, &no_owner, at).first;
}

static inline struct bus_answer ask(struct core *c,
                                    const struct line_outcome *o, cycle_t at)
{
    struct bus_answer a =
        bus_tenure(c->with.bus, (enum bus_op)o->op, &o->by, at);

    snoop_tell(c, &o->by, c->pmu.ev.data, at);
    return a;
}

struct bus_answer refill_ask(struct core *c, const struct line_outcome *o,
                             cycle_t at)
{
    return ask(c, o, at);
}

/* A modified line makes room. */
static __attribute__((noinline)) cycle_t
cast_out(struct core *c, const struct line_outcome *o, cycle_t at)
{
    struct pipe *p = pipe_of(c);
    unsigned k, first = 0;

    for (k = 1; k < 3; k++)
        if (p->castout[k] < p->castout[first])
            first = k;
    at = cycle_max(at, p->castout[first]);
    /* The fill is served first: the write-back queues behind it. */
    p->castout[first] = bus_write_back(
        c->with.bus,
        cycle_max(at + 1, p->tags.dcache.arrival[o->frame].written) +
            c->with.params->mem_first * c->with.bus->ratio);
    ev_add(&c->pmu.ev, EV_castout_write, 1, at);
    return at;
}

cycle_t refill_cast_out(struct core *c, const struct line_outcome *o,
                        cycle_t at)
{
    return o->castout ? cast_out(c, o, at) : at;
}

cycle_t refill_register(const struct pipe *p, cycle_t at)
{
    return cycle_max(at, cycle_min(p->miss[0], p->miss[1]));
}

cycle_t refill_miss(struct core *c, const struct line_outcome *o, cycle_t at)
{
    struct pipe *p = pipe_of(c);
    unsigned which = p->miss[1] < p->miss[0];
    cycle_t asked = at;
    struct bus_answer a;

    at = refill_register(p, at);
    if (o->castout)
        at = cast_out(c, o, at);
    a = ask(c, o, at);
    cache_arrive(&p->tags.dcache, o->frame, o->word, a.first, a.beat);
    p->miss[which] = a.first + (c->with.bus->line_beats - 1) * a.beat;
    ev_add(&c->pmu.ev, EV_dcache_miss, 1, at);
    if (o->op == BUS_READ)
        ev_add(&c->pmu.ev, o->by.shared ? EV_load_shared : EV_load_exclusive, 1,
               a.first);
    if (o->shadow)
        mark_feed_charge(c, o->shadow, asked);
    return a.first;
}

cycle_t refill_own(struct core *c, const struct line_outcome *o, cycle_t at)
{
    if (o->asked) {
        ev_add(&c->pmu.ev, EV_store_hit_shared, 1, at);
        at = refill_ask(c, o, at).first;
    }
    return refill_usable(c, o, at);
}
