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

/* The page that a wrong path is on. */
struct place {
    struct insn *page; /* its first record */
    pa_t pa;
};

/* Wrong paths begin on the page of their branch. */
static inline struct place begins(const struct pipe *p)
{
    return (struct place){p->page, p->page_pa};
}

static inline struct place place_of(const struct core *c,
                                    const struct memo_walk *w)
{
    return (struct place){w->page, decode_cache_pa(c->with.decoded, w->page)};
}

static inline uint32_t vsid_of(const struct core *c, ea_t pc)
{
    return c->cpu.sr[pc >> 28] & 0xFFFFFF;
}

/* The page that fetch turns to is where it was, and can be asked for without
 * a search. */
static bool turns(const struct core *c, const struct memo_walk *w)
{
    pa_t pa;

    return mmu_ready(&c->cpu, w->pc, TLB_FETCH, &pa) &&
           pa == place_of(c, w).pa &&
           !(mmu_wimg(&c->cpu, w->pc, TLB_FETCH) & WIMG_I) &&
           (!(c->cpu.msr & MSR_IR) ||
            tlb_tags_hold(&pipe_of(c)->tags.itlb, vsid_of(c, w->pc), w->pc));
}

static inline pa_t address(const struct place *at, const struct memo_walk *w)
{
    return at->pa | (w->pc & 0xFFC);
}

/* The line that the group of w begins with is there by when it is fetched. */
static bool line_there(struct core *c, const struct place *at,
                       const struct memo_walk *w)
{
    struct cache *icache = &pipe_of(c)->tags.icache;
    const struct line *l = line_of(icache, address(at, w));

    return l && cache_full(icache, cache_frame(icache, l)) <=
                    memo_of(c)->base + w->fetch - BIAS;
}

/* What w asked, of an instruction on the page `at`, it is told again. */
static inline bool asks_same(struct core *c, const struct place *at,
                             const struct memo_walk *w)
{
    struct insn *i = &at->page[(w->pc & 0xFFF) >> 2];

    return !(w->flags & WALK_GROUPED && !line_there(c, at, w)) &&
           !(w->flags & WALK_REGISTERS && !registers(c, w, i)) &&
           !(w->flags & WALK_BRANCH && !guesses(c, w, i));
}

bool walk_same(struct core *c, const struct memo_edge *e)
{
    struct pipe *p = pipe_of(c);
    const struct memo_walk *w = edge_walk(e);
    struct place at = begins(p);
    pa_t pa;

    if (c->cpu.msr & MSR_IR &&
        (p->tags.fetch_page != p->page_ea ||
         !mmu_ready(&c->cpu, p->page_ea, TLB_FETCH, &pa)))
        return false;
    for (unsigned k = 0; k < e->nwalk; k++, w++) {
        if (w->flags & WALK_PAGE) {
            if (!turns(c, w))
                return false;
            at = place_of(c, w);
        } else if (!asks_same(c, &at, w)) {
            return false;
        }
    }
    return true;
}

/* Fetch turns to the page of w. */
static void turn(struct core *c, const struct memo_walk *w)
{
    struct tags *t = &pipe_of(c)->tags;

    if (!(c->cpu.msr & MSR_IR))
        return;
    tlb_tags_look(&t->itlb, vsid_of(c, w->pc), w->pc);
    t->fetch_page = w->pc;
}

void walk_ask(struct core *c, const struct memo_edge *e)
{
    struct pipe *p = pipe_of(c);
    struct cache *icache = &p->tags.icache;
    const struct memo_walk *w = edge_walk(e);
    struct place at = begins(p);
    ea_t target;

    for (unsigned k = 0; k < e->nwalk; k++, w++) {
        if (w->flags & WALK_PAGE) {
            turn(c, w);
            at = place_of(c, w);
        }
        if (w->flags & WALK_GROUPED)
            cache_touch(icache, line_of(icache, address(&at, w)));
        if (w->flags & WALK_BRANCH && !(p->hid0 & HID0_BTCD))
            predict_target(&p->predict, w->group, w->pc, &target);
    }
}
