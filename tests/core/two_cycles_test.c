/* two_cycles_test.c - a timing model of its own, in this file alone: every
 * instruction takes two cycles, and so does every exception but sc, which is an
 * instruction itself. Programs run on it as on the models of simrun, and come
 * to the same results; their cycles are counted by hand.
 *
 * It is also the shortest example of a model: docs/architecture.md, "Another
 * timing model".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "include/board.h"
#include "include/mark_bits.h"
#include "sim/core/core_private.h"
#include "sim/core/mark_feed.h"
#include "sim/observe/recorder.h"
#include "tests/lib/bench_board.h"
#include "tests/lib/random_code.h"

/* ---- the model ------------------------------------------------------------
 */

#define CYCLES 2

struct two {
    ea_t last; /* the latest instruction that completed */
};

static bool two_init(struct core *c)
{
    for (unsigned k = 0; k < STEP_ACCESSES; k++)
        c->access_cycles[k] = CYCLES;
    c->timing_state = calloc(1, sizeof(struct two));
    return c->timing_state != NULL;
}

static void two_free(struct core *c)
{
    free(c->timing_state);
    c->timing_state = NULL;
}

static cycle_t two_quantum(const struct params *p)
{
    (void)p;
    return 0;
}

static bool two_counts(enum event e)
{
    return e == EV_insn_completed || e == EV_insn_dispatched;
}

static ea_t two_completed_by(const struct core *c, cycle_t at)
{
    const struct two *t = c->timing_state;

    (void)at;
    return t->last;
}

static void pass(struct core *c, uint32_t context, ea_t pc, enum reason r,
                 cycle_t cycles)
{
    oracle_add(c->oracle, context, pc, r, ORACLE_UNIT * cycles);
    c->clock += cycles;
}

static void two_charge(struct core *c, uint32_t context, ea_t pc,
                       cycle_t cycles)
{
    pass(c, context, pc, REASON_system, cycles);
}

/* i, at pc, has run: its cycles, its events, and what marks and filters are
 * told. */
static void complete(struct core *c, const struct insn *i, ea_t pc,
                     const struct from *from)
{
    struct two *t = c->timing_state;
    struct insn_info *d = &c->insn_info;

    pass(c, from->context, pc, REASON_complete, CYCLES);
    c->observed_cycle = c->clock;
    c->insns++;
    t->last = c->host_counters.pc = pc;
    ev_add(&c->pmu.ev, EV_insn_dispatched, 1, c->clock);
    ev_add(&c->pmu.ev, EV_insn_completed, 1, c->clock);
    if (c->host_counters.pending)
        host_counters_settle(&c->host_counters, step_first(&c->cpu.step));
    if (c->pif.begun)
        mark_feed_done(c, i, decode_cache_pa(c->with.decoded, i), 0, from->at,
                       c->clock);
    if (insn_info_asked(c)) {
        if (c->pif.branches.on)
            insn_info_branch(c, i, pc, from->msr, false);
        insn_info_begin(c, d, pc, i, from);
        insn_info_completed(c, d);
        d->dispatched = true;
        d->fetch = d->dispatch = d->issue = from->at;
        d->finish = d->complete = c->clock;
        d->latency = d->oldest = CYCLES;
        insn_info_end(c, 0, d);
    }
    if (c->pmu.news)
        c->attention = 0;
}

/* The instruction at cpu.pc and its exception, if it has one. */
static void step(struct core *c)
{
    struct from from = core_from(c);
    ea_t pc = c->cpu.pc;
    enum exc exc;
    struct insn *i = core_fetch(c, pc, &exc);

    if (c->state != CORE_RUNNING ||
        (i && core_observed(c) && core_before(c, i, c->clock)))
        return;
    c->observed_cycle = c->clock;
    c->pif.begun = false;
    if (i && c->pif.active &&
        mark_feed_before(c, decode_cache_pa(c->with.decoded, i)))
        exc = EXC_INDICATOR;
    else if (i)
        exc = isa_exec(&c->cpu, i);
    if (!exc || exc == EXC_SC)
        complete(c, i, pc, &from);
    if (!exc && isa_traces(i, from.msr) && i->class != CLASS_RFI) {
        c->cpu.cause = 0;
        exc = EXC_TRACE;
    }
    if (!exc) {
        c->cpu.pc = c->cpu.nia;
    } else {
        if (exc != EXC_SC)
            pass(c, from.context, pc, REASON_exception, CYCLES);
        core_except(c, exc);
    }
    if (i && core_observed(c))
        core_after(c, pc, from.at, c->clock);
}

