/* pipeline_test.c - the stages, cycle by cycle, against charts drawn by hand.
 * F fetch, D decode+dispatch wait, S dispatch, E execute, C complete and
 * write back. Caches are warm unless a test says otherwise.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"

/* Run words on a warm board. */
static void run_warm(struct bench_board *b, const uint32_t *w, unsigned n,
                     const char *const *set)
{
    board_start_warm(b, w, n, set);
    board_run(b);
}

#define RUN(b, w, set) run_warm(b, w, sizeof(w) / sizeof *(w), set)

/* cycle  0 1 2 3 4
 * addi   F D S E C     complete and write back in one (HW-03: five) */
static void single_add_takes_five_cycles_with_merged_write_back(void **state)
{
    const uint32_t w[] = {ADDI(3, 0, 1), BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 0), 4);
    board_close(&b);
}

/* Two simple integer units: two of four adds dispatch in cycle 2, two in 3. */
static void two_simple_adds_dispatch_a_cycle(void **state)
{
    const uint32_t w[] = {ADDI(3, 0, 1), ADDI(4, 0, 1), ADDI(6, 0, 1),
                          ADDI(7, 0, 1), BLR};
    const cycle_t want[] = {4, 4, 5, 5};
    struct bench_board b;
    unsigned k;

    (void)state;
    RUN(&b, w, NULL);
    for (k = 0; k < 4; k++)
        assert_int_equal(board_done(&b, k), want[k]);
    board_close(&b);
}

/* Four instructions for four units dispatch together; mullw needs two
 * cycles and holds nothing behind it back but completion.
 * addi  F D S E C
 * lwz   F D S E E C
 * mullw F D S E E C
 * addi  F D S E . C */
static void four_units_take_four_instructions_in_one_cycle(void **state)
{
    const uint32_t w[] = {ADDI(3, 0, 1), LWZ(4, 5, 0), MULLW(6, 7, 7),
                          ADDI(8, 0, 1), BLR};
    const cycle_t want[] = {4, 5, 5, 5};
    struct bench_board b;
    unsigned k;

    (void)state;
    RUN(&b, w, NULL);
    for (k = 0; k < 4; k++)
        assert_int_equal(board_done(&b, k), want[k]);
    assert_int_equal(b.core[0].pmu.ev.total[EV_dispatch_4], 1);
    board_close(&b);
}

/* A chain of adds runs one a cycle: results are bypassed. */
static void dependent_adds_run_back_to_back(void **state)
{
    const uint32_t w[] = {ADD(3, 3, 3), ADD(3, 3, 3), ADD(3, 3, 3),
                          ADD(3, 3, 3), BLR};
    struct bench_board b;
    unsigned k;

    (void)state;
    RUN(&b, w, NULL);
    for (k = 0; k < 4; k++)
        assert_int_equal(board_done(&b, k), 4 + k);
    board_close(&b);
}

/* divw starts in 3, ends in 22, completes in 23; the add behind it finished
 * long before and completes with it. */
static void younger_add_waits_for_an_older_divide_to_complete(void **state)
{
    const uint32_t w[] = {DIVW(3, 4, 4), ADDI(6, 0, 1), BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 0), 23);
    assert_int_equal(board_done(&b, 1), 23);
    board_close(&b);
}

/* The load's datum is there two cycles after it starts: the add that uses it
 * starts in 5 and completes in 6. */
static void load_hit_has_a_latency_of_two(void **state)
{
    const uint32_t w[] = {LWZ(3, 5, 0), ADD(4, 3, 3), BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 0), 5);
    assert_int_equal(board_done(&b, 1), 6);
    board_close(&b);
}

/* The miss asks the bus in cycle 4; at 3 cycles a bus cycle the address goes
 * at 6, the first beat comes 8 bus cycles later, at 30: the load completes in
 * 31. */
static void load_miss_costs_the_bus(void **state)
{
    const uint32_t w[] = {LWZ(3, 5, 0x2000), ADD(4, 3, 3), BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 0), 31);
    assert_int_equal(b.core[0].pmu.ev.total[EV_dcache_miss], 1);
    assert_int_equal(b.core[0].pmu.ev.total[EV_load_miss_cycles], 30 - 4);
    board_close(&b);
}

