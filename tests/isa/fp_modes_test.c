/* fp_modes_test.c - non-IEEE mode against IEEE mode on random operands, and
 * the two estimates over every exponent. QEMU knows no non-IEEE mode, and its
 * estimates are not the architecture's: bounds and special cases are checked
 * here on the bits.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/fp.h"
#include "isa/insn.h"
#include "tests/isa/machine.h"

#define SIGN (1ull << 63)
#define INFINITY_BITS 0x7FF0000000000000ull
#define QNAN 0x7FF8000000000000ull
#define UNTOUCHED 0x1111111111111111ull
#define DENORMAL_CLASS 0x10000u
#define MOVES (FPSCR_UX | FPSCR_XX | FPSCR_FX | FPSCR_FR | FPSCR_FI)

#define FRES 0xEC201830u
#define FRSQRTE 0xFC201834u

/* fD=1, fA=2, fB=3, fC=4: fadd, fsub, fmul, fdiv, the four fused, frsp; and
 * the same in single. */
static const uint32_t arithmetic[] = {
    0xFC22182A, 0xFC221828, 0xFC220132, 0xFC221824, 0xFC22193A, 0xFC221938,
    0xFC22193E, 0xFC22193C, 0xFC201818, 0xEC22182A, 0xEC221828, 0xEC220132,
    0xEC221824, 0xEC22193A, 0xEC221938, 0xEC22193E, 0xEC22193C};
#define ARITHMETIC (sizeof arithmetic / sizeof arithmetic[0])

static struct machine m;

struct answer {
    uint64_t bits;
    uint32_t fpscr;
};

static struct answer give(uint32_t word, const uint64_t *operand,
                          uint32_t fpscr)
{
    struct insn i;

    m.cpu.fpr[1] = UNTOUCHED;
    memcpy(&m.cpu.fpr[2], operand, 3 * sizeof *operand);
    m.cpu.fpscr = fpscr;
    isa_decode(&i, word);
    assert_int_equal(isa_exec(&m.cpu, &i), EXC_NONE);
    return (struct answer){m.cpu.fpr[1], m.cpu.fpscr};
}

static int setup(void **state)
{
    (void)state;
    machine_init(&m);
    m.cpu.msr = MSR_FP | MSR_ME;
    return 0;
}

