/* fp_host_test.c - where the host's floating point answers for fp.c
 * (isa/fp_host.h), it answers the same: result, exceptions and status, to the
 * last bit. Random operands of many kinds: any bits, near each other, near a
 * power of two, few significant bits, halfway between singles, cancelling.
 * fp_host_test [THOUSANDS [SEED]] of operand triples; fp_host_all.sh has more.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "isa/fp_host.h"
#include "tests/isa/machine.h"

static uint64_t seed = 1, thousands = 300;
static uint64_t answered, gave_up;

/* ---- operands ------------------------------------------------------------- */

static uint64_t number(unsigned exp, uint64_t frac)
{
    return random_bits(&seed) << 63 | (uint64_t)exp << 52 |
           (frac & 0xFFFFFFFFFFFFFull);
}

/* A fraction of few ones, of a single, or of anything, and its neighbours. */
static uint64_t fraction(void)
{
    uint64_t frac = random_bits(&seed);

    switch (random_below(&seed, 6)) {
    case 0:
        frac &= random_bits(&seed) & random_bits(&seed) & random_bits(&seed);
        break;
    case 1:
        frac &= ~0x1FFFFFFFull; /* a single */
        break;
    case 2:
        frac = (frac & ~0x1FFFFFFFull) | 0x10000000; /* halfway to the next */
        break;
    case 3:
        frac = random_below(&seed, 2) ? 0 : ~0ull;
        break;
    default:
        break;
    }
    return frac + random_below(&seed, 4) * (random_below(&seed, 3) - 1ull);
}

/* Within `spread` of the exponent `near`. */
static uint64_t operand(unsigned near, unsigned spread)
{
    unsigned kind = random_below(&seed, 40);

    if (kind == 0)
        return random_bits(&seed);
    if (kind == 1)
        return random_bits(&seed) << 63; /* a zero */
    if (kind == 2)
        return number(random_below(&seed, 2) ? 0 : 0x7FF, fraction());
    return number((near + random_below(&seed, 2 * spread + 1) - spread) & 0x7FF,
                  fraction());
}

static uint32_t fpscr_draw(void)
{
    uint32_t sticky = (uint32_t)random_bits(&seed) & 0xFFFFF800u;

    return random_below(&seed, 8) ? sticky : (uint32_t)random_bits(&seed);
}

/* ---- both ----------------------------------------------------------------- */

static void same(const char *what, struct fp_out host, struct fp_out soft,
                 uint64_t a, uint64_t b, uint64_t c, uint32_t fpscr)
{
    if (fp_host_away(&host)) {
        gave_up++;
        return;
    }
    answered++;
    if (host.bits == soft.bits && host.raised == soft.raised &&
        host.status == soft.status && host.suppressed == soft.suppressed)
        return;
    fail_msg("%s %016llx %016llx %016llx, FPSCR %08x: %016llx %08x %08x of the "
             "host, %016llx %08x %08x",
             what, (unsigned long long)a, (unsigned long long)b,
             (unsigned long long)c, fpscr, (unsigned long long)host.bits,
             host.raised, host.status, (unsigned long long)soft.bits,
             soft.raised, soft.status);
}

static void compare(uint64_t a, uint64_t b, uint64_t c, uint32_t fpscr)
{
    static const char *const name[] = {"add", "sub", "mul", "div"};

    for (unsigned single = 0; single < 2; single++) {
        for (enum fp_op op = FP_ADD; op <= FP_DIV; op++)
            same(name[op], fp_host_arith(op, a, b, fpscr, single),
                 fp_arith(op, a, b, fpscr, single), a, b, 0, fpscr);
        for (unsigned n = 0; n < 4; n++)
            same("fused", fp_host_fused(a, c, b, n & 1, n >> 1, fpscr, single),
                 fp_fused(a, c, b, n & 1, n >> 1, fpscr, single), a, b, c,
                 fpscr);
    }
    same("round", fp_host_round_single(a, fpscr), fp_round_single(a, fpscr), a,
         0, 0, fpscr);
    same("to word", fp_host_to_word(a, fpscr, 1), fp_to_word(a, fpscr, 1), a, 0,
         0, fpscr);
}

static void the_host_answers_the_same(void **state)
{
    (void)state;
#ifdef __x86_64__
    if (!__builtin_cpu_supports("fma"))
        skip();
#endif
    for (uint64_t n = 0; n < thousands * 1000; n++) {
        static const unsigned spread[] = {2, 30, 60, 120, 500};
        unsigned s = spread[random_below(&seed, 5)];
        unsigned near =
            random_below(&seed, 4) ? 1023 : random_below(&seed, 2047);
        uint64_t a = operand(near, s), c = operand(1023, s), b;

        b = operand(near, s);
        if (random_below(&seed, 4) == 0) { /* a * c, nearly, to be cancelled */
            double product = fp_host_of(a) * fp_host_of(c);

            b = fp_host_bits(product) + random_below(&seed, 5) - 2;
            b ^= random_bits(&seed) << 63;
        }
        compare(a, b, c, fpscr_draw());
    }
    print_message("%llu answers compared, %llu left to fp.c\n",
                  (unsigned long long)answered, (unsigned long long)gave_up);
    assert_true(answered > gave_up / 2);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_host_answers_the_same),
    };

    if (argc > 1)
        thousands = strtoull(argv[1], NULL, 0);
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 0);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
