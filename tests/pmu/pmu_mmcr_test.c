/* pmu_mmcr_test.c - each bit of MMCR0 and MMCR1 does what it says, with the
 * counters moved by hand. A counter started at cycle T and stopped at S has
 * counted what is stamped T + 1 .. S.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pmu/pmu.h"

#define RATIO 12u
#define FAR 100000u /* behind every window in which late adds may come */

#define PMC1(event) ((uint32_t)event_selector(event, 1) << 6)
#define PMC2(event) ((uint32_t)event_selector(event, 2))
#define PMC3(event) ((uint32_t)event_selector(event, 3) << 27)
#define PMC4(event) ((uint32_t)event_selector(event, 4) << 22)

static void start(struct pmu *p)
{
    pmu_reset(p, RATIO);
}

static void selects_count_in_their_counter_and_no_other(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_int_completed) | PMC2(EV_dcache_miss), 10);
    pmu_write(&p, PMU_MMCR1, PMC3(EV_sc_completed) | PMC4(EV_store_queued), 10);
    ev_add(&p.ev, EV_int_completed, 3, 20);
    ev_add(&p.ev, EV_dcache_miss, 5, 21);
    ev_add(&p.ev, EV_sc_completed, 7, 22);
    ev_add(&p.ev, EV_store_queued, 11, 23);
    ev_add(&p.ev, EV_fp_completed, 13, 24);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 30), 3);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 30), 5);
    assert_int_equal(pmu_read(&p, PMU_PMC3, 30), 7);
    assert_int_equal(pmu_read(&p, PMU_PMC4, 30), 11);
}

static void registers_read_back_as_written(void **state)
{
    static const struct {
        unsigned spr;
        uint32_t written, read;
    } regs[] = {{PMU_MMCR0, 0x7BFFBFFFu, 0x7BFFBFFFu},
                {PMU_MMCR1, 0xFFFFFFFFu, 0xFFC00000u},
                {PMU_PMC1, 0x12345678u, 0x12345678u},
                {PMU_PMC2, 0x9ABCDEF0u, 0x9ABCDEF0u},
                {PMU_PMC3, 1, 1},
                {PMU_PMC4, 0xFFFFFFFFu, 0xFFFFFFFFu},
                {PMU_SIA, 0xCAFE0000u, 0xCAFE0000u},
                {PMU_SDA, 0xBEEF0004u, 0xBEEF0004u}};
    struct pmu p;
    size_t i;

    (void)state;
    for (i = 0; i < sizeof regs / sizeof *regs; i++) {
        start(&p);
        if (regs[i].spr != PMU_MMCR0) /* nothing may move */
            pmu_write(&p, PMU_MMCR0, MMCR0_DIS, 0);
        pmu_write(&p, regs[i].spr, regs[i].written, 10);
        assert_int_equal(pmu_read(&p, regs[i].spr, 5000), regs[i].read);
    }
    assert_int_equal(pmu_read(&p, 936, 5000), 0); /* no user aliases here */
}

static void only_the_low_five_select_bits_are_decoded(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_MMCR0,
              PMC1(EV_cycles) | 0x60u << 6 | PMC2(EV_cycles) | 0x20, 100);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 150), 50);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 150), 50);
}

static void an_unused_selector_counts_nothing(void **state)
{
    struct pmu p;
    int id;

    (void)state;
    start(&p);
    assert_int_equal(event_selected(2, 25), -1);
    pmu_write(&p, PMU_MMCR0, 25, 100);
    for (id = 0; id < EV_COUNT; id++)
        ev_add(&p.ev, (enum event)id, 1, 120);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 150), 0);
}

/* Add one completion at each of the cycles 101 .. 110 with the MSR given;
 * then what PMC1 (completions) and PMC2 (cycles) have. */
static void ten_in_mode(uint32_t mmcr0, bool pr, bool pm, uint32_t expect)
{
    struct pmu p;
    cycle_t c;

    start(&p);
    pmu_msr(&p, pr, pm, false, 50);
    pmu_write(&p, PMU_MMCR0, mmcr0 | PMC1(EV_insn_completed) | PMC2(EV_cycles),
              100);
    for (c = 101; c <= 110; c++)
        ev_add(&p.ev, EV_insn_completed, 1, c);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 110), expect);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 110), expect);
}

static void dis_stops_everything(void **state)
{
    (void)state;
    ten_in_mode(0, false, false, 10);
    ten_in_mode(0, true, true, 10);
    ten_in_mode(MMCR0_DIS, false, false, 0);
    ten_in_mode(MMCR0_DIS, true, true, 0);
}

static void dp_stops_the_supervisor(void **state)
{
    (void)state;
    ten_in_mode(MMCR0_DP, false, false, 0);
    ten_in_mode(MMCR0_DP, true, false, 10);
}

static void du_stops_the_user(void **state)
{
    (void)state;
    ten_in_mode(MMCR0_DU, false, false, 10);
    ten_in_mode(MMCR0_DU, true, false, 0);
}

