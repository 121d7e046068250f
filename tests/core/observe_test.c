/* observe_test.c - what a program can see of time, against the exact truth:
 * time base and oracle agree, interrupts skid as the chart says, nothing of
 * the account is lost, several CPUs have one order.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sim/core/detailed/pipe.h"
#include "tests/lib/bench_board.h"

#define DATA 0x20000u
#define HANDLER 0xF00u
#define RFI 0x4C000064u
#define MMCR0 952u
#define PMC2 954u

struct rows {
    ea_t pc;
    uint64_t twelfths;
};

static void add_row(void *arg, uint32_t context, uint32_t pc,
                    enum reason reason, uint64_t twelfths)
{
    struct rows *r = arg;

    (void)context;
    (void)reason;
    if (pc == r->pc)
        r->twelfths += twelfths;
}

/* A drain forgets its rows, so several addresses are asked at once. */
static void add_rows(void *arg, uint32_t context, uint32_t pc,
                     enum reason reason, uint64_t twelfths)
{
    struct rows *r = arg;

    for (; r->pc; r++)
        add_row(r, context, pc, reason, twelfths);
}

/* mftb; isync; lwz; mftb, the time base ticking every cycle. */
static void time_base_agrees_with_the_oracle(int offset, uint64_t *measured)
{
    const uint32_t w[] = {MFTB(3), ISYNC, LWZ(4, 5, offset), MFTB(6), BLR};
    const char *knobs[] = {"bus_ratio=1", "tb_bus=1", NULL};
    struct rows rows[] = {{BENCH_CODE + 4, 0}, {BENCH_CODE + 8, 0}, {0, 0}};
    struct bench_board b;
    struct core *c = &b.core[0];

    board_open(&b, 1, &timing_detailed, knobs);
    board_words(&b, BENCH_CODE, w, 5);
    board_warm(&pipe_of(c)->tags.icache, BENCH_CODE, 20, MESI_S);
    board_warm(&pipe_of(c)->tags.dcache, DATA, 4096, MESI_E);
    core_start(c, BENCH_CODE, 0x100000, 0);
    c->cpu.gpr[5] = DATA;
    board_run(&b);
    oracle_drain(c->oracle, add_rows, rows);
    /* From the issue of the first mftb to that of the second: its own three
     * cycles, all that isync and lwz are charged with, and one to start. */
    *measured = c->cpu.gpr[6] - c->cpu.gpr[3];
    assert_int_equal(rows[0].twelfths % ORACLE_UNIT, 0);
    assert_int_equal(*measured, 3 + rows[0].twelfths / ORACLE_UNIT +
                                    rows[1].twelfths / ORACLE_UNIT + 1);
    board_close(&b);
}

static void mftb_load_mftb_agrees_with_the_oracle_for_a_hit(void **state)
{
    uint64_t cycles;

    (void)state;
    time_base_agrees_with_the_oracle(0, &cycles);
    /* isync issues at 4, completes 5, lwz fetched 6 S 8 E 9 C 11 | +1 */
    assert_int_equal(cycles, 3 + 2 + 6 + 1);
}

static void mftb_load_mftb_agrees_with_the_oracle_for_a_miss(void **state)
{
    uint64_t hit, miss;

    (void)state;
    time_base_agrees_with_the_oracle(0, &hit);
    time_base_agrees_with_the_oracle(0x2000, &miss);
    /* bus 1:1: request and address in one cycle, first beat 8 later */
    assert_int_equal(miss - hit, 8);
}

struct skids {
    unsigned count[64]; /* per instruction index at which it was taken */
    unsigned total;
    unsigned early; /* taken before the signal */
};

static void note_interrupt(void *arg, struct core *c, enum exc e,
                           cycle_t signalled, cycle_t taken)
{
    struct skids *s = arg;

    assert_int_equal(isa_exc_vector(e), HANDLER);
    s->early += taken <= signalled;
    s->count[(c->cpu.srr0 - (BENCH_CODE + 64)) / 4 % 64]++;
    s->total++;
}

