/* exec_branch.c - branches, traps, sc, condition register logic (PEM 4.2.4).
 */
#include "isa/exec/body.h"

/* BO: ignore the condition, its value, ignore CTR, CTR must be zero. */
#define BO_ALWAYS 0x10u
#define BO_TRUE 0x08u
#define BO_KEEP 0x04u
#define BO_ZERO 0x02u

/* Count if BO says so; is the branch taken? */
static inline bool decide(struct cpu *c, const struct insn *i)
{
    unsigned bo = i->d;
    bool go = true;

    if (!(bo & BO_KEEP)) {
        c->ctr--;
        go = (c->ctr == 0) == ((bo & BO_ZERO) != 0);
    }
    if (!(bo & BO_ALWAYS))
        go = go && ((c->cr & CR_BIT(a)) != 0) == ((bo & BO_TRUE) != 0);
    return go;
}

static inline enum exc branch(struct cpu *c, const struct insn *i, bool go,
                              ea_t target)
{
    if (i->flags & INSN_LINK)
        c->lr = PC + 4;
    return go ? flow_to(c, i, target) : EXC_NONE;
}

static inline ea_t target(const struct cpu *c, const struct insn *i)
{
    return (i->c ? 0 : PC) + (uint32_t)IMM;
}

BODY(b)
{
    return branch(c, i, true, target(c, i));
}

BODY(bc)
{
    return branch(c, i, decide(c, i), target(c, i));
}

BODY(bclr)
{
    ea_t to = c->lr & ~3u;

    return branch(c, i, decide(c, i), to);
}

BODY(bcctr)
{
    return branch(c, i, decide(c, i), c->ctr & ~3u);
}

BODY(sc)
{
    (void)i;
    c->cause = 0;
    return EXC_SC;
}

/* TO: signed less, signed greater, equal, unsigned less, unsigned greater. */
static inline enum exc trap_if(struct cpu *c, unsigned to, uint32_t x,
                               uint32_t y)
{
    int32_t sx = (int32_t)x, sy = (int32_t)y;

    if (((to & 16) && sx < sy) || ((to & 8) && sx > sy) ||
        ((to & 4) && x == y) || ((to & 2) && x < y) || ((to & 1) && x > y))
        return program(c, SRR1_TRAP);
    return EXC_NONE;
}

BODY(twi)
{
    return trap_if(c, i->d, GPR(a), (uint32_t)IMM);
}

BODY(tw)
{
    return trap_if(c, i->d, GPR(a), GPR(b));
}

static inline enum exc cr_put(struct cpu *c, const struct insn *i, bool v)
{
    uint32_t bit = CR_BIT(d);

    c->cr = v ? c->cr | bit : c->cr & ~bit;
    return EXC_NONE;
}

#define CRA ((c->cr & CR_BIT(a)) != 0)
#define CRB ((c->cr & CR_BIT(b)) != 0)

BODY(crand)
{
    return cr_put(c, i, CRA && CRB);
}

BODY(cror)
{
    return cr_put(c, i, CRA || CRB);
}

BODY(crxor)
{
    return cr_put(c, i, CRA != CRB);
}

BODY(crnand)
{
    return cr_put(c, i, !(CRA && CRB));
}

BODY(crnor)
{
    return cr_put(c, i, !(CRA || CRB));
}

BODY(creqv)
{
    return cr_put(c, i, CRA == CRB);
}

BODY(crandc)
{
    return cr_put(c, i, CRA && !CRB);
}

BODY(crorc)
{
    return cr_put(c, i, CRA || !CRB);
}

BODY(mcrf)
{
    cr_set(c, i->d, cr_get(c, i->a));
    return EXC_NONE;
}
