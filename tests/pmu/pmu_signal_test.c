/* pmu_signal_test.c - what raises the performance monitor interrupt, at which
 * cycle, and what the signal does to MMCR0, the counters, SIA and SDA.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pmu/pmu.h"

#define RATIO 12u
#define NEGATIVE 0x80000000u
#define FAR 100000u

#define PMC1(event) ((uint32_t)event_selector(event, 1) << 6)
#define PMC2(event) ((uint32_t)event_selector(event, 2))
#define PMC3(event) ((uint32_t)event_selector(event, 3) << 27)
#define PMC4(event) ((uint32_t)event_selector(event, 4) << 22)
#define INT1 (MMCR0_ENINT | MMCR0_PMC1INTCONTROL)
#define INTN (MMCR0_ENINT | MMCR0_PMCINTCONTROL)

/* Power-on, PMCn preloaded to go negative after `left` counts, MMCR0 written
 * at cycle 100. */
static void start(struct pmu *p, uint32_t mmcr0, unsigned spr, uint32_t left)
{
    pmu_reset(p, RATIO);
    pmu_write(p, spr, NEGATIVE - left, 50);
    pmu_write(p, PMU_MMCR0, mmcr0, 100);
}

static void a_point_signals_at_its_stamp(void **state)
{
    struct pmu p;
    unsigned i;

    (void)state;
    start(&p, INT1 | PMC1(EV_insn_completed), PMU_PMC1, 1000);
    for (i = 1; i < 1000; i++) {
        ev_add(&p.ev, EV_insn_completed, 1, 5000 + i);
        assert_int_equal(p.signal, CYCLE_NEVER);
    }
    ev_add(&p.ev, EV_insn_completed, 1, 7777);
    assert_int_equal(p.signal, 7777);
    assert_int_equal(p.signal_event, EV_insn_completed);
    assert_int_equal(pmu_count(&p, 1, 7777), NEGATIVE);
}

/* A selector that names no event has no total to ask: what stands before the
 * first one has no say. */
static void what_selects_no_event_reads_no_total(void **state)
{
    struct {
        uint64_t before;
        struct pmu p;
    } in[2] = {{.before = 0}, {.before = INT64_MAX}};
    unsigned i, k;

    (void)state;
    for (i = 0; i < 2; i++) {
        start(&in[i].p, INT1 | INTN | 28u << 6 | 25u, PMU_PMC1, 1);
        pmu_write(&in[i].p, PMU_MMCR1, 22u << 27 | 30u << 22, 110);
        pmu_msr(&in[i].p, true, false, true, 120);
    }
    assert_int_equal(in[0].p.pmc[0].event, -1);
    for (k = 0; k < PMU_SELECTS; k++)
        assert_int_equal(in[0].p.pmc[k].watch, in[1].p.pmc[k].watch);
    assert_int_equal(in[0].p.deadline, in[1].p.deadline);
}

static void four_in_a_cycle_may_overshoot(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | PMC1(EV_insn_completed), PMU_PMC1, 6);
    ev_add(&p.ev, EV_insn_completed, 4, 200);
    ev_add(&p.ev, EV_insn_completed, 4, 201);
    assert_int_equal(p.signal, 201);
    assert_int_equal(pmu_count(&p, 1, 201), NEGATIVE + 2);
}

static void an_interval_signals_inside(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INTN | PMC2(EV_load_miss_cycles), PMU_PMC2, 300);
    ev_add(&p.ev, EV_load_miss_cycles, 250, 1250);
    assert_int_equal(p.signal, CYCLE_NEVER);
    ev_add(&p.ev, EV_load_miss_cycles, 100, 2100); /* 2001 .. 2100 */
    assert_int_equal(p.signal, 2050);
    assert_int_equal(pmu_count(&p, 2, 2100), NEGATIVE + 50);
}

static void an_interval_stops_where_it_signals(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | MMCR0_DISCOUNT | PMC1(EV_load_queue_level), PMU_PMC1, 300);
    ev_add(&p.ev, EV_load_queue_level, 250, 1250);
    ev_add(&p.ev, EV_load_queue_level, 100, 2100);
    assert_int_equal(p.signal, 2050);
    assert_int_equal(pmu_count(&p, 1, 2100), NEGATIVE);
}

