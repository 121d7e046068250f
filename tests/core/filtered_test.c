/* filtered_test.c - PIFF on a running program: the events of marked
 * instructions, of those in the window, of those in a range, each counted by
 * hand; all events of the same in the counter beside it.
 *
 * The loop runs 10 times. A marker opcode in front of its load gives the load
 * and the two words behind it whatever indicators a test wants.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "include/mark_bits.h"
#include "sim/core/core.h"
#include "tests/lib/bench_board.h"

#define TABLE 0x8000u /* of the marker opcodes */
#define DATA 0x20000u
#define HID0 1008
#define PMARK(n, k) (5u << 26 | (n) << 21 | (k) << 5 | 11)
#define PASSES 10u

/* Words of a program, and where the next one goes. */
struct words {
    uint32_t w[200];
    unsigned n;
};

static ea_t here(const struct words *p)
{
    return BENCH_CODE + 4 * p->n;
}

static void put(struct words *p, uint32_t w)
{
    p->w[p->n++] = w;
}

static void set_spr(struct words *p, unsigned spr, uint32_t value)
{
    put(p, ADDIS(3, 0, value >> 16));
    put(p, ORI(3, 3, value & 0xFFFF));
    put(p, MTSPR(spr, 3));
}

/* PMC1 and PMC2 select insn_completed, PMC3 and PMC4 dcache_miss; PMC1 and
 * PMC3 are filtered by `code`. r5 walks over lines that miss. */
static void build(struct words *p, unsigned code)
{
    ea_t loop;

    p->n = 0;
    put(p, MFSPR(4, HID0));
    put(p, ADDIS(3, 0, HID0_PIFE >> 16));
    put(p, ADD(4, 4, 3));
    put(p, MTSPR(HID0, 4));
    set_spr(p, PMU_MMCR0, MMCR0_DIS);
    set_spr(p, PMU_PIFE1, 0x102);
    set_spr(p, PMU_PIFE2, 0x102);
    set_spr(p, PMU_PIFE3, 0x206);
    set_spr(p, PMU_PIFE4, 0x206);
    set_spr(p, PMU_PIFF, code << 28 | code << 20);
    set_spr(p, PMU_PIFMT, TABLE);
    set_spr(p, PMU_PIFM,
            PIFM_IE | PIFM_US | PIFM_SU | PIFM_P1 | PIFM_P0 | PIFM_RE |
                PIF_CARRIER_MARKER << PIFM_CA_SHIFT);
    put(p, ADDIS(5, 0, DATA >> 16));
    put(p, ADDI(6, 0, PASSES));
    put(p, MTCTR(6));
    set_spr(p, PMU_PIFRS, 3);
    loop = here(p) + 4 * (3 + 3 + 3 + 2); /* see below */
    set_spr(p, PMU_PIFRL, loop + 4);
    set_spr(p, PMU_PIFRH, loop + 12);
    set_spr(p, PMU_PIFRC, PIF_RANGE_ON);
    put(p, ADDI(3, 0, 0));
    put(p, MTSPR(PMU_MMCR0, 3));
    assert_int_equal(here(p), loop);
    put(p, PMARK(3, 0));      /* the next three: entries 0 to 2 */
    put(p, LWZ(7, 5, 0));     /* range 3 from here */
    put(p, ADDI(5, 5, 0x40)); /* ... to here */
    put(p, ADD(8, 7, 7));
    put(p, BDNZ((unsigned)-16));
    set_spr(p, PMU_MMCR0, MMCR0_DIS);
    put(p, BLR);
}

/* Runs it with the indicators of the three words; counts to n[1] .. n[4]. */
static void run(const struct timing *timing, unsigned code,
                const uint32_t *indicator, uint32_t *n, uint32_t *refused)
{
    static struct bench_board b;
    struct words p;
    struct core *c = &b.core[0];

    build(&p, code);
    board_open(&b, 1, timing, NULL);
    board_words(&b, BENCH_CODE, p.w, p.n);
    for (unsigned k = 0; k < 3; k++)
        board_words(&b, TABLE + 16 * k, &indicator[k], 1);
    core_start(c, BENCH_CODE, 0x100000, 0);
    board_run(&b);
    assert_string_equal(c->why, "returned from its entry function");
    for (unsigned k = 1; k <= 4; k++)
        n[k] = pmu_count(&c->pmu, k, c->clock);
    *refused = c->pmu.derived.refused;
    board_close(&b);
}

/* What counts in all: the mtspr that starts, 10 passes of 5, and the two
 * words in front of the mtspr that stops. */
#define ALL (1 + 5 * PASSES + 2)

