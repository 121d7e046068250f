/* ask.h - what a load or store that is replayed is told: its line is asked for.
 */
#ifndef SIM_CORE_DETAILED_MEMO_ASK_H
#define SIM_CORE_DETAILED_MEMO_ASK_H

#include "sim/core/detailed/memo/replay.h"

/* The bus is about to be asked. False: a counter may overflow by that, which
 * is the stages' to notice. */
static inline bool may_ask(struct core *c)
{
    data_of(c, 0);
    return memo_of(c)->slack >= 16 || memo_slack(c) >= 16;
}

/* What is known of an access before its line is asked for: it is a hit; or
 * lacks nothing but the line, which goes to that way. */
struct lack {
    bool hit;
    struct line *way;
};

/* The access of n, which is no hit, asks for its line. False: it met what the
 * memo does not know, or counters may have to act. */
static inline bool meets(struct core *c, const struct memo_node *n, bool store,
                         struct line *way)
{
    struct pipe *p = pipe_of(c);
    const struct access_outcome *o = &p->outcome[0];

    if (way) {
        access_absent(c, &c->cpu.step.access[0], store, way, p->outcome);
        return may_ask(c);
    }
    p->tags.marked = 0;
    access_data(c, n->insn, p->outcome);
    return c->cpu.step.accesses == 1 && answer_knows(o) &&
           ((o->line.answer != LINE_MISS && !(store && o->line.asked)) ||
            may_ask(c));
}

/* What the load of n met, and when its line can be used. False: nothing the
 * memo knows; the outcome is in the pipe. */
static inline bool loaded(struct core *c, const struct memo_node *n,
                          struct lack k, struct told *t)
{
    struct pipe *p = pipe_of(c);
    const struct access_outcome *o = &p->outcome[0];
    const struct access *x = &c->cpu.step.access[0];
    cycle_t issued = memo_of(c)->base + n->issue + 1u, at;
    struct waited w = {.searched = 0};

    if (!k.hit && !meets(c, n, false, k.way))
        return false;
    c->last_ea = x->ea;
    at = o->search.searched ? search_end(c, &o->search, issued) : issued;
    t->from = p->committed < at ? at : lsu_clear(p, x, at);
    t->brought = o->line.answer == LINE_HIT
                     ? refill_usable(c, &o->line, t->from)
                     : refill_miss(c, &o->line, t->from);
    w.searched = at - issued;
    w.stores = t->from - at;
    w.filled = t->brought - t->from;
    if (o->line.answer == LINE_MISS)
        w.counted = lsu_counts(p, t->from, t->brought);
    t->answer = answer_access(false, o, w);
    return true;
}

/* A store asks for its line when it has completed: in cycle *at, if it waited
 * so long for its queue and the page table. False: that is not known yet. */
static inline bool asks_at(struct core *c, const struct memo_node *n,
                           struct waited *w, cycle_t *at)
{
    const struct search_outcome *h = &pipe_of(c)->outcome[0].search;
    cycle_t base = memo_of(c)->base, issued = base + n->issue;
    const struct memo_edge *e = n->edge;
    uint64_t front;

    w->queued = lsu_queued(pipe_of(c), issued);
    *at = base + n->asked;
    if (!h->searched && !w->queued)
        return n->asked;
    issued += w->queued + 1;
    if (h->searched)
        w->searched = search_end(c, h, issued) - issued;
    front = answer_waits(*w) >> 2 * WAITED_BITS;
    while (e && (e->answer.a >> 2 * WAITED_BITS != front ||
                 (e->answer.b & SEARCHED) != answer_searched(h)))
        e = e->other;
    if (e)
        *at = base + e->complete + 1u;
    return e;
}

/* The same of a store, and when its line is ours. */
static inline bool stored(struct core *c, const struct memo_node *n,
                          struct lack k, struct told *t)
{
    struct pipe *p = pipe_of(c);
    const struct access_outcome *o = &p->outcome[0];
    struct waited w = {.queued = 0};

    if (!k.hit && !meets(c, n, true, k.way))
        return false;
    if ((n->insn->flags & INSN_FP && lsu_shifts(c, n->insn)) ||
        !asks_at(c, n, &w, &t->from))
        return false;
    c->last_ea = c->cpu.step.access[0].ea;
    if (o->line.answer == LINE_HIT) {
        t->brought = refill_own(c, &o->line, t->from);
    } else {
        p->store_request = cycle_max(t->from, p->store_request + 1);
        t->brought = refill_miss(c, &o->line, p->store_request);
    }
    t->answer = answer_access(true, o, w);
    return true;
}

/* What n's access, a store or a load, is told. */
static inline struct told ask(struct core *c, const struct memo_node *n,
                              bool store, struct lack k)
{
    struct told t = {.hit = k.hit, .asked = true};

    t.known = store ? stored(c, n, k, &t) : loaded(c, n, k, &t);
    return t;
}

#endif
