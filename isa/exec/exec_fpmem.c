/* exec_fpmem.c - floating-point loads and stores (PEM 4.2.3.7-8).
 */
#include "isa/fp.h"
#include "isa/mem.h"

#define D_FORM ea_d(c, i)
#define X_FORM ea_x(c, i)

/* Floating-point words and double words: aligned to a word, or an alignment
 * exception. */
static inline enum exc fp_ready(struct cpu *c, const struct insn *i, ea_t ea)
{
    if (!(c->msr & MSR_FP)) {
        c->cause = 0;
        return EXC_FPUNAVAIL;
    }
    if (ea & 3)
        return mem_misaligned(c, i, ea);
    return EXC_NONE;
}

static enum exc load_single(struct cpu *c, const struct insn *i, ea_t ea)
{
    enum exc e = fp_ready(c, i, ea);
    uint32_t v;

    if (!e)
        e = mem_load(c, ea, 4, &v);
    if (e)
        return e;
    FPR(d) = fp_widen(v);
    if (i->flags & INSN_UPDATE)
        GPR(a) = ea;
    return EXC_NONE;
}

static enum exc load_double(struct cpu *c, const struct insn *i, ea_t ea)
{
    enum exc e = fp_ready(c, i, ea);
    uint32_t high, low;

    if (!e)
        e = mem_load_double(c, ea, &high, &low);
    if (e)
        return e;
    FPR(d) = (uint64_t)high << 32 | low;
    if (i->flags & INSN_UPDATE)
        GPR(a) = ea;
    return EXC_NONE;
}

static enum exc store_word(struct cpu *c, const struct insn *i, ea_t ea,
                           uint32_t v)
{
    enum exc e = fp_ready(c, i, ea);

    if (!e)
        e = mem_store(c, ea, 4, v);
    if (!e && (i->flags & INSN_UPDATE))
        GPR(a) = ea;
    return e;
}

static enum exc store_double(struct cpu *c, const struct insn *i, ea_t ea)
{
    uint64_t v = FPR(d);
    enum exc e = fp_ready(c, i, ea);

    if (!e)
        e = mem_store_double(c, ea, (uint32_t)(v >> 32), (uint32_t)v);
    if (!e && (i->flags & INSN_UPDATE))
        GPR(a) = ea;
    return e;
}

BODY(lfs)
{
    return load_single(c, i, D_FORM);
}

BODY(lfsu)
{
    return load_single(c, i, D_FORM);
}

BODY(lfsx)
{
    return load_single(c, i, X_FORM);
}

BODY(lfsux)
{
    return load_single(c, i, X_FORM);
}

BODY(lfd)
{
    return load_double(c, i, D_FORM);
}

BODY(lfdu)
{
    return load_double(c, i, D_FORM);
}

BODY(lfdx)
{
    return load_double(c, i, X_FORM);
}

BODY(lfdux)
{
    return load_double(c, i, X_FORM);
}

BODY(stfs)
{
    return store_word(c, i, D_FORM, fp_store_single(FPR(d)));
}

BODY(stfsu)
{
    return store_word(c, i, D_FORM, fp_store_single(FPR(d)));
}

BODY(stfsx)
{
    return store_word(c, i, X_FORM, fp_store_single(FPR(d)));
}

BODY(stfsux)
{
    return store_word(c, i, X_FORM, fp_store_single(FPR(d)));
}

BODY(stfd)
{
    return store_double(c, i, D_FORM);
}

BODY(stfdu)
{
    return store_double(c, i, D_FORM);
}

BODY(stfdx)
{
    return store_double(c, i, X_FORM);
}

BODY(stfdux)
{
    return store_double(c, i, X_FORM);
}

BODY(stfiwx)
{
    return store_word(c, i, X_FORM, (uint32_t)FPR(d));
}
