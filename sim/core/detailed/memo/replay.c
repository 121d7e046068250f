/* replay.c - instructions whose window was met before: executed, asked for,
 * and moved along an edge.
 */
#include "sim/core/detailed/memo/ask.h"

#include "pmu/pif/ahead.h"

/* What the front of the pipeline does for the present node. False: it has to.
 */
static inline bool front(struct core *c, const struct memo_node *n)
{
    if (!n->known || !fetched(c, n, memo_of(c)->base))
        return false;
    have(c, memo_of(c)->base + n->dispatch);
    return true;
}

/* ---- answers ------------------------------------------------------------- */

bool answer_knows(const struct access_outcome *o)
{
    const struct search_outcome *h = &o->search;

    if (h->searched && h->stored)
        return false;
    for (unsigned k = 0; h->searched && k < h->lines; k++)
        if (h->line[k].answer != LINE_HIT)
            return false;
    return o->line.answer == LINE_HIT || o->line.answer == LINE_MISS;
}

/* ---- marks and samplers -------------------------------------------------- */

/* The instruction of n, the present node, may go along e; and did. */
static inline bool heard_goes(struct core *c, const struct memo_node *n,
                              const struct memo_edge *e)
{
    return (e->passes <= memo_of(c)->may || heard_samplers_let(c, e->passes)) &&
           (!c->pif.active || heard_marks_let(c, n));
}

static __attribute__((noinline)) void
heard_went(struct core *c, const struct memo_node *n, const struct memo_edge *e)
{
    if (c->pif.active)
        heard_marks(c, n, e);
    if (e->passes <= memo_of(c)->may) {
        memo_of(c)->may -= e->passes;
        return;
    }
    c->cpu.pc = c->cpu.nia;
    heard_samplers(c, n, e);
}

/* ---- edges --------------------------------------------------------------- */

static bool fits(struct core *c, const struct memo_edge *e,
                 const struct answer *a)
{
    return e->answer.a == a->a && e->answer.b == a->b &&
           (!e->walks || walk_same(c, e));
}

/* The edge for *a becomes the first; NULL: there is none. */
static __attribute__((noinline)) struct memo_edge *
other_edge(struct core *c, struct memo_node *n, const struct answer *a)
{
    struct memo_edge **at = &n->edge, *e;

    while ((e = *at) && !fits(c, e, a))
        at = &e->other;
    if (e) {
        *at = e->other;
        e->other = n->edge;
        n->edge = e;
    }
    return e;
}

static inline struct memo_edge *edge_of(struct core *c, struct memo_node *n,
                                        const struct answer *a)
{
    return n->edge && fits(c, n->edge, a) ? n->edge : other_edge(c, n, a);
}

/* The instruction of node n moves along e. */
static inline void follow(struct core *c, struct memo *m,
                          const struct memo_node *n, struct memo_edge *e)
{
    struct pipe *p = pipe_of(c);

    history_add(p, n->pc, m->base + e->complete);
    c->insns++;
    c->observed_cycle = m->base + e->issue;
    if (ledger_full(m->to))
        ledgers_widen(c);
    ledger_edge(m->to, e);
    m->slack -= e->most;
    m->base += n->dispatch;
    m->node = e->to;
    m->fresh = false;
    p->have = false;
    if (m->heard)
        heard_went(c, n, e);
    c->cpu.pc = c->cpu.nia;
}

/* ---- one instruction ----------------------------------------------------- */

/* It has run, and no edge has what it was told. */
static __attribute__((noinline)) enum went
resume(struct core *c, enum exc exc, const struct answer *a, cycle_t brought)
{
    struct slot *s = &pipe_of(c)->next;
    const struct memo_node *n = memo_of(c)->node;
    /* Of those that the memo replays none but a sum changes XER[SO], and none
     * MSR. */
    struct ran ran = {exc, memo_of(c)->so, c->cpu.msr};

    memo_hand_back(c);
    if (memo_of(c)->heard)
        heard_resumes(c, n);
    if (exc)
        memo_flush(c);
    s->io = false;
    s->brought = brought;
    s->early = n->kind == KIND_EARLY && a->a;
    pipe_resume(c, &ran);
    return RESUMED;
}

static inline bool in_time(struct core *c, const struct memo *m,
                           const struct memo_edge *e)
{
    return (m->slack > e->most || memo_slack(c) > e->most) &&
           m->base + e->complete < c->edge &&
           (!m->heard || heard_goes(c, m->node, e));
}

struct told replay_ask(struct core *c, const struct memo_node *n, bool hit)
{
    struct cache *dcache = &pipe_of(c)->tags.dcache;
    struct lack k = {.hit = hit};

    if (!hit && memo_of(c)->absent)
        k.way = cache_victim(dcache, c->cpu.step.access[0].pa);
    return ask(c, n, n->kind == KIND_STORE, k);
}

enum went replay_told(struct core *c, struct memo_node *n, enum exc exc,
                      const struct told *t)
{
    struct memo *m = memo_of(c);
    struct memo_edge *e;

    if (exc || !t->known)
        return resume(c, exc, &t->answer, 0);
    e = edge_of(c, n, &t->answer);
    if (!e || !in_time(c, m, e))
        return resume(c, exc, &t->answer, t->brought);
    accessed(c, n->kind == KIND_STORE, n->pc, m->base + e->issue, t);
    follow(c, m, n, e);
    return WENT_ON;
}

enum went replay_branch(struct core *c, struct memo_node *n,
                        const struct answer *a)
{
    struct memo *m = memo_of(c);
    struct memo_edge *e = edge_of(c, n, a);

    if (!e || !in_time(c, m, e))
        return resume(c, EXC_NONE, a, 0);
    if (e->nwalk)
        walk_ask(c, e);
    teach(c, n->group, n->pc, n->insn);
    follow(c, m, n, e);
    return WENT_ON;
}