static void two_run(struct core *c, cycle_t until)
{
    while (!c->yield && c->state == CORE_RUNNING) {
        if (c->clock >= c->attention && core_attend(c, c->clock))
            continue;
        if (c->clock > until)
            return;
        step(c);
        if (c->cpu.msr & MSR_POW && c->state == CORE_RUNNING)
            core_nap(c, c->clock);
    }
}

static const struct timing two_cycles = {
    .name = "two cycles",
    .serial = true,
    .quantum = two_quantum,
    .counts = two_counts,
    .init = two_init,
    .free = two_free,
    .run = two_run,
    .completed_by = two_completed_by,
    .charge = two_charge,
};

/* ---- what the programs share ----------------------------------------------
 */

#define RFI 0x4C000064u
#define MTMSR(s) (31u << 26 | (s) << 21 | 146 << 1)
#define LIS(d, imm) ADDIS(d, 0, imm)
#define HID0 1008
#define DEC 22
#define COUNT(w) (sizeof w / sizeof w[0])
#define PMARK(n, k) (5u << 26 | (n) << 21 | (k) << 5 | 11)

static const struct timing *const models[] = {&two_cycles, &timing_fast,
                                              &timing_warm, &timing_detailed};

/* Interrupts and exceptions of a core, but for sc. */
struct seen {
    unsigned faults, interrupts;
    unsigned skid; /* of the monitor, one instruction behind that of SIA */
    struct observer observer;
};

static void on_entered(void *arg, struct core *c, enum exc e, ea_t pc,
                       cycle_t at)
{
    struct seen *s = arg;

    (void)at;
    if (e == EXC_DECREMENTER || e == EXC_PERFMON)
        s->interrupts++;
    else if (e != EXC_SC)
        s->faults++;
    /* The signal comes in the cycle in which the instruction of SIA ends and
     * the next one begins, the interrupt in front of what begins later: in a
     * loop of two that is where SIA is. */
    s->skid += e == EXC_PERFMON && c->pmu.sia == pc;
}

static void open_board(struct bench_board *b, const struct timing *t,
                       struct seen *seen)
{
    board_open(b, 1, t, NULL);
    *seen = (struct seen){.observer = {.arg = seen, .entered = on_entered}};
    observers_add(&b->observers, &seen->observer);
}

static cycle_t run_board(struct bench_board *b)
{
    struct core *c = &b->core[0];
    cycle_t end;

    core_start(c, BENCH_CODE, 0x100000, 0);
    end = board_run(b);
    assert_string_equal(c->why, "returned from its entry function");
    assert_int_equal(oracle_total(c->oracle), ORACLE_UNIT * end);
    return end;
}

/* ---- bare programs ---------------------------------------------------------
 */

static void same_results(const struct bench_board *a,
                         const struct bench_board *b)
{
    const struct cpu *x = &a->core[0].cpu, *y = &b->core[0].cpu;

    assert_int_equal(a->core[0].insns, b->core[0].insns);
    assert_memory_equal(x->gpr, y->gpr, sizeof x->gpr);
    assert_int_equal(x->cr, y->cr);
    assert_int_equal(x->xer, y->xer);
    assert_int_equal(x->srr0, y->srr0);
    assert_memory_equal(a->ram.bytes, b->ram.bytes, a->ram.size);
}

static void bare_programs_take_two_cycles_an_instruction(void **state)
{
    static struct bench_board b[COUNT(models)];
    struct seen seen;
    unsigned faults = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 10; seed++) {
        for (unsigned k = 0; k < COUNT(models); k++) {
            cycle_t end;

            open_board(&b[k], models[k], &seen);
            random_program(&b[k], seed);
            end = run_board(&b[k]);
            if (models[k] == &two_cycles)
                assert_int_equal(end, 2 * (b[k].core[0].insns + seen.faults));
            faults += seen.faults;
            same_results(&b[0], &b[k]);
        }
        for (unsigned k = 0; k < COUNT(models); k++)
            board_close(&b[k]);
    }
    assert_true(faults > 0);
}

/* ---- events and marks ------------------------------------------------------
 */

static void put(uint32_t **at, uint32_t word)
{
    *(*at)++ = word;
}

static void set_spr(uint32_t **at, unsigned spr, uint32_t value)
{
    put(at, ADDIS(3, 0, value >> 16));
    put(at, ORI(3, 3, value & 0xFFFF));
    put(at, MTSPR(spr, 3));
}

#define PASSES 10u
#define MARKERS 0x8000u /* table of the marker opcodes */

/* Counted are the mtspr that starts, the passes of five, and the two words in
 * front of the mtspr that stops. */
