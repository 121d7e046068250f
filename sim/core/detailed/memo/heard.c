/* heard.c - marks and samplers of instructions, while instructions are
 * replayed. They are told what the stages would tell them; the stages
 * themselves take an instruction that the guest samples, or that is sampled on
 * a wrong path, one whose mark may come to more than a count, and one whose
 * shadow is not where it is looked up.
 *
 * All questions change nothing, so that an instruction of which too much would
 * come goes to the stages as if none had been asked. An instruction that is
 * replayed changes neither MSR nor the instruction cache, so that it may be
 * announced when it has run.
 */
#include "sim/core/detailed/memo/memo_private.h"

#include <string.h>

#include "pmu/pif/ahead.h"
#include "sim/core/mark_feed.h"

/* Has anything changed on which depends what marks make of an instruction? */
static void look_at_marks(struct core *c)
{
    const struct pif *p = &c->pif;
    struct memo *m = memo_of(c);
    uint64_t changes = pif_changes(p);
    uint32_t units = p->unit[PIF_GUEST].insns | p->unit[PIF_HOST].insns << 1;

    m->ranging = pif_ranging(p);
    m->data = p->unit[PIF_GUEST].data || p->unit[PIF_HOST].data;
    if (m->marks.changes == changes && m->marks.context == c->context &&
        m->marks.units == units && m->epoch)
        return;
    m->marks.changes = changes;
    m->marks.context = c->context;
    m->marks.units = units;
    m->epoch = ++m->store->epochs;
}

static inline bool in_user(const struct core *c)
{
    return c->cpu.msr & MSR_PR;
}

static void look_at_samplers(struct core *c)
{
    struct memo *m = memo_of(c);

    m->may = m->might = sampled_ahead(&c->pif.sampled, in_user(c));
}

bool heard_listen(struct core *c)
{
    struct pif *p = &c->pif;

    heard_count(c);
    look_at_samplers(c);
    memo_of(c)->heard = p->active || p->listening;
    memo_of(c)->shadows = p->active && pif_fills_data(p);
    if (p->active)
        look_at_marks(c);
    if (!memo_of(c)->heard)
        return !c->pmu.derived.active;
    /* Traffic that others caused is charged by the next instruction. */
    return !c->pmu.derived.active && !p->branches.on &&
           (!p->active || (pif_steady(p) && pif_traffic(p) == c->pif_charged));
}

/* The frame of the instruction cache that n is in, or none. */
static inline unsigned frame_of(struct core *c, const struct memo_node *n)
{
    struct cache *icache = &pipe_of(c)->tags.icache;
    struct memo *m = memo_of(c);
    const struct line *l = &icache->line[m->marked];

    if (l->tag == cache_line(icache, n->pa))
        return m->marked;
    l = cache_find(icache, n->pa);
    if (!l)
        return icache->sets * icache->ways;
    return m->marked = cache_frame(icache, l);
}

static inline enum pif_ahead insn_ahead(struct core *c,
                                        const struct memo_node *n)
{
    return pif_insn_ahead(&c->pif, frame_of(c, n), n->pa, n->pc, c->context);
}

bool heard_begins(struct core *c, const struct memo_node *n)
{
    if (!memo_of(c)->may && !heard_samplers_let(c, 1))
        return false;
    return !c->pif.active || insn_ahead(c, n) != PIF_ACTS;
}

/* The access of n, which has been made. */
static struct pif_access access_of(const struct core *c)
{
    const struct access *a = &c->cpu.step.access[0];

    return (struct pif_access){
        .ea = a->ea,
        .pa = a->pa,
        .size = a->size,
        .frame = pipe_of(c)->outcome[0].line.frame,
    };
}

static inline bool accesses(const struct core *c, const struct memo_node *n)
{
    return memo_of(c)->data && (n->kind == KIND_LOAD || n->kind == KIND_STORE);
}

bool heard_marks_let(struct core *c, const struct memo_node *n)
{
    struct pif_access a;

    if (!accesses(c, n))
        return true;
    a = access_of(c);
    return pif_data_ahead(&c->pif, &a, c->context) != PIF_ACTS;
}

/* Is n, the present node, a step of the trace that is known to be bare? */
static inline bool step_is_bare(const struct core *c, const struct memo_node *n)
{
    const struct memo *m = memo_of(c);
    const struct memo_trace *t = m->trace;

    return t && t->epoch == m->epoch && m->at < t->bare &&
           t->step[m->at].node == n && !(t->tallied >> m->at & 1);
}

static __attribute__((noinline)) void counts(struct core *c,
                                             const struct memo_node *n,
                                             const struct memo_edge *e,
                                             cycle_t base)
{
    heard_count(c); /* it may open or close a window */
    mark_feed_before(c, n->pa);
    mark_feed_done(c, n->insn, n->pa, n->position, base + e->issue,
                   base + e->complete);
}

void heard_marks(struct core *c, const struct memo_node *n,
                 const struct memo_edge *e)
{
    cycle_t base = memo_of(c)->base - n->dispatch; /* n's, counted from */
    struct pif *p = &c->pif;
    enum pif_ahead ahead = step_is_bare(c, n) ? PIF_BARE : insn_ahead(c, n);
    struct pif_access a;

    if (ahead == PIF_COUNTS) {
        counts(c, n, e, base);
        return;
    }
    if (accesses(c, n)) {
        a = access_of(c);
        if (pif_data_ahead(p, &a, c->context) != PIF_BARE) {
            counts(c, n, e, base);
            return;
        }
        pif_data_bare_ran(p, &a);
    }
    if (ahead == PIF_TALLIES)
        pif_tally(p, memo_of(c)->marked, n->pa, c->context, base + e->complete);
    if (memo_of(c)->ranging)
        pif_ranges(p, n->pc, 1);
    memo_of(c)->bare++;
}

