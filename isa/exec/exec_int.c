/* exec_int.c - integer arithmetic, comparison, logic, rotates (PEM 4.2.1).
 * One body per row of insns.def, in its order. RA, RB, RS are the operands
 * as the row names them.
 */
#include "isa/exec/body.h"

#define RA GPR(a)
#define RB GPR(b)
#define RS GPR(d)
#define SIMM ((uint32_t)IMM)

/* Arithmetic results go to rD, logical ones to rA. */
static inline enum exc put_d(struct cpu *c, const struct insn *i, uint32_t v)
{
    GPR(d) = v;
    if (i->flags & INSN_RC)
        cr_record(c, v);
    return EXC_NONE;
}

static inline enum exc put_a(struct cpu *c, const struct insn *i, uint32_t v)
{
    GPR(a) = v;
    if (i->flags & INSN_RC)
        cr_record(c, v);
    return EXC_NONE;
}

static inline void set_overflow(struct cpu *c, const struct insn *i, bool over)
{
    if (i->flags & INSN_SETS_SO)
        c->xer = (c->xer & ~XER_OV) | (over ? XER_SO | XER_OV : 0);
}

static inline void set_carry(struct cpu *c, bool carry)
{
    c->xer = (c->xer & ~XER_CA) | (carry ? XER_CA : 0);
}

static inline uint32_t get_carry(const struct cpu *c)
{
    return c->xer >> 29 & 1;
}

/* rD = x + y + carry in. Subtraction is addition of the complement. */
static inline enum exc sum(struct cpu *c, const struct insn *i, uint32_t x,
                           uint32_t y, uint32_t carry)
{
    uint32_t v = x + y + carry;

    set_overflow(c, i, ((x ^ v) & (y ^ v)) >> 31);
    return put_d(c, i, v);
}

/* ... and XER[CA] gets the carry out. */
static inline enum exc sum_carry(struct cpu *c, const struct insn *i,
                                 uint32_t x, uint32_t y, uint32_t carry)
{
    set_carry(c, ((uint64_t)x + y + carry) >> 32);
    return sum(c, i, x, y, carry);
}

BODY(addi)
{
    GPR(d) = ea_d(c, i);
    return EXC_NONE;
}

BODY(addis)
{
    GPR(d) = (i->a ? RA : 0) + (SIMM << 16);
    return EXC_NONE;
}

BODY(addic)
{
    return sum_carry(c, i, RA, SIMM, 0);
}

BODY(addic_rc)
{
    return sum_carry(c, i, RA, SIMM, 0);
}

BODY(subfic)
{
    return sum_carry(c, i, ~RA, SIMM, 1);
}

BODY(mulli)
{
    return put_d(c, i, RA * SIMM);
}

BODY(add)
{
    return sum(c, i, RA, RB, 0);
}

BODY(subf)
{
    return sum(c, i, ~RA, RB, 1);
}

BODY(addc)
{
    return sum_carry(c, i, RA, RB, 0);
}

BODY(subfc)
{
    return sum_carry(c, i, ~RA, RB, 1);
}

BODY(adde)
{
    return sum_carry(c, i, RA, RB, get_carry(c));
}

BODY(subfe)
{
    return sum_carry(c, i, ~RA, RB, get_carry(c));
}

BODY(addme)
{
    return sum_carry(c, i, RA, 0xFFFFFFFFu, get_carry(c));
}

BODY(subfme)
{
    return sum_carry(c, i, ~RA, 0xFFFFFFFFu, get_carry(c));
}

BODY(addze)
{
    return sum_carry(c, i, RA, 0, get_carry(c));
}

BODY(subfze)
{
    return sum_carry(c, i, ~RA, 0, get_carry(c));
}

BODY(neg)
{
    return sum(c, i, ~RA, 0, 1);
}

BODY(mullw)
{
    int64_t v = (int64_t)(int32_t)RA * (int32_t)RB;

    set_overflow(c, i, v != (int32_t)v);
    return put_d(c, i, (uint32_t)v);
}

BODY(mulhw)
{
    int64_t v = (int64_t)(int32_t)RA * (int32_t)RB;

    return put_d(c, i, (uint32_t)((uint64_t)v >> 32));
}

