/* totals_test.c - samples added up by function: exclusive, inclusive and
 * attributed values, and that all of them close to the unit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/record.h"
#include "tests/lib/mkelf.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/profile/totals.h"

enum { EXACT, CYCLES, MISSES };

/* A profile by function of an experiment. */
struct got {
    struct recording r;
    struct samples s;
    struct totals t;
    struct totals_calls c;
};

static uint64_t by_function(void *arg, const struct samples_frame *frame)
{
    (void)arg;
    return frame->function;
}

static struct got *read_it(const char *path)
{
    struct got *g = calloc(1, sizeof *g);
    char why[256];

    assert_true(recording_open(&g->r, path, why, sizeof why));
    samples_read(&g->s, &g->r, &(struct samples_choice){0});
    totals_read(&g->t, &g->s, by_function, NULL);
    totals_calls_read(&g->c, &g->t, &g->s);
    return g;
}

static void done(struct got *g)
{
    totals_calls_free(&g->c);
    totals_free(&g->t);
    samples_free(&g->s);
    recording_close(&g->r);
    free(g);
}

static struct got *sampled(void)
{
    const char *path = scratch_path();

    mkexp_sampled(path);
    return read_it(path);
}

static const char *name_of(const struct got *g, uint32_t row)
{
    if (row == TOTALS_ROOT)
        return "<Total>";
    return samples_name(&g->r, (uint32_t)g->t.row[row].key);
}

static const struct totals_row *row(const struct got *g, const char *name)
{
    for (size_t i = 0; i < g->t.rows; i++)
        if (!strcmp(name_of(g, (uint32_t)i), name))
            return &g->t.row[i];
    fail_msg("no row %s", name);
    return NULL;
}

static void expect(const struct got *g, const char *name, unsigned metric,
                   uint64_t exclusive, uint64_t inclusive)
{
    assert_int_equal(row(g, name)->exclusive[metric], exclusive);
    assert_int_equal(row(g, name)->inclusive[metric], inclusive);
}

/* What `other` attributes to `name` as its caller, or as its callee. */
static uint64_t call(const struct got *g, const char *name, const char *other,
                     bool caller, unsigned metric)
{
    for (size_t i = 0; i < g->c.count; i++)
        if (g->c.list[i].caller == caller &&
            !strcmp(name_of(g, g->c.list[i].row), name) &&
            !strcmp(name_of(g, g->c.list[i].other), other))
            return g->c.list[i].attributed[metric];
    return 0;
}

/* ANA-48, ANA-50: txn < txn < txn counts once. */
static void leaves_get_exclusive_all_on_the_stack_inclusive_once(void **state)
{
    struct got *g = sampled();

    (void)state;
    assert_int_equal(g->t.total.exclusive[CYCLES], 7010);
    expect(g, "txn", CYCLES, 4000, 5010);
    expect(g, "mutex_lock", CYCLES, 1010, 1010);
    expect(g, "worker", CYCLES, 0, 5010);
    expect(g, "producer", CYCLES, 2000, 2000);
    expect(g, "thread_start", CYCLES, 0, 6010);
    expect(g, "txn", MISSES, 200, 200);
    expect(g, "thread_start", MISSES, 0, 300);
    done(g);
}

/* ANA-85: its caller is a caller as any. */
static void unknown_functions_have_callers(void **state)
{
    struct got *g = sampled();

    (void)state;
    expect(g, "<Unknown>", MISSES, 100, 100);
    assert_int_equal(call(g, "<Unknown>", "producer", true, MISSES), 100);
    assert_int_equal(call(g, "producer", "<Unknown>", false, MISSES), 100);
    done(g);
}

/* ANA-87 */
static void truncated_stack_holds_what_could_not_be_walked(void **state)
{
    struct got *g = sampled();

    (void)state;
    expect(g, "<Truncated-stack>", CYCLES, 0, 1000);
    assert_int_equal(call(g, "producer", "<Truncated-stack>", true, CYCLES),
                     1000);
    assert_int_equal(call(g, "<Truncated-stack>", "<Total>", true, CYCLES),
                     1000);
    assert_int_equal(g->s.metric.list[CYCLES].truncated, 1);
    done(g);
}