static void dms_stops_the_marked(void **state)
{
    (void)state;
    ten_in_mode(MMCR0_DMS, false, true, 0);
    ten_in_mode(MMCR0_DMS, false, false, 10);
}

static void dmr_stops_the_unmarked(void **state)
{
    (void)state;
    ten_in_mode(MMCR0_DMR, false, false, 0);
    ten_in_mode(MMCR0_DMR, false, true, 10);
}

static void filters_combine(void **state)
{
    (void)state;
    ten_in_mode(MMCR0_DP | MMCR0_DMR, true, true, 10);
    ten_in_mode(MMCR0_DP | MMCR0_DMR, true, false, 0);
    ten_in_mode(MMCR0_DP | MMCR0_DMR, false, true, 0);
    ten_in_mode(MMCR0_DP | MMCR0_DU, true, true, 0);
}

static void a_mode_change_stops_and_starts_to_the_cycle(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    pmu_msr(&p, true, false, true, 50);
    pmu_write(&p, PMU_MMCR0,
              MMCR0_DP | PMC1(EV_cycles) | PMC2(EV_insn_dispatched), 100);
    ev_add(&p.ev, EV_insn_dispatched, 2, 140);
    pmu_msr(&p, false, false, false, 150);     /* 50 cycles of user so far */
    ev_add(&p.ev, EV_insn_dispatched, 1, 149); /* worked out late: counts */
    ev_add(&p.ev, EV_insn_dispatched, 1, 150);
    ev_add(&p.ev, EV_insn_dispatched, 1, 151); /* the handler's: does not */
    assert_int_equal(pmu_read(&p, PMU_PMC1, 170), 50);
    pmu_msr(&p, true, false, true, 200);
    ev_add(&p.ev, EV_insn_dispatched, 1, 190); /* the handler's still */
    ev_add(&p.ev, EV_insn_dispatched, 1, 148); /* a straggler of before */
    ev_add(&p.ev, EV_insn_dispatched, 1, 201);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 230), 80);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 230), 6);
}

static void writing_a_counter_counts_on_from_there(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_cycles) | PMC2(EV_insn_completed), 100);
    ev_add(&p.ev, EV_insn_completed, 4, 120);
    pmu_write(&p, PMU_PMC1, 1000, 150);
    pmu_write(&p, PMU_PMC2, 1000, 150);
    ev_add(&p.ev, EV_insn_completed, 4, 149); /* belongs to the old value */
    ev_add(&p.ev, EV_insn_completed, 3, 151);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 160), 1010);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 160), 1003);
}

static void changing_the_event_keeps_the_value(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_insn_completed), 100);
    ev_add(&p.ev, EV_insn_completed, 4, 120);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_eieio_completed), 200);
    ev_add(&p.ev, EV_insn_completed, 4, 220);
    ev_add(&p.ev, EV_eieio_completed, 1, 221);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 300), 5);
}

static void counters_wrap_at_32_bits(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_cycles) | PMC2(EV_insn_completed), 100);
    pmu_write(&p, PMU_PMC1, 0xFFFFFFFE, 100);
    pmu_write(&p, PMU_PMC2, 0xFFFFFFFE, 100);
    ev_add(&p.ev, EV_insn_completed, 5, 101);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 105), 3);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 105), 3);
    assert_int_equal(p.signal, CYCLE_NEVER);
}

static void one_event_in_four_counters(void **state)
{
    struct pmu p;
    unsigned n;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_MMCR1, PMC3(EV_insn_completed) | PMC4(EV_insn_completed),
              10);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_insn_completed) | PMC2(EV_insn_completed),
              10);
    pmu_write(&p, PMU_PMC3, 40, 20);
    ev_add(&p.ev, EV_insn_completed, 2, 30);
    for (n = 1; n <= PMU_SELECTS; n++)
        assert_int_equal(pmu_count(&p, n, 40), n == 3 ? 42 : 2);
}

/* A unit that worked in the cycles 111..120 was idle in the rest. */
static void idle_rows_are_elapsed_less_busy(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    ev_add(&p.ev, EV_lsu_busy, 30, 90);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_lsu_idle), 100);
    ev_add(&p.ev, EV_lsu_busy, 10, 120);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 115), 10);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 130), 20);
    ev_add(&p.ev, EV_lsu_busy, 5, 102); /* late, and half of it too early */
    assert_int_equal(pmu_read(&p, PMU_PMC1, 130), 18);
    pmu_write(&p, PMU_MMCR0, MMCR0_DIS | PMC1(EV_lsu_idle), 140);
    assert_int_equal(pmu_read(&p, PMU_PMC1, FAR), 28);
}

static void ee_off_cycles_follow_the_msr(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_MMCR0, PMC2(EV_ee_off_cycles), 100);
    pmu_msr(&p, false, false, true, 130);
    pmu_msr(&p, false, false, false, 200);
    pmu_msr(&p, false, false, true, 207);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 1000), 37);
}

