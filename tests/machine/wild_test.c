/* wild_test.c - programs of random sound instructions, vectors included, on a
 * whole machine: whatever they do, the simulator stays sound, the oracle's
 * account adds up, and the timing models agree on what happened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/machine/machine.h"
#include "tests/lib/bench_board.h"
#include "sim/core/timing.h"

#define CODE 65536u /* bytes from 0 */
#define START 0x2000u
#define CYCLES 200000

struct bench {
    struct image image;
    uint8_t bytes[CODE];
    struct machine machine;
};

static uint64_t seed;

static uint32_t draw(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 16);
}

static void put(struct bench *b, pa_t pa, uint32_t word)
{
    for (unsigned i = 0; i < 4; i++)
        b->bytes[pa + i] = (uint8_t)(word >> (24 - 8 * i));
}

/* Shall this word be in a program? A quiet one sees no time and lets no
 * interrupt in, so that both timing models must do the same. */
static bool wanted(uint32_t word, bool quiet)
{
    struct insn i = {0};

    isa_decode(&i, word);
    if (i.op == OP_ILLEGAL)
        return false;
    return !quiet || !(i.flags & (INSN_OBSERVES | INSN_SUPERVISOR));
}

static uint32_t word(bool quiet)
{
    uint32_t w;

    do
        w = draw();
    while (!wanted(w, quiet));
    /* Short branches, so that programs hang together. */
    if (w >> 26 == 18)
        w = (w & 0xFC000001) | (draw() & 0x1FC);
    return w;
}

static void fill(struct bench *b, bool quiet)
{
    pa_t pa;

    for (pa = 0; pa < CODE; pa += 4)
        put(b, pa, word(quiet));
    /* Registers begin as addresses in memory. */
    for (pa = START; pa < START + 31 * 8; pa += 8) {
        unsigned r = (pa - START) / 8 + 1;

        put(b, pa, ADDIS(r, 0, draw() & 0xF));
        put(b, pa + 4, ORI(r, r, draw() & 0xFFFC));
    }
    b->image = (struct image){.name = "wild",
                              .entry = START,
                              .count = 1,
                              .bytes = b->bytes,
                              .size = CODE};
    b->image.segment[0] = (struct image_segment){0, 0, CODE, CODE, 0, "rwx"};
}

static void run_with(struct bench *b, const struct timing *timing,
                     unsigned cpus, const struct params *p)
{
    struct machine_setup s = {.timing = timing,
                              .cpus = cpus,
                              .ram = RAM_MIN,
                              .args = "",
                              .max_cycles = CYCLES,
                              .image = &b->image};
    char why[256];

    s.params = *p;
    assert_true(machine_init(&b->machine, &s, why, sizeof why));
    machine_run(&b->machine);
}

static void run(struct bench *b, const struct timing *timing, unsigned cpus)
{
    struct params p;

    params_default(&p);
    run_with(b, timing, cpus, &p);
}

static void wild_programs_leave_the_simulator_sound(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 300; n++) {
        struct bench *b = calloc(1, sizeof *b);

        assert_non_null(b);
        seed = 0x9E3779B97F4A7C15u + n;
        fill(b, false);
        for (unsigned k = 0; timing_at(k); k++) {
            run(b, timing_at(k), 1 + n % 3);
            if (!b->machine.exact)
                fail_msg("program %u, %s: the account is wrong", n,
                         timing_at(k)->name);
            assert_int_not_equal(b->machine.end, MACHINE_RUNNING);
            machine_free(&b->machine);
        }
        free(b);
    }
}

static void both_models_come_to_the_same_end(void **state)
{
    unsigned compared = 0;

    (void)state;
    for (unsigned n = 0; n < 300; n++) {
        struct bench *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);

        assert_non_null(a);
        assert_non_null(b);
        seed = 0xD1B54A32D192ED03u + n;
        fill(a, true);
        seed = 0xD1B54A32D192ED03u + n;
        fill(b, true);
        run(a, &timing_fast, 1);
        run(b, &timing_detailed, 1);
        if (a->machine.end == MACHINE_CHECKSTOP &&
            b->machine.end == MACHINE_CHECKSTOP) {
            struct core *x = &a->machine.core[0], *y = &b->machine.core[0];

            compared++;
            if (x->insns != y->insns || x->cpu.pc != y->cpu.pc)
                fail_msg("program %u: %llu and %llu instructions", n,
                         (unsigned long long)x->insns,
                         (unsigned long long)y->insns);
            assert_memory_equal(x->cpu.gpr, y->cpu.gpr, sizeof x->cpu.gpr);
            assert_int_equal(x->cpu.cr, y->cpu.cr);
            assert_int_equal(x->cpu.xer, y->cpu.xer);
            assert_memory_equal(a->machine.ram.bytes, b->machine.ram.bytes,
                                RAM_MIN);
        }
        machine_free(&a->machine);
        machine_free(&b->machine);
        free(a);
        free(b);
    }
    assert_true(compared >= 20); /* enough of them to mean something */
}

/* Each knob at its least, its most, or something between. */
static void draw_knobs(struct params *p)
{
    unsigned count;
    const struct param_row *row = param_rows(&count);
    char text[96], why[256];

    params_default(p);
    for (; count--; row++) {
        uint64_t span = (uint64_t)row->max - row->min + 1;
        uint64_t value = row->min + draw() % span;

        value = draw() % 3 == 0 ? row->min : value;
        value = draw() % 3 == 0 ? row->max : value;
        snprintf(text, sizeof text, "%s=%llu", row->name,
                 (unsigned long long)value);
        assert_true(params_set(p, text, why, sizeof why));
        if (!params_check(p, why, sizeof why)) { /* back to what fits */
            snprintf(text, sizeof text, "%s=%u", row->name, row->value);
            assert_true(params_set(p, text, why, sizeof why));
        }
    }
}

static void any_configuration_keeps_the_account(void **state)
{
    (void)state;
    for (unsigned n = 0; n < 300; n++) {
        struct bench *b = calloc(1, sizeof *b);
        struct params p;

        assert_non_null(b);
        seed = 0xA0761D6478BD642Fu + n;
        fill(b, false);
        draw_knobs(&p);
        run_with(b, n % 4 ? &timing_detailed : &timing_fast, 1 + n % 3, &p);
        if (!b->machine.exact)
            fail_msg("program %u: the account is wrong", n);
        machine_free(&b->machine);
        free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wild_programs_leave_the_simulator_sound),
        cmocka_unit_test(both_models_come_to_the_same_end),
        cmocka_unit_test(any_configuration_keeps_the_account),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
