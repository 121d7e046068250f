/* fp.c - IEEE arithmetic on the bits (PEM ch. 3, IEEE 754-1985).
 * Numbers are taken apart into sign, exponent and 127 bits of fraction, so
 * that every result below is exact up to its sticky last bit; fp_round is
 * the one place where precision is lost. Knows no register.
 *
 * Non-IEEE mode (FPSCR[NI]): a result that would be denormalized is a zero of
 * its sign, operands count as they are. PEM table 2-4, bit 29, has the zero;
 * that operands stay, and the flags, are what measurements of a 604 show
 * (604 UM table 2-7 would have them zero too).
 */
#include "isa/fp.h"

__extension__ typedef unsigned __int128 wide_t;

enum kind { ZERO, FINITE, INFINITE, QUIET, SIGNALING };

/* Finite: sign, frac * 2^(exp - 126), frac from 2^126 to 2^127 - 1. */
struct num {
    enum kind kind;
    bool sign;
    int exp;
    wide_t frac;
};

#define TOP 126
#define SIGN_BIT (1ull << 63)
#define FRAC_BITS 0xFFFFFFFFFFFFFull
#define QUIET_BIT (1ull << 51)
#define INFINITY_BITS (0x7FFull << 52)
#define DEFAULT_NAN 0x7FF8000000000000ull

/* FPRF: class and FPCC (PEM table 3-8). */
#define FPRF_QNAN 0x00011000u
#define FPRF_DENORMAL 0x00010000u
#define FPRF_LESS 0x00008000u
#define FPRF_GREATER 0x00004000u
#define FPRF_ZERO 0x00002000u
#define FPRF_INFINITE 0x00001000u

static unsigned top_bit(wide_t v)
{
    uint64_t high = (uint64_t)(v >> 64);

    return high ? 127 - (unsigned)__builtin_clzll(high)
                : 63 - (unsigned)__builtin_clzll((uint64_t)v);
}

/* Shift right; ones that fall out stay visible in the last bit. */
static wide_t shift_sticky(wide_t v, unsigned n)
{
    if (n == 0)
        return v;
    if (n > 127)
        return v != 0;
    return v >> n | ((v << (128 - n)) != 0);
}

/* Bring the leading one to TOP. frac is not zero. */
static void normalize(struct num *n)
{
    unsigned top = top_bit(n->frac);

    n->exp += (int)top - TOP;
    n->frac =
        top > TOP ? shift_sticky(n->frac, top - TOP) : n->frac << (TOP - top);
}

static struct num unpack(uint64_t bits)
{
    struct num n = {.sign = bits >> 63};
    unsigned exp = bits >> 52 & 0x7FF;
    uint64_t frac = bits & FRAC_BITS;

    if (exp == 0x7FF) {
        n.kind = !frac ? INFINITE : frac & QUIET_BIT ? QUIET : SIGNALING;
    } else if (exp || frac) {
        n.kind = FINITE;
        n.exp = exp ? (int)exp - 1023 : -1022;
        n.frac = (wide_t)(frac | (exp ? 1ull << 52 : 0)) << (TOP - 52);
        normalize(&n);
    }
    return n;
}

static bool is_nan(const struct num *n)
{
    return n->kind >= QUIET;
}

/* ---- results ------------------------------------------------------------- */

static uint32_t sign_class(bool sign)
{
    return sign ? FPRF_LESS : FPRF_GREATER;
}

static struct fp_out out_zero(bool sign)
{
    return (struct fp_out){.bits = sign ? SIGN_BIT : 0,
                           .status = FPRF_ZERO | (sign ? FPRF_DENORMAL : 0)};
}

static struct fp_out out_infinity(bool sign)
{
    return (struct fp_out){.bits = INFINITY_BITS | (sign ? SIGN_BIT : 0),
                           .status = sign_class(sign) | FPRF_INFINITE};
}

/* An invalid operation, or a NaN that travels on: bits as they were. */
static struct fp_out out_nan(uint64_t bits, uint32_t raised, uint32_t fpscr,
                             bool single)
{
    bits |= QUIET_BIT;
    if (single)
        bits &= ~0x1FFFFFFFull;
    return (struct fp_out){.bits = bits,
                           .raised = raised,
                           .status = FPRF_QNAN,
                           .suppressed = raised && (fpscr & FPSCR_VE)};
}

