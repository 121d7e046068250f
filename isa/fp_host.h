/* fp_host.h - arithmetic of fp.h by the host's floating point, where that gives
 * the same bits: result, FPRF, FR, FI and XX. Private to isa/ and to what
 * compiles its bodies with constant records (sim/core/fast/stencils.c).
 *
 * It answers while FPSCR asks for rounding to nearest with every exception
 * disabled and NI off, and for operands and results well inside the range of
 * normal numbers; nothing but XX can then be raised. Otherwise it gives up, and
 * fp.c computes. tests/isa/fp_host_test.c holds the two together.
 *
 * The rounded result is the host's. What was rounded off follows from sums and
 * products without error: Knuth's two-sum, the remainder of a product by a
 * fused multiply-add, and for a fused one the sum of both (Boldo and Muller,
 * "Exact and approximated error of the FMA", IEEE Trans. Computers 60(2),
 * 2011). A single result is the double one rounded again, unless that lies
 * halfway.
 *
 * Compiled without contraction of expressions, for hosts with a fused
 * multiply-add, in the host's default rounding mode, in which simrun always is.
 */
#ifndef ISA_FP_HOST_H
#define ISA_FP_HOST_H

#include <string.h>

#include "isa/fp.h"
#include "isa/types.h"

/* Any of these, and it gives up. */
#define FP_HOST_NOT                                                            \
    (FPSCR_RN | FPSCR_NI | FPSCR_XE | FPSCR_ZE | FPSCR_UE | FPSCR_OE | FPSCR_VE)

#define FP_HOST_AWAY 1u /* no bit of fp_out.status */

static inline bool fp_host_away(const struct fp_out *out)
{
    return out->status & FP_HOST_AWAY;
}

static inline struct fp_out fp_host_gives_up(void)
{
    return (struct fp_out){.status = FP_HOST_AWAY};
}

static inline double fp_host_of(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, 8);
    return v;
}

static inline uint64_t fp_host_bits(double v)
{
    uint64_t bits;

    memcpy(&bits, &v, 8);
    return bits;
}

/* Biased exponent: 0 of zeros and denormals, 0x7FF of infinities and NaNs. */
static inline unsigned fp_host_exp(double v)
{
    return (unsigned)(fp_host_bits(v) >> 52) & 0x7FF;
}

/* Zero, or from 2^-(1023 - least) on below 2^(most - 1022). */
static inline bool fp_host_in(double v, unsigned least, unsigned most)
{
    return fp_host_exp(v) - least <= most - least || v == 0;
}

/* What is added to the rounded t for the exact sum of a and b. */
static inline double fp_host_sum_rest(double a, double b, double t)
{
    double back = t - a;

    return (a - (t - back)) + (b - back);
}

/* `value` came of an exact result that lies `rest` from it, away from zero or
 * not; rest may be rounded, its sign is right. */
static inline struct fp_out fp_host_out(double value, double rest, bool negate)
{
    bool minus = fp_host_bits(value) >> 63 != (uint64_t)negate;
    uint32_t sign = minus ? 0x8000u : 0x4000u; /* FPCC: less, greater */
    struct fp_out out = {.bits = fp_host_bits(value) ^ (uint64_t)negate << 63};

    if (value == 0)
        sign = minus ? 0x12000u : 0x2000u;
    out.status = sign;
    if (rest != 0) {
        out.raised = FPSCR_XX;
        out.status |= FPSCR_FI;
        if ((rest < 0) != (value < 0))
            out.status |= FPSCR_FR;
    }
    return out;
}

/* The double t, `rest` from the exact result, as what the register gets. */
static inline struct fp_out fp_host_end(double t, double rest, bool negate,
                                        bool single)
{
    float narrow;

    if (!single) {
        if (UNLIKELY(!fp_host_in(t, 64, 2000)))
            return fp_host_gives_up();
        return fp_host_out(t, rest, negate);
    }
    if (UNLIKELY(!fp_host_in(t, 903, 1143)) ||
        UNLIKELY((fp_host_bits(t) & 0x1FFFFFFF) == 0x10000000 && rest != 0))
        return fp_host_gives_up();
    narrow = (float)t;
    return fp_host_out(narrow, (t - narrow) + rest, negate);
}

static inline struct fp_out fp_host_arith(enum fp_op op, uint64_t x, uint64_t y,
                                          uint32_t fpscr, bool single)
{
    double a = fp_host_of(x), t, rest;
    double b = fp_host_of(y ^ (uint64_t)(op == FP_SUB) << 63);

    if (UNLIKELY(fpscr & FP_HOST_NOT))
        return fp_host_gives_up();
    switch (op) {
    case FP_ADD:
    case FP_SUB:
        if (UNLIKELY(!fp_host_in(a, 64, 2000) || !fp_host_in(b, 64, 2000)))
            return fp_host_gives_up();
        t = a + b;
        rest = fp_host_sum_rest(a, b, t);
        break;
    case FP_MUL:
        if (UNLIKELY(!fp_host_in(a, 550, 1500) || !fp_host_in(b, 550, 1500)))
            return fp_host_gives_up();
        t = a * b;
        rest = __builtin_fma(a, b, -t);
        break;
    default:
        if (UNLIKELY(!fp_host_in(a, 600, 1400) || !fp_host_in(b, 600, 1400) ||
                     b == 0))
            return fp_host_gives_up();
        t = a / b;
        rest = __builtin_fma(-t, b, a) / b;
        break;
    }
    return fp_host_end(t, rest, false, single);
}

static inline struct fp_out fp_host_fused(uint64_t x, uint64_t y, uint64_t z,
                                          bool subtract, bool negate,
                                          uint32_t fpscr, bool single)
{
    double a = fp_host_of(x), c = fp_host_of(y),
           b = fp_host_of(z ^ (uint64_t)subtract << 63);
    double t, high, low, sum, small, top, under;

    if (UNLIKELY(fpscr & FP_HOST_NOT) ||
        UNLIKELY(!fp_host_in(a, 600, 1400) || !fp_host_in(c, 600, 1400) ||
                 !fp_host_in(b, 200, 1800)))
        return fp_host_gives_up();
    t = __builtin_fma(a, c, b);
    high = a * c;
    low = __builtin_fma(a, c, -high);
    sum = b + low;
    small = fp_host_sum_rest(b, low, sum);
    top = high + sum;
    under = fp_host_sum_rest(high, sum, top);
    return fp_host_end(t, ((top - t) + under) + small, negate, single);
}

static inline struct fp_out fp_host_round_single(uint64_t x, uint32_t fpscr)
{
    if (UNLIKELY(fpscr & FP_HOST_NOT))
        return fp_host_gives_up();
    return fp_host_end(fp_host_of(x), 0, false, true);
}

/* Towards zero alone. */
static inline struct fp_out fp_host_to_word(uint64_t x, uint32_t fpscr,
                                            unsigned mode)
{
    double v = fp_host_of(x);
    struct fp_out out = {0};

    if (UNLIKELY(fpscr & FP_HOST_NOT) || mode != 1 ||
        UNLIKELY(!fp_host_in(v, 64, 1023 + 30)))
        return fp_host_gives_up();
    out.bits = (uint64_t)(int64_t)(int32_t)v;
    if ((int32_t)v != v) {
        out.raised = FPSCR_XX;
        out.status = FPSCR_FI;
    }
    return out;
}

#endif
