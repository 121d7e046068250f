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
    pipe_of(c)->itlb_page = 1;
}

static bool page_of(struct core *c, ea_t pc, enum exc *exc)
{
    struct pipe *p = pipe_of(c);
    struct insn *i = core_fetch(c, pc, exc);

    if (!i)
        return false;
    p->page_ea = pc & ~0xFFFu;
    p->page = i - ((pc & 0xFFF) >> 2);
    p->page_pa = ram_pa(c->with.ram, i) & ~0xFFFu;
    p->page_inhibited = mmu_wimg(&c->cpu, pc, TLB_FETCH) & WIMG_I;
    return true;
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
        s->i = ram_insn(c->with.ram, s->pa);
    s->chip = &c->with.chip->row[s->i->class];
    return true;
}

/* The cycle at which the words of pa can leave the cache, asked at `at`.
 * *full: when all of its line can. */
static cycle_t icache_read(struct core *c, const struct slot *s, cycle_t at,
                           cycle_t *full)
{
    pa_t pa = s->pa;
    struct pipe *p = pipe_of(c);
    struct line *l;
    struct bus_answer a;

    if (!(p->hid0 & HID0_ICE) || p->page_inhibited) {
        *full = CYCLE_NEVER; /* no line: each group asks the bus */
        return bus_request(c->with.bus, BUS_SINGLE, c->number, pa, at).first;
    }
    l = cache_find(&p->icache, pa);
    if (l) {
        cache_touch(&p->icache, l);
    } else {
        a = bus_request(c->with.bus, BUS_FETCH, c->number, pa, at);
        ev_add(&c->pmu.ev, EV_icache_miss, 1, at);
        snoop_tell(c, &a, (struct data_access){true, s->pc, pa}, pa, at);
        l = cache_victim(&p->icache, pa);
        cache_fill(&p->icache, l, pa, MESI_S, a.first, a.beat);
        if (c->pif.active)
            mark_feed_filled(c, false, l, pa, s->pc, at);
    }
    *full = cache_full(&p->icache, l);
    return cycle_max(at, cache_usable(&p->icache, l, pa));
}

/* Can s join the current fetch group? */
static bool joins(struct core *c, const struct window *w, const struct slot *s,
                  cycle_t room)
{
    struct line *l;

    if ((cache_line(&pipe_of(c)->icache, s->pa)) != w->group_line ||
        w->grouped >= c->with.params->fetch_width || room > w->group)
        return false;
    if (w->line_full <= w->group)
        return true;
    l = cache_find(&pipe_of(c)->icache, s->pa);
    return l && cache_usable(&pipe_of(c)->icache, l, s->pa) <= w->group;
}

void fetch_at(struct core *c, struct window *w, struct slot *s)
{
    cycle_t room = ring_oldest(&w->queue), at, searched;

    s->imiss = s->itlb = s->dtlb = s->mispredicted = false;
    s->level = LEVEL_NONE;
    s->position = 0;
    s->data_latency = 0;
    s->slow = 0;
    s->slow_cycles = 0;
    if (joins(c, w, s, room)) {
        w->grouped++;
        s->fetch = w->group;
        return;
    }
    at = cycle_max(room, w->fetch_next);
    if (w->group_line != 1)
        at = cycle_max(at, w->group + 1);
    searched = translate_fetch(c, s->pc, at);
    s->itlb = searched > at;
    at = searched;
    s->fetch = icache_read(c, s, at, &w->line_full);
    s->imiss = s->fetch > at;
    w->group = s->fetch;
    w->grouped = 1;
    w->group_line = cache_line(&pipe_of(c)->icache, s->pa);
    w->fetch_next = s->fetch + 1;
}