/* Two loads of one line: the second waits for the same fill, not another. */
static void second_load_joins_the_outstanding_miss(void **state)
{
    const uint32_t w[] = {LWZ(3, 5, 0x2000), LWZ(4, 5, 0x2004), BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 1), 31);
    assert_int_equal(b.core[0].pmu.ev.total[EV_dcache_miss], 1);
    board_close(&b);
}

/* stw writes the cache the cycle after it completes (5 -> 6); a load of the
 * same word waits until that is done, a load elsewhere passes it. */
static void load_waits_for_a_store_to_the_same_word(void **state)
{
    const uint32_t same[] = {STW(3, 5, 8), LWZ(4, 5, 8), BLR};
    const uint32_t other[] = {STW(3, 5, 8), LWZ(4, 5, 16), BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, same, NULL);
    assert_int_equal(board_done(&b, 0), 5);
    assert_int_equal(board_done(&b, 1), 8);
    assert_int_equal(b.core[0].pmu.ev.total[EV_lsu_stall_collision], 2);
    board_close(&b);
    RUN(&b, other, NULL);
    assert_int_equal(board_done(&b, 1), 6);
    assert_int_equal(b.core[0].pmu.ev.total[EV_lsu_stall_collision], 0);
    board_close(&b);
}

/* Sixteen completion buffer entries: behind a divide that completes in 23 the
 * sixteenth younger instruction must wait for it. */
static void seventeenth_instruction_waits_for_the_completion_buffer(void **st)
{
    uint32_t w[20];
    const char *knobs[] = {"gpr_renames=64", NULL};
    struct bench_board b;
    unsigned k;

    (void)st;
    w[0] = DIVW(3, 4, 4);
    for (k = 1; k < 19; k++)
        w[k] = NOP;
    w[19] = BLR;
    RUN(&b, w, knobs);
    /* entries 1..15 completed right behind the divide, four a cycle */
    assert_int_equal(board_done(&b, 0), 23);
    assert_int_equal(board_done(&b, 3), 23);
    assert_int_equal(board_done(&b, 15), 26);
    /* 16 gets the divide's entry at 24: starts 25, completes 26 */
    assert_int_equal(board_done(&b, 16), 26 + (16 % 4 ? 0 : 1));
    assert_true(b.core[0].pmu.ev.total[EV_stall_no_rob] > 0);
    board_close(&b);
}

/* Twelve GPR rename buffers: the thirteenth result waits for the divide. */
static void thirteenth_result_waits_for_a_rename_buffer(void **state)
{
    uint32_t w[15];
    struct bench_board b;
    unsigned k;

    (void)state;
    w[0] = DIVW(3, 4, 4);
    for (k = 1; k < 14; k++)
        w[k] = ADDI(6, 0, 1);
    w[14] = BLR;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 0), 23);
    assert_true(b.core[0].pmu.ev.total[EV_stall_no_gpr] > 0);
    assert_int_equal(b.core[0].pmu.ev.total[EV_stall_no_rob], 0);
    board_close(&b);
}

/* bdnz to itself: after the BTAC has it, one iteration a cycle; the last one
 * falls through and is mispredicted. The first was fetched behind addi and
 * mtctr, the second by itself, so the third is the first that the BTAC knows:
 * 98 of 100. */
static void btac_hit_costs_no_bubble(void **state)
{
    const uint32_t w[] = {ADDI(4, 0, 100), MTCTR(4), BDNZ(0), BLR};
    struct bench_board b;
    const struct ev *ev = &b.core[0].pmu.ev;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(b.core[0].insns, 103);
    assert_int_equal(ev->total[EV_branch_completed], 101);
    assert_int_equal(ev->total[EV_btac_hit], 98);
    /* iterations 3 to 99 follow each other cycle by cycle */
    assert_int_equal(board_done(&b, 90) - board_done(&b, 50), 40);
    board_close(&b);
}

/* A taken branch that nothing predicts: cmpwi makes it known only in
 * execution. Fetched in 0, executes in 4 (the compare is in 3), the right way
 * is fetched in 5: 7 S 8 E 9 C. Wrong path: fetched 1.., dispatched from 3. */
