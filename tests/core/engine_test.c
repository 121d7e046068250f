/* engine_test.c - the seam between the fast model and its engines: what changes
 * code reaches an engine that keeps code.
 *
 * The engine here keeps a copy of each instruction that it has run and runs the
 * copy until it is told to forget it, so that a change it does not hear of runs
 * the old program. It is also the shortest example of a second engine:
 * docs/architecture.md, "Another engine".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/core/fast/code.h"
#include "sim/core/fast/runs.h"
#include "sim/gdb/stub.h"
#include "tests/lib/bench_board.h"

#define COUNT(w) (sizeof w / sizeof w[0])
#define ICBI(a, b) (31u << 26 | (a) << 16 | (b) << 11 | 982u << 1)
#define TLBIE(b) (31u << 26 | (b) << 11 | 306u << 1)
#define BL(disp) (B(disp) | 1)
#define MFLR(d) MFSPR(d, 8)
#define MTLR(s) MTSPR(8, s)

/* ---- an engine that keeps copies ------------------------------------------
 */

#define KEPT (1u << 19) /* words of memory from 0 on */

struct copies {
    struct insn insn[KEPT];
    unsigned told;
};

static struct copies *copies_of(const struct core *c)
{
    return c->engine_state;
}

static bool copies_init(struct core *c)
{
    c->engine_state = calloc(1, sizeof(struct copies));
    return c->engine_state != NULL;
}

static void copies_free(struct core *c)
{
    free(c->engine_state);
    c->engine_state = NULL;
}

/* One instruction, the copy of it. */
static enum exc copies_run(struct core *c, struct insn *page, pa_t page_pa,
                           uint64_t budget)
{
    pa_t pa = page_pa | (c->cpu.pc & 0xFFC);
    struct insn *copy = &copies_of(c)->insn[pa / 4];
    ea_t pc = c->cpu.pc;
    enum exc exc;

    (void)budget;
    if (!copy->exec)
        *copy = page[(pa & 0xFFF) / 4];
    fast_of(c)->start = pc;
    c->observed_cycle = c->clock;
    if (copy->flags & INSN_OBSERVES)
        fast_catch_up(c);
    exc = isa_exec(&c->cpu, copy);
    if (exc)
        return exc;
    c->cpu.pc = c->cpu.nia;
    c->clock += c->with.params->fast_cpi;
    run_add(c, pc, 1);
    return EXC_NONE;
}

static void copies_invalidate(struct core *c, pa_t pa, unsigned size)
{
    struct copies *k = copies_of(c);

    k->told++;
    for (pa_t at = pa & ~3u; at < pa + size && at / 4 < KEPT; at += 4)
        k->insn[at / 4].exec = NULL;
}

static const struct engine engine_copies = {.name = "copies",
                                            .init = copies_init,
                                            .free = copies_free,
                                            .run = copies_run,
                                            .invalidate = copies_invalidate};

/* ---- who changes code ----------------------------------------------------- */

static void start(struct bench_board *b, unsigned cpu, ea_t entry)
{
    core_start(&b->core[cpu], entry, 0x8000, 0);
    b->core[cpu].cpu.gpr[5] = BENCH_DATA;
}

#define FUNCTION (BENCH_CODE + 0x100)

/* A function that returns 1 is stored over and returns 2: r3 gets 2 * 2. */
static const uint32_t changes_itself[] = {
    MFLR(7),        BL(0x100 - 4), ADD(4, 3, 3), LWZ(6, 5, 0),
    STW(6, 9, 0),   ICBI(0, 9),    ISYNC,        BL(0x100 - 28),
    MULLW(3, 3, 4), MTLR(7),       BLR};

static void a_program_that_stores_over_itself(void **state)
{
    static const uint32_t one[] = {ADDI(3, 0, 1), BLR};
    static const uint32_t two[] = {ADDI(3, 0, 2)};
    static struct bench_board b;

    (void)state;
    board_open_engine(&b, 1, &timing_fast, &engine_copies, NULL);
    board_words(&b, BENCH_CODE, changes_itself, COUNT(changes_itself));
    board_words(&b, FUNCTION, one, 2);
    board_words(&b, BENCH_DATA, two, 1);
    start(&b, 0, BENCH_CODE);
    b.core[0].cpu.gpr[9] = FUNCTION;
    board_run(&b);
    assert_int_equal(b.core[0].cpu.gpr[3], 4);
    board_close(&b);
}

