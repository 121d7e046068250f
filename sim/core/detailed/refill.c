/* refill.c - what the data cache asks of the bus: fills and castouts. Two fills
 * may be outstanding, three castouts (604 UM p.36, 240; the 604e's monitor
 * counts them).
 */
#include "sim/core/detailed/pipe.h"

struct bus_answer lsu_ask(struct core *c, enum bus_op op, pa_t pa, cycle_t at)
{
    struct bus_answer a = bus_request(c->with.bus, op, c->number, pa, at);

    snoop_tell(c, &a, c->pmu.ev.data, pa, at);
    return a;
}

cycle_t lsu_cast_out(struct core *c, const struct line *victim, cycle_t at)
{
    struct pipe *p = pipe_of(c);
    unsigned k, first = 0;

    if (victim->state != MESI_M)
        return at;
    for (k = 1; k < 3; k++)
        if (p->castout[k] < p->castout[first])
            first = k;
    at = cycle_max(at, p->castout[first]);
    /* The fill is served first: the write-back queues behind it. */
    p->castout[first] = bus_write_back(
        c->with.bus, cycle_max(at + 1, victim->written) +
                         c->with.params->mem_first * c->with.bus->ratio);
    ev_add(&c->pmu.ev, EV_castout_write, 1, at);
    return at;
}

cycle_t lsu_miss_register(const struct pipe *p, cycle_t at)
{
    return cycle_max(at, cycle_min(p->miss[0], p->miss[1]));
}

struct line *lsu_fill(struct core *c, enum bus_op op, pa_t pa, cycle_t at,
                      struct bus_answer *a)
{
    struct pipe *p = pipe_of(c);
    struct line *l = cache_victim(&p->dcache, pa);
    enum mesi state = MESI_M;
    unsigned which = p->miss[1] < p->miss[0];

    at = lsu_miss_register(p, at);
    at = lsu_cast_out(c, l, at);
    l->state = MESI_I;
    *a = lsu_ask(c, op, pa, at);
    if (op == BUS_READ)
        state = a->shared ? MESI_S : MESI_E;
    cache_fill(&p->dcache, l, pa, state, a->first, a->beat);
    p->miss[which] = a->first + (c->with.bus->line_beats - 1) * a->beat;
    ev_add(&c->pmu.ev, EV_dcache_miss, 1, at);
    if (op == BUS_READ)
        ev_add(&c->pmu.ev, a->shared ? EV_load_shared : EV_load_exclusive, 1,
               a->first);
    return l;
}