static void mispredicted_branch_costs_its_execution(void **state)
{
    const uint32_t w[] = {CMPWI(0, 3, 0), BNE(8 + 4), NOP, NOP,
                          ADDI(6, 0, 1),  BLR};
    struct bench_board b;
    const struct ev *ev = &b.core[0].pmu.ev;

    (void)state;
    board_open(&b, 1, &timing_detailed, NULL);
    board_words(&b, BENCH_CODE, w, 6);
    board_warm(&pipe_of(&b.core[0])->tags.icache, BENCH_CODE, 24, MESI_S);
    core_start(&b.core[0], BENCH_CODE, 0x100000, 0);
    b.core[0].cpu.gpr[3] = 1; /* not equal: taken */
    board_run(&b);
    assert_int_equal(board_done(&b, 0), 4);
    assert_int_equal(board_done(&b, 1), 5);
    assert_int_equal(board_done(&b, 2), 9);
    assert_int_equal(ev->total[EV_br_mispredict], 1);
    board_close(&b);
}

/* The same, counted: cycle 2 dispatches cmpwi and the branch; the branch ends
 * its group; in 3 and 4, while it waits and executes, the wrong way dispatches
 * two simple instructions each (two units), of which the fetch groups hold
 * two nops and the addi and blr behind: 2 in cycle 3, then addi and blr in 4.
 * completed: cmpwi, bne, addi, blr = 4; dispatched: 4 right + 4 wrong. */
static void dispatched_less_completed_is_the_wrong_path(void **state)
{
    const uint32_t w[] = {CMPWI(0, 3, 0), BNE(8 + 4), NOP, NOP,
                          ADDI(6, 0, 1),  BLR};
    struct bench_board b;
    const struct ev *ev = &b.core[0].pmu.ev;

    (void)state;
    board_open(&b, 1, &timing_detailed, NULL);
    board_words(&b, BENCH_CODE, w, 6);
    board_warm(&pipe_of(&b.core[0])->tags.icache, BENCH_CODE, 24, MESI_S);
    core_start(&b.core[0], BENCH_CODE, 0x100000, 0);
    b.core[0].cpu.gpr[3] = 1;
    board_run(&b);
    assert_int_equal(ev->total[EV_insn_completed], 4);
    assert_int_equal(ev->total[EV_insn_dispatched], 4 + 4);
    board_close(&b);
}

/* isync: what follows is fetched when it has completed. Starts when it is the
 * oldest. */
static void isync_refetches_what_follows(void **state)
{
    const uint32_t w[] = {ISYNC, ADDI(3, 0, 1), BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 0), 4);
    assert_int_equal(board_done(&b, 1), 5 + 4);
    assert_int_equal(b.core[0].pmu.ev.total[EV_pipeline_flush], 1);
    board_close(&b);
}

/* Out of reset the chip is serial: HID0[SIED]=0 lets one instruction into the
 * window at a time. */
static void serial_mode_runs_one_at_a_time(void **state)
{
    const uint32_t w[] = {ORI(4, 6, HID0_ICE | HID0_DCE | HID0_BHTE),
                          MTSPR(1008u, 4),
                          NOP,
                          NOP,
                          NOP,
                          BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 4) - board_done(&b, 3), 3); /* S E C each */
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(single_add_takes_five_cycles_with_merged_write_back),
        cmocka_unit_test(two_simple_adds_dispatch_a_cycle),
        cmocka_unit_test(four_units_take_four_instructions_in_one_cycle),
        cmocka_unit_test(dependent_adds_run_back_to_back),
        cmocka_unit_test(younger_add_waits_for_an_older_divide_to_complete),
        cmocka_unit_test(load_hit_has_a_latency_of_two),
        cmocka_unit_test(load_miss_costs_the_bus),
        cmocka_unit_test(second_load_joins_the_outstanding_miss),
        cmocka_unit_test(load_waits_for_a_store_to_the_same_word),
        cmocka_unit_test(
            seventeenth_instruction_waits_for_the_completion_buffer),
        cmocka_unit_test(thirteenth_result_waits_for_a_rename_buffer),
        cmocka_unit_test(btac_hit_costs_no_bubble),
        cmocka_unit_test(mispredicted_branch_costs_its_execution),
        cmocka_unit_test(dispatched_less_completed_is_the_wrong_path),
        cmocka_unit_test(isync_refetches_what_follows),
        cmocka_unit_test(serial_mode_runs_one_at_a_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