/* Processor 0 goes round until processor 1 has stored over its branch. */
static void a_store_by_another_processor(void **state)
{
    static const uint32_t waits[] = {ADDI(3, 3, 1), B(-4), BLR};
    static const uint32_t stores[] = {
        ADDI(4, 0, 100), MTCTR(4),     BDNZ(0), LWZ(6, 5, 0),
        LWZ(7, 5, 4),    STW(6, 7, 4), BLR};
    static const uint32_t data[] = {NOP, BENCH_CODE};
    static struct bench_board b;

    (void)state;
    board_open_engine(&b, 2, &timing_fast, &engine_copies, NULL);
    board_words(&b, BENCH_CODE, waits, COUNT(waits));
    board_words(&b, BENCH_CODE + 0x1000, stores, COUNT(stores));
    board_words(&b, BENCH_DATA, data, 2);
    start(&b, 0, BENCH_CODE);
    start(&b, 1, BENCH_CODE + 0x1000);
    for (unsigned turns = 0; turns < 4000; turns++)
        for (unsigned n = 0; n < 2; n++)
            core_run(&b.core[n], b.core[n].clock + 64);
    assert_true(b.core[0].returned && b.core[1].returned);
    assert_true(b.core[0].cpu.gpr[3] > 50);
    board_close(&b);
}

/* One address, mapped to two pages one behind the other: nothing is forgotten,
 * and the engine, which goes by physical addresses, runs both. */
static void a_page_that_is_mapped_elsewhere(void **state)
{
    static const uint32_t one[] = {ADDI(3, 3, 1), BLR};
    static const uint32_t ten[] = {ADDI(3, 3, 10), BLR};
    static const uint32_t program[] = {
        MFLR(7),  BL(64 - 4), STW(8, 10, 0), SYNC,           TLBIE(9),
        SYNC,     ISYNC,      BL(64 - 28),   STW(11, 10, 0), SYNC,
        TLBIE(9), SYNC,       ISYNC,         BL(64 - 52),    MTLR(7),
        BLR,      MTCTR(9),   0x4E800420 /* bctr */};
    static const uint32_t at_first[] = {0x13002};
    static struct bench_board b;
    struct cpu *c = &b.core[0].cpu;
    ea_t away = 0x30000;

    (void)state;
    board_open_engine(&b, 1, &timing_fast, &engine_copies, NULL);
    board_words(&b, BENCH_CODE, program, COUNT(program));
    board_words(&b, 0x12000, one, COUNT(one));
    board_words(&b, 0x13000, ten, COUNT(ten));
    start(&b, 0, BENCH_CODE);
    c->gpr[9] = away;
    c->gpr[10] = board_map(&b, away, 2);
    board_map(&b, BENCH_CODE, 2);
    board_map(&b, BOARD_RETURN, 2);
    c->gpr[8] = 0x12002;
    c->gpr[11] = 0x13002;
    c->sdr1 = BENCH_TABLE;
    c->msr |= MSR_IR;
    board_words(&b, c->gpr[10], at_first, 1);
    board_run(&b);
    assert_true(b.core[0].returned);
    assert_int_equal(c->gpr[3], 10 + 1 + 10);
    board_close(&b);
}

/* A debugger writes `blr` over the branch of an endless loop. */
static void debugger_beat(void *arg, cycle_t at)
{
    static const uint8_t blr[] = {0x4E, 0x80, 0x00, 0x20};
    struct gdb *g = arg;

    (void)at;
    if (!g->stopped)
        assert_true(memory_write(g, 0, 0x100004, blr, sizeof blr));
    g->stopped = true;
}

