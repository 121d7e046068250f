/* fetch.c - when is an instruction fetched.
 * Up to fetch_width instructions a cycle, from one cache line, as the fetch
 * queue has room (604e technical summary p.9). A miss brings the line, its
 * critical double word first.
 */
#include "sim/core/mark_feed.h"
#include "sim/core/detailed/pipe.h"

#include "isa/mmu.h"
#include "include/record.h"

void fetch_redirect(struct window *w, cycle_t at)
{
    w->fetch_next = at;
    w->group_line = 1;
}

void fetch_forget(struct core *c)
{
    pipe_of(c)->page_ea = 1;
    pipe_of(c)->tags.fetch_page = 1;
}

static bool page_of(struct core *c, ea_t pc, enum exc *exc)
{
    struct pipe *p = pipe_of(c);
    struct insn *i = core_fetch(c, pc, exc);

    if (!i)
        return false;
    p->page_ea = pc & ~0xFFFu;
    p->page = i - ((pc & 0xFFF) >> 2);
    p->page_pa = decode_cache_pa(c->with.decoded, i) & ~0xFFFu;
    p->page_inhibited = mmu_wimg(&c->cpu, pc, TLB_FETCH) & WIMG_I;
    return true;
}

bool fetch_turn(struct core *c, ea_t pc)
{
    enum exc exc;

    return page_of(c, pc, &exc);
}

bool fetch_record(struct core *c, struct slot *s, ea_t pc, enum exc *exc)
{
    struct pipe *p = pipe_of(c);

    *exc = EXC_NONE;
    if (((pc & ~0xFFFu) != p->page_ea || c->cpu.iabr & IABR_ENABLE) &&
        !page_of(c, pc, exc))
        return false;
    s->pc = pc;
    s->pa = p->page_pa | (pc & 0xFFC);
    s->i = &p->page[(pc & 0xFFF) >> 2];
    if (!s->i->exec)
        s->i = decode_cache_at(c->with.decoded, s->pa);
    s->chip = &c->with.chip->row[s->i->class];
    return true;
}

/* The cycle at which the words of o can leave the cache, asked at `at`.
 * *full: when all of its line can. */
static cycle_t icache_read(struct core *c, const struct slot *s,
                           const struct line_outcome *o, cycle_t at,
                           cycle_t *full)
{
    struct cache *icache = &pipe_of(c)->tags.icache;
    struct bus_answer a;

    if (o->answer == LINE_SINGLE) {
        *full = CYCLE_NEVER; /* no line: each group asks the bus */
        return refill_single(c, at);
    }
    if (o->answer == LINE_MISS) {
        a = bus_tenure(c->with.bus, BUS_FETCH, &o->by, at);
        ev_add(&c->pmu.ev, EV_icache_miss, 1, at);
        snoop_tell(c, &o->by, (struct data_access){true, s->pc, s->pa}, at);
        cache_arrive(icache, o->frame, o->word, a.first, a.beat);
        mark_feed_charge(c, o->shadow, at);
    }
    *full = cache_full(icache, o->frame);
    if (*full <= at)
        return at;
    return cycle_max(at, cache_usable(icache, o->frame, o->word));
}

/* Can s join the current fetch group? */
static bool joins(struct core *c, const struct window *w, const struct slot *s,
                  cycle_t room)
{
    const struct cache *icache = &pipe_of(c)->tags.icache;
    unsigned frame;

    if (cache_line(icache, s->pa) != w->group_line ||
        w->grouped >= c->with.params->fetch_width || room > w->group)
        return false;
    if (w->line_full <= w->group)
        return true;
    return access_fetched(c, s->pa, &frame) &&
           cache_usable(icache, frame, cache_word(icache, s->pa)) <= w->group;
}

void fetch_at(struct core *c, struct window *w, struct slot *s)
{
    cycle_t room = ring_oldest(&w->queue), at, searched;
    struct access_outcome o;

    s->imiss = s->itlb = s->dtlb = s->mispredicted = false;
    s->level = LEVEL_NONE;
    s->position = 0;
    s->data_latency = 0;
    s->slow = 0;
    s->slow_cycles = 0;
    s->grouped = false;
    if (joins(c, w, s, room)) {
        w->grouped++;
        s->fetch = w->group;
        s->group = w->group_pc;
        return;
    }
    at = cycle_max(room, w->fetch_next);
    if (w->group_line != 1)
        at = cycle_max(at, w->group + 1);
    access_fetch(c, s->pc, s->pa, pipe_of(c)->page_inhibited, &o);
    searched = o.search.searched ? search_fetch(c, &o.search, at) : at;
    s->itlb = searched > at;
    at = searched;
    s->fetch = icache_read(c, s, &o.line, at, &w->line_full);
    s->imiss = s->fetch > at;
    s->grouped = true;
    s->fetched = w->line_full <= at;
    w->group = s->fetch;
    w->group_pc = s->group = s->pc;
    w->grouped = 1;
    w->group_line = cache_line(&pipe_of(c)->tags.icache, s->pa);
    w->fetch_next = s->fetch + 1;
}