static struct fp_out out_invalid(uint32_t raised, uint32_t fpscr, bool single)
{
    return out_nan(DEFAULT_NAN, raised, fpscr, single);
}

struct format {
    int precision, least, most, adjust; /* exponents; of enabled OX and UX */
};

static const struct format formats[2] = {{53, -1022, 1023, 1536},
                                         {24, -126, 127, 192}};

/* Does the fraction's tail, in lsb units below one, round away from zero? */
static bool rounds_up(unsigned mode, bool sign, bool odd, wide_t tail,
                      wide_t half)
{
    switch (mode) {
    case 0:
        return tail > half || (tail == half && odd);
    case 1:
        return false;
    case 2:
        return !sign && tail;
    default:
        return sign && tail;
    }
}

/* Bits of a finite number that the double format can hold. */
static uint64_t pack(const struct num *n)
{
    uint64_t sign = n->sign ? SIGN_BIT : 0;
    struct num v = *n;

    if (!v.frac)
        return sign;
    normalize(&v);
    if (v.exp < -1022)
        return sign | (uint64_t)(v.frac >> (TOP - 52 + (-1022 - v.exp)));
    return sign | (uint64_t)(v.exp + 1023) << 52 |
           ((uint64_t)(v.frac >> (TOP - 52)) & FRAC_BITS);
}

/* Of one that is normal in its format, or was scaled to be. A single result of
 * operands that are none may still be far outside: the 604 then keeps ten
 * bits of its wide exponent, below the exclusive or of the next two (measured
 * on one). */
static uint64_t pack_normal(const struct num *n)
{
    uint32_t wide = (uint32_t)(n->exp + 1023);
    uint64_t exp = (wide & 0x3FF) | ((wide >> 10 ^ wide >> 11) & 1) << 10;

    return (n->sign ? SIGN_BIT : 0) | exp << 52 |
           ((uint64_t)(n->frac >> (TOP - 52)) & FRAC_BITS);
}

/* Too large: infinity, or the largest number if the mode rounds to it. */
static struct fp_out out_overflow(bool sign, uint32_t fpscr,
                                  const struct format *f)
{
    unsigned mode = fpscr & FPSCR_RN;
    bool infinite = mode == 0 || mode == (sign ? 3 : 2);
    struct num most = {FINITE, sign, f->most,
                       (((wide_t)1 << f->precision) - 1)
                           << (TOP + 1 - f->precision)};
    struct fp_out out = out_infinity(sign);

    if (!infinite) {
        out.bits = pack(&most);
        out.status = sign_class(sign);
    }
    out.raised = FPSCR_OX | FPSCR_XX;
    out.status |= FPSCR_FI | (infinite ? FPSCR_FR : 0);
    return out;
}

/* Non-IEEE mode, in place of a denormal, exact or not. */
static struct fp_out out_flushed(bool sign)
{
    struct fp_out out = out_zero(sign);

    out.raised = FPSCR_UX | FPSCR_XX;
    out.status |= FPSCR_FI;
    return out;
}

/* Round n, exact but for its sticky bit, to what the register gets. Tininess
 * is seen before rounding (PEM 3.3.6.2.2). */
static struct fp_out fp_round(struct num n, uint32_t fpscr, bool single)
{
    const struct format *f = &formats[single];
    wide_t lsb = (wide_t)1 << (TOP + 1 - f->precision), tail;
    struct fp_out out = {0};
    bool tiny = n.exp < f->least, up;