static double value(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

/* ---- non-IEEE mode ------------------------------------------------------- */

/* Numbers whose sums, products and quotients are often denormal. */
static uint64_t draw(uint64_t *seed, bool single)
{
    static const uint16_t wide[] = {0, 0, 1, 2, 3, 512, 511, 1023, 1022, 1050};
    static const uint16_t narrow[] = {874, 880,  890,  896, 897,
                                      898, 1023, 1022, 960, 959};
    unsigned n = random_below(seed, 12);
    uint64_t exp =
        n < 10 ? single ? narrow[n] : wide[n] : random_below(seed, 2048);
    uint64_t bits = random_bits(seed) & ~INFINITY_BITS;

    if (random_below(seed, 2))
        bits &= ~0ull << random_below(seed, 52);
    bits |= exp << 52;
    return single ? fp_widen(fp_store_single(bits)) : bits;
}

static bool is_denormal(uint32_t fpscr)
{
    uint32_t fprf = fpscr & FPSCR_FPRF;

    return fprf == (DENORMAL_CLASS | 0x4000) ||
           fprf == (DENORMAL_CLASS | 0x8000);
}

static void check_flush(struct answer ieee, struct answer flushed)
{
    bool minus = ieee.bits & SIGN;

    assert_true(flushed.bits == (ieee.bits & SIGN));
    assert_int_equal(flushed.fpscr & FPSCR_FPRF, minus ? 0x12000 : 0x2000);
    assert_int_equal(flushed.fpscr & MOVES,
                     FPSCR_UX | FPSCR_XX | FPSCR_FX | FPSCR_FI);
}

static void non_ieee_mode_changes_denormal_results_alone(void **state)
{
    unsigned flushes[ARITHMETIC] = {0};
    uint64_t seed = 604;

    (void)state;
    for (unsigned n = 0; n < 400000; n++) {
        unsigned which = n % ARITHMETIC;
        bool single = which > 8;
        uint64_t operand[3] = {draw(&seed, single), draw(&seed, single),
                               draw(&seed, single)};
        uint32_t mode = random_below(&seed, 4) | random_below(&seed, 2) << 5;
        struct answer ieee = give(arithmetic[which], operand, mode);
        struct answer other = give(arithmetic[which], operand, mode | FPSCR_NI);
        assert_true(other.fpscr & FPSCR_NI);
        if (is_denormal(ieee.fpscr)) {
            check_flush(ieee, other);
            flushes[which]++;
        } else {
            assert_true(ieee.bits == other.bits);
            assert_int_equal(ieee.fpscr | FPSCR_NI, other.fpscr);
        }
    }
    for (unsigned n = 0; n < ARITHMETIC; n++)
        assert_in_range(flushes[n], 100, 400000);
}

/* Operands count as they are: 2^-1074 * 2^60 is normal. */
static void non_ieee_mode_takes_denormal_operands(void **state)
{
    uint64_t operand[3] = {1, 0, 0x43B0000000000000ull};
    struct answer a;

    (void)state;
    a = give(0xFC220132, operand, FPSCR_NI); /* fmul */
    assert_true(a.bits == 0x0090000000000000ull);
    give(0xFC021800, operand, FPSCR_NI); /* fcmpu cr0,f2,f3 */
    assert_int_equal(m.cpu.cr >> 28, 4);
}

static void non_ieee_mode_leaves_moves_and_estimates(void **state)
{
    uint64_t least[3] = {1, 0x47F0000000000000ull, 1}; /* f3 = 2^128 */
    struct answer a;

    (void)state;
    a = give(FRES, least, FPSCR_NI); /* 2^-128 is denormal in single */
    assert_true(a.bits == 0x37F0000000000000ull);
    a = give(0xFC201090, least, FPSCR_NI); /* fmr f1,f2 */
    assert_true(a.bits == 1);
}

/* ---- scaled results outside every format --------------------------------- */

/* Single arithmetic on doubles is outside the architecture; the register must
 * still be what a 604 was seen to leave: ten exponent bits, below the
 * exclusive or of the next two, and the sign intact. */
static void wild_scaled_singles_keep_sign_and_fraction(void **state)
{
    uint64_t operand[3] = {0xFE10000000000000ull, 0, 0x7E18000000000000ull};
    struct answer a;

    (void)state;
    /* -2^994 * 1.5 * 2^994, less 192: 2^1796, biased 2819 = 0xB03 */
    a = give(0xEC220132, operand, FPSCR_OE);
    assert_true(a.bits == (SIGN | 0x7038000000000000ull));
    assert_int_equal(a.fpscr & FPSCR_FPRF, 0x8000);
    operand[0] = 0x81F0000000000000ull; /* -2^-992 */
    operand[2] = 0x01F8000000000000ull;
    /* ... plus 192: 2^-1792, biased -769 = 0xCFF of twelve bits */
    a = give(0xEC220132, operand, FPSCR_UE);
    assert_true(a.bits == (SIGN | 0x0FF8000000000000ull));
    assert_int_equal(a.fpscr & FPSCR_FPRF, 0x8000);
}

/* ---- estimates ----------------------------------------------------------- */

/* Call f for every exponent and 192 fractions: the ends, and evenly spread
 * ones with random bits below. */
static void sweep(void (*f)(uint64_t bits, unsigned mode))
{
    uint64_t seed = 1;

    for (uint64_t exp = 0; exp < 0x7FF; exp++)
        for (unsigned n = 0; n < 192; n++) {
            uint64_t low = random_bits(&seed) & 0x3FFFFFFFFFFFull;
            uint64_t frac = (uint64_t)(n % 64) << 46;
            if (n < 64)
                low = 0;
            else if (n < 128)
                low = 0x3FFFFFFFFFFFull;
            if (exp || frac | low)
                f(exp << 52 | frac | low, n & 3);
        }
}

static const uint32_t no_inexact = FPSCR_XX | FPSCR_FR | FPSCR_FI;

/* PEM, fres: off by at most 1 in 256; here the quotient, rounded once. */
static void check_reciprocal(uint64_t bits, unsigned mode)
{
    uint64_t operand[3] = {0, bits, 0};
    struct answer a = give(FRES, operand, mode);
    double x = value(bits), largest = 0x1.fffffep127;
    double exact = 1 / x, got = value(a.bits), bound = fabs(exact) / 256;

    assert_int_equal(a.fpscr & no_inexact, 0);
    if (exact > largest) {
        assert_true(got == HUGE_VAL || got == largest);
        assert_true(a.fpscr & FPSCR_OX || exact < 0x1p128);
        return;
    }
    if (bound < 0x1p-149) /* the spacing of denormal singles */
        bound = 0x1p-149;
    assert_true(fabs(got - exact) <= bound);
    assert_true((double)(float)got == got);
    operand[1] |= SIGN;
    if (mode < 2)
        assert_true(give(FRES, operand, mode).bits == (a.bits | SIGN));
}

/* PEM, frsqrte: off by at most 1 in 32; here to the last place. */
static void check_root(uint64_t bits, unsigned mode)
{
    uint64_t operand[3] = {0, bits, 0};
    struct answer a = give(FRSQRTE, operand, mode);
    double got = value(a.bits), square = got * sqrt(value(bits));

    assert_int_equal(a.fpscr & (no_inexact | FPSCR_OX | FPSCR_UX), 0);
    assert_true(fabs(square - 1) <= 1.0 / 32);
    assert_true(fabs(square - 1) <= 0x1p-50);
    operand[1] |= SIGN;
    a = give(FRSQRTE, operand, mode);
    assert_true(a.bits == QNAN);
    assert_true(a.fpscr & FPSCR_VXSQRT);
}

static void fres_is_within_its_bound_everywhere(void **state)
{
    (void)state;
    sweep(check_reciprocal);
}

static void frsqrte_is_within_its_bound_everywhere(void **state)
{
    (void)state;
    sweep(check_root);
}

struct special {
    uint32_t word;
    uint64_t operand, result;
    uint32_t raised, fprf, enable; /* the last: keeps the register */
};

static void estimates_have_the_manuals_special_cases(void **state)
{
    static const uint64_t inf = INFINITY_BITS, minf = INFINITY_BITS | SIGN;
    static const uint64_t snan = 0xFFF0000000000001ull | 5ull << 29;
    const uint64_t quiet = snan | 1ull << 51;
    const struct special row[] = {
        {FRES, 0, inf, FPSCR_ZX, 0x5000, FPSCR_ZE},
        {FRES, SIGN, minf, FPSCR_ZX, 0x9000, FPSCR_ZE},
        {FRES, inf, 0, 0, 0x2000, 0},
        {FRES, minf, SIGN, 0, 0x12000, 0},
        {FRES, snan, quiet & ~0x1FFFFFFFull, FPSCR_VXSNAN, 0x11000, FPSCR_VE},
        {FRES, quiet, quiet & ~0x1FFFFFFFull, 0, 0x11000, 0},
        {FRES, 1, inf, FPSCR_OX, 0x5000, 0},
        {FRES, 1 | SIGN, minf, FPSCR_OX, 0x9000, 0},
        {FRSQRTE, 0, inf, FPSCR_ZX, 0x5000, FPSCR_ZE},
        {FRSQRTE, SIGN, minf, FPSCR_ZX, 0x9000, FPSCR_ZE},
        {FRSQRTE, inf, 0, 0, 0x2000, 0},
        {FRSQRTE, minf, QNAN, FPSCR_VXSQRT, 0x11000, FPSCR_VE},
        {FRSQRTE, 1 | SIGN, QNAN, FPSCR_VXSQRT, 0x11000, FPSCR_VE},
        {FRSQRTE, snan, quiet, FPSCR_VXSNAN, 0x11000, FPSCR_VE},
        {FRSQRTE, quiet, quiet, 0, 0x11000, 0},
    };

    (void)state;
    for (unsigned n = 0; n < sizeof row / sizeof row[0]; n++) {
        const struct special *r = &row[n];
        uint64_t operand[3] = {0, r->operand, 0};
        uint32_t vx = r->raised & FPSCR_VX_ANY ? FPSCR_VX : 0;
        uint32_t fx = r->raised ? FPSCR_FX : 0;
        struct answer a = give(r->word, operand, 0x8000);
        assert_true(a.bits == r->result);
        assert_int_equal(a.fpscr, r->raised | vx | fx | r->fprf);
        if (!r->enable)
            continue;
        a = give(r->word, operand, r->enable | 0x8000);
        assert_true(a.bits == UNTOUCHED);
        assert_int_equal(a.fpscr,
                         r->raised | vx | fx | FPSCR_FEX | 0x8000 | r->enable);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(non_ieee_mode_changes_denormal_results_alone,
                               setup),
        cmocka_unit_test_setup(non_ieee_mode_takes_denormal_operands, setup),
        cmocka_unit_test_setup(non_ieee_mode_leaves_moves_and_estimates, setup),
        cmocka_unit_test_setup(wild_scaled_singles_keep_sign_and_fraction,
                               setup),
        cmocka_unit_test_setup(fres_is_within_its_bound_everywhere, setup),
        cmocka_unit_test_setup(frsqrte_is_within_its_bound_everywhere, setup),
        cmocka_unit_test_setup(estimates_have_the_manuals_special_cases, setup),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
