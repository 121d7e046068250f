/* exec_fp.c - floating-point arithmetic, moves, FPSCR (PEM 4.2.2).
 * fp.c computes; here results meet registers, FPSCR and CR1. An enabled
 * exception is precise in every FE0/FE1 mode but 00; an instruction that
 * takes it leaves FPSCR (and, unless VX or ZX, its target) changed, and CR1
 * as it was; moves to FPSCR set CR1 too.
 */
#include "isa/exec/body.h"
#include "isa/fp.h"

#define A FPR(a)
#define B FPR(b)
#define C FPR(c)
#define D FPR(d)

#define SIGN_BIT (1ull << 63)

static inline bool fp_off(struct cpu *c)
{
    c->cause = 0;
    return !(c->msr & MSR_FP);
}

static void record(struct cpu *c, const struct insn *i)
{
    if (i->flags & INSN_RC)
        cr_set(c, 1, c->fpscr >> 28);
}

/* VX and FEX sum up the others. */
static void summarize(struct cpu *c)
{
    uint32_t f = c->fpscr & ~(FPSCR_VX | FPSCR_FEX);

    if (f & FPSCR_VX_ANY)
        f |= FPSCR_VX;
    /* VX OX UX ZX XX stand 22 bits above their enables. */
    if (f >> 22 & f & 0xF8)
        f |= FPSCR_FEX;
    c->fpscr = f;
}

/* Set exception bits; FX if one of them is new. */
static void raise_bits(struct cpu *c, uint32_t raised)
{
    if (raised & ~c->fpscr)
        c->fpscr |= FPSCR_FX;
    c->fpscr |= raised;
    summarize(c);
}

static enum exc enabled_exception(struct cpu *c, uint32_t raised)
{
    uint32_t sum = raised & (FPSCR_OX | FPSCR_UX | FPSCR_ZX | FPSCR_XX);

    if (raised & FPSCR_VX_ANY)
        sum |= FPSCR_VX;
    if ((sum >> 22 & c->fpscr & 0xF8) && (c->msr & (MSR_FE0 | MSR_FE1)))
        return program(c, SRR1_FP);
    return EXC_NONE;
}

/* An arithmetic instruction ends. `kept`: FPSCR result bits it leaves. */
static enum exc finish(struct cpu *c, const struct insn *i,
                       const struct fp_out *out, uint32_t kept)
{
    enum exc e;

    if (GAVE_UP(out))
        return EXC_COUNT;
    if (out->suppressed)
        kept |= FPSCR_FPRF;
    c->fpscr &= ~((FPSCR_FR | FPSCR_FI | FPSCR_FPRF) & ~kept);
    c->fpscr |= out->status & ~kept;
    raise_bits(c, out->raised);
    if (!out->suppressed)
        D = out->bits;
    e = enabled_exception(c, out->raised);
    if (!e)
        record(c, i);
    return e;
}

static enum exc arith(struct cpu *c, const struct insn *i, enum fp_op op,
                      uint64_t b, bool single)
{
    struct fp_out out;

    if (fp_off(c))
        return EXC_FPUNAVAIL;
    out = fp_arith(op, A, b, c->fpscr, single);
    return finish(c, i, &out, 0);
}

BODY(fadd)
{
    return arith(c, i, FP_ADD, B, false);
}

BODY(fsub)
{
    return arith(c, i, FP_SUB, B, false);
}

BODY(fmul)
{
    return arith(c, i, FP_MUL, C, false);
}

BODY(fdiv)
{
    return arith(c, i, FP_DIV, B, false);
}

BODY(fadds)
{
    return arith(c, i, FP_ADD, B, true);
}

BODY(fsubs)
{
    return arith(c, i, FP_SUB, B, true);
}

BODY(fmuls)
{
    return arith(c, i, FP_MUL, C, true);
}

BODY(fdivs)
{
    return arith(c, i, FP_DIV, B, true);
}

static enum exc fused(struct cpu *c, const struct insn *i, bool subtract,
                      bool negate, bool single)
{
    struct fp_out out;

    if (fp_off(c))
        return EXC_FPUNAVAIL;
    out = fp_fused(A, C, B, subtract, negate, c->fpscr, single);
    return finish(c, i, &out, 0);
}

BODY(fmadd)
{
    return fused(c, i, false, false, false);
}

BODY(fmsub)
{
    return fused(c, i, true, false, false);
}

BODY(fnmadd)
{
    return fused(c, i, false, true, false);
}

BODY(fnmsub)
{
    return fused(c, i, true, true, false);
}

BODY(fmadds)
{
    return fused(c, i, false, false, true);
}

BODY(fmsubs)
{
    return fused(c, i, true, false, true);
}

BODY(fnmadds)
{
    return fused(c, i, false, true, true);
}

BODY(fnmsubs)
{
    return fused(c, i, true, true, true);
}

BODY(fres)
{
    struct fp_out out;

    if (fp_off(c))
        return EXC_FPUNAVAIL;
    out = fp_reciprocal(B, c->fpscr);
    return finish(c, i, &out, 0);
}