    if (tiny && (fpscr & FPSCR_UE)) {
        out.raised = FPSCR_UX;
        n.exp += f->adjust;
    } else if (tiny) {
        n.frac = shift_sticky(n.frac, (unsigned)(f->least - n.exp));
        n.exp = f->least;
    }
    tail = n.frac & (lsb - 1);
    up = rounds_up(fpscr & FPSCR_RN, n.sign, (n.frac & lsb) != 0, tail,
                   lsb >> 1);
    n.frac = (n.frac & ~(lsb - 1)) + (up ? lsb : 0);
    if (n.frac >> (TOP + 1)) {
        n.frac >>= 1;
        n.exp++;
    }
    if (tail)
        out.raised |= FPSCR_XX | (tiny ? FPSCR_UX : 0);
    if (n.exp > f->most) {
        if (!(fpscr & FPSCR_OE))
            return out_overflow(n.sign, fpscr, f);
        out.raised |= FPSCR_OX;
        n.exp -= f->adjust;
    }
    if (!(n.frac >> TOP) && (fpscr & FPSCR_NI))
        return out_flushed(n.sign);
    out.bits = n.frac >> TOP ? pack_normal(&n) : pack(&n);
    if (!n.frac)
        out.status = out_zero(n.sign).status;
    else
        out.status = sign_class(n.sign) | (n.frac >> TOP ? 0 : FPRF_DENORMAL);
    out.status |= (tail ? FPSCR_FI : 0) | (up ? FPSCR_FR : 0);
    return out;
}

/* ---- exact operations on finite numbers ---------------------------------- */

static struct num multiply(const struct num *a, const struct num *b)
{
    struct num n = {FINITE, a->sign != b->sign, a->exp + b->exp + 22,
                    (a->frac >> (TOP - 52)) * (b->frac >> (TOP - 52))};

    normalize(&n);
    return n;
}

static struct num divide(const struct num *a, const struct num *b)
{
    wide_t x = a->frac, y = b->frac >> (TOP - 52);
    struct num n = {FINITE, a->sign != b->sign, a->exp - b->exp + 52, x / y};

    n.frac = n.frac << 1 | (x % y != 0);
    n.exp--;
    normalize(&n);
    return n;
}

/* Zero fraction: the operands cancelled. */
static struct num add(struct num a, struct num b)
{
    if (a.exp < b.exp || (a.exp == b.exp && a.frac < b.frac)) {
        struct num swap = a;
        a = b;
        b = swap;
    }
    b.frac = shift_sticky(b.frac, (unsigned)(a.exp - b.exp));
    if (a.sign == b.sign)
        a.frac += b.frac;
    else
        a.frac -= b.frac;
    if (a.frac)
        normalize(&a);
    return a;
}

/* ---- operations ---------------------------------------------------------- */

/* The first NaN of the three (c may be NULL), in the order of PEM 3.3.6.1. */
static bool propagate(const struct num *a, uint64_t abits, const struct num *b,
                      uint64_t bbits, const struct num *c, uint64_t cbits,
                      uint64_t *bits, uint32_t *raised)
{
    if (a->kind == SIGNALING || b->kind == SIGNALING ||
        (c && c->kind == SIGNALING))
        *raised |= FPSCR_VXSNAN;
    if (is_nan(a))
        *bits = abits;
    else if (is_nan(b))
        *bits = bbits;
    else if (c && is_nan(c))
        *bits = cbits;
    else
        return false;
    return true;
}

/* A sum whose operands are numbers: infinite, zero or finite. */
static struct fp_out sum(const struct num *a, const struct num *b,
                         uint32_t fpscr, bool single)
{
    bool minus = (fpscr & FPSCR_RN) == 3;
    struct num n;

    if (a->kind == INFINITE && b->kind == INFINITE && a->sign != b->sign)
        return out_invalid(FPSCR_VXISI, fpscr, single);
    if (a->kind == INFINITE || b->kind == INFINITE)
        return out_infinity(a->kind == INFINITE ? a->sign : b->sign);
    if (a->kind == ZERO && b->kind == ZERO)
        return out_zero(a->sign == b->sign ? a->sign : minus);
    if (a->kind == ZERO)
        return fp_round(*b, fpscr, single);
    if (b->kind == ZERO)
        return fp_round(*a, fpscr, single);
    n = add(*a, *b);
    return n.frac ? fp_round(n, fpscr, single) : out_zero(minus);
}