#define ALL (1 + 5 * PASSES + 2)

/* PMC1 counts the completed instructions that are marked, PMC2 all, PMC3
 * cycles. A marker opcode marks the load behind it. */
static unsigned marked_loop(uint32_t *w)
{
    uint32_t *at = w;

    put(&at, MFSPR(4, HID0));
    put(&at, ADDIS(3, 0, HID0_PIFE >> 16));
    put(&at, ADD(4, 4, 3));
    put(&at, MTSPR(HID0, 4));
    set_spr(&at, PMU_MMCR0, MMCR0_DIS);
    set_spr(&at, PMU_PIFE1, 0x102);
    set_spr(&at, PMU_PIFE2, 0x102);
    set_spr(&at, PMU_PIFE3, 0x101);
    set_spr(&at, PMU_PIFF, (uint32_t)PIFF_MARKED << 28);
    set_spr(&at, PMU_PIFMT, MARKERS);
    set_spr(&at, PMU_PIFM,
            PIFM_IE | PIFM_US | PIFM_SU | PIFM_P1 | PIFM_P0 |
                PIF_CARRIER_MARKER << PIFM_CA_SHIFT);
    put(&at, ADDIS(5, 0, BENCH_DATA >> 16));
    put(&at, ADDI(6, 0, PASSES));
    put(&at, MTCTR(6));
    put(&at, ADDI(3, 0, 0));
    put(&at, MTSPR(PMU_MMCR0, 3));
    put(&at, PMARK(3, 0));
    put(&at, LWZ(7, 5, 0));
    put(&at, ADDI(5, 5, 0x40));
    put(&at, ADD(8, 7, 7));
    put(&at, BDNZ(-16));
    set_spr(&at, PMU_MMCR0, MMCR0_DIS);
    put(&at, BLR);
    return (unsigned)(at - w);
}

static void events_and_marks_are_counted(void **state)
{
    static const uint32_t mark = IND_PMU;
    static struct bench_board b;
    struct core *c = &b.core[0];
    struct seen seen;
    uint32_t w[100];

    (void)state;
    for (unsigned k = 0; k < COUNT(models); k++) {
        cycle_t end;

        open_board(&b, models[k], &seen);
        board_words(&b, BENCH_CODE, w, marked_loop(w));
        board_words(&b, MARKERS, &mark, 1);
        end = run_board(&b);
        assert_int_equal(pmu_count(&c->pmu, 1, end), PASSES);
        assert_int_equal(pmu_count(&c->pmu, 2, end), ALL);
        if (models[k] == &two_cycles) {
            assert_int_equal(pmu_count(&c->pmu, 3, end), 2 * ALL);
            assert_int_equal(end, 2 * c->insns);
        }
        board_close(&b);
    }
}

/* ---- interrupts ------------------------------------------------------------
 */

/* r7 grows in a loop that two interrupts break into: the decrementer, every so
 * often, and the monitor, at every 100th instruction. r8 and r9 count them. */
static void interrupts_come_and_go(void **state)
{
    static const uint32_t dec[] = {ADDI(8, 8, 1), MTSPR(DEC, 20), RFI};
    static const uint32_t monitor[] = {ADDI(9, 9, 1), MTSPR(PMU_PMC1, 21),
                                       MTSPR(PMU_MMCR0, 22), RFI};
    static const uint32_t loop[] = {LIS(21, 0x8000),
                                    ADDI(21, 21, -100),
                                    LIS(22, 0x0400),
                                    ORI(22, 22, 0x8080),
                                    ADDI(20, 0, 30),
                                    ADDI(6, 0, 3000),
                                    MTCTR(6),
                                    MTSPR(DEC, 20),
                                    MTSPR(PMU_PMC1, 21),
                                    MTSPR(PMU_MMCR0, 22),
                                    ORI(4, 0, 0x8000),
                                    MTMSR(4),
                                    ADDI(7, 7, 3),
                                    BDNZ(-4),
                                    BLR};
    static struct bench_board b;
    struct core *c = &b.core[0];
    struct seen seen;

    (void)state;
    for (unsigned k = 0; k < COUNT(models); k++) {
        cycle_t end;

        open_board(&b, models[k], &seen);
        board_words(&b, BENCH_CODE, loop, COUNT(loop));
        board_words(&b, 0x900, dec, COUNT(dec));
        board_words(&b, 0xF00, monitor, COUNT(monitor));
        end = run_board(&b);
        assert_int_equal(c->cpu.gpr[7], 9000);
        assert_true(c->cpu.gpr[8] > 3);
        assert_true(c->cpu.gpr[9] > 30);
        assert_int_equal(c->cpu.gpr[8] + c->cpu.gpr[9], seen.interrupts);
        assert_int_equal(seen.faults, 0);
        if (models[k] == &two_cycles) {
            assert_int_equal(end, 2 * c->insns);
            /* unless the decrementer's handler ran in between */
            assert_true(seen.skid >= c->cpu.gpr[9] - c->cpu.gpr[8]);
            assert_true(seen.skid > 30);
        }
        board_close(&b);
    }
}

