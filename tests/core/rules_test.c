/* rules_test.c - rules of timing that the chip's manual states, or that
 * programs measured on the chip show (tests/core/gmp_all.sh), each by a chart
 * drawn by hand: F fetch, D decode, S dispatch, E execute, C complete, and a
 * dot where it waits.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"

#define COUNT(w) (sizeof(w) / sizeof *(w))
#define START(b, w, set) board_start_warm(b, w, COUNT(w), set)
#define RUN(b, w, set) (START(b, w, set), board_run(b))

/* cycle 0 1 2 3 4 5 6
 * mullw F D S E E C
 * add   F D S . . E C */
static void a_product_is_there_after_two_cycles(void **state)
{
    const uint32_t w[] = {MULLW(3, 4, 4), ADD(6, 3, 3), BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 0), 5);
    assert_int_equal(board_done(&b, 1), 6);
    board_close(&b);
}

/* A second operand of more than 16 bits takes two passes:
 * cycle 0 1 2 3 4 5 6 7 8 9 10
 * addis F D S E C
 * mullw F D S . E E C
 * mullw F D . S . . E E C
 * mullw F D . . S . . . E E C
 * One that fits takes one: they start in 4, 5, 6. */
static void a_small_multiplier_frees_the_unit_a_cycle_sooner(void **state)
{
    static const struct {
        uint32_t set; /* of r7 */
        cycle_t done[3];
    } want[] = {
        {ADDIS(7, 0, 1), {6, 8, 10}},
        {ADDI(7, 0, 0x7FFF), {6, 7, 8}},
        {ADDI(7, 0, -0x8000), {6, 7, 8}},
    };

    (void)state;
    for (unsigned k = 0; k < COUNT(want); k++) {
        const uint32_t w[] = {want[k].set, MULLW(3, 8, 7), MULLW(4, 8, 7),
                              MULLW(6, 8, 7), BLR};
        struct bench_board b;

        RUN(&b, w, NULL);
        for (unsigned n = 0; n < 3; n++)
            assert_int_equal(board_done(&b, n + 1), want[k].done[n]);
        board_close(&b);
    }
}

static void add_reason(void *arg, uint32_t context, uint32_t pc,
                       enum reason reason, uint64_t twelfths)
{
    uint64_t *sum = arg;

    (void)context;
    (void)pc;
    sum[reason] += twelfths;
}

/* What the oracle charged to the instruction at pc, in cycles. */
static double charged(const struct core *c, ea_t pc, enum reason r)
{
    uint64_t sum[REASON_COUNT] = {0};

    oracle_look(c->oracle, pc, add_reason, sum);
    return (double)sum[r] / ORACLE_UNIT;
}

/* What reads XER[CA] starts when all before it has completed; a carry is
 * written back a cycle behind completion, and can be read then.
 * cycle 0 1 2 3 4 5 6 7 8 9 10
 * lwz   F D S E E C
 * adde  F D S . . . E C
 * adde  F D S . . . . . . E C
 * add   F D . S E . . . . . C */
static void a_carry_is_read_when_it_is_in_its_register(void **state)
{
    const uint32_t w[] = {LWZ(3, 5, 0), ADDE(4, 4, 6), ADDE(6, 6, 6),
                          ADD(7, 7, 7), BLR};
    const cycle_t want[] = {5, 7, 10, 10};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    for (unsigned k = 0; k < COUNT(want); k++)
        assert_int_equal(board_done(&b, k), want[k]);
    assert_true(charged(&b.core[0], BENCH_CODE + 8, REASON_serial) == 1);
    assert_true(charged(&b.core[0], BENCH_CODE + 8, REASON_execute) == 1);
    board_close(&b);
}

/* The store goes its way; only its end waits for the quotient, and the load
 * behind it does not wait at all.
 * cycle 0 1 2 3 4 5 6 .. 22 23 24
 * divw  F D S E E E E ..  E  C
 * stw   F D S E . . . ..  .  E  C
 * lwz   F D . S E E . ..  .  .  C */
static void a_store_starts_without_its_datum(void **state)
{
    const uint32_t other[] = {DIVW(3, 4, 4), STW(3, 5, 0), LWZ(6, 5, 64), BLR};
    const uint32_t base[] = {DIVW(3, 4, 4), STW(3, 3, 0), BLR};
    struct bench_board b;

    (void)state;
    RUN(&b, other, NULL);
    assert_int_equal(board_done(&b, 0), 23);
    assert_int_equal(board_done(&b, 1), 24);
    assert_int_equal(board_done(&b, 2), 24);
    assert_int_equal(b.core[0].pmu.ev.total[EV_lsu_stall_operand], 0);
    board_close(&b);
    /* ... unless its address is the quotient: it starts in 23 */
    RUN(&b, base, NULL);
    assert_int_equal(board_done(&b, 1), 25);
    board_close(&b);
}

/* Eight read ports: a store with index reads three registers, each of the
 * others two. The multiplication dispatches a cycle later. */
static void eight_registers_are_read_a_cycle(void **state)
{
    const uint32_t w[] = {STWX(3, 5, 6), ADD(4, 7, 8), ADD(9, 7, 8),
                          MULLW(10, 7, 8), BLR};
    const char *const nine[] = {"gpr_ports=9", NULL};
    struct bench_board b;

    (void)state;
    RUN(&b, w, NULL);
    assert_int_equal(board_done(&b, 2), 5);
    assert_int_equal(board_done(&b, 3), 6);
    board_close(&b);
    RUN(&b, w, nine);
    assert_int_equal(board_done(&b, 3), 5);
    board_close(&b);
}