static struct fp_out product(const struct num *a, const struct num *b,
                             uint32_t fpscr, bool single)
{
    bool sign = a->sign != b->sign;

    if ((a->kind == INFINITE && b->kind == ZERO) ||
        (a->kind == ZERO && b->kind == INFINITE))
        return out_invalid(FPSCR_VXIMZ, fpscr, single);
    if (a->kind == INFINITE || b->kind == INFINITE)
        return out_infinity(sign);
    if (a->kind == ZERO || b->kind == ZERO)
        return out_zero(sign);
    return fp_round(multiply(a, b), fpscr, single);
}

static struct fp_out quotient(const struct num *a, const struct num *b,
                              uint32_t fpscr, bool single)
{
    bool sign = a->sign != b->sign;
    struct fp_out out;

    if (a->kind == INFINITE && b->kind == INFINITE)
        return out_invalid(FPSCR_VXIDI, fpscr, single);
    if (a->kind == ZERO && b->kind == ZERO)
        return out_invalid(FPSCR_VXZDZ, fpscr, single);
    if (a->kind == INFINITE)
        return out_infinity(sign);
    if (a->kind == ZERO || b->kind == INFINITE)
        return out_zero(sign);
    if (b->kind == FINITE)
        return fp_round(divide(a, b), fpscr, single);
    out = out_infinity(sign);
    out.raised = FPSCR_ZX;
    out.suppressed = fpscr & FPSCR_ZE;
    return out;
}

struct fp_out fp_arith(enum fp_op op, uint64_t a, uint64_t b, uint32_t fpscr,
                       bool single)
{
    struct num x = unpack(a), y = unpack(b);
    uint32_t raised = 0;
    uint64_t nan;

    if (propagate(&x, a, &y, b, 0, 0, &nan, &raised))
        return out_nan(nan, raised, fpscr, single);
    switch (op) {
    case FP_ADD:
        return sum(&x, &y, fpscr, single);
    case FP_SUB:
        y.sign = !y.sign;
        return sum(&x, &y, fpscr, single);
    case FP_MUL:
        return product(&x, &y, fpscr, single);
    default:
        return quotient(&x, &y, fpscr, single);
    }
}

/* An infinity times zero is invalid even when b is a NaN that is returned. */
static struct fp_out fused(uint64_t a, uint64_t c, uint64_t b, bool subtract,
                           uint32_t fpscr, bool single)
{
    struct num x = unpack(a), y = unpack(c), z = unpack(b), xy;
    bool wrong = (x.kind == INFINITE && y.kind == ZERO) ||
                 (x.kind == ZERO && y.kind == INFINITE);
    uint32_t raised = wrong ? FPSCR_VXIMZ : 0;
    uint64_t nan;

    if (propagate(&x, a, &z, b, &y, c, &nan, &raised))
        return out_nan(nan, raised, fpscr, single);
    if (wrong)
        return out_invalid(raised, fpscr, single);
    z.sign = z.sign != subtract;
    if (x.kind == FINITE && y.kind == FINITE)
        xy = multiply(&x, &y);
    else
        xy = (struct num){x.kind == INFINITE || y.kind == INFINITE ? INFINITE
                                                                   : ZERO,
                          x.sign != y.sign, 0, 0};
    return sum(&xy, &z, fpscr, single);
}

struct fp_out fp_fused(uint64_t a, uint64_t c, uint64_t b, bool subtract,
                       bool negate, uint32_t fpscr, bool single)
{
    struct fp_out out = fused(a, c, b, subtract, fpscr, single);
    uint32_t fprf = out.status & FPSCR_FPRF;

    if (!negate || fprf == FPRF_QNAN)
        return out;
    out.bits ^= SIGN_BIT;
    if (fprf & FPRF_ZERO)
        out.status ^= FPRF_DENORMAL;
    else
        out.status ^= FPRF_LESS | FPRF_GREATER;
    return out;
}

struct fp_out fp_round_single(uint64_t b, uint32_t fpscr)
{
    struct num n = unpack(b);

    switch (n.kind) {
    case ZERO:
        return out_zero(n.sign);
    case INFINITE:
        return out_infinity(n.sign);
    case FINITE:
        return fp_round(n, fpscr, true);
    default:
        return out_nan(b, n.kind == SIGNALING ? FPSCR_VXSNAN : 0, fpscr, true);
    }
}

