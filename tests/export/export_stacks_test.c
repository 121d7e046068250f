/* export_stacks_test.c - folded stacks of an experiment that one can add up
 * by hand (mkexp_sampled), and of one with more counters than there can be.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/export/export.h"

struct got {
    struct recording r;
    struct export e;
    char text[4096];
};

static struct got *open_it(const char *path)
{
    struct got *g = calloc(1, sizeof *g);
    struct export_choice all = {.cpu = -1, .to = UINT64_MAX};
    char why[256];

    assert_true(recording_open(&g->r, path, why, sizeof why));
    export_open(&g->e, &g->r, path, &all);
    return g;
}

static void close_it(struct got *g)
{
    export_close(&g->e);
    recording_close(&g->r);
    free(g);
}

static const char *folded(struct got *g, size_t counter)
{
    FILE *to = fmemopen(g->text, sizeof g->text, "w");

    assert_true(export_folded(&g->e, counter, to));
    fclose(to);
    return g->text;
}

static void stacks_have_the_events_counted_by_hand(void **state)
{
    const char *path = scratch_path();
    struct got *g;

    (void)state;
    mkexp_sampled(path);
    g = open_it(path);
    assert_int_equal(g->e.counters, 2);
    assert_string_equal(g->e.counter[0].name, "cycles");
    assert_int_equal(g->e.counter[0].events, 3000 + 1010 + 3 * 1000);
    assert_string_equal(folded(g, 0),
                        "<Truncated-stack>;producer 1000\n"
                        "thread_start;producer 1000\n"
                        "thread_start;worker;txn 3000\n"
                        "thread_start;worker;txn;mutex_lock 1010\n"
                        "thread_start;worker;txn;txn;txn 1000\n");
    assert_string_equal(folded(g, 1), "thread_start;producer;<Unknown> 100\n"
                                      "thread_start;worker;txn 200\n");
    close_it(g);
}

static void time_is_nanoseconds_without_rounding_up(void **state)
{
    struct recording r = {.clock_hz = 300000000};
    struct export e = {.r = &r};

    (void)state;
    assert_int_equal(export_time(&e, 3), 10);
    assert_int_equal(export_time(&e, 4), 13);
    assert_int_equal(export_time(&e, 3000000000000000), 10000000000000000);
}

static void more_counters_than_can_be_are_left_out_and_said(void **state)
{
    const char *path = scratch_path();
    uint32_t pcs[] = {MKEXP_PC(txn, 0x10), 0};
    struct mkexp *m = mkexp_new(path);
    struct got *g;
    uint64_t events = 0;
    bool said = false;

    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        mkexp_profile(m, 0, 100 + i, 10, i, 5, 0, pcs);
    mkexp_close(m, 1);
    g = open_it(path);
    assert_int_equal(g->e.counters, 64);
    for (size_t i = 0; i < g->e.counters; i++)
        events += g->e.counter[i].events;
    assert_int_equal(events, 64 * 5);
    for (size_t i = 0; i < g->r.problems.count; i++)
        said |= !!strstr(g->r.problems.list[i].text, "36 samples");
    assert_true(said);
    close_it(g);
}

static void callers_are_where_they_call_from(void **state)
{
    const char *path = scratch_path();
    uint32_t pcs[] = {0x10010, 0x10100, 0x10204, 0};
    struct mkexp *m = mkexp_new(path);
    struct export_sample s;
    struct recfile f;
    struct got *g;

    (void)state;
    mkexp_profile(m, 1, 100, 10, 0, 7, PROFILE_USER, pcs);
    mkexp_close(m, 1);
    g = open_it(path);
    assert_true(export_start(&g->e, &f));
    assert_true(export_next(&g->e, &f, &s));
    assert_int_equal(s.depth, 3);
    assert_int_equal(s.pc[0], 0x10010);
    assert_int_equal(s.pc[1], 0x100fc);
    assert_int_equal(s.pc[2], 0x10200);
    assert_true(s.user && s.cpu == 1 && s.thread == 10 && s.events == 7);
    assert_false(export_next(&g->e, &f, &s));
    close_it(g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_have_the_events_counted_by_hand),
        cmocka_unit_test(callers_are_where_they_call_from),
        cmocka_unit_test(time_is_nanoseconds_without_rounding_up),
        cmocka_unit_test(more_counters_than_can_be_are_left_out_and_said),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