/* Exponent 896 is one below the least of a normal single: the fraction moves
 * by one bit; 874, the least of all, by 23. The unit is busy that long. */
static void a_denormal_single_is_shifted_as_it_is_stored(void **state)
{
    static const struct {
        unsigned exponent, shift;
    } of[] = {{1023, 0}, {897, 0}, {896, 1}, {880, 17}, {874, 23}, {873, 0}};
    const uint32_t w[] = {STFS(1, 5, 0), LWZ(3, 5, 64), BLR};

    (void)state;
    for (unsigned k = 0; k < COUNT(of); k++) {
        struct bench_board b;

        START(&b, w, NULL);
        b.core[0].cpu.msr |= MSR_FP;
        b.core[0].cpu.fpr[1] = (uint64_t)of[k].exponent << 52;
        board_run(&b);
        assert_int_equal(board_done(&b, 0), 5 + of[k].shift);
        assert_int_equal(board_done(&b, 1), 6 + of[k].shift);
        board_close(&b);
    }
}

/* n instructions, each on a line of its own that no cache has; then the end
 * cycle. Registers 8 to 15 name the lines in turn. */
static cycle_t through_lines(bool touch, unsigned n)
{
    uint32_t w[260];
    struct bench_board b;
    unsigned used = 0;
    cycle_t end;

    for (unsigned k = 0; k < n; k++) {
        unsigned r = 8 + k % 8;

        w[used++] = touch ? DCBT(0, r) : LWZ(3, r, 0);
        w[used++] = ADDI(r, r, 8 * 32);
    }
    w[used++] = BLR;
    board_start_warm(&b, w, used, NULL);
    for (unsigned k = 0; k < 8; k++)
        b.core[0].cpu.gpr[8 + k] = 0x40000 + 32 * k;
    end = board_run(&b);
    assert_int_equal(b.core[0].pmu.ev.total[EV_dcache_miss], n);
    board_close(&b);
    return end;
}

/* A touch does not wait for its line, but no more than the load queue and two
 * fills can be under way: line for line they go as fast as loads do. A fill
 * takes 8 bus cycles to its first beat and 3 more to its last: two lines in 11
 * bus cycles of three. */
#define LINES(n) ((n) / 2 * 11 * 3)

static void touches_go_no_faster_than_loads(void **state)
{
    cycle_t loads = through_lines(false, 96) - through_lines(false, 32);
    cycle_t touches = through_lines(true, 96) - through_lines(true, 32);

    (void)state;
    assert_int_equal(loads, LINES(64));
    assert_int_equal(touches, LINES(64));
}

/* Behind 32 touches a load of another line waits for the fills of the four
 * that are still in the queue, for the two under way, and for its own. */
static void a_load_behind_touches_waits_for_the_queue_only(void **state)
{
    uint32_t w[70];
    struct bench_board b;
    unsigned used = 0;

    (void)state;
    for (unsigned k = 0; k < 32; k++) {
        w[used++] = DCBT(0, 8);
        w[used++] = ADDI(8, 8, 32);
    }
    w[used++] = LWZ(3, 8, 0);
    w[used++] = BLR;
    board_start_warm(&b, w, used, NULL);
    b.core[0].cpu.gpr[8] = 0x40000;
    board_run(&b);
    assert_in_range(board_done(&b, 64) - board_done(&b, 62), LINES(5),
                    LINES(8));
    board_close(&b);
}

/* Thirty words in five lines, the second and the fourth modified elsewhere.
 * Every cycle is a line's but two in front (dispatch, address) and the last
 * (the word's way into its register). */
static void every_wait_of_a_long_multiple_is_told(void **state)
{
    const uint32_t w[] = {LMW(2, 0, 0x701C), BLR};
    struct bench_board b;
    struct core *c = &b.core[0];
    double snoop, dmiss;

    (void)state;
    board_open(&b, 2, &timing_detailed, NULL);
    board_words(&b, BENCH_CODE, w, COUNT(w));
    board_warm(&pipe_of(c)->tags.icache, BENCH_CODE, 4 * COUNT(w), MESI_S);
    board_warm(&pipe_of(&b.core[1])->tags.dcache, 0x7020, 32, MESI_M);
    board_warm(&pipe_of(&b.core[1])->tags.dcache, 0x7060, 32, MESI_M);
    core_start(c, BENCH_CODE, 0x100000, 0);
    board_run(&b);
    snoop = charged(c, BENCH_CODE, REASON_snoop);
    dmiss = charged(c, BENCH_CODE, REASON_dmiss);
    assert_true(charged(c, BENCH_CODE, REASON_execute) == 3);
    assert_true(snoop > 0 && dmiss > snoop);
    /* from the dispatch in 2 to the completion */
    assert_true(snoop + dmiss + 3 == (double)board_done(&b, 0) - 2);
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_product_is_there_after_two_cycles),
        cmocka_unit_test(a_small_multiplier_frees_the_unit_a_cycle_sooner),
        cmocka_unit_test(a_carry_is_read_when_it_is_in_its_register),
        cmocka_unit_test(a_store_starts_without_its_datum),
        cmocka_unit_test(eight_registers_are_read_a_cycle),
        cmocka_unit_test(a_denormal_single_is_shifted_as_it_is_stored),
        cmocka_unit_test(touches_go_no_faster_than_loads),
        cmocka_unit_test(a_load_behind_touches_waits_for_the_queue_only),
        cmocka_unit_test(every_wait_of_a_long_multiple_is_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