BODY(frsqrte)
{
    struct fp_out out;

    if (fp_off(c))
        return EXC_FPUNAVAIL;
    out = fp_root_estimate(B, c->fpscr);
    return finish(c, i, &out, 0);
}

BODY(frsp)
{
    struct fp_out out;

    if (fp_off(c))
        return EXC_FPUNAVAIL;
    out = fp_round_single(B, c->fpscr);
    return finish(c, i, &out, 0);
}

static enum exc to_word(struct cpu *c, const struct insn *i, unsigned mode)
{
    struct fp_out out;

    if (fp_off(c))
        return EXC_FPUNAVAIL;
    out = fp_to_word(B, c->fpscr, mode);
    return finish(c, i, &out, FPSCR_FPRF);
}

BODY(fctiw)
{
    return to_word(c, i, c->fpscr & FPSCR_RN);
}

BODY(fctiwz)
{
    return to_word(c, i, 1);
}

/* Moves change no flag. */
static enum exc move(struct cpu *c, const struct insn *i, uint64_t bits)
{
    if (fp_off(c))
        return EXC_FPUNAVAIL;
    D = bits;
    record(c, i);
    return EXC_NONE;
}

BODY(fmr)
{
    return move(c, i, B);
}

BODY(fneg)
{
    return move(c, i, B ^ SIGN_BIT);
}

BODY(fabs)
{
    return move(c, i, B & ~SIGN_BIT);
}

BODY(fnabs)
{
    return move(c, i, B | SIGN_BIT);
}

/* A is at least zero (either zero) and no NaN. */
BODY(fsel)
{
    uint64_t magnitude = A & ~SIGN_BIT;
    bool nan = magnitude > 0x7FF0000000000000ull;
    bool negative = (A & SIGN_BIT) && magnitude;

    return move(c, i, nan || negative ? B : C);
}

static enum exc compare(struct cpu *c, const struct insn *i, bool ordered)
{
    uint32_t raised, field;

    if (fp_off(c))
        return EXC_FPUNAVAIL;
    field = fp_compare(A, B, ordered, c->fpscr, &raised);
    cr_set(c, i->d, field);
    c->fpscr = (c->fpscr & ~FPSCR_FPCC) | field << 12;
    raise_bits(c, raised);
    return enabled_exception(c, raised);
}

BODY(fcmpu)
{
    return compare(c, i, false);
}

BODY(fcmpo)
{
    return compare(c, i, true);
}

/* ---- FPSCR --------------------------------------------------------------- */

/* The high word is undefined; it is zero here. */
BODY(mffs)
{
    return move(c, i, c->fpscr);
}

/* Exceptions that were copied are cleared; FR FI FPRF and enables stay. */
BODY(mcrfs)
{
    unsigned shift = 28 - 4 * i->a;
    uint32_t clears = (FPSCR_FX | FPSCR_EXCEPTIONS) & ~FPSCR_VX;

    if (fp_off(c))
        return EXC_FPUNAVAIL;
    cr_set(c, i->d, c->fpscr >> shift & 15);
    c->fpscr &= ~(clears & 15u << shift);
    summarize(c);
    return EXC_NONE;
}

/* FPSCR was written: sums, CR1, and an exception if one is now enabled. */
static enum exc written(struct cpu *c, const struct insn *i)
{
    summarize(c);
    record(c, i);
    if ((c->fpscr & FPSCR_FEX) && (c->msr & (MSR_FE0 | MSR_FE1)))
        return program(c, SRR1_FP);
    return EXC_NONE;
}

static enum exc write_fields(struct cpu *c, const struct insn *i, uint32_t v,
                             uint32_t mask)
{
    if (fp_off(c))
        return EXC_FPUNAVAIL;
    c->fpscr = ((c->fpscr & ~mask) | (v & mask)) & ~FPSCR_RESERVED;
    return written(c, i);
}

BODY(mtfsfi)
{
    unsigned shift = 28 - 4 * i->d;

    return write_fields(c, i, (uint32_t)i->imm << shift, 15u << shift);
}

BODY(mtfsf)
{
    uint32_t mask = 0;

    for (unsigned n = 0; n < 8; n++)
        if (i->sh & 0x80u >> n)
            mask |= 0xF0000000u >> 4 * n;
    return write_fields(c, i, (uint32_t)B, mask);
}

BODY(mtfsb0)
{
    return write_fields(c, i, 0, 0x80000000u >> i->d);
}

/* An exception bit set this way counts as new: FX follows. */
BODY(mtfsb1)
{
    uint32_t bit = 0x80000000u >> i->d & ~FPSCR_RESERVED;

    if (fp_off(c))
        return EXC_FPUNAVAIL;
    if (bit & FPSCR_EXCEPTIONS & ~FPSCR_VX)
        raise_bits(c, bit);
    else
        c->fpscr |= bit;
    return written(c, i);
}