static void cycles_signal_at_their_deadline(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | PMC1(EV_cycles), PMU_PMC1, 1000);
    assert_int_equal(p.deadline, 1100);
    pmu_tick(&p, 1099);
    assert_int_equal(p.signal, CYCLE_NEVER);
    pmu_tick(&p, 1234); /* late */
    assert_int_equal(p.signal, 1100);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 1300), NEGATIVE + 200);
}

static void the_deadline_waits_while_the_filter_holds(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | MMCR0_DP | PMC1(EV_cycles), PMU_PMC1, 1000);
    assert_int_equal(p.deadline, CYCLE_NEVER);
    pmu_msr(&p, true, false, true, 500);
    assert_int_equal(p.deadline, 1500);
    pmu_msr(&p, false, false, false, 700);
    assert_int_equal(p.deadline, CYCLE_NEVER);
    pmu_msr(&p, true, false, true, 5000);
    assert_int_equal(p.deadline, 5800);
    pmu_tick(&p, 5800);
    assert_int_equal(p.signal, 5800);
}

static void ee_off_signals_at_its_deadline(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INTN | PMC2(EV_ee_off_cycles), PMU_PMC2, 100);
    pmu_msr(&p, false, false, true, 130);
    assert_int_equal(p.deadline, CYCLE_NEVER);
    pmu_msr(&p, false, false, false, 1000);
    assert_int_equal(p.deadline, 1070);
    pmu_tick(&p, 1070);
    assert_int_equal(p.signal, 1070);
}

static void tb_count_signals_at_its_deadline(void **state)
{
    struct pmu p;

    (void)state;
    /* Bit 55: rises at ticks 256, 768, 1280. */
    start(&p, INTN | 1u << MMCR0_RTCSELECT_SHIFT | PMC2(EV_tb_transition),
          PMU_PMC2, 3);
    pmu_tick(&p, FAR);
    assert_int_equal(p.signal, 1280 * RATIO);
}

static void idle_signals_after_its_last_idle_cycle(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | PMC1(EV_sciu0_idle), PMU_PMC1, 100);
    assert_int_equal(p.deadline, 200);
    ev_add(&p.ev, EV_sciu0_busy, 40, 180); /* 141 .. 180 */
    ev_add(&p.ev, EV_sciu0_busy, 10, 235); /* 226 .. 235 */
    ev_add(&p.ev, EV_sciu0_busy, 3, 600);
    /* idle: 101..140 is 40, 181..225 is 45, 236..250 is 15 */
    pmu_tick(&p, 249);
    assert_int_equal(p.signal, CYCLE_NEVER);
    pmu_tick(&p, 700);
    assert_int_equal(p.signal, 250);
}

/* The bit rises at an odd multiple of its value, for each RTCSELECT. */
static void int_on_bit_transition_signals_at_the_rise(void **state)
{
    static const unsigned shift[4] = {0, 8, 12, 16};
    struct pmu p;
    unsigned i;

    (void)state;
    for (i = 0; i < 4; i++) {
        cycle_t rise = (cycle_t)RATIO << shift[i];
        cycle_t from = 21 * rise; /* an odd multiple: the bit rises */
        start(&p, i << MMCR0_RTCSELECT_SHIFT | MMCR0_INTONBITTRANS, PMU_PMC1,
              1);
        assert_int_equal(p.deadline, CYCLE_NEVER);
        pmu_write(&p, PMU_MMCR0, i << MMCR0_RTCSELECT_SHIFT | MMCR0_ENINT,
                  from + 1);
        assert_int_equal(p.deadline, CYCLE_NEVER);
        pmu_write(&p, PMU_MMCR0,
                  i << MMCR0_RTCSELECT_SHIFT | MMCR0_ENINT |
                      MMCR0_INTONBITTRANS,
                  from + 1);
        assert_int_equal(p.deadline, 23 * rise);
        pmu_tick(&p, 23 * rise - 1);
        assert_int_equal(p.signal, CYCLE_NEVER);
        pmu_tick(&p, 23 * rise);
        assert_int_equal(p.signal, 23 * rise);
        assert_int_equal(p.signal_event, EV_tb_transition);
    }
}

