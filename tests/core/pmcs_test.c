/* pmcs_test.c - the monitor's registers as a program meets them: those that
 * are not built in, or not while HID0[PIFE] is off, are illegal; the others
 * count what the program did, directly and through PMIX and PMDX.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "sim/core/core.h"
#include "tests/lib/bench_board.h"

#define RFI 0x4C000064u
#define HID0 1008
#define TAKEN 31 /* counts program exceptions */

/* Program exceptions are counted and skipped. */
static void open_board(struct bench_board *b, const struct timing *timing,
                       unsigned pmcs)
{
    static const uint32_t skip[] = {ADDI(31, 31, 1), MFSPR(30, 26),
                                    ADDI(30, 30, 4), MTSPR(26, 30), RFI};
    char knob[20];
    const char *set[] = {knob, NULL};

    snprintf(knob, sizeof knob, "pmcs=%u", pmcs);
    board_open(b, 1, timing, set);
    board_words(b, 0x700, skip, 5);
}

static void run(struct bench_board *b, const uint32_t *w, unsigned n)
{
    board_words(b, BENCH_CODE, w, n);
    core_start(&b->core[0], BENCH_CODE, 0x100000, 0);
    board_run(b);
    assert_string_equal(b->core[0].why, "returned from its entry function");
}

/* Is SPR n there, read and written, with PIFE on or off? */
static bool there(const struct timing *timing, unsigned pmcs, bool pife,
                  unsigned n)
{
    const uint32_t w[] = {
        MFSPR(3, HID0), ADDIS(4, 0, pife ? HID0_PIFE >> 16 : 0),
        ADD(3, 3, 4),   MTSPR(HID0, 3),
        ADDI(5, 0, 0),  MTSPR(n, 5),
        MFSPR(5, n),    BLR,
    };
    static struct bench_board b;
    uint32_t taken;

    open_board(&b, timing, pmcs);
    run(&b, w, sizeof w / 4);
    taken = b.core[0].cpu.gpr[TAKEN];
    board_close(&b);
    assert_true(taken == 0 || taken == 2); /* both, or neither */
    return taken == 0;
}

static void registers_are_there_as_the_knob_and_pife_say(void **state)
{
    static const unsigned pmc[] = {PMU_PMC1, PMU_PMC2, PMU_PMC3, PMU_PMC4,
                                   PMU_PMC5, PMU_PMC6, PMU_PMC7, PMU_PMC8};
    unsigned count, n;
    const struct timing *t;

    (void)state;
    for (unsigned k = 0; (t = timing_at(k)); k++)
        for (count = 2; count <= 8; count++) {
            for (n = 1; n <= 8; n++) {
                assert_int_equal(there(t, count, true, pmc[n - 1]), n <= count);
                assert_int_equal(there(t, count, false, pmc[n - 1]),
                                 n <= count && n <= 4);
                assert_int_equal(there(t, count, true, PMU_PIFE1 + n - 1),
                                 n <= count);
                assert_false(there(t, count, false, PMU_PIFE1 + n - 1));
            }
            for (n = 0; n < 2; n++)
                assert_int_equal(there(t, count, n, PMU_MMCR1), count >= 3);
        }
    assert_true(there(&timing_detailed, 2, false, PMU_MMCR0));
    assert_true(there(&timing_detailed, 4, true, PMU_PIFF));
    assert_false(there(&timing_detailed, 4, false, PMU_PIFF));
    assert_true(there(&timing_detailed, 4, true, PMU_PMDX));
    assert_false(there(&timing_detailed, 4, false, PMU_PMIX));
}

/* PIFEn of every counter: insn_completed, and stop. The mtspr that starts
 * counts, the one that stops does not: 1 + 6 instructions. */
static void all_eight_count_the_same_six_instructions(void **state)
{
    uint32_t w[64] = {MFSPR(3, HID0), ADDIS(4, 0, HID0_PIFE >> 16),
                      ADD(3, 3, 4), MTSPR(HID0, 3), ADDI(5, 0, 0x102)};
    static struct bench_board b;
    unsigned n = 5, k;

    (void)state;
    w[n++] = ADDIS(6, 0, MMCR0_DIS >> 16);
    w[n++] = MTSPR(PMU_MMCR0, 6);
    for (k = 0; k < 8; k++)
        w[n++] = MTSPR(PMU_PIFE1 + k, 5);
    w[n++] = ADDI(7, 0, 0);
    w[n++] = MTSPR(PMU_MMCR0, 7);
    for (k = 0; k < 6; k++)
        w[n++] = ADD(10, 11, 12);
    w[n++] = MTSPR(PMU_MMCR0, 6);
    w[n++] = MFSPR(16, PMU_PMC1);
    w[n++] = MFSPR(17, PMU_PMC2);
    w[n++] = MFSPR(18, PMU_PMC3);
    w[n++] = MFSPR(19, PMU_PMC4);
    for (k = 0; k < 4; k++)
        w[n++] = MFSPR(20 + k, PMU_PMC5 + k);
    /* the same through the index: PMC7 and MMCR0 */
    w[n++] = ADDI(8, 0, PMU_PMC7);
    w[n++] = MTSPR(PMU_PMIX, 8);
    w[n++] = MFSPR(24, PMU_PMDX);
    w[n++] = ADDI(8, 0, 77);
    w[n++] = MTSPR(PMU_PMDX, 8);
    w[n++] = MFSPR(25, PMU_PMC7);
    w[n++] = ADDI(8, 0, PMU_MMCR0);
    w[n++] = MTSPR(PMU_PMIX, 8);
    w[n++] = MFSPR(26, PMU_PMDX);
    /* neither one of the monitor's, nor itself */
    w[n++] = ADDI(8, 0, HID0);
    w[n++] = MTSPR(PMU_PMIX, 8);
    w[n++] = MFSPR(27, PMU_PMDX);
    w[n++] = ADDI(8, 0, PMU_PMDX);
    w[n++] = MTSPR(PMU_PMIX, 8);
    w[n++] = MTSPR(PMU_PMDX, 8);
    w[n++] = MFSPR(28, PMU_PMDX);
    w[n++] = BLR;
    open_board(&b, &timing_detailed, 8);
    run(&b, w, n);
    assert_int_equal(b.core[0].cpu.gpr[TAKEN], 0);
    for (k = 0; k < 8; k++)
        assert_int_equal(b.core[0].cpu.gpr[16 + k], 7);
    assert_int_equal(b.core[0].cpu.gpr[24], 7);
    assert_int_equal(b.core[0].cpu.gpr[25], 77);
    assert_int_equal(b.core[0].cpu.gpr[26], MMCR0_DIS);
    assert_int_equal(b.core[0].cpu.gpr[27], 0);
    assert_int_equal(b.core[0].cpu.gpr[28], 0);
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registers_are_there_as_the_knob_and_pife_say),
        cmocka_unit_test(all_eight_count_the_same_six_instructions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