/* ANA-49, for every function and counter, recursion and all. */
static void attributed_values_close_to_the_unit(void **state)
{
    struct got *g = sampled();

    (void)state;
    for (uint32_t i = 0; i < g->t.rows; i++)
        for (unsigned m = CYCLES; m <= MISSES; m++) {
            uint64_t callers = 0, callees = 0;

            for (size_t k = 0; k < g->c.count; k++)
                if (g->c.list[k].row == i)
                    *(g->c.list[k].caller ? &callers : &callees) +=
                        g->c.list[k].attributed[m];
            assert_int_equal(callers, g->t.row[i].inclusive[m]);
            assert_int_equal(callees + g->t.row[i].exclusive[m],
                             g->t.row[i].inclusive[m]);
        }
    assert_int_equal(call(g, "txn", "worker", true, CYCLES), 4010);
    assert_int_equal(call(g, "txn", "txn", true, CYCLES), 1000);
    assert_int_equal(call(g, "txn", "txn", false, CYCLES), 0);
    assert_int_equal(call(g, "txn", "mutex_lock", false, CYCLES), 1010);
    done(g);
}

static void every_metric_adds_up_to_its_total(void **state)
{
    struct got *g = sampled();

    (void)state;
    for (unsigned m = EXACT; m <= MISSES; m++) {
        uint64_t sum = 0;

        for (size_t i = 0; i < g->t.rows; i++)
            sum += g->t.row[i].exclusive[m];
        assert_int_equal(sum, g->t.total.exclusive[m]);
        assert_int_equal(sum, g->s.metric.list[m].total);
    }
    assert_int_equal(g->t.total.exclusive[EXACT], 200000);
    assert_int_equal(row(g, "<napping>")->exclusive[EXACT], 121563);
    assert_int_equal(row(g, "txn")->exclusive[EXACT], 58334);
    done(g);
}

/* The parts of a function have its cycles, though each is rounded. */
static void exact_cycles_by_instruction_add_up_to_the_function(void **state)
{
    struct got *g = sampled();
    const struct exact_cycles *a = &g->s.account;
    size_t at = 0;

    (void)state;
    assert_true(a->spots >= a->count);
    for (size_t i = 0; i < a->count; i++) {
        uint64_t cycles = 0, twelfths = 0;

        for (; at < a->spots && a->spot[at].cpu == a->cell[i].cpu &&
               a->spot[at].function == a->cell[i].function &&
               a->spot[at].reason == a->cell[i].reason;
             at++) {
            cycles += a->spot[at].cycles;
            twelfths += a->spot[at].twelfths;
        }
        assert_int_equal(cycles, a->cell[i].cycles);
        assert_int_equal(twelfths, a->cell[i].twelfths);
    }
    assert_int_equal(at, a->spots);
    done(g);
}

/* Seven instructions of a third of a cycle and less, one whole cycle. */
static void rounded_spots_lose_no_cycle(void **state)
{
    static const unsigned part[] = {4, 3, 1, 1, 1, 1, 1};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    struct got *g;
    uint64_t sum = 0;

    (void)state;
    for (unsigned i = 0; i < 7; i++)
        mkexp_oracle(m, 0, 1, MKEXP_PC(txn, 4 * i), 2, part[i]);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0), 2,
                 12 * (uint64_t)MKEXP_END - 12);
    mkexp_close(m, 1);
    g = read_it(path);
    for (size_t i = 0; i < g->s.account.spots; i++)
        sum += g->s.account.spot[i].cycles;
    assert_int_equal(sum, MKEXP_END);
    assert_int_equal(g->s.account.spots, 7);
    done(g);
}

/* G-N3: 3 samples main > A > B, 1 main > A, 1 worker > B. */
static void g_n3_total(void **state)
{
    enum { B = MKEXP_PC(txn, 0), A = MKEXP_PC(worker, 8) };
    static const uint32_t mab[] = {B, A, MKEXP_PC(producer, 8), 0};
    static const uint32_t ma[] = {A, MKEXP_PC(producer, 8), 0};
    static const uint32_t wb[] = {B, MKEXP_PC(sched, 8), 0};
    const char *path = scratch_path();
    char elf[700];
    struct mkexp *m = mkexp_new(path);
    struct got *g;

    (void)state;
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 0 cycles 1");
    for (unsigned i = 0; i < 3; i++)
        mkexp_profile(m, 0, 10 + i, 10, 0, 1, 0, mab);
    mkexp_profile(m, 0, 20, 10, 0, 1, 0, ma);
    mkexp_profile(m, 1, 30, 11, 0, 1, 0, wb);
    mkexp_close(m, 1);
    g = read_it(path);
    assert_int_equal(g->t.total.exclusive[CYCLES], 5);
    expect(g, "worker", CYCLES, 1, 4); /* A */
    expect(g, "txn", CYCLES, 4, 4);    /* B */
    assert_int_equal(call(g, "producer", "<Total>", true, CYCLES), 4);
    assert_int_equal(call(g, "sched", "<Total>", true, CYCLES), 1);
    done(g);
}