static void a_written_time_base_can_signal(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, MMCR0_ENINT | MMCR0_INTONBITTRANS | 3u << MMCR0_RTCSELECT_SHIFT,
          PMU_PMC1, 1);
    assert_int_equal(p.deadline, (cycle_t)RATIO << 16);
    pmu_timebase(&p, 0xFFF0, 240); /* 0xFFF0 + 20: past the rise, by writing */
    assert_int_equal(p.signal, 240);
    start(&p, MMCR0_ENINT | MMCR0_INTONBITTRANS | 3u << MMCR0_RTCSELECT_SHIFT,
          PMU_PMC1, 1);
    pmu_timebase(&p, 0xFFF0 - 20, 240); /* 16 ticks short of it */
    assert_int_equal(p.signal, CYCLE_NEVER);
    assert_int_equal(p.deadline, 36 * RATIO);
}

static void enint_masks_and_falls_with_the_signal(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, MMCR0_PMC1INTCONTROL | PMC1(EV_cycles), PMU_PMC1, 10);
    pmu_tick(&p, 1000);
    assert_int_equal(p.signal, CYCLE_NEVER);
    /* The condition is a level: it signals when ENINT comes. */
    pmu_write(&p, PMU_MMCR0, INT1 | PMC1(EV_cycles), 2000);
    assert_int_equal(p.signal, 2000);
    assert_int_equal(pmu_read(&p, PMU_MMCR0, 2000),
                     MMCR0_PMC1INTCONTROL | PMC1(EV_cycles));
}

static void intcontrol_chooses_who_interrupts(void **state)
{
    static const uint32_t control[3] = {0, MMCR0_PMC1INTCONTROL,
                                        MMCR0_PMCINTCONTROL};
    static const unsigned spr[4] = {PMU_PMC1, PMU_PMC2, PMU_PMC3, PMU_PMC4};
    unsigned i, n;

    (void)state;
    for (i = 0; i < 3; i++)
        for (n = 0; n < 4; n++) {
            bool expect = i && (i == 1) == (n == 0);
            struct pmu p;
            start(&p,
                  MMCR0_ENINT | control[i] | PMC1(EV_insn_completed) |
                      PMC2(EV_insn_completed),
                  spr[n], 1);
            pmu_write(&p, PMU_MMCR1,
                      PMC3(EV_insn_completed) | PMC4(EV_insn_completed), 100);
            ev_add(&p.ev, EV_insn_completed, 1, 200);
            assert_int_equal(p.signal, expect ? 200 : CYCLE_NEVER);
        }
}

static void a_written_negative_counter_signals_at_once(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INTN | MMCR0_DIS, PMU_PMC1, 1);
    pmu_write(&p, PMU_PMC4, NEGATIVE, 300);
    assert_int_equal(p.signal, 300);
}

static void without_discount_counting_goes_on(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | PMC1(EV_cycles) | PMC2(EV_insn_completed), PMU_PMC1, 100);
    pmu_tick(&p, 200);
    ev_add(&p.ev, EV_insn_completed, 1, 250);
    assert_int_equal(p.signal, 200);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 300), NEGATIVE + 100);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 300), 1);
}

static void discount_stops_at_the_signal_cycle(void **state)
{
    struct pmu p;

    (void)state;
    start(&p,
          INT1 | MMCR0_DISCOUNT | PMC1(EV_insn_completed) |
              PMC2(EV_insn_dispatched),
          PMU_PMC1, 10);
    pmu_write(&p, PMU_MMCR1, PMC3(EV_cycles) | PMC4(EV_tb_transition), 100);
    ev_add(&p.ev, EV_insn_dispatched, 4, 195);
    ev_add(&p.ev, EV_insn_dispatched, 4, 203); /* known before the signal */
    ev_add(&p.ev, EV_insn_completed, 10, 200);
    assert_int_equal(p.signal, 200);
    ev_add(&p.ev, EV_insn_dispatched, 2, 199); /* known after it */
    ev_add(&p.ev, EV_insn_dispatched, 2, 201);
    ev_add(&p.ev, EV_insn_completed, 3, 201);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 300), NEGATIVE);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 300), 6);
    assert_int_equal(pmu_read(&p, PMU_PMC3, 300), 100);
    assert_int_equal(pmu_read(&p, PMU_PMC4, 300), 4); /* ticks 9 11 13 15 */
}