/* ---- a machine -------------------------------------------------------------
 */

#define START 0x1000u
#define TURNS 300

/* CPU 0 lets CPU 1 go; both add 1 to the word at 0x100, TURNS times each; the
 * one that makes it 2 * TURNS returns. */
static const uint32_t lock[] = {
    LIS(4, BOARD_RELEASE >> 16),
    ORI(4, 4, BOARD_RELEASE & 0xFFFF),
    ADDI(5, 0, START + 16),
    STW(5, 4, 4),
    ADDI(6, 0, TURNS), /* START + 16 */
    MTCTR(6),
    ADDI(5, 0, 0x100),
    LWARX(7, 0, 5),
    ADDI(7, 7, 1),
    STWCX_(7, 0, 5),
    BNE(-12),
    BDNZ(-16),
    CMPWI(0, 7, 2 * TURNS),
    BNE(0),
    BLR,
};

static struct machine *power_on(const struct timing *t, struct image *image,
                                uint8_t *bytes)
{
    struct machine *m = calloc(1, sizeof *m);
    struct machine_setup s = {
        .timing = t,
        .cpus = 2,
        .ram = RAM_MIN,
        .args = "",
        .image = image,
        .nhost_counters = 2,
        .host_counters = {{.event = EV_cycles, .user = true, .kernel = true},
                          {.event = EV_insn_completed,
                           .user = true,
                           .kernel = true}},
    };
    char why[256];

    assert_non_null(m);
    params_default(&s.params);
    for (unsigned k = 0; k < sizeof lock; k++)
        bytes[k] = (uint8_t)(lock[k / 4] >> (24 - k % 4 * 8));
    *image = (struct image){.name = "lock",
                            .entry = START,
                            .count = 1,
                            .bytes = bytes,
                            .size = sizeof lock};
    image->segment[0] = (struct image_segment){START,       START, sizeof lock,
                                               sizeof lock, 0,     "r-x"};
    assert_true(machine_init(m, &s, why, sizeof why));
    return m;
}

static void two_processors_share_memory(void **state)
{
    uint8_t bytes[sizeof lock];
    struct image image;

    (void)state;
    for (unsigned k = 0; k < COUNT(models); k++) {
        struct machine *m = power_on(models[k], &image, bytes);
        const struct core *c = m->core;

        machine_run(m);
        assert_int_equal(m->end, MACHINE_RETURN);
        assert_int_equal(m->ram.bytes[0x102] << 8 | m->ram.bytes[0x103],
                         2 * TURNS);
        assert_true(m->exact);
        for (unsigned n = 0; n < 2; n++) {
            uint64_t cycles =
                         host_counters_value(&c[n].host_counters, 0, m->cycles),
                     insns =
                         host_counters_value(&c[n].host_counters, 1, m->cycles);

            assert_int_equal(insns, c[n].insns);
            assert_int_equal(cycles, m->cycles);
        }
        machine_free(m);
        free(m);
    }
}

/* What asks for the model by name gets it: the header of an experiment. */
static void a_run_is_said_to_be_of_the_model(void **state)
{
    struct recorder_setup what = {0};
    static char text[RECORDER_HEADER];
    uint8_t bytes[sizeof lock];
    struct image image;
    struct machine *m = power_on(&two_cycles, &image, bytes);
    struct core_stages stages;

    (void)state;
    recorder_header(&m->with, &what, text);
    assert_non_null(strstr(text, "\nmode two cycles\n"));
    assert_false(core_stages(&m->core[0], &stages));
    assert_false(timing_counts(&two_cycles, EV_dcache_miss));
    assert_true(timing_counts(&two_cycles, EV_cycles));
    assert_null(timing_named("two cycles")); /* no row of simrun's */
    machine_free(m);
    free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bare_programs_take_two_cycles_an_instruction),
        cmocka_unit_test(events_and_marks_are_counted),
        cmocka_unit_test(interrupts_come_and_go),
        cmocka_unit_test(two_processors_share_memory),
        cmocka_unit_test(a_run_is_said_to_be_of_the_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