/* G-N2: A calls B, B jumps to C, C jumps to D. */
static void g_n2_tail_calls(void **state)
{
    static const uint32_t b[] = {MKEXP_PC(txn, 0), MKEXP_PC(worker, 8), 0};
    static const uint32_t c[] = {MKEXP_PC(sched, 0), MKEXP_PC(worker, 8), 0};
    static const uint32_t d[] = {MKEXP_PC(producer, 0), MKEXP_PC(worker, 8), 0};
    static const uint32_t *const stack[] = {b, c, d};
    static const char *const leaf[] = {"txn", "sched", "producer"};
    const char *path = scratch_path();
    char elf[700];
    struct mkexp *m = mkexp_new(path);
    struct got *g;

    (void)state;
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 0 cycles 1");
    for (unsigned i = 0; i < 3; i++)
        mkexp_profile(m, 0, 10 + i, 10, 0, 1, 0, stack[i]);
    mkexp_close(m, 1);
    g = read_it(path);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(call(g, leaf[i], "worker", true, CYCLES), 1);
        assert_int_equal(call(g, "worker", leaf[i], false, CYCLES), 1);
    }
    assert_int_equal(call(g, "sched", "txn", true, CYCLES), 0);
    done(g);
}

/* A return address just behind a function's end is a call in it. */
static void return_addresses_stand_for_their_calls(void **state)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 0), MKEXP_PC(sched, 0), 0};
    const char *path = scratch_path();
    char elf[700];
    struct mkexp *m = mkexp_new(path);
    struct got *g;

    (void)state;
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 0 cycles 1");
    mkexp_profile(m, 0, 10, 10, 0, 1, 0, stack);
    mkexp_close(m, 1);
    g = read_it(path);
    expect(g, "mutex_lock", CYCLES, 0, 1);
    done(g);
}

static void counters_have_names_of_their_own(void **state)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 0), 0};
    static const char *const name[] = {"exact", "cycles", "cycles.u",
                                       "cycles#2", "unnamed"};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    struct got *g;

    (void)state;
    mkexp_say(m, "profile 0 cycles 1000 uk");
    mkexp_say(m, "profile 1 cycles 1000 u");
    mkexp_say(m, "profile 2 dcache_miss 0 uk");
    mkexp_say(m, "profile 3 cycles 500 uk");
    mkexp_profile(m, 0, 10, 10, 7, 1, 0, stack);
    mkexp_close(m, 1);
    g = read_it(path);
    assert_int_equal(g->s.metric.count, 5);
    for (unsigned i = 0; i < 5; i++)
        assert_string_equal(g->s.metric.list[i].name, name[i]);
    assert_int_equal(g->s.metric.list[4].total, 1);
    assert_true(problems_damage(&g->r.problems));
    done(g);
}

/* ANA-73: from cycle 5000 on other code stands at the same address. */
static void the_same_stack_means_what_was_loaded_then(void **state)
{
    static const uint32_t stack[] = {MKEXP_PC(thread_start, 0x10),
                                     MKEXP_PC(worker, 0x10), 0};
    static const unsigned at[] = {1000, 2000, 6000, 7000, 8000};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    struct got *g;
    char name[700];
    FILE *map;

    (void)state;
    snprintf(name, sizeof name, "%s/program", path);
    mkexp_program(m, name);
    mkexp_say(m, "profile 0 cycles 1");
    for (unsigned i = 0; i < 5; i++)
        mkexp_profile(m, 0, at[i], 10, 0, 1, 0, stack);
    mkexp_close(m, 1);
    snprintf(name, sizeof name, "%s/map", path);
    map = fopen(name, "a");
    assert_non_null(map);
    fprintf(map, "segment 5000 0x%x 0x100 0x%x r-x %s\n", MKEXP_TEXT, 0x300,
            MKEXP_ARCHIVE);
    fclose(map);
    g = read_it(path);
    expect(g, "thread_start", CYCLES, 2, 2);
    expect(g, "txn", CYCLES, 3, 3);
    assert_int_equal(call(g, "txn", "worker", true, CYCLES), 3);
    done(g);
}

/* Of two samples with the same addresses one could not be walked further. */
static void a_truncated_stack_is_another_stack(void **state)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 0x10),
                                     MKEXP_PC(worker, 0x10), 0};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    struct got *g;
    char name[700];

    (void)state;
    snprintf(name, sizeof name, "%s/program", path);
    mkexp_program(m, name);
    mkexp_say(m, "profile 0 cycles 1");
    for (unsigned i = 0; i < 6; i++)
        mkexp_profile(m, 0, 10 + i, 10, 0, 1, i % 3 ? 0 : PROFILE_TRUNCATED,
                      stack);
    mkexp_close(m, 1);
    g = read_it(path);
    expect(g, "txn", CYCLES, 6, 6);
    expect(g, "<Truncated-stack>", CYCLES, 0, 2);
    assert_int_equal(call(g, "worker", "<Total>", true, CYCLES), 4);
    done(g);
}

