/* exec_mem.c - integer loads and stores, reservations (PEM 4.2.3, 4.2.6).
 * One body per row of insns.def. Integer accesses may be
 * misaligned; 604e technical summary p.30 lists what may not.
 */
#include "isa/mem.h"

#define D_FORM ea_d(c, i)
#define X_FORM ea_x(c, i)
#define RS (GPR(d))

enum as { ZERO, SIGN, SWAP }; /* what becomes of the loaded bits */

static inline uint32_t convert(uint32_t v, unsigned size, enum as as)
{
    if (as == SIGN)
        return (uint32_t)(int16_t)v;
    if (as == SWAP)
        return size == 4 ? __builtin_bswap32(v)
                         : __builtin_bswap16((uint16_t)v);
    return v;
}

static inline enum exc load(struct cpu *c, const struct insn *i, ea_t ea,
                            unsigned size, enum as as)
{
    uint32_t v;
    enum exc e = mem_load(c, ea, size, &v);

    if (LIKELY(!e))
        GPR(d) = convert(v, size, as);
    return e;
}

static inline enum exc load_update(struct cpu *c, const struct insn *i, ea_t ea,
                                   unsigned size, enum as as)
{
    enum exc e = load(c, i, ea, size, as);

    if (LIKELY(!e))
        GPR(a) = ea;
    return e;
}

static inline enum exc store(struct cpu *c, const struct insn *i, ea_t ea,
                             unsigned size)
{
    return mem_store(c, ea, size, RS & mem_mask(size));
}

static inline enum exc store_update(struct cpu *c, const struct insn *i,
                                    ea_t ea, unsigned size)
{
    enum exc e = store(c, i, ea, size);

    if (LIKELY(!e))
        GPR(a) = ea;
    return e;
}

BODY(lbz)
{
    return load(c, i, D_FORM, 1, ZERO);
}

BODY(lbzu)
{
    return load_update(c, i, D_FORM, 1, ZERO);
}

BODY(lbzx)
{
    return load(c, i, X_FORM, 1, ZERO);
}

BODY(lbzux)
{
    return load_update(c, i, X_FORM, 1, ZERO);
}

BODY(lhz)
{
    return load(c, i, D_FORM, 2, ZERO);
}

BODY(lhzu)
{
    return load_update(c, i, D_FORM, 2, ZERO);
}

BODY(lhzx)
{
    return load(c, i, X_FORM, 2, ZERO);
}

BODY(lhzux)
{
    return load_update(c, i, X_FORM, 2, ZERO);
}

BODY(lha)
{
    return load(c, i, D_FORM, 2, SIGN);
}

BODY(lhau)
{
    return load_update(c, i, D_FORM, 2, SIGN);
}

BODY(lhax)
{
    return load(c, i, X_FORM, 2, SIGN);
}

BODY(lhaux)
{
    return load_update(c, i, X_FORM, 2, SIGN);
}

BODY(lwz)
{
    return load(c, i, D_FORM, 4, ZERO);
}

BODY(lwzu)
{
    return load_update(c, i, D_FORM, 4, ZERO);
}

BODY(lwzx)
{
    return load(c, i, X_FORM, 4, ZERO);
}

BODY(lwzux)
{
    return load_update(c, i, X_FORM, 4, ZERO);
}

BODY(stb)
{
    return store(c, i, D_FORM, 1);
}

BODY(stbu)
{
    return store_update(c, i, D_FORM, 1);
}

BODY(stbx)
{
    return store(c, i, X_FORM, 1);
}

BODY(stbux)
{
    return store_update(c, i, X_FORM, 1);
}

BODY(sth)
{
    return store(c, i, D_FORM, 2);
}

BODY(sthu)
{
    return store_update(c, i, D_FORM, 2);
}

BODY(sthx)
{
    return store(c, i, X_FORM, 2);
}

BODY(sthux)
{
    return store_update(c, i, X_FORM, 2);
}

BODY(stw)
{
    return store(c, i, D_FORM, 4);
}

BODY(stwu)
{
    return store_update(c, i, D_FORM, 4);
}

BODY(stwx)
{
    return store(c, i, X_FORM, 4);
}

BODY(stwux)
{
    return store_update(c, i, X_FORM, 4);
}

BODY(lhbrx)
{
    return load(c, i, X_FORM, 2, SWAP);
}

BODY(lwbrx)
{
    return load(c, i, X_FORM, 4, SWAP);
}

BODY(sthbrx)
{
    return mem_store(c, X_FORM, 2, __builtin_bswap16((uint16_t)RS));
}

