/* search.c - what a search of the page table costs: lines through the data
 * cache, an entry a cycle, and the store of R and C there. TLB hits are free.
 * Whether there is one is answered in access.c.
 */
#include "sim/core/detailed/pipe.h"

static cycle_t table_read(struct core *c, const struct line_outcome *o,
                          cycle_t at)
{
    if (o->answer == LINE_SINGLE)
        return refill_single(c, at);
    if (o->answer == LINE_MISS)
        refill_miss(c, o, at);
    return refill_usable(c, o, at);
}

static cycle_t table_store(struct core *c, const struct line_outcome *o,
                           cycle_t at)
{
    cycle_t *written = &pipe_of(c)->tags.dcache.arrival[o->frame].written;

    if (o->answer == LINE_SINGLE)
        return refill_single(c, at);
    if (o->answer == LINE_MISS)
        at = refill_usable(c, o, refill_miss(c, o, at));
    else
        at = refill_own(c, o, at);
    *written = at;
    return at + 1;
}

cycle_t search_end(struct core *c, const struct search_outcome *o, cycle_t at)
{
    unsigned k, left = o->entries, row = c->port.line_bytes / 8;

    for (k = 0; k < o->lines; k++) {
        unsigned here = left < row ? left : row;

        at = table_read(c, &o->line[k], at) + here;
        left -= here;
    }
    if (o->stored)
        at = table_store(c, &o->mark, at);
    return at;
}

cycle_t search_data(struct core *c, struct slot *s,
                    const struct search_outcome *o, cycle_t at)
{
    cycle_t end = search_end(c, o, at);

    if (o->missed)
        ev_add(&c->pmu.ev, EV_dtlb_miss, 1, at);
    ev_add(&c->pmu.ev, EV_dtable_search, 1, end);
    ev_add(&c->pmu.ev, EV_dtable_cycles, end - at, end);
    s->dtlb = true;
    s->searched = end - at;
    slot_wait(s, at, end, REASON_tlb);
    return end;
}

cycle_t search_fetch(struct core *c, const struct search_outcome *o, cycle_t at)
{
    cycle_t end = search_end(c, o, at);

    if (o->missed)
        ev_add(&c->pmu.ev, EV_itlb_miss, 1, at);
    ev_add(&c->pmu.ev, EV_itable_search, 1, end);
    ev_add(&c->pmu.ev, EV_itable_cycles, end - at, end);
    return end;
}
