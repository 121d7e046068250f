/* pmu_pmcs_test.c - a monitor with 2 to 8 counters: those there are start,
 * stop, trigger, overflow and interrupt, and the others are not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pmu/pmu.h"

#define RATIO 12u
#define NEGATIVE 0x80000000u
#define DISPATCHED 0x104 /* PIFEn: selector 4 of PMC1 */

static const unsigned pmc[PMU_PMCS] = {PMU_PMC1, PMU_PMC2, PMU_PMC3, PMU_PMC4,
                                       PMU_PMC5, PMU_PMC6, PMU_PMC7, PMU_PMC8};
static const unsigned pife[PMU_PMCS] = {PMU_PIFE1, PMU_PIFE2, PMU_PIFE3,
                                        PMU_PIFE4, PMU_PIFE5, PMU_PIFE6,
                                        PMU_PIFE7, PMU_PIFE8};

/* All `count` of them count insn_dispatched from 100 on. */
static void start(struct pmu *p, unsigned count, uint32_t mmcr0)
{
    unsigned n;

    pmu_reset(p, RATIO);
    p->pmcs = count;
    pmu_pif(p, true, 10);
    pmu_write(p, PMU_MMCR0, MMCR0_DIS, 20);
    for (n = 0; n < count; n++)
        pmu_write(p, pife[n], DISPATCHED, 30);
    pmu_write(p, PMU_MMCR0, mmcr0, 100);
}

static void as_many_as_the_knob_says_are_there(void **state)
{
    struct pmu p;
    unsigned count, n;

    (void)state;
    for (count = 2; count <= PMU_PMCS; count++) {
        start(&p, count, 0);
        for (n = 1; n <= PMU_PMCS; n++) {
            assert_int_equal(pmu_there(&p, pmc[n - 1]), n <= count);
            assert_int_equal(pmu_there(&p, pife[n - 1]), n <= count);
        }
        assert_int_equal(pmu_there(&p, PMU_MMCR1), count >= 3);
        assert_true(pmu_there(&p, PMU_MMCR0));
        assert_true(pmu_there(&p, PMU_PIFF));
        assert_true(pmu_there(&p, PMU_SIA));
        assert_true(pmu_there(&p, PMU_SDA));
    }
}

static void each_counts_and_stops(void **state)
{
    struct pmu p;
    unsigned count, n;

    (void)state;
    for (count = 2; count <= PMU_PMCS; count++) {
        start(&p, count, 0);
        for (n = 1; n <= count; n++)
            pmu_write(&p, pmc[n - 1], 10 * n, 100);
        ev_add(&p.ev, EV_insn_dispatched, 3, 110);
        pmu_write(&p, PMU_MMCR0, MMCR0_DIS, 120);
        ev_add(&p.ev, EV_insn_dispatched, 3, 130);
        for (n = 1; n <= count; n++)
            assert_int_equal(pmu_read(&p, pmc[n - 1], 140), 10 * n + 3);
    }
}

/* Those without a selector in MMCR0 or MMCR1 stand still without PIFEn. */
static void the_upper_four_select_by_pife_alone(void **state)
{
    struct pmu p;
    unsigned n;
    cycle_t at = 1000;

    (void)state;
    start(&p, 8, 0);
    pmu_pif(&p, false, at);
    ev_add(&p.ev, EV_insn_dispatched, 3, at + 10);
    for (n = 5; n <= 8; n++)
        assert_int_equal(pmu_count(&p, n, at + 20), 0);
    pmu_pif(&p, true, at + 30);
    pmu_write(&p, PMU_PIFE7, 0, at + 30);
    ev_add(&p.ev, EV_insn_dispatched, 3, at + 40);
    for (n = 5; n <= 8; n++)
        assert_int_equal(pmu_count(&p, n, at + 50), n == 7 ? 0 : 3);
}

static void the_trigger_holds_all_but_the_first(void **state)
{
    struct pmu p;
    unsigned count, n;

    (void)state;
    for (count = 2; count <= PMU_PMCS; count++) {
        start(&p, count, MMCR0_PMCTRIGGER);
        pmu_write(&p, PMU_PMC1, NEGATIVE - 2, 100);
        ev_add(&p.ev, EV_insn_dispatched, 1, 110);
        ev_add(&p.ev, EV_insn_dispatched, 1, 120);
        ev_add(&p.ev, EV_insn_dispatched, 1, 130);
        for (n = 2; n <= count; n++)
            assert_int_equal(pmu_read(&p, pmc[n - 1], 140), 1);
    }
}

static void any_of_them_interrupts(void **state)
{
    struct pmu p;
    unsigned count, n;

    (void)state;
    for (count = 2; count <= PMU_PMCS; count++)
        for (n = 1; n <= count; n++) {
            start(&p, count, MMCR0_ENINT | MMCR0_PMCINTCONTROL);
            pmu_write(&p, pmc[n - 1], NEGATIVE - 2, 100);
            ev_add(&p.ev, EV_insn_dispatched, 1, 110);
            assert_int_equal(p.signal, CYCLE_NEVER);
            ev_add(&p.ev, EV_insn_dispatched, 1, 120);
            assert_int_equal(p.signal, n == 1 ? CYCLE_NEVER : 120);
            assert_int_equal(pmu_read(&p, pmc[n - 1], 130), NEGATIVE);
        }
}

static void the_clock_moves_any_of_them(void **state)
{
    struct pmu p;
    unsigned n;

    (void)state;
    start(&p, 8, MMCR0_ENINT | MMCR0_PMCINTCONTROL);
    pmu_write(&p, PMU_PIFE6, 0x101, 200); /* cycles */
    pmu_write(&p, PMU_PIFE8, 0x215, 200); /* ee_off_cycles */
    pmu_write(&p, PMU_PMC6, NEGATIVE - 500, 200);
    assert_int_equal(pmu_count(&p, 8, 300), 100);
    pmu_msr(&p, false, false, true, 300);
    assert_int_equal(pmu_count(&p, 8, 400), 100);
    pmu_tick(&p, 800);
    assert_int_equal(p.signal, 700);
    for (n = 1; n <= 5; n++)
        assert_int_equal(pmu_count(&p, n, 800), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_many_as_the_knob_says_are_there),
        cmocka_unit_test(each_counts_and_stops),
        cmocka_unit_test(the_upper_four_select_by_pife_alone),
        cmocka_unit_test(the_trigger_holds_all_but_the_first),
        cmocka_unit_test(any_of_them_interrupts),
        cmocka_unit_test(the_clock_moves_any_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
