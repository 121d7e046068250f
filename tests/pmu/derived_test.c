/* derived_test.c - rows that are other rows, of some instructions only: held
 * until the instruction is through, added with the cycle at which it happened,
 * counted and interrupting like any other. What is known of an instruction is
 * made up here; that the core tells the truth is tests/core/defined_test.c.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "include/mark_bits.h"
#include "pmu/pmu.h"
#include "pmu/counter/host_counters.h"

#define RATIO 12u
#define NEGATIVE 0x80000000u
#define PMC1(event) ((uint32_t)event_selector(event, 1) << 6)
#define PMC2(event) ((uint32_t)event_selector(event, 2))
#define FIELD(pmc, code) ((uint32_t)(code) << (32 - 4 * (pmc)))

static void start(struct pmu *p)
{
    pmu_reset(p, RATIO);
    pmu_pif(p, true, 10);
}

/* One instruction with one event in its second cycle. */
static void step(struct pmu *p, enum event id, cycle_t at,
                 const struct insn_info *d)
{
    ev_add(&p->ev, id, 1, at);
    derived_end(p, 0, d);
}

static void piff_lets_the_marked_through(void **state)
{
    const struct insn_info marked = {.pc = 0x100, .guest_marked = true},
                           plain = {0};
    struct pmu p;
    cycle_t c;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_PIFF, FIELD(1, PIFF_MARKED), 20);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_insn_completed) | PMC2(EV_insn_completed),
              20);
    assert_true(p.derived.active);
    for (c = 100; c < 110; c++)
        step(&p, EV_insn_completed, c, c % 3 ? &plain : &marked);
    /* 102, 105, 108 */
    assert_int_equal(pmu_read(&p, PMU_PMC1, 200), 3);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 200), 10);
    assert_int_equal(p.ev.total[EV_filtered_1], 3);
}

static void window_and_ranges_have_codes_of_their_own(void **state)
{
    struct pmu p;
    unsigned r;

    (void)state;
    for (r = 0; r < PIF_RANGES; r++) {
        const struct insn_info in = {.guest_ranges = (uint8_t)(1u << r)};
        const struct insn_info out = {.guest_ranges = (uint8_t) ~(1u << r),
                                      .guest_marked = true,
                                      .guest_window = true};
        const struct insn_info window = {.guest_window = true};

        start(&p);
        pmu_write(&p, PMU_PIFF,
                  FIELD(1, PIFF_RANGE + r) | FIELD(2, PIFF_WINDOW), 20);
        pmu_write(&p, PMU_MMCR0, PMC1(EV_icache_miss) | PMC2(EV_dcache_miss),
                  20);
        step(&p, EV_icache_miss, 100, &in);
        step(&p, EV_icache_miss, 101, &out);
        step(&p, EV_icache_miss, 102, &in);
        step(&p, EV_dcache_miss, 103, &window);
        step(&p, EV_dcache_miss, 104, &in);
        assert_int_equal(pmu_read(&p, PMU_PMC1, 200), 2);
        assert_int_equal(pmu_read(&p, PMU_PMC2, 200), 1);
    }
}

static void what_has_no_owner_is_refused_and_stands_still(void **state)
{
    struct pmu p;
    int id;

    (void)state;
    for (id = 0; id < EV_COUNT; id++) {
        int selector = event_selector((enum event)id, 2);
        bool owned = event_owned((enum event)id);
        uint32_t before;

        if (selector < 1)
            continue;
        start(&p);
        pmu_write(&p, PMU_MMCR0, (uint32_t)selector, 20);
        assert_false(p.derived.refused);
        pmu_write(&p, PMU_PIFF, FIELD(2, PIFF_MARKED), 30);
        assert_int_equal(p.derived.refused, !owned);
        before = pmu_read(&p, PMU_PMC2, 30);
        if (!owned && event_row((enum event)id) == id)
            ev_add(&p.ev, (enum event)id, 5, 100);
        if (!owned)
            assert_int_equal(pmu_read(&p, PMU_PMC2, 200), before);
        pmu_write(&p, PMU_PIFF, 0, 300);
        assert_false(p.derived.refused);
    }
}

static void a_code_without_a_meaning_is_refused(void **state)
{
    const struct insn_info all = {
        .guest_marked = true, .guest_window = true, .guest_ranges = 0xFF};
    struct pmu p;
    unsigned code;

    (void)state;
    for (code = PIFF_WINDOW + 1; code < PIFF_RANGE; code++) {
        start(&p);
        pmu_write(&p, PMU_PIFF, FIELD(1, code), 20);
        assert_false(p.derived.refused); /* nothing is selected */
        pmu_write(&p, PMU_MMCR0, PMC1(EV_insn_completed), 20);
        assert_true(p.derived.refused);
        step(&p, EV_insn_completed, 100, &all);
        assert_int_equal(pmu_read(&p, PMU_PMC1, 200), 0);
    }
}

