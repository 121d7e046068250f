/* isa_fp_test.c - floating point where QEMU is no judge: FR and FI, classes
 * of single denormals, negation after rounding, estimates, enabled
 * exceptions, FPSCR moves. Properties over random operands, and single facts.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "isa/fp.h"
#include "isa/insn.h"
#include "tests/isa/machine.h"

#define ROUNDS 20000
#define ONE 0x3FF0000000000000ull
#define INFINITY_BITS 0x7FF0000000000000ull
#define SNAN 0x7FF0000000000001ull
#define QNAN 0x7FF8000000000000ull
#define SIGN (1ull << 63)

/* Words of fD=1, fA=2, fB=3, fC=4. */
#define FADD 0xFC22182Au
#define FADDS 0xEC22182Au
#define FSUB 0xFC221828u
#define FMUL 0xFC220132u
#define FMULS 0xEC220132u
#define FDIV 0xFC221824u
#define FDIVS 0xEC221824u
#define FMADD 0xFC22193Au
#define FMADDS 0xEC22193Au
#define FNMADD 0xFC22193Eu
#define FNMADDS 0xEC22193Eu
#define FMSUB 0xFC221938u
#define FNMSUB 0xFC22193Cu
#define FRSP 0xFC201818u
#define FCTIW 0xFC20181Cu
#define FRES 0xEC201830u
#define FRSQRTE 0xFC201834u

static struct machine m;

static int setup(void **state)
{
    (void)state;
    machine_init(&m);
    m.cpu.msr = MSR_FP | MSR_ME;
    return 0;
}

static enum exc run(uint32_t word)
{
    struct insn i;

    isa_decode(&i, word);
    return isa_exec(&m.cpu, &i);
}

static uint64_t give(uint32_t word, uint64_t a, uint64_t b, uint64_t c,
                     uint32_t fpscr)
{
    m.cpu.fpr[1] = 0x1111;
    m.cpu.fpr[2] = a;
    m.cpu.fpr[3] = b;
    m.cpu.fpr[4] = c;
    m.cpu.fpscr = fpscr;
    assert_int_equal(run(word), EXC_NONE);
    return m.cpu.fpr[1];
}