static void nap_counts_cycles_time_base_and_snoops_only(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_sciu0_idle) | PMC2(EV_ee_off_cycles), 100);
    pmu_write(&p, PMU_MMCR1, PMC3(EV_cycles) | PMC4(EV_tb_transition), 100);
    pmu_nap(&p, true, 150);
    pmu_nap(&p, false, 1150);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 1160), 60);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 1160), 60);
    assert_int_equal(pmu_read(&p, PMU_PMC3, 1160), 1060);
    /* ticks 9 .. 96 passed, 44 of them odd: 9 .. 95 */
    assert_int_equal(pmu_read(&p, PMU_PMC4, 1160), 44);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_snoop_received), 1200);
    pmu_nap(&p, true, 1210);
    ev_add(&p.ev, EV_snoop_received, 3, 1300);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 1400), 60 + 40 + 3);
}

/* RTCSELECT picks the time-base bit: rises of bit s lie at odd multiples of
 * 2^s ticks. */
static void rises_in(bool order_604, unsigned select, unsigned shift)
{
    struct pmu p;
    uint64_t period = (uint64_t)RATIO << shift; /* rise to fall */

    start(&p);
    p.rtcselect_604 = order_604;
    pmu_write(&p, PMU_MMCR0,
              select << MMCR0_RTCSELECT_SHIFT | PMC1(EV_tb_transition), 1);
    assert_int_equal(pmu_read(&p, PMU_PMC1, period - 1), 0);
    assert_int_equal(pmu_read(&p, PMU_PMC1, period), 1);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 3 * period - 1), 1);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 3 * period), 2);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 2001 * period), 1001);
}

static void rtcselect_picks_the_bit_in_either_order(void **state)
{
    static const unsigned shift[4] = {0, 8, 12, 16};
    unsigned i;

    (void)state;
    for (i = 0; i < 4; i++) {
        rises_in(false, i, shift[i]);
        rises_in(true, 3 - i, shift[i]);
    }
}

static void writing_the_time_base_keeps_what_was_counted(void **state)
{
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_tb_transition), 1);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 10 * RATIO), 5);
    pmu_timebase(&p, 1000, 10 * RATIO); /* 1010: the bit stays 0 */
    assert_int_equal(pmu_read(&p, PMU_PMC1, 10 * RATIO), 5);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 11 * RATIO), 6);
    pmu_timebase(&p, 2000, 12 * RATIO); /* 2012: 0 still */
    pmu_timebase(&p, 2001, 12 * RATIO); /* 2013: written 0 -> 1 */
    assert_int_equal(pmu_read(&p, PMU_PMC1, 12 * RATIO), 7);
    pmu_timebase(&p, UINT64_MAX - 12, 12 * RATIO); /* all ones: stays 1 */
    assert_int_equal(pmu_read(&p, PMU_PMC1, 12 * RATIO), 7);
    /* wraps to 0, then 1 */
    assert_int_equal(pmu_read(&p, PMU_PMC1, 14 * RATIO), 8);
}

static void rows_name_a_selector_once_per_counter(void **state)
{
    unsigned pmc;
    int select, id;

    (void)state;
    for (pmc = 1; pmc <= PMU_SELECTS; pmc++)
        for (select = 0; select < 32; select++) {
            int seen = 0;
            for (id = 0; id < EV_COUNT; id++)
                seen += event_selector((enum event)id, pmc) == select;
            assert_true(seen <= 1);
            if (seen)
                assert_int_equal(
                    event_selector(
                        (enum event)event_selected(pmc, (unsigned)select), pmc),
                    select);
        }
    for (id = 0; id < EV_COUNT; id++) {
        assert_int_equal(event_by_name(event_name((enum event)id)), id);
        if (event_kind((enum event)id) == KIND_IDLE)
            assert_int_equal(event_kind((enum event)event_row((enum event)id)),
                             KIND_BUSY);
    }
    assert_int_equal(event_by_name("no_such_event"), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selects_count_in_their_counter_and_no_other),
        cmocka_unit_test(registers_read_back_as_written),
        cmocka_unit_test(only_the_low_five_select_bits_are_decoded),
        cmocka_unit_test(an_unused_selector_counts_nothing),
        cmocka_unit_test(dis_stops_everything),
        cmocka_unit_test(dp_stops_the_supervisor),
        cmocka_unit_test(du_stops_the_user),
        cmocka_unit_test(dms_stops_the_marked),
        cmocka_unit_test(dmr_stops_the_unmarked),
        cmocka_unit_test(filters_combine),
        cmocka_unit_test(a_mode_change_stops_and_starts_to_the_cycle),
        cmocka_unit_test(writing_a_counter_counts_on_from_there),
        cmocka_unit_test(changing_the_event_keeps_the_value),
        cmocka_unit_test(counters_wrap_at_32_bits),
        cmocka_unit_test(one_event_in_four_counters),
        cmocka_unit_test(idle_rows_are_elapsed_less_busy),
        cmocka_unit_test(ee_off_cycles_follow_the_msr),
        cmocka_unit_test(nap_counts_cycles_time_base_and_snoops_only),
        cmocka_unit_test(rtcselect_picks_the_bit_in_either_order),
        cmocka_unit_test(writing_the_time_base_keeps_what_was_counted),
        cmocka_unit_test(rows_name_a_selector_once_per_counter),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