static void without_the_pif_nothing_is_filtered(void **state)
{
    const struct insn_info plain = {0};
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_PIFF, FIELD(1, PIFF_MARKED), 20);
    pmu_write(&p, PMU_PIFE2, 0x100 | 2, 20); /* insn_completed */
    pmu_write(&p, PMU_MMCR0, PMC1(EV_insn_completed), 20);
    pmu_pif(&p, false, 50);
    assert_false(p.derived.active);
    step(&p, EV_insn_completed, 100, &plain);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 150), 1);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 150), 0);
    pmu_pif(&p, true, 200);
    assert_int_equal(pmu_read(&p, PMU_PIFF, 200), FIELD(1, PIFF_MARKED));
    assert_int_equal(pmu_read(&p, PMU_PIFE2, 200), 0x102);
    step(&p, EV_insn_completed, 250, &plain);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 300), 1);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 300), 1);
}

/* Any PMC counts what any other can select, and nothing for what none can. */
static void pife_selects_for_every_counter(void **state)
{
    static const unsigned pife[PMU_PMCS] = {PMU_PIFE1, PMU_PIFE2, PMU_PIFE3,
                                            PMU_PIFE4, PMU_PIFE5, PMU_PIFE6,
                                            PMU_PIFE7, PMU_PIFE8};
    struct pmu p;
    unsigned n, pmc, selector;

    (void)state;
    for (n = 1; n <= PMU_PMCS; n++)
        for (pmc = 1; pmc <= PMU_SELECTS; pmc++)
            for (selector = 0; selector < 40; selector++) {
                int id = event_selected(pmc, selector);

                pmu_reset(&p, RATIO);
                p.pmcs = PMU_PMCS;
                pmu_pif(&p, true, 10);
                pmu_write(&p, pife[n - 1], pmc << 8 | selector, 20);
                if (id < 0 || event_row((enum event)id) != id)
                    continue;
                ev_add(&p.ev, (enum event)id, 1, 100);
                assert_int_equal(pmu_count(&p, n, 200),
                                 id == EV_nothing ? 0 : 1);
            }
}

/* ---- definitions --------------------------------------------------------- */

static void define(struct predicate *d, const char *text)
{
    struct expr_error e;

    if (!predicate_parse(d, text, &e))
        fail_msg("%s: %s", text, e.why);
}

static void a_definition_is_selected_by_its_number(void **state)
{
    const struct insn_info slow = {.latency = 21}, quick = {.latency = 20};
    struct predicate d[3];
    struct pmu p;

    (void)state;
    define(&d[0], "A = dcache_miss and latency > 20");
    define(&d[1], "B = dcache_miss and not latency > 20");
    define(&d[2], "C = dcache_miss");
    start(&p);
    derived_define(&p, d, 3);
    assert_false(p.derived.active);
    pmu_write(&p, PMU_PIFE1, 0x800, 20);
    pmu_write(&p, PMU_PIFE2, 0x801, 20);
    pmu_write(&p, PMU_PIFE3, 0x802, 20);
    pmu_write(&p, PMU_PIFE4, 0x803, 20); /* there is none */
    step(&p, EV_dcache_miss, 100, &slow);
    step(&p, EV_dcache_miss, 101, &quick);
    step(&p, EV_dcache_miss, 102, &slow);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 200), 2);
    assert_int_equal(pmu_read(&p, PMU_PMC2, 200), 1);
    assert_int_equal(pmu_read(&p, PMU_PMC3, 200), 3);
    assert_int_equal(pmu_read(&p, PMU_PMC4, 200), 0);
}

static void a_definition_can_be_filtered(void **state)
{
    const struct insn_info both = {.latency = 30, .guest_marked = true},
                           slow = {.latency = 30},
                           marked = {.guest_marked = true};
    struct predicate d;
    struct pmu p;

    (void)state;
    define(&d, "A = dcache_miss and latency > 20");
    start(&p);
    derived_define(&p, &d, 1);
    pmu_write(&p, PMU_PIFE1, 0x800, 20);
    pmu_write(&p, PMU_PIFF, FIELD(1, PIFF_MARKED), 20);
    step(&p, EV_dcache_miss, 100, &both);
    step(&p, EV_dcache_miss, 101, &slow);
    step(&p, EV_dcache_miss, 102, &marked);
    assert_int_equal(pmu_read(&p, PMU_PMC1, 200), 1);
    assert_int_equal(p.ev.total[EV_defined_0], 2);
}