enum went replay_raised(struct core *c, enum exc exc)
{
    static const struct answer none;

    return resume(c, exc, &none, 0);
}

static inline enum went plain(struct core *c, struct memo *m,
                              struct memo_node *n)
{
    struct memo_edge *e = n->edge;
    struct answer a = {0, 0};
    enum exc exc;

    if (n->kind == KIND_EARLY) {
        a.a = is_early(c, n->insn);
        e = edge_of(c, n, &a);
    }
    m->so = c->cpu.xer & XER_SO;
    exc = isa_exec(&c->cpu, n->insn);
    if (exc || !e || !in_time(c, m, e) ||
        (n->sums && !m->so && c->cpu.xer & XER_SO))
        return resume(c, exc, &a, 0);
    follow(c, m, n, e);
    return WENT_ON;
}

static inline enum went access(struct core *c, struct memo *m,
                               struct memo_node *n, bool store)
{
    struct told told = {.known = false};
    enum exc exc;

    if (!n->timed || (store && m->levels) ||
        !goes_to_memory(c, n->insn, store ? TLB_STORE : TLB_LOAD)) {
        memo_hand_back(c);
        return HANDED;
    }
    c->observed_cycle = m->base + n->issue;
    m->so = c->cpu.xer & XER_SO;
    exc = isa_exec(&c->cpu, n->insn);
    if (!exc)
        told = replay_ask(c, n, hits(c, store));
    return replay_told(c, n, exc, &told);
}

static inline enum went branch(struct core *c, struct memo *m,
                               struct memo_node *n)
{
    struct answer a;

    m->so = c->cpu.xer & XER_SO;
    a = guess(c, n->insn, n->pc, n->group);
    return replay_branch(c, n, &a);
}

static inline enum went time_read(struct core *c, struct memo *m,
                                  struct memo_node *n)
{
    if (!n->timed) {
        memo_hand_back(c);
        return HANDED;
    }
    c->observed_cycle = m->base + n->issue;
    return plain(c, m, n);
}

static inline enum went synchronize(struct core *c, struct memo *m,
                                    struct memo_node *n)
{
    cycle_t issue = m->base + n->issue, done, end;
    struct memo_edge *e;
    struct answer a;

    if (!n->timed) {
        memo_hand_back(c);
        return HANDED;
    }
    m->so = c->cpu.xer & XER_SO;
    isa_exec(&c->cpu, n->insn); /* raises nothing */
    done = lsu_done(pipe_of(c), issue);
    end = lsu_synced(c, issue);
    a = answer_sync(end - issue, done - issue);
    e = edge_of(c, n, &a);
    if (!e || !in_time(c, m, e))
        return resume(c, EXC_NONE, &a, end);
    follow(c, m, n, e);
    return WENT_ON;
}

/* Does the mtmsr i change nothing but whether interrupts are taken? */
static bool only_enables(const struct core *c, const struct insn *i)
{
    uint32_t msr = c->cpu.msr;

    return !((msr ^ c->cpu.gpr[i->d]) & ~(MSR_EE | MSR_RI)) && !(msr & MSR_PR);
}

/* Behind it core.attention is reached. */
static inline enum went enable(struct core *c, struct memo *m,
                               struct memo_node *n)
{
    enum went went;

    if (!n->timed || m->heard || !only_enables(c, n->insn) || core_counts(c)) {
        memo_hand_back(c);
        return HANDED;
    }
    c->observed_cycle = m->base + n->issue;
    went = plain(c, m, n);
    if (went != WENT_ON)
        return went;
    fetch_forget(c);
    return RESUMED;
}

/* A store has changed instructions: everything is forgotten. */
static inline bool changed(struct core *c, struct memo *m)
{
    if (c->with.decoded->forgotten == m->store->generation)
        return false;
    share_empty(c);
    return true;
}

/* ---- the loop ------------------------------------------------------------ */

/* The instruction of the present node, which waits for its dispatch. */
static inline enum went replay_one(struct core *c, struct memo *m,
                                   struct memo_node *n)
{
    enum went went;

    switch (n->kind) {
    case KIND_LOAD:
        return access(c, m, n, false);
    case KIND_STORE:
        went = access(c, m, n, true);
        return went == WENT_ON && changed(c, m) ? RESUMED : went;
    case KIND_BRANCH:
        return branch(c, m, n);
    case KIND_TIME:
        return time_read(c, m, n);
    case KIND_REFETCH:
        went = plain(c, m, n);
        if (went == WENT_ON)
            fetch_forget(c);
        return went;
    case KIND_SYNC:
        return synchronize(c, m, n);
    case KIND_MSR:
        return enable(c, m, n);
    default:
        return plain(c, m, n);
    }
}

enum went replay_run(struct core *c, cycle_t stop)
{
    struct memo *m = memo_of(c);
    struct pipe *p = pipe_of(c);
    enum went went = WENT_ON;

    while (went == WENT_ON) {
        struct memo_node *n = m->node;

        if (trace_meets(c, n)) {
            went = trace_run(c, stop);
            if (went == WENT_ON && changed(c, m))
                return RESUMED;
            if (went == WENT_ON)
                trace_begins(c);
            if (went != STOOD)
                continue;
            n = m->node;
        }
        if (!p->have && !front(c, n)) {
            memo_hand_back(c);
            return HANDED;
        }
        if (c->clock >= stop)
            return TURN_ENDS;
        if (m->heard && !heard_begins(c, n)) {
            memo_hand_back(c);
            return HANDED;
        }
        went = replay_one(c, m, n);
        m->at++;
        if (went == WENT_ON && n->kind >= KIND_BRANCH)
            trace_begins(c);
    }
    return went;
}
