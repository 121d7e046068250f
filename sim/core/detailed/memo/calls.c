/* calls.c - what a trace's host code leaves to functions: lines that are not
 * where they were last; accesses that miss as they did, whose line is asked
 * for, and what they are told compared; branches whose entry in the BTAC is not
 * where it was last, or is to be made; wrong paths; fetches from another page.
 */
#include "sim/core/detailed/memo/ask.h"

#include <string.h>

#include "isa/phys.h"

static struct line *line(struct cache *of, pa_t pa)
{
    return line_of(of, pa);
}

/* The access of s, which lacks only its line, asks for it. True: it is told
 * what it was; else *m->told is what instead. */
static inline bool same(struct core *c, struct memo *m,
                        const struct memo_step *s, bool store, struct line *way)
{
    cycle_t base = m->base;
    struct told t;

    m->base = c->trace.begin + s->base;
    c->clock = c->trace.begin + s[1].base;
    t = ask(c, s->node, store, (struct lack){.way = way});
    m->base = base;
    if (!t.known || t.answer.a != s->told || t.answer.b != s->edge->answer.b) {
        *m->told = t;
        return false;
    }
    accessed(c, store, s->pc, c->trace.begin + s->base + s->issue, &t);
    return true;
}

/* That step makes its access, of plain memory, and misses. If its line brings
 * shadow storage along, marks hear first of those in front of it: it leaves the
 * code. */
static inline bool misses(struct core *c, unsigned step, ea_t ea, pa_t pa,
                          unsigned size, bool store)
{
    struct memo *m = memo_of(c);
    struct tags *t = &pipe_of(c)->tags;

    if (m->shadows || cache_find(&t->dcache, pa) ||
        (c->cpu.msr & MSR_DR &&
         !tlb_tags_look(&t->dtlb, c->cpu.sr[ea >> 28] & 0xFFFFFF, ea)))
        return false;
    c->cpu.step.access[0] = (struct access){
        .ea = ea,
        .pa = pa,
        .size = (uint8_t)size,
        .kind = store ? ACCESS_STORE : ACCESS_LOAD,
    };
    return same(c, m, &m->trace->step[step], store,
                cache_victim(&t->dcache, pa));
}

static struct asked load(struct core *c, unsigned step, ea_t ea, pa_t pa,
                         unsigned size)
{
    const uint8_t *at = c->port.ram + pa;
    uint64_t v;

    if (!misses(c, step, ea, pa, size, false))
        return (struct asked){false, 0};
    if (size < 8)
        return (struct asked){true, phys_get(at, size)};
    memcpy(&v, at, 8);
    return (struct asked){true, __builtin_bswap64(v)};
}

static bool store(struct core *c, unsigned step, ea_t ea, pa_t pa,
                  unsigned size, uint64_t v)
{
    if (!misses(c, step, ea, pa, size, true))
        return false;
    v = __builtin_bswap64(v << (64 - 8 * size));
    memcpy(c->port.ram + pa, &v, size);
    return true;
}

/* The guess of the branch at pc is what was told: told, at_fetch. *e is the
 * entry that the BTAC has for its fetch. */
static inline bool guessed(struct predictor *p, ea_t group, ea_t pc,
                           uint32_t told, ea_t at_fetch, struct btac_entry **e)
{
    bool taken = !(told & GUESS_IF) || predict_taken(p, pc), own;

    if (taken != !!(told & GUESS_TAKEN))
        return false;
    *e = predict_entry(p, group);
    own = *e && (*e)->pc == pc;
    return own == !!(told & GUESS_BTAC) && (!own || (*e)->target == at_fetch);
}

/* ... and it was asked for. */
static inline void asked(struct predictor *p, uint32_t told,
                         struct btac_entry *e)
{
    if (told & GUESS_BTAC)
        e->used = ++p->stamp;
}

static bool branch(struct core *c, ea_t group, ea_t pc, uint32_t told,
                   ea_t at_fetch, ea_t target)
{
    struct predictor *p = &pipe_of(c)->predict;
    struct btac_entry *e;

    if (!guessed(p, group, pc, told, at_fetch, &e))
        return false;
    asked(p, told, e);
    predict_teach(p, group, pc, told & GUESS_IF, told & GUESS_WENT, target);
    return true;
}

static bool walks(struct core *c, unsigned step)
{
    struct memo *m = memo_of(c);
    struct predictor *p = &pipe_of(c)->predict;
    const struct memo_step *s = &m->trace->step[step];
    ea_t group = s->branch.group, target = (ea_t)s->told;
    bool conditional = s->insn->flags & INSN_COND;
    uint32_t told = (conditional ? GUESS_IF : 0) | step_guess(s);
    cycle_t base = m->base;
    struct btac_entry *e;
    bool same;

    if (!guessed(p, group, s->pc, told, (ea_t)(s->told >> 32), &e))
        return false;
    m->base = c->trace.begin + s->base;
    same = walk_same(c, s->edge);
    m->base = base;
    if (!same)
        return false;
    asked(p, told, e);
    walk_ask(c, s->edge);
    predict_teach(p, group, s->pc, conditional,
                  !conditional || target != s->pc + 4, target);
    return true;
}

static bool lines(struct core *c, pa_t pa, ea_t pc, int32_t filled,
                  uint32_t ahead)
{
    c->cpu.pc = pc;
    return on_page(c, pc) && pipe_of(c)->page_pa == (pa & ~0xFFFu) &&
           groups(c, pc, pa, c->trace.begin + (cycle_t)(int64_t)filled, ahead);
}

const struct memo_calls memo_calls = {line, load, store, branch, walks, lines};