BODY(stwbrx)
{
    return mem_store(c, X_FORM, 4, __builtin_bswap32(RS));
}

/* Bytes to registers from rD on, 31 followed by 0, left-justified. Nothing
 * is written before everything has been read. */
static enum exc load_bytes(struct cpu *c, unsigned d, ea_t ea, unsigned bytes)
{
    uint32_t v[32];

    for (unsigned n = 0; n < bytes; n += 4) {
        unsigned size = bytes - n < 4 ? bytes - n : 4;
        enum exc e = mem_load(c, ea + n, size, &v[n / 4]);
        if (e)
            return e;
        v[n / 4] <<= 8 * (4 - size);
    }
    for (unsigned n = 0; n < bytes; n += 4)
        c->gpr[(d + n / 4) & 31] = v[n / 4];
    return EXC_NONE;
}

/* A fault in the middle leaves what was stored before it, as PEM 4.2.3.5
 * allows: the instruction is run again from its start. */
static enum exc store_bytes(struct cpu *c, unsigned d, ea_t ea, unsigned bytes)
{
    for (unsigned n = 0; n < bytes; n += 4) {
        unsigned size = bytes - n < 4 ? bytes - n : 4;
        uint32_t v = c->gpr[(d + n / 4) & 31] >> 8 * (4 - size);
        enum exc e = mem_store(c, ea + n, size, v);
        if (e)
            return e;
    }
    return EXC_NONE;
}

/* rA among the registers loaded is an invalid form: it is loaded too. */
BODY(lmw)
{
    ea_t ea = D_FORM;

    if (ea & 3)
        return mem_misaligned(c, i, ea);
    return load_bytes(c, i->d, ea, 4 * (32u - i->d));
}

BODY(stmw)
{
    ea_t ea = D_FORM;

    if (ea & 3)
        return mem_misaligned(c, i, ea);
    return store_bytes(c, i->d, ea, 4 * (32u - i->d));
}

/* NB stands in the B field; 0 means 32. */
BODY(lswi)
{
    return load_bytes(c, i->d, i->a ? GPR(a) : 0, i->b ? i->b : 32);
}

BODY(stswi)
{
    return store_bytes(c, i->d, i->a ? GPR(a) : 0, i->b ? i->b : 32);
}

BODY(lswx)
{
    unsigned bytes = c->xer & 0x7F, regs = (bytes + 3) / 4;

    if ((i->a && ((i->a - i->d) & 31u) < regs) || ((i->b - i->d) & 31u) < regs)
        return program(c, SRR1_ILLEGAL);
    return load_bytes(c, i->d, X_FORM, bytes);
}

BODY(stswx)
{
    return store_bytes(c, i->d, X_FORM, c->xer & 0x7F);
}

BODY(lwarx)
{
    struct reservations *r = c->port->reservations;
    unsigned me = c->port->cpu;
    ea_t ea = X_FORM;
    enum exc e;

    if (ea & 3)
        return mem_misaligned(c, i, ea);
    e = mmu_reserved(c, ea, false, false);
    if (!e)
        e = load(c, i, ea, 4, ZERO);
    if (e)
        return e;
    r->line[me] =
        c->step.access[c->step.accesses - 1].pa & ~(c->port->line_bytes - 1);
    r->mask |= 1u << me;
    return EXC_NONE;
}

/* Is this processor's reservation on the granule of ea? */
static bool reserved(const struct cpu *c, ea_t ea)
{
    const struct reservations *r = c->port->reservations;
    unsigned me = c->port->cpu;
    pa_t pa = 0;

    return (r->mask >> me & 1) && mmu_peek(c, ea, TLB_STORE, &pa) &&
           r->line[me] == (pa & ~(c->port->line_bytes - 1));
}

/* Stores only under a reservation of the same granule; the architecture
 * leaves a different address open. It also leaves open whether one that is not
 * going to store faults, or marks its page (PEM 8.2, 7.5.3): here, as in QEMU,
 * it touches nothing. */
BODY(stwcx)
{
    struct reservations *r = c->port->reservations;
    unsigned me = c->port->cpu;
    ea_t ea = X_FORM;
    bool held;
    enum exc e;

    if (ea & 3)
        return mem_misaligned(c, i, ea);
    e = mmu_reserved(c, ea, true, false);
    held = !e && reserved(c, ea);
    if (held)
        e = mem_store(c, ea, 4, RS);
    if (e)
        return e;
    r->mask &= ~(1u << me);
    c->step.conditional_failed = !held;
    cr_set(c, 0, (held ? CR_EQ : 0) | c->xer >> 31);
    return EXC_NONE;
}