static void marked_instructions_alone(void **state)
{
    static const uint32_t load[3] = {IND_PMU}, two[3] = {IND_PMU, 0, IND_PMU},
                          counted[3] = {IND_COUNT, IND_COUNT, IND_COUNT};
    uint32_t n[5], refused;

    (void)state;
    run(&timing_detailed, PIFF_MARKED, load, n, &refused);
    assert_int_equal(n[1], PASSES);
    assert_int_equal(n[2], ALL);
    assert_int_equal(n[3], PASSES); /* each its own line */
    assert_int_equal(n[4], PASSES);
    assert_false(refused);
    run(&timing_detailed, PIFF_MARKED, two, n, &refused);
    assert_int_equal(n[1], 2 * PASSES);
    assert_int_equal(n[3], PASSES);
    run(&timing_detailed, PIFF_MARKED, counted, n, &refused);
    assert_int_equal(n[1], 0); /* no PMU in the mark */
    assert_int_equal(n[3], 0);
    run(&timing_fast, PIFF_MARKED, two, n, &refused);
    assert_int_equal(n[1], 2 * PASSES);
    assert_int_equal(n[2], ALL);
}

/* The same counters, all instructions: one field of PIFF is the switch. */
static void all_of_them_without_a_filter(void **state)
{
    static const uint32_t load[3] = {IND_PMU};
    uint32_t n[5], refused;

    (void)state;
    run(&timing_detailed, PIFF_ALL, load, n, &refused);
    assert_int_equal(n[1], ALL);
    assert_int_equal(n[2], ALL);
    assert_int_equal(n[3], PASSES);
    assert_int_equal(n[4], PASSES);
}

static void those_in_a_range(void **state)
{
    static const uint32_t none[3] = {0};
    uint32_t n[5], refused;

    (void)state;
    run(&timing_detailed, PIFF_RANGE + 3, none, n, &refused);
    assert_int_equal(n[1], 2 * PASSES); /* the load and the add behind it */
    assert_int_equal(n[3], PASSES);
    run(&timing_detailed, PIFF_RANGE + 2, none, n, &refused); /* it is off */
    assert_int_equal(n[1], 0);
    assert_int_equal(n[2], ALL);
    run(&timing_fast, PIFF_RANGE + 3, none, n, &refused);
    assert_int_equal(n[1], 2 * PASSES);
}

/* The load opens the window, the word behind it closes it before itself. */
static void those_in_the_window(void **state)
{
    static const uint32_t open[3] = {IND_START},
                          pass[3] = {IND_START, 0, IND_STOP};
    uint32_t n[5], refused;

    (void)state;
    run(&timing_detailed, PIFF_WINDOW, pass, n, &refused);
    assert_int_equal(n[1], 2 * PASSES); /* load, addi; closed for add */
    assert_int_equal(n[3], PASSES);
    run(&timing_detailed, PIFF_WINDOW, open, n, &refused);
    assert_int_equal(n[1], ALL - 2); /* but the start and the first pmark */
}

/* Cycles belong to nobody: PMC1 stands still, and PIFS[3] tells. */
static void what_belongs_to_nobody_is_refused(void **state)
{
    static struct bench_board b;
    struct words p = {.n = 0};
    struct core *c = &b.core[0];

    (void)state;
    put(&p, MFSPR(4, HID0));
    put(&p, ADDIS(3, 0, HID0_PIFE >> 16));
    put(&p, ADD(4, 4, 3));
    put(&p, MTSPR(HID0, 4));
    set_spr(&p, PMU_PIFE1, 0x101);
    set_spr(&p, PMU_PIFE2, 0x101);
    put(&p, MFSPR(9, PMU_PIFS));
    set_spr(&p, PMU_PIFF, (uint32_t)PIFF_MARKED << 28);
    put(&p, MFSPR(10, PMU_PIFS));
    put(&p, MFSPR(11, PMU_PMC1));
    put(&p, DIVW(12, 9, 9));
    put(&p, MFSPR(12, PMU_PMC1));
    put(&p, MFSPR(13, PMU_PMC2));
    put(&p, BLR);
    board_open(&b, 1, &timing_detailed, NULL);
    board_words(&b, BENCH_CODE, p.w, p.n);
    core_start(c, BENCH_CODE, 0x100000, 0);
    board_run(&b);
    assert_int_equal(c->cpu.gpr[9], 0);
    assert_int_equal(c->cpu.gpr[10], PIFS_REFUSED);
    assert_int_equal(c->cpu.gpr[12], c->cpu.gpr[11]);
    assert_true(c->cpu.gpr[13] > c->cpu.gpr[12] + 20);
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(marked_instructions_alone),
        cmocka_unit_test(all_of_them_without_a_filter),
        cmocka_unit_test(those_in_a_range),
        cmocka_unit_test(those_in_the_window),
        cmocka_unit_test(what_belongs_to_nobody_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