static void the_host_counts_definitions_alone(void **state)
{
    const struct insn_info user = {.user = true}, kernel = {0};
    struct predicate d[2];
    struct pmu p;

    (void)state;
    define(&d[0], "A = insn_completed and user");
    define(&d[1], "B = insn_completed and kernel");
    pmu_reset(&p, RATIO);
    derived_define(&p, d, 2);
    derived_count(&p, EV_insn_completed);
    assert_false(p.derived.active);
    derived_count(&p, EV_defined_1);
    assert_true(p.derived.active);
    step(&p, EV_insn_completed, 100, &user);
    step(&p, EV_insn_completed, 101, &kernel);
    assert_int_equal(p.ev.total[EV_defined_0], 0); /* nobody wants it */
    assert_int_equal(p.ev.total[EV_defined_1], 1);
}

/* The instruction raised an exception: when it is through the processor is in
 * supervisor state already. */
static void the_host_counts_in_the_mode_it_happened_in(void **state)
{
    static const struct host_counter_spec spec[] = {
        {.event = EV_defined_0, .user = true},
        {.event = EV_defined_0, .kernel = true},
        {.event = EV_cycles, .user = true},
        {.event = EV_cycles, .kernel = true},
    };
    const struct insn_info any = {.user = true};
    struct host_counters f;
    struct predicate d;
    struct pmu p;

    (void)state;
    define(&d, "A = icache_miss");
    pmu_reset(&p, RATIO);
    derived_define(&p, &d, 1);
    derived_count(&p, EV_defined_0);
    host_counters_init(&f, &p.ev, spec, 4, 1);
    p.ev.host_counters = &f;
    host_counters_mode(&f, true, 100);
    ev_add(&p.ev, EV_icache_miss, 1, 120);
    ev_add(&p.ev, EV_icache_miss, 1, 130);
    host_counters_mode(&f, false, 150);
    ev_add(&p.ev, EV_icache_miss, 1, 160);
    derived_end(&p, 0, &any);
    assert_int_equal(host_counters_value(&f, 0, 200), 2);
    assert_int_equal(host_counters_value(&f, 1, 200), 1);
    assert_int_equal(host_counters_value(&f, 2, 200), 50);
    assert_int_equal(host_counters_value(&f, 3, 200), 150);
}

/* What a wrong path did is ended first, and the branch's own later. */
static void a_wrong_path_ends_within_its_branch(void **state)
{
    const struct insn_info wrong = {.pc = 8, .wrong = true}, branch = {.pc = 4};
    struct predicate d[2];
    struct pmu p;
    unsigned held;

    (void)state;
    define(&d[0], "W = insn_dispatched and wrong");
    define(&d[1], "R = insn_dispatched and not wrong and pc == 4");
    pmu_reset(&p, RATIO);
    derived_define(&p, d, 2);
    derived_count(&p, EV_defined_0);
    derived_count(&p, EV_defined_1);
    ev_add(&p.ev, EV_insn_dispatched, 1, 100);
    held = p.derived.held;
    ev_add(&p.ev, EV_insn_dispatched, 1, 101);
    derived_end(&p, held, &wrong);
    ev_add(&p.ev, EV_insn_dispatched, 1, 102);
    derived_end(&p, held, &wrong);
    assert_int_equal(p.ev.total[EV_defined_0], 2);
    assert_int_equal(p.ev.total[EV_defined_1], 0);
    derived_end(&p, 0, &branch);
    assert_int_equal(p.ev.total[EV_defined_1], 1);
    assert_int_equal(p.derived.held, 0);
}

/* ---- counting like any other --------------------------------------------- */

/* The counter started at 100: of what is told later, what happened before
 * does not count. An interval that ends at 104 and lasts 10 was inside for
 * 101 to 104. */