/* The loop, from a line boundary: load A, seven simple instructions n
 * that wait for nothing, load B, seven more, then isync so that every iteration
 * starts with an empty window.
 *
 *   cycle after the isync's refetch:  2        3      4      5        6
 *   dispatched                        A n1 n2  n3 n4  n5 n6  n7 B n9  n10 n11
 *                                     7: n12 n13   8: n14 ...
 * A starts in 3 and asks the bus in 4: the PMI is signalled in 4, and the
 * first instruction that dispatches later is index 7. B starts in 6, asks in
 * 7: index 14. The counter overflows at every third miss: A and B in turn. */
#define INDEX_A 7
#define INDEX_B 14

static unsigned skid_program(uint32_t *w)
{
    unsigned n = 0, k;

    w[n++] = ADDI(4, 0, 60);
    w[n++] = MTCTR(4);
    while (n < 16)
        w[n++] = NOP;
    w[n++] = LWZ(3, 5, 0); /* A */
    for (k = 1; k <= 7; k++)
        w[n++] = ADDI(8, 0, 1);
    w[n++] = LWZ(6, 5, 0x1000); /* B */
    for (k = 9; k <= 15; k++)
        w[n++] = ADDI(8, 0, 1);
    w[n++] = ADDI(5, 5, 32);
    w[n++] = ISYNC;
    w[n] = BDNZ(-4 * (int)(n - 16));
    w[n + 1] = BLR;
    return n + 2;
}

static void skid_run(struct bench_board *b, struct skids *s, const char *knob)
{
    /* handler: count again, allow again, return */
    const uint32_t handler[] = {MTSPR(PMC2, 20), MTSPR(MMCR0, 21), RFI};
    const char *knobs[] = {"gpr_renames=64", knob, NULL};
    uint32_t w[64];
    unsigned n = skid_program(w);
    struct observer o;
    struct core *c;

    memset(s, 0, sizeof *s);
    board_open(b, 1, &timing_detailed, knobs);
    c = &b->core[0];
    o = (struct observer){.arg = s, .interrupt = note_interrupt};
    observers_add(&b->observers, &o);
    board_words(b, BENCH_CODE, w, n);
    board_words(b, HANDLER, handler, 3);
    board_warm(&pipe_of(c)->tags.icache, BENCH_CODE, 4 * n, MESI_S);
    board_warm(&pipe_of(c)->tags.icache, HANDLER, 12, MESI_S);
    core_start(c, BENCH_CODE, 0x100000, 0);
    c->cpu.gpr[5] = DATA;
    c->cpu.gpr[20] = 0x80000000u - 3;
    /* ENINT, PMCINTCONTROL, PMC2SELECT = data cache misses */
    c->cpu.gpr[21] = 0x04000000u | 0x4000u | 6u;
    c->observed_cycle = 0;
    c->port.spr_write(c, PMC2, c->cpu.gpr[20]);
    c->port.spr_write(c, MMCR0, c->cpu.gpr[21]);
    c->cpu.msr |= MSR_EE;
    c->port.msr_changed(c, 0, c->cpu.msr);
    board_run(b);
}

static void skid_of_a_load_miss_loop_is_the_chart(void **state)
{
    struct bench_board b;
    struct skids s;

    (void)state;
    skid_run(&b, &s, "pmi_precise=0");
    /* 120 misses, an interrupt every third */
    assert_int_equal(s.total, 40);
    assert_int_equal(s.early, 0);
    assert_int_equal(s.count[INDEX_A], 20);
    assert_int_equal(s.count[INDEX_B], 20);
    board_close(&b);
}

static void precise_knob_takes_the_skid_away(void **state)
{
    struct bench_board b;
    struct skids s;

    (void)state;
    skid_run(&b, &s, "pmi_precise=1");
    assert_int_equal(s.total, 40);
    assert_int_equal(s.count[1], 20); /* right behind A */
    assert_int_equal(s.count[9], 20); /* right behind B */
    board_close(&b);
}

/* The load crosses into a line that misses, the first half hits: that of the
 * two accesses which caused the miss is what SDA says. */