static void discount_ends_when_enint_is_set_again(void **state)
{
    uint32_t mmcr0 = INT1 | MMCR0_DISCOUNT | PMC1(EV_cycles);
    struct pmu p;

    (void)state;
    start(&p, mmcr0, PMU_PMC1, 100);
    pmu_tick(&p, 200);
    pmu_taken(&p);
    /* The handler puts the counter back: nothing moves yet. */
    pmu_write(&p, PMU_PMC1, NEGATIVE - 50, 300);
    pmu_write(&p, PMU_MMCR0, mmcr0 & ~MMCR0_ENINT, 310);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 400), NEGATIVE - 50);
    pmu_write(&p, PMU_MMCR0, mmcr0, 500);
    pmu_tick(&p, FAR);
    assert_int_equal(p.signal, 550);
}

static void discount_without_enint_does_nothing(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, MMCR0_PMC1INTCONTROL | MMCR0_DISCOUNT | PMC1(EV_cycles), PMU_PMC1,
          100);
    pmu_tick(&p, 200);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 300), NEGATIVE + 100);
}

static void pmcintcontrol_overrides_discount_for_the_others(void **state)
{
    struct pmu p;

    (void)state;
    start(&p,
          INT1 | MMCR0_PMCINTCONTROL | MMCR0_DISCOUNT | PMC1(EV_cycles) |
              PMC2(EV_cycles),
          PMU_PMC1, 100);
    pmu_tick(&p, 200);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 300), NEGATIVE);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 300), 200);
}

static void pmctrigger_overrides_discount(void **state)
{
    struct pmu p;

    (void)state;
    start(&p,
          INT1 | MMCR0_PMCTRIGGER | MMCR0_DISCOUNT | PMC1(EV_cycles) |
              PMC2(EV_cycles),
          PMU_PMC1, 100);
    pmu_tick(&p, 200);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 300), NEGATIVE + 100);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 300), 100);
}

static void pmctrigger_holds_the_others_until_pmc1_is_negative(void **state)
{
    struct pmu p;

    (void)state;
    start(&p,
          MMCR0_PMCTRIGGER | PMC1(EV_br_mispredict) | PMC2(EV_insn_completed),
          PMU_PMC1, 5);
    pmu_write(&p, PMU_MMCR1, PMC3(EV_cycles) | PMC4(EV_btac_hit), 100);
    ev_add(&p.ev, EV_insn_completed, 50, 150);
    ev_add(&p.ev, EV_btac_hit, 1, 160);
    ev_add(&p.ev, EV_br_mispredict, 4, 200);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 290), 0);
    ev_add(&p.ev, EV_btac_hit, 1, 305); /* ahead of its time: counts */
    ev_add(&p.ev, EV_br_mispredict, 1, 300);
    assert_int_equal(p.signal, CYCLE_NEVER); /* nobody asked for it */
    ev_add(&p.ev, EV_insn_completed, 4, 299);
    ev_add(&p.ev, EV_insn_completed, 4, 301);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 400), NEGATIVE);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 400), 4);
    assert_int_equal(pmu_read(&p, PMU_PMC3, 400), 100);
    assert_int_equal(pmu_read(&p, PMU_PMC4, 400), 1);
}

static void pmctrigger_releases_at_any_signal(void **state)
{
    struct pmu p;

    (void)state;
    start(&p,
          MMCR0_PMCTRIGGER | MMCR0_ENINT | MMCR0_INTONBITTRANS |
              2u << MMCR0_RTCSELECT_SHIFT | PMC2(EV_cycles),
          PMU_PMC1, 5);
    pmu_tick(&p, FAR); /* bit 51 rises at tick 4096 */
    assert_int_equal(p.signal, 4096 * RATIO);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 4096 * RATIO), 0);
    assert_int_equal(pmu_read(&p, PMU_PMC2, FAR), FAR - 4096 * RATIO);
}

