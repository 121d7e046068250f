/* miss.c - accesses of a trace's host code that miss as they did: the line is
 * asked for, and what the access is told is compared.
 */
#include "sim/core/detailed/memo/ask.h"

#include <string.h>

#include "isa/phys.h"

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

const struct memo_misses memo_misses = {load, store};