static void a_debugger_that_writes_code(void **state)
{
    uint8_t bytes[8] = {0x38, 0x60, 0x00, 0x07, 0x4B, 0xFF, 0xFF, 0xFC};
    struct machine *m = calloc(1, sizeof *m);
    struct gdb *g = calloc(1, sizeof *g);
    struct observer o = {.arg = g, .beat = debugger_beat};
    struct image image = {.name = "test",
                          .build_id = "00",
                          .entry = 0x100000,
                          .count = 1,
                          .bytes = bytes,
                          .size = sizeof bytes};
    struct machine_setup s = {.timing = &timing_fast,
                              .engine = &engine_copies,
                              .cpus = 1,
                              .ram = 2u << 20,
                              .args = "",
                              .image = &image,
                              .max_cycles = 1000000};
    char why[256];

    (void)state;
    image.segment[0] =
        (struct image_segment){0x100000, 0x100000, 8, 8, 0, "r-x"};
    params_default(&s.params);
    assert_true(machine_init(m, &s, why, sizeof why));
    g->machine = m;
    machine_observe(m, &o, true);
    machine_run(m);
    assert_int_equal(m->end, MACHINE_RETURN);
    assert_int_equal(m->status, 7);
    machine_free(m);
    free(g);
    free(m);
}

/* On a host that has stencils each can be copied: the compiler put no address
 * of its own into one. Elsewhere there are none, and nothing is wrong. */
static void every_stencil_can_be_copied(void **state)
{
    (void)state;
    for (unsigned of = STENCILS_OF_FAST; of <= STENCILS_OF_MEMO; of++) {
        const char *why = "";
        struct stencil *all = stencils_read((enum stencils)of, &why);

        if (why)
            fail_msg("stencil %s", why);
        assert_int_equal(all != NULL, STENCILS_HOST);
        free(all);
    }
}

/* Code that runs often runs as blocks, and comes to the same. */
/* As stencil_of wants it. */
static void rows_of_an_opcode_follow_each_other(void **state)
{
    static const uint16_t op[] = {
#define STENCIL(id, kind, op, body, flags, a, d, sh) OP_##op,
#include "sim/core/fast/stencils.def"
#undef STENCIL
    };
    uint8_t seen[OP_COUNT] = {0};

    (void)state;
    for (size_t n = 0; n < sizeof op / sizeof *op; n++) {
        if (n && op[n] != op[n - 1])
            assert_false(seen[op[n]]);
        seen[op[n]] = 1;
    }
}

static void blocks_are_made_of_what_is_hot(void **state)
{
    static const uint32_t program[] = {
        ADDIS(4, 0, 1), MTCTR(4), ADDI(3, 3, 3), STW(3, 5, 8), LWZ(6, 5, 8),
        BDNZ(-12),      BLR};
    static struct bench_board b;
    const struct code *k;

    (void)state;
    board_open_engine(&b, 1, &timing_fast, &engine_blocks, NULL);
    board_words(&b, BENCH_CODE, program, COUNT(program));
    start(&b, 0, BENCH_CODE);
    board_run(&b);
    assert_int_equal(b.core[0].cpu.gpr[6], 3 * 0x10000);
    assert_int_equal(b.core[0].insns, 2 + 4 * 0x10000 + 1);
    k = b.core[0].engine_state; /* its first member */
    assert_true(!STENCILS_HOST || (k && k->blocks > 0));
    board_close(&b);
}

/* Words that were never decoded are no code: a store there tells no engine. */
static void data_that_changes_is_not_told(void **state)
{
    static const uint32_t program[] = {STW(5, 5, 0), STW(5, 5, 4), BLR};
    static struct bench_board b;

    (void)state;
    board_open_engine(&b, 1, &timing_fast, &engine_copies, NULL);
    board_words(&b, BENCH_CODE, program, COUNT(program));
    start(&b, 0, BENCH_CODE);
    b.core[0].cpu.gpr[5] = BENCH_CODE + 0x100;
    board_run(&b);
    assert_true(b.core[0].returned);
    assert_int_equal(copies_of(&b.core[0])->told, 0);
    board_close(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_that_stores_over_itself),
        cmocka_unit_test(a_store_by_another_processor),
        cmocka_unit_test(a_page_that_is_mapped_elsewhere),
        cmocka_unit_test(a_debugger_that_writes_code),
        cmocka_unit_test(every_stencil_can_be_copied),
        cmocka_unit_test(rows_of_an_opcode_follow_each_other),
        cmocka_unit_test(blocks_are_made_of_what_is_hot),
        cmocka_unit_test(data_that_changes_is_not_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