/* ---- samplers ------------------------------------------------------------ */

void heard_count(struct core *c)
{
    struct memo *m = memo_of(c);

    sampled_passed(&c->pif.sampled, in_user(c), m->might - m->may);
    m->might = m->may;
    pif_bare_ran(&c->pif, m->bare);
    m->bare = 0;
}

bool heard_samplers_let(struct core *c, unsigned passes)
{
    heard_count(c);
    return !c->pif.active && sampled_last(&c->pif.sampled, in_user(c), passes);
}

/* What became of the instruction of n that went along e, as the stages would
 * describe it (insn_cycles_end). */
static void describe(const struct core *c, const struct memo_node *n,
                     const struct memo_edge *e, struct insn_info *d)
{
    cycle_t base = memo_of(c)->base - n->dispatch; /* n's, counted from */
    const struct from from = {c->cpu.msr, memo_of(c)->context, base};

    insn_info_begin(c, d, n->pc, n->insn, &from);
    insn_info_completed(c, d);
    d->slot = n->position;
    d->dispatched = true;
    d->fetch = base + n->fetch - BIAS;
    d->dispatch = base + n->dispatch;
    d->issue = base + e->issue;
    d->finish = base + e->finish;
    d->complete = base + e->complete;
    d->latency = (uint32_t)e->complete - e->issue;
    d->oldest = e->oldest;
    d->mispredicted = e->walks;
    if (n->kind != KIND_LOAD && n->kind != KIND_STORE)
        return;
    d->level = lsu_level(&pipe_of(c)->outcome[0].line);
    d->dtlb = e->answer.b & SEARCHED;
    d->data_latency = c->access_cycles[0];
}

void heard_samplers(struct core *c, const struct memo_node *n,
                    const struct memo_edge *e)
{
    struct sampled *k = &c->pif.sampled;
    struct insn_info d;

    heard_count(c);
    sampled_passed(k, in_user(c), e->passes - 1u);
    describe(c, n, e, &d);
    sampled_end(k, &d); /* no exception: it is not the guest's */
    look_at_samplers(c);
}

/* ---- nodes in a row ------------------------------------------------------ */

/* What marks make of the steps of t. */
static __attribute__((noinline)) void look_at_steps(struct core *c,
                                                    struct memo_trace *t)
{
    t->epoch = memo_of(c)->epoch;
    t->tallied = 0;
    for (t->bare = 0; t->bare < t->n; t->bare++) {
        enum pif_ahead ahead = insn_ahead(c, t->step[t->bare].node);

        if (ahead > PIF_TALLIES)
            break;
        t->tallied |= (uint64_t)(ahead == PIF_TALLIES) << t->bare;
    }
}

const struct memo_step *heard_end(struct core *c, struct memo_trace *t,
                                  const struct memo_step *s)
{
    const struct memo_step *end = t->step + t->n;
    uint32_t may = memo_of(c)->may;

    if (c->pif.active) {
        if (t->epoch != memo_of(c)->epoch)
            look_at_steps(c, t);
        end = t->step + t->bare;
    }
    if (end > s && (uint32_t)(end - s) > may)
        end = s + may; /* each step is one that passes, at least */
    while (end > s && (uint32_t)(end->passes - s->passes) > may)
        end--;
    return end > s ? end : s;
}

bool heard_access(struct core *c)
{
    struct pif *p = &c->pif;
    struct pif_access a;

    if (!p->active || !memo_of(c)->data)
        return true;
    a = access_of(c);
    if (pif_data_ahead(p, &a, c->context) != PIF_BARE)
        return false;
    pif_data_bare_ran(p, &a);
    return true;
}

/* The marks that those of t from number `at` up to `end` carry count. */
static void tally(struct core *c, const struct memo_trace *t, unsigned at,
                  unsigned end, cycle_t begin)
{
    uint64_t left = t->tallied & ~(uint64_t)0 << at;

    for (; left; left &= left - 1) {
        const struct memo_step *s = &t->step[__builtin_ctzll(left)];

        if (s >= t->step + end)
            break;
        pif_tally(&c->pif, frame_of(c, s->node), s->node->pa, c->context,
                  begin + s->complete);
    }
}

/* Ranges hear of those from `from` up to s. */
static void range(struct core *c, const struct memo_step *from,
                  const struct memo_step *s)
{
    while (from < s) {
        const struct memo_step *first = from;

        while (++from < s && from->pc == from[-1].pc + 4 && from->pc)
            ;
        pif_ranges(&c->pif, first->pc, (unsigned)(from - first));
    }
}

void heard_passed(struct core *c, const struct memo_step *from,
                  const struct memo_step *s, cycle_t begin)
{
    const struct memo_trace *t = memo_of(c)->trace;

    if (t->tallied)
        tally(c, t, (unsigned)(from - t->step), (unsigned)(s - t->step), begin);
    if (memo_of(c)->ranging)
        range(c, from, s);
}

/* ---- the stages ---------------------------------------------------------- */

void heard_resumes(struct core *c, const struct memo_node *n)
{
    c->pif.begun = false;
    if (c->pif.active)
        mark_feed_before(c, n->pa);
}

void heard_tidy(struct core *c)
{
    struct pif *p = &c->pif;

    memset(p->seen, 0, sizeof p->seen);
    memset(&c->insn_info, 0, sizeof c->insn_info);
    p->masked_at = p->owed = p->begun = false;
    for (unsigned n = 0; n < PIF_UNITS; n++)
        p->unit[n].insns_at = p->unit[n].data_at = false;
}
