/* definedirq_test.c - a counter that counts through a definition or a filter
 * interrupts in the very cycles, and at the very instructions, as one that
 * counts the event itself: on random programs, for every event that belongs
 * to an instruction and has a selector.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "include/mark_bits.h"
#include "sim/core/core.h"
#include "tests/lib/bench_board.h"
#include "tests/lib/random_code.h"

#define SETUP 0xC000u
#define HID0 1008
#define MTMSR(s) (31u << 26 | (s) << 21 | 146 << 1)
#define RFI 0x4C000064u
#define PERIOD 37u    /* counts between interrupts */
#define INTERRUPTS 21 /* in this register */

struct words {
    uint32_t w[60];
    unsigned n;
};

static void put(struct words *p, uint32_t w)
{
    p->w[p->n++] = w;
}

static void set(struct words *p, unsigned reg, uint32_t value)
{
    put(p, ADDIS(reg, 0, value >> 16));
    put(p, ORI(reg, reg, value & 0xFFFF));
}

static void set_spr(struct words *p, unsigned spr, uint32_t value)
{
    set(p, 3, value);
    put(p, MTSPR(spr, 3));
}

/* Select what PIFE1 and PIFF say, let PMC1 interrupt, and go. Range 0 is the
 * whole program. */
static void setup(struct bench_board *b, uint32_t pife, uint32_t piff)
{
    static const uint32_t handler[] = {ADDI(INTERRUPTS, INTERRUPTS, 1),
                                       MTSPR(PMU_PMC1, 22),
                                       MTSPR(PMU_MMCR0, 23), RFI};
    struct words p = {.n = 0};

    put(&p, MFSPR(4, HID0));
    set(&p, 3, HID0_PIFE);
    put(&p, ADD(4, 4, 3));
    put(&p, MTSPR(HID0, 4));
    set_spr(&p, PMU_PIFE1, pife);
    set_spr(&p, PMU_PIFF, piff);
    set_spr(&p, PMU_PIFRH, 0xFFFFFFFF);
    set_spr(&p, PMU_PIFRC, PIF_RANGE_ON);
    set_spr(&p, PMU_PIFM,
            PIFM_IE | PIFM_US | PIFM_SU | PIFM_P1 | PIFM_P0 | PIFM_RE);
    set(&p, 22, 0x80000000u - PERIOD);
    set(&p, 23, MMCR0_ENINT | MMCR0_PMC1INTCONTROL);
    put(&p, MTSPR(PMU_PMC1, 22));
    put(&p, MTSPR(PMU_MMCR0, 23));
    set(&p, 3, MSR_EE | MSR_FP);
    put(&p, MTMSR(3));
    put(&p, B(BENCH_CODE - (SETUP + 4 * p.n)));
    board_words(b, SETUP, p.w, p.n);
    board_words(b, 0xF00, handler, 4);
}

struct result {
    cycle_t end;
    uint32_t interrupts, sia, count;
    uint64_t insns;
};

static struct result run(uint64_t seed, const struct predicate *d,
                         uint32_t pife, uint32_t piff)
{
    static struct bench_board b;
    struct core *c = &b.core[0];
    struct result r;

    board_open(&b, 1, &timing_detailed, NULL);
    random_program(&b, seed);
    setup(&b, pife, piff);
    derived_define(&c->pmu, d, 1);
    core_start(c, SETUP, 0x100000, 0);
    r.end = board_run(&b);
    assert_string_equal(c->why, "returned from its entry function");
    r.interrupts = c->cpu.gpr[INTERRUPTS];
    r.sia = c->pmu.sia;
    r.count = pmu_count(&c->pmu, 1, c->clock);
    r.insns = c->insns;
    board_close(&b);
    return r;
}

/* The PMC that has a selector for it, 0: none. */
static unsigned selectable(enum event id)
{
    for (unsigned pmc = 1; pmc <= PMU_SELECTS; pmc++)
        if (event_selector(id, pmc) >= 0)
            return pmc;
    return 0;
}

static void same(enum event id, const char *how, const struct result *a,
                 const struct result *b)
{
    if (a->end != b->end || a->interrupts != b->interrupts ||
        a->sia != b->sia || a->count != b->count || a->insns != b->insns)
        fail_msg("%s, %s: %u interrupts, the last at %x, %u left, end %llu; "
                 "unfiltered %u, %x, %u, %llu",
                 event_name(id), how, b->interrupts, b->sia, b->count,
                 (unsigned long long)b->end, a->interrupts, a->sia, a->count,
                 (unsigned long long)a->end);
}

static void through_a_definition_it_interrupts_in_the_same_cycle(void **state)
{
    unsigned compared = 0, interrupted = 0;

    (void)state;
    for (int e = 0; e < EV_COUNT; e++) {
        enum event id = (enum event)e;
        unsigned pmc = selectable(id);
        char text[100];
        struct predicate d;
        struct expr_error error;
        uint32_t pife;
        struct result plain, defined, filtered;

        if (!pmc || !event_owned(id))
            continue;
        snprintf(text, sizeof text, "A = %s", event_name(id));
        assert_true(predicate_parse(&d, text, &error));
        pife = pmc << 8 | (uint32_t)event_selector(id, pmc);
        plain = run(e % 5, &d, pife, 0);
        defined = run(e % 5, &d, PIFE_DEFINED << 8, 0);
        filtered = run(e % 5, &d, pife, (uint32_t)PIFF_RANGE << 28);
        same(id, "defined", &plain, &defined);
        same(id, "filtered", &plain, &filtered);
        compared++;
        interrupted += plain.interrupts > 2;
    }
    assert_true(compared >= 68);
    assert_true(interrupted >= 45);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(through_a_definition_it_interrupts_in_the_same_cycle),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
