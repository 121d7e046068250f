/* walk.c - wrong paths: which lines, registers and predictions decided how one
 * went, and whether they would today.
 */
#include "sim/core/detailed/memo/replay.h"

/* The predictor says of the branch i at w->pc what it said. Nothing is taught.
 */
static bool guesses(struct core *c, const struct memo_walk *w,
                    const struct insn *i)
{
    const struct predictor *p = &pipe_of(c)->predict;
    uint32_t hid0 = pipe_of(c)->hid0;
    bool taken = !(i->flags & INSN_COND) ||
                 (hid0 & HID0_BHTE && predict_taken(p, w->pc));
    ea_t target = w->pc + 4;
    bool btac =
        !(hid0 & HID0_BTCD) && predict_look(p, w->group, w->pc, &target);

    return taken == !!(w->flags & WALK_TAKEN) &&
           btac == !!(w->flags & WALK_BTAC) && target == w->target;
}

static bool registers(const struct core *c, const struct memo_walk *w,
                      struct insn *i)
{
    struct slot s;

    s.i = i;
    s.chip = &c->with.chip->row[i->class];
    issue_ask(c, &s);
    return s.early == !!(w->flags & WALK_EARLY) &&
           s.io == !!(w->flags & WALK_IO);
}

/* Walks are all on the page of their branch. */
static inline pa_t address(const struct pipe *p, const struct memo_walk *w)
{
    return p->page_pa | (w->pc & 0xFFC);
}

/* The line that the group of w begins with is there by when it is fetched. */
static bool line_there(struct core *c, const struct memo_walk *w)
{
    struct cache *icache = &pipe_of(c)->tags.icache;
    const struct line *l = line_of(icache, address(pipe_of(c), w));

    return l && cache_full(icache, cache_frame(icache, l)) <=
                    memo_of(c)->base + w->fetch - BIAS;
}

bool walk_same(struct core *c, const struct memo_edge *e)
{
    struct pipe *p = pipe_of(c);
    const struct memo_walk *w = (const struct memo_walk *)(e + 1);
    pa_t pa;

    if (c->cpu.msr & MSR_IR &&
        (p->tags.fetch_page != p->page_ea ||
         !mmu_ready(&c->cpu, p->page_ea, TLB_FETCH, &pa)))
        return false;
    for (unsigned k = 0; k < e->nwalk; k++, w++) {
        struct insn *i = &p->page[(w->pc & 0xFFF) >> 2];

        if (w->flags & WALK_GROUPED && !line_there(c, w))
            return false;
        if (w->flags & WALK_REGISTERS && !registers(c, w, i))
            return false;
        if (w->flags & WALK_BRANCH && !guesses(c, w, i))
            return false;
    }
    return true;
}

void walk_ask(struct core *c, const struct memo_edge *e)
{
    struct pipe *p = pipe_of(c);
    struct cache *icache = &p->tags.icache;
    const struct memo_walk *w = (const struct memo_walk *)(e + 1);
    ea_t target;

    for (unsigned k = 0; k < e->nwalk; k++, w++) {
        if (w->flags & WALK_GROUPED)
            cache_touch(icache, line_of(icache, address(p, w)));
        if (w->flags & WALK_BRANCH && !(p->hid0 & HID0_BTCD))
            predict_target(&p->predict, w->group, w->pc, &target);
    }
}