/* ---- conversion to a word ------------------------------------------------ */

/* Not a number, or out of range: the nearest end, NaN the lowest. */
static struct fp_out out_unconvertible(const struct num *n, uint32_t fpscr)
{
    bool high = !n->sign && !is_nan(n);
    uint32_t snan = n->kind == SIGNALING ? FPSCR_VXSNAN : 0;

    return (struct fp_out){.bits = high        ? 0x7FFFFFFFull
                                   : is_nan(n) ? 0x80000000ull
                                               : 0xFFFFFFFF80000000ull,
                           .raised = FPSCR_VXCVI | snan,
                           .suppressed = fpscr & FPSCR_VE};
}

/* The high half of the register is undefined; it gets the sign. */
struct fp_out fp_to_word(uint64_t b, uint32_t fpscr, unsigned mode)
{
    struct num n = unpack(b);
    struct fp_out out = {0};
    wide_t lsb = (wide_t)1 << 64, tail, v;
    int64_t word;
    bool up;

    if (n.kind == ZERO)
        return out;
    if (n.kind != FINITE || n.exp > 31)
        return out_unconvertible(&n, fpscr);
    v = shift_sticky(n.frac, (unsigned)(62 - n.exp));
    tail = v & (lsb - 1);
    up = rounds_up(mode, n.sign, (v & lsb) != 0, tail, lsb >> 1);
    word = (int64_t)(v >> 64) + up;
    word = n.sign ? -word : word;
    if (word != (int32_t)word)
        return out_unconvertible(&n, fpscr);
    out.bits = (uint64_t)word;
    out.raised = tail ? FPSCR_XX : 0;
    out.status = (tail ? FPSCR_FI : 0) | (up ? FPSCR_FR : 0);
    return out;
}

/* ---- estimates ----------------------------------------------------------- */

#define ONE 0x3FF0000000000000ull

/* Non-IEEE mode is not for estimates (measured on a 604). */
struct fp_out fp_reciprocal(uint64_t b, uint32_t fpscr)
{
    struct fp_out out = fp_arith(FP_DIV, ONE, b, fpscr & ~FPSCR_NI, true);

    out.raised &= ~FPSCR_XX; /* PEM: fres leaves XX, FR and FI alone */
    out.status &= ~(FPSCR_FR | FPSCR_FI);
    return out;
}

/* The integer square root. */
static uint64_t root(wide_t v)
{
    uint64_t r = 0;

    for (int bit = 63; bit >= 0; bit--) {
        uint64_t next = r | 1ull << bit;
        if ((wide_t)next * next <= v)
            r = next;
    }
    return r;
}

/* 1/sqrt(m * 4^k), 1 <= m < 4, is sqrt(1/m) * 2^-k. */
static struct num reciprocal_root(const struct num *x)
{
    int odd = x->exp & 1, half = (x->exp - odd) / 2;
    wide_t m = x->frac >> (TOP - 60 - odd);    /* m * 2^60 */
    wide_t inverse = ((~(wide_t)0) / m) << 58; /* 2^186 / m */
    struct num n = {FINITE, false, TOP - 63 - half, 0};

    n.frac = (wide_t)root(inverse);
    normalize(&n);
    return n;
}

struct fp_out fp_root_estimate(uint64_t b, uint32_t fpscr)
{
    struct num n = unpack(b);
    struct fp_out out;

    if (is_nan(&n))
        return out_nan(b, n.kind == SIGNALING ? FPSCR_VXSNAN : 0, fpscr, false);
    if (n.kind == ZERO) {
        out = out_infinity(n.sign);
        out.raised = FPSCR_ZX;
        out.suppressed = fpscr & FPSCR_ZE;
        return out;
    }
    if (n.sign)
        return out_invalid(FPSCR_VXSQRT, fpscr, false);
    if (n.kind == INFINITE)
        return out_zero(false);
    out = fp_round(reciprocal_root(&n), fpscr, false);
    out.raised &= ~FPSCR_XX;
    out.status &= ~(FPSCR_FR | FPSCR_FI);
    return out;
}