static void an_earlier_event_worked_out_later_moves_the_signal(void **state)
{
    struct pmu p;

    (void)state;
    start(&p,
          INT1 | MMCR0_PMCINTCONTROL | MMCR0_DISCOUNT |
              PMC1(EV_insn_completed) | PMC2(EV_insn_dispatched),
          PMU_PMC1, 1);
    pmu_write(&p, PMU_PMC2, NEGATIVE - 1, 110);
    ev_add(&p.ev, EV_insn_completed, 1, 240);
    assert_int_equal(p.signal, 240);
    ev_add(&p.ev, EV_insn_dispatched, 1, 230);
    assert_int_equal(p.signal, 230);
    assert_int_equal(p.signal_event, EV_insn_dispatched);
    assert_int_equal(pmu_count(&p, 1, 400), NEGATIVE - 1); /* came at 240 */
    pmu_taken(&p);
    ev_add(&p.ev, EV_insn_dispatched, 1, 220);
    assert_int_equal(p.signal, CYCLE_NEVER);
}

static void software_that_steps_in_first_cancels_the_signal(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | MMCR0_DISCOUNT | PMC1(EV_lsu_result), PMU_PMC1, 1);
    ev_add(&p.ev, EV_lsu_result, 1, 300); /* still ahead at 250 */
    assert_int_equal(p.signal, 300);
    assert_int_equal(pmu_read(&p, PMU_MMCR0, 250) & MMCR0_ENINT, MMCR0_ENINT);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 250), NEGATIVE - 1);
    pmu_write(&p, PMU_MMCR0, MMCR0_DIS, 250);
    assert_int_equal(p.signal, CYCLE_NEVER);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 400), NEGATIVE - 1);
}

static void a_second_condition_joins_the_pending_one(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | PMC1(EV_cycles), PMU_PMC1, 100);
    pmu_tick(&p, 250); /* EE is off: not taken */
    pmu_sample(&p, 0x1000, 0x2000);
    pmu_write(&p, PMU_MMCR0, INT1 | PMC1(EV_cycles), 300);
    assert_int_equal(p.signal, 200);
    assert_int_equal(pmu_read(&p, PMU_MMCR0, 300) & MMCR0_ENINT, 0);
    pmu_sample(&p, 0x3000, 0x4000);
    assert_int_equal(pmu_read(&p, PMU_SIA, 300), 0x1000);
    pmu_taken(&p);
    assert_int_equal(p.signal, CYCLE_NEVER);
}

static void sia_and_sda_are_held_until_the_next_signal(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | PMC1(EV_cycles), PMU_PMC1, 100);
    pmu_sample(&p, 0xBAD, 0xBAD); /* nothing signalled */
    assert_int_equal(pmu_read(&p, PMU_SIA, 150), 0);
    pmu_tick(&p, 200);
    pmu_sample(&p, 0x1000, 0x2000);
    pmu_sample(&p, 0xBAD, 0xBAD);
    assert_int_equal(pmu_read(&p, PMU_SIA, 300), 0x1000);
    assert_int_equal(pmu_read(&p, PMU_SDA, 300), 0x2000);
    pmu_taken(&p);
    pmu_write(&p, PMU_SIA, 0x1004, 310); /* software may write them */
    assert_int_equal(pmu_read(&p, PMU_SIA, 320), 0x1004);
    pmu_write(&p, PMU_PMC1, NEGATIVE - 10, 400);
    pmu_write(&p, PMU_MMCR0, INT1 | PMC1(EV_cycles), 400);
    pmu_tick(&p, 410);
    pmu_sample(&p, 0x5000, 0x6000);
    assert_int_equal(pmu_read(&p, PMU_SIA, 420), 0x5000);
    assert_int_equal(pmu_read(&p, PMU_SDA, 420), 0x6000);
}

static void threshold_is_strict_and_scaled(void **state)
{
    static const enum event ids[4] = {
        EV_load_miss_threshold, EV_store_miss_threshold, EV_load_lat_threshold,
        EV_store_lat_threshold};
    unsigned i, scale;

    (void)state;
    for (scale = 1; scale <= 4; scale += 3)
        for (i = 0; i < 4; i++) {
            struct pmu p;
            pmu_reset(&p, RATIO);
            p.threshold_scale = scale;
            pmu_write(&p, PMU_MMCR0, 5u << MMCR0_THRESHOLD_SHIFT | PMC1(ids[i]),
                      100);
            pmu_threshold(&p, i & 1, i >> 1, 0x100, 0x200, 5 * scale, 200);
            assert_int_equal(pmu_read(&p, PMU_PMC1, 300), 0);
            pmu_threshold(&p, i & 1, i >> 1, 0x100, 0x200, 5 * scale + 1, 300);
            assert_int_equal(pmu_read(&p, PMU_PMC1, 400), 1);
            pmu_threshold(&p, !(i & 1), i >> 1, 0x100, 0x200, 1000, 400);
            pmu_threshold(&p, i & 1, !(i >> 1), 0x100, 0x200, 1000, 400);
            assert_int_equal(pmu_read(&p, PMU_PMC1, 500), 1);
        }
}

