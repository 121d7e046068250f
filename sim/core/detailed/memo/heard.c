/* heard.c - marks and samplers of instructions, while instructions are
 * replayed. They are told what the stages would tell them; the stages
 * themselves take an instruction that is sampled, one whose mark may come to
 * more than a count, and one whose shadow is not where it is looked up.
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

bool heard_listen(struct core *c)
{
    struct pif *p = &c->pif;

    memo_of(c)->heard = p->active || p->listening;
    memo_of(c)->epoch++;
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

    if (l->tag == cache_line(icache, n->pa) && l->state != MESI_I)
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

static inline bool in_user(const struct core *c)
{
    return c->cpu.msr & MSR_PR;
}

bool heard_begins(struct core *c, const struct memo_node *n)
{
    const struct pif *p = &c->pif;

    if (p->sampled.active && !sampled_ahead(&p->sampled, in_user(c)))
        return false;
    return !p->active || insn_ahead(c, n) != PIF_ACTS;
}

static bool looks_at_data(const struct pif *p)
{
    return p->unit[PIF_GUEST].data || p->unit[PIF_HOST].data;
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
    return (n->kind == KIND_LOAD || n->kind == KIND_STORE) &&
           looks_at_data(&c->pif);
}

bool heard_goes(struct core *c, const struct memo_node *n,
                const struct memo_edge *e)
{
    const struct pif *p = &c->pif;

    if (p->sampled.active && sampled_ahead(&p->sampled, in_user(c)) < e->passes)
        return false;
    if (p->active && accesses(c, n)) {
        struct pif_access a = access_of(c);

        return pif_data_ahead(p, &a, c->context) != PIF_ACTS;
    }
    return true;
}

static __attribute__((noinline)) void counts(struct core *c,
                                             const struct memo_node *n,
                                             const struct memo_edge *e,
                                             cycle_t base)
{
    mark_feed_before(c, n->pa);
    mark_feed_done(c, n->insn, n->pa, n->position, base + e->issue,
                   base + e->complete);
}

/* The node's cycles are counted from `base`. */
static inline void marks_went(struct core *c, const struct memo_node *n,
                              const struct memo_edge *e, cycle_t base)
{
    struct pif *p = &c->pif;
    enum pif_ahead ahead = insn_ahead(c, n);
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
    pif_bare_ran(p, 1);
}

void heard_went(struct core *c, const struct memo_node *n,
                const struct memo_edge *e)
{
    struct pif *p = &c->pif;

    if (p->active)
        marks_went(c, n, e, memo_of(c)->base - n->dispatch);
    if (p->sampled.active)
        sampled_passed(&p->sampled, in_user(c), e->passes);
}

/* ---- nodes in a row ------------------------------------------------------ */

const struct memo_step *heard_end(const struct core *c,
                                  const struct memo_step *s,
                                  const struct memo_step *end)
{
    const struct sampled *k = &c->pif.sampled;
    uint32_t may = k->active ? sampled_ahead(k, in_user(c)) : UINT32_MAX;

    while (end > s && (uint32_t)(end->passes - s->passes) > may)
        end--;
    return end;
}

/* Of the line that n is in. */
static inline enum pif_ahead line_ahead(struct core *c,
                                        const struct memo_node *n)
{
    struct cache *icache = &pipe_of(c)->tags.icache;
    struct memo *m = memo_of(c);
    pa_t pa = cache_line(icache, n->pa);
    ea_t ea = n->pc - (n->pa - pa);
    unsigned k = (pa >> icache->shift) % MEMO_LINES;

    if (m->line[k].epoch != m->epoch || m->line[k].pa != pa ||
        m->line[k].ea != ea) {
        m->line[k].ahead = (uint8_t)pif_line_ahead(&c->pif, frame_of(c, n),
                                                   n->pa, n->pc, c->context);
        m->line[k].pa = pa;
        m->line[k].ea = ea;
        m->line[k].epoch = m->epoch;
    }
    return (enum pif_ahead)m->line[k].ahead;
}

bool heard_line(struct core *c, const struct memo_node *n)
{
    enum pif_ahead ahead;

    if (!c->pif.active)
        return true;
    ahead = line_ahead(c, n);
    memo_of(c)->tallies |= ahead == PIF_TALLIES;
    return ahead <= PIF_TALLIES;
}

bool heard_access(struct core *c)
{
    struct pif *p = &c->pif;
    struct pif_access a;

    if (!p->active || !looks_at_data(p))
        return true;
    a = access_of(c);
    if (pif_data_ahead(p, &a, c->context) != PIF_BARE)
        return false;
    pif_data_bare_ran(p, &a);
    return true;
}

/* The marks that those from `from` up to s carry count. */
static void tally(struct core *c, const struct memo_step *from,
                  const struct memo_step *s, cycle_t begin)
{
    for (; from < s; from++)
        if (line_ahead(c, from->node) == PIF_TALLIES &&
            insn_ahead(c, from->node) == PIF_TALLIES)
            pif_tally(&c->pif, memo_of(c)->marked, from->node->pa, c->context,
                      begin + from->complete);
}

void heard_passed(struct core *c, const struct memo_step *from,
                  const struct memo_step *s, cycle_t begin)
{
    struct pif *p = &c->pif;

    if (p->active) {
        if (memo_of(c)->tallies)
            tally(c, from, s, begin);
        pif_bare_ran(p, (unsigned)(s - from));
    }
    if (p->sampled.active)
        sampled_passed(&p->sampled, in_user(c), s->passes - from->passes);
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