static double value(uint64_t bits)
{
    double v;

    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t draw(uint64_t *seed, bool single)
{
    uint64_t bits = random_bits(seed);
    unsigned near = random_below(seed, 3);
    uint64_t exp = single ? (near ? 1023 - 20 : 1023 - 148) : (near ? 1000 : 1);

    exp += random_below(seed, near ? 40 : single ? 270 : 2040);
    bits = (bits & ~INFINITY_BITS) | exp << 52;
    if (random_below(seed, 2))
        bits &= ~0ull << random_below(seed, 52);
    return single ? fp_widen(fp_store_single(bits)) : bits;
}

static const uint32_t doubles[] = {FADD,   FSUB,  FMUL,   FDIV, FMADD,
                                   FNMADD, FMSUB, FNMSUB, FRSP};
static const uint32_t singles[] = {FADDS, FMULS, FDIVS, FMADDS, FNMADDS};

/* FR: the magnitude went up, which is where rounding to zero differs. */
static void check_fr(uint32_t word, bool single, uint64_t *seed)
{
    uint64_t a = draw(seed, single), b = draw(seed, single),
             c = draw(seed, single);

    for (unsigned mode = 0; mode < 4; mode++) {
        uint64_t got = give(word, a, b, c, mode);
        uint32_t fpscr = m.cpu.fpscr;
        uint64_t cut = give(word, a, b, c, 1);
        assert_int_equal((fpscr & FPSCR_FR) != 0, got != cut);
        assert_int_equal(fpscr & FPSCR_FI, m.cpu.fpscr & FPSCR_FI);
        if (fpscr & FPSCR_FR)
            assert_true(fpscr & FPSCR_FI);
        assert_int_equal((fpscr & FPSCR_FI) != 0, (fpscr & FPSCR_XX) != 0);
    }
}

static void fr_says_that_the_magnitude_went_up(void **state)
{
    uint64_t seed = 1;

    (void)state;
    for (unsigned n = 0; n < ROUNDS; n++) {
        check_fr(doubles[n % 9], false, &seed);
        check_fr(singles[n % 5], true, &seed);
    }
}

static uint32_t class_of(uint64_t bits, bool single)
{
    uint64_t magnitude = bits & ~SIGN;
    uint64_t least = single ? 0x3810000000000000ull : 0x0010000000000000ull;
    uint32_t side = bits & SIGN ? 0x8000 : 0x4000;

    if (magnitude > INFINITY_BITS)
        return 0x11000;
    if (magnitude == INFINITY_BITS)
        return side | 0x1000;
    if (!magnitude)
        return bits & SIGN ? 0x12000 : 0x2000;
    return side | (magnitude < least ? 0x10000 : 0);
}

static void fprf_is_the_class_of_the_result(void **state)
{
    uint64_t seed = 2;
    unsigned denormals = 0;

    (void)state;
    for (unsigned n = 0; n < ROUNDS; n++) {
        bool single = n & 1;
        uint32_t word = single ? singles[n % 5] : doubles[n % 8];
        uint64_t got = give(word, draw(&seed, single), draw(&seed, single),
                            draw(&seed, single), n >> 1 & 3);
        uint32_t want = class_of(got, single);
        assert_int_equal(m.cpu.fpscr & FPSCR_FPRF, want);
        denormals += want == 0x14000 || want == 0x18000;
    }
    assert_true(denormals > 50);
}

static void negation_follows_rounding(void **state)
{
    uint64_t seed = 3;

    (void)state;
    for (unsigned n = 0; n < ROUNDS; n++) {
        uint64_t a = draw(&seed, false), b = draw(&seed, false),
                 c = draw(&seed, false), plain;
        plain = give(FMADD, a, b, c, n & 3);
        assert_true(give(FNMADD, a, b, c, n & 3) == (plain ^ SIGN));
        plain = give(FMSUB, a, b, c, n & 3);
        assert_true(give(FNMSUB, a, b, c, n & 3) == (plain ^ SIGN));
    }
    assert_true(give(FNMADD, SNAN, ONE, ONE, 0) == (SNAN | QNAN));
}

/* PEM: fres within 1/256, frsqrte within 1/32. */
static void estimates_are_within_their_bounds(void **state)
{
    uint64_t seed = 4;

    (void)state;
    for (unsigned n = 0; n < ROUNDS; n++) {
        uint64_t b = draw(&seed, false) & ~SIGN;
        double got, x = value(b);
        if (x > 1e-37 && x < 1e37) {
            got = value(give(FRES, 0, b, 0, n & 3));
            assert_true(fabs(got * x - 1) <= 1.0 / 256);
        }
        got = value(give(FRSQRTE, 0, b, 0, n & 3));
        assert_true(fabs(got * sqrt(x) - 1) <= 1.0 / 32);
        assert_int_equal(m.cpu.fpscr & FPSCR_XX, 0);
    }
    assert_true(give(FRSQRTE, 0, 0x4010000000000000ull, 0, 0) ==
                0x3FE0000000000000ull);
    assert_true(give(FRES, 0, SIGN, 0, 0) == (INFINITY_BITS | SIGN));
    assert_true(m.cpu.fpscr & FPSCR_ZX);
    assert_true(give(FRSQRTE, 0, ONE | SIGN, 0, 0) == QNAN);
    assert_true(m.cpu.fpscr & FPSCR_VXSQRT);
    assert_true(give(FRSQRTE, 0, INFINITY_BITS, 0, 0) == 0);
}

/* ---- enabled exceptions -------------------------------------------------- */

static void an_enabled_invalid_keeps_the_target(void **state)
{
    (void)state;
    assert_int_equal(give(FDIV, 0, 0, 0, FPSCR_VE | 0x4000), 0x1111);
    assert_int_equal(m.cpu.fpscr, FPSCR_FX | FPSCR_FEX | FPSCR_VX |
                                      FPSCR_VXZDZ | FPSCR_VE | 0x4000);
    m.cpu.msr |= MSR_FE0;
    m.cpu.fpscr = FPSCR_VE;
    assert_int_equal(run(FDIV | 1), EXC_PROGRAM);
    assert_int_equal(m.cpu.cause, SRR1_FP);
    assert_int_equal(m.cpu.cr, 0);
    assert_int_equal(give(FDIV, 0, 0, 0, 0) == QNAN, 1);
    m.cpu.fpscr = FPSCR_ZE;
    m.cpu.fpr[2] = ONE;
    assert_int_equal(run(FDIV), EXC_PROGRAM);
    assert_true(m.cpu.fpscr & FPSCR_ZX);
    m.cpu.msr = MSR_FP | MSR_FE1; /* any mode but 00 is precise */
    m.cpu.fpscr = FPSCR_ZE;
    assert_int_equal(run(FDIV), EXC_PROGRAM);
}

static void enabled_overflow_and_underflow_move_the_exponent(void **state)
{
    uint64_t huge = 0x7FE0000000000000ull, tiny = 0x0010000000000000ull;

    (void)state;
    /* 2^1023 * 2^1023 = 2^2046, less 1536: 2^510 */
    assert_true(give(FMUL, huge, 0, huge, FPSCR_OE) == 0x5FD0000000000000ull);
    assert_int_equal(m.cpu.fpscr & (FPSCR_OX | FPSCR_XX | FPSCR_FEX),
                     FPSCR_OX | FPSCR_FEX);
    /* 2^-1022 squared = 2^-2044, plus 1536: 2^-508 */
    assert_true(give(FMUL, tiny, 0, tiny, FPSCR_UE) == 0x2030000000000000ull);
    assert_int_equal(m.cpu.fpscr & (FPSCR_UX | FPSCR_XX), FPSCR_UX);
    /* 2^200 to single, less 192: 2^8; 2^-200, plus 192: 2^-8 */
    assert_true(give(FRSP, 0, 0x4C70000000000000ull, 0, FPSCR_OE) ==
                0x4070000000000000ull);
    assert_true(give(FRSP, 0, 0x3370000000000000ull, 0, FPSCR_UE) ==
                0x3F70000000000000ull);
    m.cpu.msr |= MSR_FE0 | MSR_FE1;
    m.cpu.fpr[3] = 0x4C70000000000000ull;
    m.cpu.fpscr = FPSCR_OE;
    assert_int_equal(run(FRSP), EXC_PROGRAM); /* but the target is written */
    assert_true(m.cpu.fpr[1] == 0x4070000000000000ull);
}

static void an_exact_denormal_is_tiny_but_no_underflow(void **state)
{
    (void)state;
    assert_true(give(FMUL, 0x0010000000000000ull, 0, 0x3FE0000000000000ull,
                     0) == 0x0008000000000000ull);
    assert_int_equal(m.cpu.fpscr, 0x14000);
    give(FMUL, 0x0010000000000001ull, 0, 0x3FE0000000000000ull, 0);
    assert_int_equal(m.cpu.fpscr & (FPSCR_UX | FPSCR_XX), FPSCR_UX | FPSCR_XX);
}

/* ---- FPSCR --------------------------------------------------------------- */

static void fx_rises_with_a_new_bit_only(void **state)
{
    (void)state;
    give(FDIV, ONE, 0, 0, FPSCR_ZX);
    assert_int_equal(m.cpu.fpscr & FPSCR_FX, 0);
    give(FDIV, ONE, 0, 0, 0);
    assert_true(m.cpu.fpscr & FPSCR_FX);
    m.cpu.fpscr = 0;
    assert_int_equal(run(0xFC60004C), EXC_NONE); /* mtfsb1 3: OX */
    assert_int_equal(m.cpu.fpscr, FPSCR_FX | FPSCR_OX);
    assert_int_equal(run(0xFC20004C), EXC_NONE); /* mtfsb1 1: FEX is no bit */
    assert_int_equal(m.cpu.fpscr, FPSCR_FX | FPSCR_OX);
    assert_int_equal(run(0xFFA0004C), EXC_NONE); /* mtfsb1 29: NI */
    assert_true(m.cpu.fpscr & 4);
}

static void mcrfs_clears_what_it_copied(void **state)
{
    (void)state;
    m.cpu.fpscr =
        FPSCR_FX | FPSCR_OX | FPSCR_VX | FPSCR_VXSNAN | FPSCR_FR | FPSCR_FI;
    assert_int_equal(run(0xFC800080), EXC_NONE); /* mcrfs cr1,cr0 */
    assert_int_equal(m.cpu.cr, 0x0B000000);
    assert_int_equal(m.cpu.fpscr,
                     FPSCR_VX | FPSCR_VXSNAN | FPSCR_FR | FPSCR_FI);
    assert_int_equal(run(0xFC840080), EXC_NONE); /* mcrfs cr1,cr1 */
    assert_int_equal(m.cpu.fpscr, FPSCR_FR | FPSCR_FI);
    assert_int_equal(run(0xFC8C0080), EXC_NONE); /* mcrfs cr1,cr3 */
    assert_int_equal(m.cpu.cr, 0x06000000);
    assert_int_equal(m.cpu.fpscr, FPSCR_FR | FPSCR_FI);
}

static void writing_an_enabled_exception_takes_it(void **state)
{
    (void)state;
    m.cpu.msr |= MSR_FE0;
    m.cpu.fpr[3] = FPSCR_XX | FPSCR_XE | 0x800;
    assert_int_equal(run(0xFDFE1D8E), EXC_PROGRAM); /* mtfsf 255,f3 */
    assert_int_equal(m.cpu.fpscr, FPSCR_FEX | FPSCR_XX | FPSCR_XE);
    assert_int_equal(m.cpu.cause, SRR1_FP);
}

static void fctiw_keeps_the_class_and_clips(void **state)
{
    (void)state;
    assert_int_equal((uint32_t)give(FCTIW, 0, 0x41F0000000000000ull, 0, 0x4000),
                     0x7FFFFFFF);
    assert_int_equal(m.cpu.fpscr, FPSCR_FX | FPSCR_VX | FPSCR_VXCVI | 0x4000);
    assert_int_equal((uint32_t)give(FCTIW, 0, 0xC1E0000000100000ull, 0, 0),
                     0x80000000); /* -2^31 - 1/2 to even: fits */
    assert_int_equal(m.cpu.fpscr, FPSCR_FX | FPSCR_XX | FPSCR_FI);
    assert_int_equal((uint32_t)give(FCTIW, 0, SNAN, 0, 0), 0x80000000);
    assert_true(m.cpu.fpscr & FPSCR_VXSNAN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(fr_says_that_the_magnitude_went_up, setup),
        cmocka_unit_test_setup(fprf_is_the_class_of_the_result, setup),
        cmocka_unit_test_setup(negation_follows_rounding, setup),
        cmocka_unit_test_setup(estimates_are_within_their_bounds, setup),
        cmocka_unit_test_setup(an_enabled_invalid_keeps_the_target, setup),
        cmocka_unit_test_setup(enabled_overflow_and_underflow_move_the_exponent,
                               setup),
        cmocka_unit_test_setup(an_exact_denormal_is_tiny_but_no_underflow,
                               setup),
        cmocka_unit_test_setup(fx_rises_with_a_new_bit_only, setup),
        cmocka_unit_test_setup(mcrfs_clears_what_it_copied, setup),
        cmocka_unit_test_setup(writing_an_enabled_exception_takes_it, setup),
        cmocka_unit_test_setup(fctiw_keeps_the_class_and_clips, setup),
    };

    return cmocka_run_group_tests_name("floating point", tests, NULL, NULL);
}