static void a_threshold_signal_knows_its_instruction(void **state)
{
    struct pmu p;

    (void)state;
    start(&p,
          INT1 | 10u << MMCR0_THRESHOLD_SHIFT | PMC1(EV_load_miss_threshold),
          PMU_PMC1, 2);
    pmu_threshold(&p, false, false, 0x100, 0x8000, 60, 200);
    assert_false(p.exact);
    pmu_threshold(&p, false, false, 0x104, 0x8020, 60, 230);
    assert_int_equal(p.signal, 230);
    assert_true(p.exact);
    pmu_sample(&p, 0xBAD, 0xBAD);
    assert_int_equal(pmu_read(&p, PMU_SIA, 300), 0x104);
    assert_int_equal(pmu_read(&p, PMU_SDA, 300), 0x8020);
}

static void adds_far_from_an_overflow_go_unnoticed(void **state)
{
    struct pmu p;

    (void)state;
    start(&p, INT1 | PMC1(EV_insn_completed), PMU_PMC1, 1000000);
    ev_add(&p.ev, EV_insn_completed, 1, FAR); /* ends the start's window */
    assert_true(p.ev.limit[EV_insn_completed] > 900000);
    assert_int_equal(p.ev.limit[EV_insn_dispatched], UINT64_MAX);
    pmu_write(&p, PMU_MMCR0, MMCR0_DIS, FAR + 10);
    assert_int_equal(p.ev.limit[EV_insn_completed], UINT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_signals_at_its_stamp),
        cmocka_unit_test(four_in_a_cycle_may_overshoot),
        cmocka_unit_test(an_interval_signals_inside),
        cmocka_unit_test(an_interval_stops_where_it_signals),
        cmocka_unit_test(cycles_signal_at_their_deadline),
        cmocka_unit_test(the_deadline_waits_while_the_filter_holds),
        cmocka_unit_test(ee_off_signals_at_its_deadline),
        cmocka_unit_test(tb_count_signals_at_its_deadline),
        cmocka_unit_test(idle_signals_after_its_last_idle_cycle),
        cmocka_unit_test(int_on_bit_transition_signals_at_the_rise),
        cmocka_unit_test(a_written_time_base_can_signal),
        cmocka_unit_test(enint_masks_and_falls_with_the_signal),
        cmocka_unit_test(intcontrol_chooses_who_interrupts),
        cmocka_unit_test(a_written_negative_counter_signals_at_once),
        cmocka_unit_test(without_discount_counting_goes_on),
        cmocka_unit_test(discount_stops_at_the_signal_cycle),
        cmocka_unit_test(discount_ends_when_enint_is_set_again),
        cmocka_unit_test(discount_without_enint_does_nothing),
        cmocka_unit_test(pmcintcontrol_overrides_discount_for_the_others),
        cmocka_unit_test(pmctrigger_overrides_discount),
        cmocka_unit_test(pmctrigger_holds_the_others_until_pmc1_is_negative),
        cmocka_unit_test(pmctrigger_releases_at_any_signal),
        cmocka_unit_test(an_earlier_event_worked_out_later_moves_the_signal),
        cmocka_unit_test(software_that_steps_in_first_cancels_the_signal),
        cmocka_unit_test(a_second_condition_joins_the_pending_one),
        cmocka_unit_test(sia_and_sda_are_held_until_the_next_signal),
        cmocka_unit_test(threshold_is_strict_and_scaled),
        cmocka_unit_test(a_threshold_signal_knows_its_instruction),
        cmocka_unit_test(what_selects_no_event_reads_no_total),
        cmocka_unit_test(adds_far_from_an_overflow_go_unnoticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