static void precise_sda_is_of_the_access_that_missed(void **state)
{
    const uint32_t w[] = {LWZ(3, 5, 0), ISYNC, LWZ(6, 5, 30), NOP, BLR};
    const uint32_t handler[] = {MTSPR(26, 22), RFI};
    const char *knobs[] = {"pmi_precise=1", NULL};
    struct bench_board b;
    struct core *c;

    (void)state;
    board_open(&b, 1, &timing_detailed, knobs);
    c = &b.core[0];
    board_words(&b, BENCH_CODE, w, 5);
    board_words(&b, HANDLER, handler, 2);
    core_start(c, BENCH_CODE, 0x100000, 0);
    c->cpu.gpr[5] = DATA;
    c->cpu.gpr[22] = BENCH_CODE + 12;
    c->observed_cycle = 0;
    c->port.spr_write(c, PMC2, 0x80000000u - 2);
    c->port.spr_write(c, MMCR0, 0x04000000u | 0x4000u | 6u);
    c->cpu.msr |= MSR_EE;
    c->port.msr_changed(c, 0, c->cpu.msr);
    board_run(&b);
    assert_int_equal(c->pmu.sia, BENCH_CODE + 8);
    assert_int_equal(c->pmu.sda, DATA + 32);
    board_close(&b);
}

/* Four CPUs add 500 times each to one word under lwarx/stwcx. */
static void run_adders(struct bench_board *b, const char *const *knobs)
{
    const uint32_t w[] = {
        ADDI(4, 0, 500), MTCTR(4), LWARX(7, 0, 5), ADDI(7, 7, 1),
        STWCX_(7, 0, 5), BNE(-12), BDNZ(-16),      BLR};
    unsigned n;

    board_open(b, 4, &timing_detailed, knobs);
    board_words(b, BENCH_CODE, w, 8);
    for (n = 0; n < 4; n++) {
        core_start(&b->core[n], BENCH_CODE, 0x100000, 7 * n);
        b->core[n].cpu.gpr[5] = DATA;
    }
    board_run(b);
}

static void atomic_adds_of_four_cpus_lose_nothing(void **state)
{
    struct bench_board b;
    const char *ahead[] = {"quantum=100", NULL};

    (void)state;
    run_adders(&b, NULL);
    assert_int_equal(b.ram.bytes[DATA + 2] << 8 | b.ram.bytes[DATA + 3], 2000);
    board_close(&b);
    run_adders(&b, ahead);
    assert_int_equal(b.ram.bytes[DATA + 2] << 8 | b.ram.bytes[DATA + 3], 2000);
    board_close(&b);
}

static void oracle_accounts_every_cycle_of_every_cpu(void **state)
{
    struct bench_board b;
    cycle_t end = 0;
    unsigned n;

    (void)state;
    run_adders(&b, NULL);
    for (n = 0; n < 4; n++)
        if (core_finished(&b.core[n]) > end)
            end = core_finished(&b.core[n]);
    for (n = 0; n < 4; n++)
        assert_int_equal(oracle_total(b.core[n].oracle), ORACLE_UNIT * end);
    board_close(&b);
}

/* A second machine in the same process changes nothing in the first. */
static void two_machines_live_side_by_side(void **state)
{
    struct bench_board a, b;
    cycle_t end;

    (void)state;
    run_adders(&a, NULL);
    end = core_finished(&a.core[0]);
    run_adders(&b, NULL);
    assert_int_equal(core_finished(&b.core[0]), end);
    board_close(&a);
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mftb_load_mftb_agrees_with_the_oracle_for_a_hit),
        cmocka_unit_test(mftb_load_mftb_agrees_with_the_oracle_for_a_miss),
        cmocka_unit_test(skid_of_a_load_miss_loop_is_the_chart),
        cmocka_unit_test(precise_knob_takes_the_skid_away),
        cmocka_unit_test(precise_sda_is_of_the_access_that_missed),
        cmocka_unit_test(atomic_adds_of_four_cpus_lose_nothing),
        cmocka_unit_test(oracle_accounts_every_cycle_of_every_cpu),
        cmocka_unit_test(two_machines_live_side_by_side),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