BODY(mulhwu)
{
    return put_d(c, i, (uint32_t)((uint64_t)RA * RB >> 32));
}

/* A quotient that does not exist is undefined by the architecture. We give
 * the dividend, as QEMU does. */
BODY(divw)
{
    int32_t x = (int32_t)RA, y = (int32_t)RB;
    bool bad = y == 0 || (x == INT32_MIN && y == -1);

    set_overflow(c, i, bad);
    return put_d(c, i, (uint32_t)(bad ? x : x / y));
}

BODY(divwu)
{
    uint32_t x = RA, y = RB;

    set_overflow(c, i, y == 0);
    return put_d(c, i, y ? x / y : x);
}

BODY(cmpi)
{
    int32_t x = (int32_t)RA;

    cr_compare(c, i->d, x<IMM, x> IMM);
    return EXC_NONE;
}

BODY(cmpli)
{
    cr_compare(c, i->d, RA<SIMM, RA> SIMM);
    return EXC_NONE;
}

BODY(cmp)
{
    int32_t x = (int32_t)RA, y = (int32_t)RB;

    cr_compare(c, i->d, x<y, x> y);
    return EXC_NONE;
}

BODY(cmpl)
{
    cr_compare(c, i->d, RA<RB, RA> RB);
    return EXC_NONE;
}

BODY(ori)
{
    return put_a(c, i, RS | SIMM);
}

BODY(oris)
{
    return put_a(c, i, RS | SIMM << 16);
}

BODY(xori)
{
    return put_a(c, i, RS ^ SIMM);
}

BODY(xoris)
{
    return put_a(c, i, RS ^ SIMM << 16);
}

BODY(andi_rc)
{
    return put_a(c, i, RS & SIMM);
}

BODY(andis_rc)
{
    return put_a(c, i, RS & SIMM << 16);
}

BODY(and)
{
    return put_a(c, i, RS & RB);
}

BODY(or)
{
    return put_a(c, i, RS | RB);
}

BODY(xor)
{
    return put_a(c, i, RS ^ RB);
}

BODY(nand)
{
    return put_a(c, i, ~(RS & RB));
}

BODY(nor)
{
    return put_a(c, i, ~(RS | RB));
}

BODY(eqv)
{
    return put_a(c, i, ~(RS ^ RB));
}

BODY(andc)
{
    return put_a(c, i, RS & ~RB);
}

BODY(orc)
{
    return put_a(c, i, RS | ~RB);
}

BODY(extsb)
{
    return put_a(c, i, (uint32_t)(int8_t)RS);
}

BODY(extsh)
{
    return put_a(c, i, (uint32_t)(int16_t)RS);
}

BODY(cntlzw)
{
    return put_a(c, i, RS ? (uint32_t)__builtin_clz(RS) : 32);
}

static inline uint32_t rotate(uint32_t v, unsigned n)
{
    return v << (n & 31) | v >> (-n & 31);
}

BODY(rlwimi)
{
    uint32_t m = ROTATE_MASK;

    return put_a(c, i, (rotate(RS, SHIFT) & m) | (RA & ~m));
}

BODY(rlwinm)
{
    return put_a(c, i, rotate(RS, SHIFT) & ROTATE_MASK);
}

BODY(rlwnm)
{
    return put_a(c, i, rotate(RS, RB) & ROTATE_MASK);
}

BODY(slw)
{
    return put_a(c, i, RB & 32 ? 0 : RS << (RB & 31));
}

BODY(srw)
{
    return put_a(c, i, RB & 32 ? 0 : RS >> (RB & 31));
}

/* Arithmetic right shift by 0 to 63; CA: a negative number lost ones. */
static inline enum exc shift_right(struct cpu *c, const struct insn *i,
                                   unsigned n)
{
    uint32_t v = RS;
    uint32_t lost = n > 31 ? v : v & ((1u << n) - 1);

    set_carry(c, (v >> 31) && lost);
    return put_a(c, i, (uint32_t)((int32_t)v >> (n > 31 ? 31 : n)));
}

BODY(sraw)
{
    return shift_right(c, i, RB & 63);
}

BODY(srawi)
{
    return shift_right(c, i, SHIFT);
}