static void adds_keep_their_cycle(void **state)
{
    const struct insn_info marked = {.guest_marked = true};
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_PIFF, FIELD(1, PIFF_MARKED) | FIELD(3, PIFF_MARKED), 20);
    pmu_write(&p, PMU_MMCR1,
              (uint32_t)event_selector(EV_complete_stall, 3) << 27, 20);
    pmu_write(&p, PMU_MMCR0, MMCR0_DIS | PMC1(EV_insn_completed), 20);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_insn_completed), 100);
    ev_add(&p.ev, EV_insn_completed, 1, 99);
    ev_add(&p.ev, EV_insn_completed, 1, 100);
    ev_add(&p.ev, EV_insn_completed, 1, 101);
    ev_add(&p.ev, EV_complete_stall, 10, 104);
    assert_int_equal(pmu_count(&p, 1, 150), 0);
    derived_end(&p, 0, &marked);
    assert_int_equal(pmu_count(&p, 1, 150), 1);
    assert_int_equal(pmu_count(&p, 3, 150), 4);
}

static void a_filtered_counter_interrupts_at_the_event(void **state)
{
    const struct insn_info marked = {.guest_marked = true}, plain = {0};
    struct pmu p;
    unsigned i;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_PIFF, FIELD(1, PIFF_MARKED), 20);
    pmu_write(&p, PMU_PMC1, NEGATIVE - 3, 20);
    pmu_write(&p, PMU_MMCR0,
              MMCR0_ENINT | MMCR0_PMC1INTCONTROL | PMC1(EV_insn_completed),
              100);
    for (i = 0; i < 20; i++)
        step(&p, EV_insn_completed, 200 + i, &plain);
    for (i = 0; i < 3; i++) {
        assert_int_equal(p.signal, CYCLE_NEVER);
        step(&p, EV_insn_completed, 300 + i, &marked);
    }
    assert_int_equal(p.signal, 302);
    assert_true(p.unsampled);
}

/* A threshold that signals through its filter still knows its access. */
static void a_filtered_threshold_is_exact(void **state)
{
    const struct insn_info marked = {.pc = 0x1230, .guest_marked = true};
    struct pmu p;

    (void)state;
    start(&p);
    pmu_write(&p, PMU_PIFF, FIELD(1, PIFF_MARKED), 20);
    pmu_write(&p, PMU_PMC1, NEGATIVE - 1, 20);
    pmu_write(&p, PMU_MMCR0,
              MMCR0_ENINT | MMCR0_PMC1INTCONTROL |
                  PMC1(EV_load_miss_threshold) | 5u << MMCR0_THRESHOLD_SHIFT,
              100);
    pmu_threshold(&p, false, false, 0x1230, 0x4560, 21, 300);
    assert_int_equal(p.signal, CYCLE_NEVER);
    derived_end(&p, 0, &marked);
    assert_int_equal(p.signal, 300);
    assert_true(p.exact);
    assert_int_equal(p.sia, 0x1230);
    assert_int_equal(p.sda, 0x4560);
}

/* Nobody asks: nothing is held, and limits are as they were. */
static void unused_it_costs_nothing(void **state)
{
    struct predicate d;
    struct pmu p;
    int id;

    (void)state;
    define(&d, "A = dcache_miss and latency > 20");
    start(&p);
    derived_define(&p, &d, 1);
    pmu_write(&p, PMU_MMCR0, PMC1(EV_icache_miss) | PMC2(EV_dcache_miss), 20);
    ev_add(&p.ev, EV_dcache_miss, 1, 100);
    assert_false(p.derived.active);
    assert_int_equal(p.derived.held, 0);
    for (id = 0; id < EV_COUNT; id++)
        assert_true(p.ev.limit[id] != 0);
    pmu_write(&p, PMU_PIFE1, 0x800, 200);
    assert_int_equal(p.ev.limit[EV_dcache_miss], 0);
    pmu_write(&p, PMU_PIFE1, 0, 300);
    assert_true(p.ev.limit[EV_dcache_miss] != 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(piff_lets_the_marked_through),
        cmocka_unit_test(window_and_ranges_have_codes_of_their_own),
        cmocka_unit_test(what_has_no_owner_is_refused_and_stands_still),
        cmocka_unit_test(a_code_without_a_meaning_is_refused),
        cmocka_unit_test(without_the_pif_nothing_is_filtered),
        cmocka_unit_test(pife_selects_for_every_counter),
        cmocka_unit_test(a_definition_is_selected_by_its_number),
        cmocka_unit_test(a_definition_can_be_filtered),
        cmocka_unit_test(the_host_counts_definitions_alone),
        cmocka_unit_test(the_host_counts_in_the_mode_it_happened_in),
        cmocka_unit_test(a_wrong_path_ends_within_its_branch),
        cmocka_unit_test(adds_keep_their_cycle),
        cmocka_unit_test(a_filtered_counter_interrupts_at_the_event),
        cmocka_unit_test(a_filtered_threshold_is_exact),
        cmocka_unit_test(unused_it_costs_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