/* Main calls f, which jumped to a part of it (or a part of a part), which calls
 * g. The functions have these names; caller and name of the origin: */
static struct got *with_part(const char *f, const char *part)
{
    const struct mkelf_symbol symbol[] = {
        {"main", MKEXP_TEXT, 0x100, STT_FUNC, false},
        {f, MKEXP_TEXT + 0x100, 0x100, STT_FUNC, false},
        {part, MKEXP_TEXT + 0x200, 0x100, STT_FUNC, false},
        {"g", MKEXP_TEXT + 0x300, 0x100, STT_FUNC, false},
        {"f", MKEXP_TEXT + 0x400, 0x100, STT_FUNC, false},
    };
    const struct mkelf elf = {
        .addr = MKEXP_TEXT,
        .size = 0x100 * FN_COUNT,
        .build_id = "\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24",
        .symbol = symbol,
        .symbols = strcmp(f, "f") ? 5 : 4,
    };
    static const uint32_t in_part[] = {MKEXP_TEXT + 0x210, MKEXP_TEXT + 0x10,
                                       0};
    static const uint32_t below[] = {MKEXP_TEXT + 0x310, MKEXP_TEXT + 0x220,
                                     MKEXP_TEXT + 0x10, 0};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    struct got *g;
    char name[700];

    snprintf(name, sizeof name, "%s/program", path);
    mkexp_program(m, name);
    mkexp_say(m, "profile 0 cycles 1");
    mkexp_profile(m, 0, 10, 10, 0, 1, 0, in_part);
    mkexp_profile(m, 0, 20, 10, 0, 1, 0, below);
    mkexp_close(m, 1);
    snprintf(name, sizeof name, "%s/archives/%s", path, MKEXP_ARCHIVE);
    mkelf_write(name, &elf);
    assert_int_equal(truncate(name, 65536), 0); /* no smaller than it was */
    g = read_it(path);
    assert_false(problems_damage(&g->r.problems));
    return g;
}

/* ANA-83 */
static void an_outlined_part_is_called_by_its_function(void **state)
{
    static const char *const part[] = {"f.cold", "f.part.0", "f.cold.7"};

    (void)state;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        struct got *g = with_part("f", part[i]);

        expect(g, part[i], CYCLES, 1, 2);
        expect(g, "f", CYCLES, 0, 2);
        assert_int_equal(call(g, part[i], "f", true, CYCLES), 2);
        assert_int_equal(call(g, "f", "main", true, CYCLES), 2);
        assert_int_equal(call(g, "main", part[i], false, CYCLES), 0);
        done(g);
    }
}

static void a_part_of_a_part_has_both_above_it(void **state)
{
    struct got *g = with_part("f.part.0", "f.part.0.cold");

    (void)state;
    expect(g, "f.part.0.cold", CYCLES, 1, 2);
    assert_int_equal(call(g, "f.part.0.cold", "f.part.0", true, CYCLES), 2);
    assert_int_equal(call(g, "f.part.0", "f", true, CYCLES), 2);
    assert_int_equal(call(g, "f", "main", true, CYCLES), 2);
    done(g);
}

/* Clones are called; a part of what is not there any more is called as it is;
 * and not everything with such letters in it is a part. */
static void other_names_are_no_parts(void **state)
{
    static const char *const name[] = {"f.constprop.0", "f.isra.0", "h.part.0",
                                       "f.coldest", ".part.0"};

    (void)state;
    for (size_t i = 0; i < sizeof name / sizeof name[0]; i++) {
        struct got *g = with_part("f", name[i]);

        assert_int_equal(call(g, "main", name[i], false, CYCLES), 2);
        done(g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_get_exclusive_all_on_the_stack_inclusive_once),
        cmocka_unit_test(unknown_functions_have_callers),
        cmocka_unit_test(truncated_stack_holds_what_could_not_be_walked),
        cmocka_unit_test(attributed_values_close_to_the_unit),
        cmocka_unit_test(every_metric_adds_up_to_its_total),
        cmocka_unit_test(exact_cycles_by_instruction_add_up_to_the_function),
        cmocka_unit_test(rounded_spots_lose_no_cycle),
        cmocka_unit_test(g_n3_total),
        cmocka_unit_test(g_n2_tail_calls),
        cmocka_unit_test(return_addresses_stand_for_their_calls),
        cmocka_unit_test(counters_have_names_of_their_own),
        cmocka_unit_test(the_same_stack_means_what_was_loaded_then),
        cmocka_unit_test(a_truncated_stack_is_another_stack),
        cmocka_unit_test(an_outlined_part_is_called_by_its_function),
        cmocka_unit_test(a_part_of_a_part_has_both_above_it),
        cmocka_unit_test(other_names_are_no_parts),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
