/* snoop.c - see snoop.h. */
#include "sim/core/snoop.h"

#include "sim/core/core_private.h"
#include "sim/core/mark_feed.h"
#include "sim/core/timing.h"

struct snooped snoop_others(struct core *c, enum bus_op op, pa_t pa)
{
    struct snooped by = bus_snoop(c->with.bus, op, c->number, pa);

    for (unsigned n = 0; by.hit >> n; n++)
        if (by.hit >> n & 1 && c->with.cores[n].pif.active)
            mark_feed_lost(&c->with.cores[n], true, pa);
    return by;
}

void snoop_tell_others(struct core *c, const struct snooped *by,
                       struct data_access of, cycle_t at)
{
    unsigned n;

    for (n = 0; n < c->with.ncores; n++) {
        struct ev *ev = &c->with.cores[n].pmu.ev;
        unsigned bit = 1u << n;

        if (n == c->number)
            continue;
        ev->data = of;
        if (by->seen & bit)
            ev_add(ev, EV_snoop_received, 1, at);
        if (by->hit & bit)
            ev_add(ev, EV_snoop_hit, 1, at);
        if (by->pushed & bit)
            ev_add(ev, EV_snoop_push, 1, at);
        ev->data.is = false;
        if (c->with.cores[n].pmu.news)
            core_stirred(&c->with.cores[n]);
    }
}

void snoop_invalidate(struct core *c, pa_t pa)
{
    unsigned n;

    for (n = 0; n < c->with.ncores; n++) {
        struct cache *icache = c->with.bus->icache[n];
        struct line *l = icache ? cache_find(icache, pa) : NULL;

        if (l)
            line_drop(l);
        if (l && c->with.cores[n].pif.active)
            mark_feed_lost(&c->with.cores[n], false, pa);
    }
}

/* A line that a bus master asked about, for timing. */
static void master_tell(struct core *cores, unsigned count, enum bus_op op,
                        const struct snooped *by, uint32_t bytes, cycle_t at)
{
    struct bus *b = cores->with.bus;

    /* APPROX: all of a transfer asks for the bus when it is done, where a
     * device would spread it over its time. Source: a choice, so that what is
     * moved is there at one cycle. Cost: processors that miss just then wait
     * for as long as the transfer takes the bus. */
    if (by->pushed) /* it takes the line as it passes */
        bus_tenure(b, op, by, at);
    else
        bus_transfer(b, at, bytes, true);
    for (unsigned n = 0; n < count; n++) {
        struct ev *ev = &cores[n].pmu.ev;

        if (by->seen >> n & 1)
            ev_add(ev, EV_snoop_received, 1, at);
        if (by->hit >> n & 1)
            ev_add(ev, EV_snoop_hit, 1, at);
        if (by->pushed >> n & 1)
            ev_add(ev, EV_snoop_push, 1, at);
        if (cores[n].pmu.news)
            core_stirred(&cores[n]);
    }
}

void snoop_master(struct core *cores, unsigned count, enum bus_op op, pa_t pa,
                  uint32_t size, cycle_t at)
{
    uint32_t line = cores->with.params->line_bytes;
    bool timed = cores->with.timing == &timing_detailed;

    for (pa_t a = pa & ~(line - 1); a < pa + size; a += line) {
        struct snooped by = bus_snoop(cores->with.bus, op, BUS_CPUS, a);

        for (unsigned n = 0; n < count; n++)
            if (by.hit >> n & 1 && cores[n].pif.active)
                mark_feed_lost(&cores[n], true, a);
        if (timed)
            master_tell(cores, count, op, &by, line, at);
    }
}
