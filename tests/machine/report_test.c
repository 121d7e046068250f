/* report_test.c - the numbers of the reports, for the experiment that
 * tests/lib/mkexp.c draws and adds up, and the tables they stand in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pmu/oracle.h"
#include "include/record.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/profile/exact_cycles.h"
#include "tools/analysis/idle/idle.h"
#include "tools/analysis/profile/interrupts.h"
#include "lib/base/table.h"
#include "lib/base/text.h"

static void open_path(struct recording *r, const char *path)
{
    char why[1024] = "";

    if (!recording_open(r, path, why, sizeof why))
        fail_msg("%s", why);
}

static void open_standard(struct recording *r)
{
    char path[600];

    snprintf(path, sizeof path, "%s", scratch_path());
    mkexp_standard(path);
    open_path(r, path);
}

/* ---- idle periods -------------------------------------------------------- */

static void a_sampler_interrupts_idling_but_not_the_period(void **state)
{
    struct timeline t;
    struct recording r;

    (void)state;
    open_standard(&r);
    timeline_read(&t, &r);
    assert_int_equal(t.count, 4);
    assert_int_equal(t.cpu[0].periods, 2);
    assert_int_equal(t.period[0].from, 20000);
    assert_int_equal(t.period[0].to, 40200);
    assert_int_equal(t.period[0].idle, 19900);
    assert_int_equal(t.period[1].idle, 10000);
    assert_int_equal(t.cpu[0].idle, 29900);
    timeline_free(&t);
    recording_close(&r);
}

static void a_period_that_is_open_at_the_end_ends_with_the_run(void **state)
{
    struct timeline t;
    struct recording r;

    (void)state;
    open_standard(&r);
    timeline_read(&t, &r);
    assert_int_equal(t.period[3].cpu, 1);
    assert_int_equal(t.period[3].from, 60000);
    assert_int_equal(t.period[3].to, MKEXP_END);
    assert_int_equal(t.period[3].idle, 39900);
    assert_int_equal(t.cpu[1].idle, 39800 + 39900);
    timeline_free(&t);
    recording_close(&r);
}

static void a_cycle_finds_its_period(void **state)
{
    struct timeline t;
    struct recording r;

    (void)state;
    open_standard(&r);
    timeline_read(&t, &r);
    assert_int_equal(timeline_find(&t, 0, 19999), -1);
    assert_int_equal(timeline_find(&t, 0, 20000), 0);
    assert_int_equal(timeline_find(&t, 0, 40200), 0);
    assert_int_equal(timeline_find(&t, 0, 40201), -1);
    assert_int_equal(timeline_find(&t, 0, 75000), 1);
    assert_int_equal(timeline_find(&t, 1, 9999), -1);
    assert_int_equal(timeline_find(&t, 1, 50000), 2);
    assert_int_equal(timeline_find(&t, 1, 99999), 3);
    timeline_free(&t);
    recording_close(&r);
}

/* ---- idle samples -------------------------------------------------------- */

static uint64_t over_cpus(const struct idle *d, uint32_t node,
                          enum idle_metric m, bool total)
{
    uint64_t sum = 0;

    for (unsigned cpu = 0; cpu < d->cpus; cpu++)
        sum += total ? stacktree_sum(&d->tree, node, cpu * IDLE_METRICS + m)
                     : stacktree_base(&d->tree, node, cpu * IDLE_METRICS + m);
    return sum;
}

/* The node whose path from the root has these names, ended by NULL. */
static uint32_t walk(const struct idle *d, const struct recording *r,
                     const char *const *name)
{
    uint32_t at = STACKTREE_ROOT;

    for (; *name; name++) {
        char out[256];

        for (at = d->tree.node[at].child; at != STACKTREE_NONE;
             at = d->tree.node[at].sibling)
            if (!strcmp(idle_name(d, r, at, out, sizeof out), *name))
                break;
        assert_true(at != STACKTREE_NONE);
    }
    return at;
}

/* IDLE-60, IDLE-70 */
static void samples_are_counted_where_their_stack_ends(void **state)
{
    static const char *const lock[] = {"thread_start", "worker", "txn",
                                       "mutex_lock",   "sched",  NULL};
    static const char *const sleep[] = {"thread_start", "producer",
                                        "timer_sleep", "sched", NULL};
    struct recording r;
    struct idle d;
    uint32_t node;

    (void)state;
    open_standard(&r);
    idle_read(&d, &r, false);
    assert_int_equal(r.problems.count, 0);
    node = walk(&d, &r, lock);
    assert_int_equal(over_cpus(&d, node, IDLE_TO, false), 2);
    assert_int_equal(over_cpus(&d, node, IDLE_FROM, false), 1);
    assert_int_equal(stacktree_base(&d.tree, node, 0 * IDLE_METRICS + IDLE_TO),
                     1);
    node = walk(&d, &r, sleep);
    assert_int_equal(over_cpus(&d, node, IDLE_TO, false), 1);
    node = walk(&d, &r, (const char *const[]){"thread_start", NULL});
    assert_int_equal(over_cpus(&d, node, IDLE_TO, false), 0);
    assert_int_equal(over_cpus(&d, node, IDLE_TO, true), 3);
    idle_free(&d);
    recording_close(&r);
}

static void a_period_is_explained_by_its_first_to_idle_stack(void **state)
{
    static const char *const lock[] = {"thread_start", "worker", "txn",
                                       "mutex_lock",   "sched",  NULL};
    struct recording r;
    struct idle d;

    (void)state;
    open_standard(&r);
    idle_read(&d, &r, false);
    assert_int_equal(d.cpu[0].sampled, 1); /* of two */
    assert_int_equal(d.cpu[0].explained, 19900);
    assert_int_equal(d.cpu[1].sampled, 2);
    assert_int_equal(d.cpu[1].explained, 79700);
    assert_int_equal(over_cpus(&d, walk(&d, &r, lock), IDLE_EXPLAINED, false),
                     19900 + 39800);
    assert_int_equal(d.cpu[0].outside + d.cpu[1].outside, 0);
    idle_free(&d);
    recording_close(&r);
}

/* A return address that is the first of the next function belongs to the
 * call before it; the leaf is where it is. */
static void callers_are_looked_up_at_the_call(void **state)
{
    static const uint32_t pcs[] = {MKEXP_PC(sched, 0), MKEXP_PC(txn, 0), 0};
    struct recording r;
    struct mkexp *m;
    struct idle d;
    char path[600], elf[600];

    (void)state;
    snprintf(path, sizeof path, "%s/calls.exp", scratch_dir());
    snprintf(elf, sizeof elf, "%s/program", scratch_dir());
    m = mkexp_new(path);
    mkexp_program(m, elf);
    mkexp_idle(m, 0, 10, IDLE_KIND_TO, 10, pcs);
    mkexp_close(m, 1);
    open_path(&r, path);
    idle_read(&d, &r, false);
    walk(&d, &r, (const char *const[]){"worker", "sched", NULL});
    idle_free(&d);
    idle_read(&d, &r, true);
    walk(&d, &r, (const char *const[]){"worker+0x100", "sched+0x0", NULL});
    idle_free(&d);
    recording_close(&r);
}

/* A small experiment with a program, closed; its path. */
static const char *small(const char *name, void (*fill)(struct mkexp *m))
{
    static char path[600];
    struct mkexp *m;
    char elf[600];

    snprintf(path, sizeof path, "%s/%s.exp", scratch_dir(), name);
    snprintf(elf, sizeof elf, "%s/program", scratch_dir());
    m = mkexp_new(path);
    mkexp_program(m, elf);
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle 0");
    fill(m);
    mkexp_close(m, 1);
    return path;
}

static void two_calls_in_one_function(struct mkexp *m)
{
    static const uint32_t one[] = {MKEXP_PC(sched, 8), MKEXP_PC(txn, 8), 0};
    static const uint32_t two[] = {MKEXP_PC(sched, 8), MKEXP_PC(txn, 80), 0};

    mkexp_switch(m, 0, 1000, 10, 1);
    mkexp_idle(m, 0, 2000, IDLE_KIND_TO, 10, one);
    mkexp_idle(m, 0, 3000, IDLE_KIND_TO, 10, two);
    mkexp_switch(m, 0, 4000, 1, 10);
}

static void calls_from_two_places_are_one_unless_asked_for(void **state)
{
    struct recording r;
    struct idle d;
    uint32_t node;

    (void)state;
    open_path(&r, small("places", two_calls_in_one_function));
    idle_read(&d, &r, false);
    node = walk(&d, &r, (const char *const[]){"txn", "sched", NULL});
    assert_int_equal(over_cpus(&d, node, IDLE_TO, false), 2);
    idle_free(&d);
    idle_read(&d, &r, true);
    walk(&d, &r, (const char *const[]){"txn+0x8", "sched+0x8", NULL});
    node = walk(&d, &r, (const char *const[]){"txn+0x50", "sched+0x8", NULL});
    assert_int_equal(over_cpus(&d, node, IDLE_TO, false), 1);
    idle_free(&d);
    recording_close(&r);
}

/* One period, two samples: both count, the period is explained once. */
static void a_period_is_not_explained_twice(void **state)
{
    struct recording r;
    struct idle d;

    (void)state;
    open_path(&r, small("twice", two_calls_in_one_function));
    idle_read(&d, &r, true);
    assert_int_equal(d.cpu[0].samples[IDLE_TO], 2);
    assert_int_equal(d.cpu[0].sampled, 1);
    assert_int_equal(d.cpu[0].explained, 3000);
    assert_int_equal(over_cpus(&d, STACKTREE_ROOT, IDLE_EXPLAINED, true), 3000);
    idle_free(&d);
    recording_close(&r);
}

static void addresses_without_a_function_stay_apart(void **state)
{
    static const uint32_t one[] = {0xDEAD0000, MKEXP_PC(txn, 8), 0};
    static const uint32_t two[] = {0xDEAD0004, MKEXP_PC(txn, 8), 0};
    struct recording r;
    struct mkexp *m;
    struct idle d;
    char path[600], elf[600];

    (void)state;
    snprintf(path, sizeof path, "%s/unknown.exp", scratch_dir());
    snprintf(elf, sizeof elf, "%s/program", scratch_dir());
    m = mkexp_new(path);
    mkexp_program(m, elf);
    mkexp_idle(m, 0, 10, IDLE_KIND_TO, 10, one);
    mkexp_idle(m, 0, 20, IDLE_KIND_TO, 10, two);
    mkexp_close(m, 1);
    open_path(&r, path);
    idle_read(&d, &r, false);
    walk(&d, &r, (const char *const[]){"txn", "0xdead0000", NULL});
    walk(&d, &r, (const char *const[]){"txn", "0xdead0004", NULL});
    idle_free(&d);
    recording_close(&r);
}

static void a_guest_that_counted_otherwise_is_noted(void **state)
{
    struct recording r;
    struct mkexp *m;
    struct idle d;
    char path[600];

    (void)state;
    snprintf(path, sizeof path, "%s/stat.exp", scratch_dir());
    m = mkexp_new(path);
    mkexp_stat(m, 1, STAT_TO_IDLE, 7);
    mkexp_close(m, 1);
    open_path(&r, path);
    idle_read(&d, &r, false);
    assert_string_equal(r.problems.list[r.problems.count - 1].text,
                        "idle.rec: holds 0 to-idle samples of CPU 1, the "
                        "guest counted 7");
    assert_false(problems_damage(&r.problems));
    idle_free(&d);
    recording_close(&r);
}

/* ---- the oracle's account ------------------------------------------------ */

static void account_adds_up_to_every_cycle(void **state)
{
    struct recording r;
    struct exact_cycles a;

    (void)state;
    open_standard(&r);
    exact_cycles_read(&a, &r);
    assert_true(exact_cycles_exact(&a, &r));
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        uint64_t cycles = 0;

        for (size_t i = 0; i < a.count; i++)
            if (a.cell[i].cpu == cpu)
                cycles += a.cell[i].cycles;
        assert_int_equal(cycles, MKEXP_END);
    }
    assert_int_equal(exact_cycles_cycles(&a, 1, EXACT_CYCLES_PARKED), 100);
    assert_int_equal(exact_cycles_cycles(&a, 0, EXACT_CYCLES_PARKED), 0);
    exact_cycles_free(&a);
    recording_close(&r);
}

static void no_cell_is_rounded_by_a_whole_cycle(void **state)
{
    struct recording r;
    struct exact_cycles a;

    (void)state;
    open_standard(&r);
    exact_cycles_read(&a, &r);
    for (size_t i = 0; i < a.count; i++) {
        assert_true(a.cell[i].cycles * 12 < a.cell[i].twelfths + 12);
        assert_true(a.cell[i].cycles * 12 + 12 > a.cell[i].twelfths);
    }
    exact_cycles_free(&a);
    recording_close(&r);
}

static void wrong_by(const char *name, int twelfths)
{
    struct recording r;
    struct exact_cycles a;
    struct mkexp *m;
    char path[600];

    snprintf(path, sizeof path, "%s/%s.exp", scratch_dir(), name);
    m = mkexp_new(path);
    mkexp_oracle(m, 0, MKEXP_END, 0, REASON_off, MKEXP_END * 12);
    mkexp_oracle(m, 1, MKEXP_END, 0, REASON_off,
                 (uint64_t)(MKEXP_END * 12 + twelfths));
    mkexp_close(m, 1);
    open_path(&r, path);
    exact_cycles_read(&a, &r);
    assert_false(exact_cycles_exact(&a, &r));
    exact_cycles_check(&a, &r);
    assert_true(problems_damage(&r.problems));
    exact_cycles_free(&a);
    recording_close(&r);
}

static void one_twelfth_too_few_or_too_many_is_noticed(void **state)
{
    (void)state;
    wrong_by("short", -1);
    wrong_by("long", 1);
}

/* What is not on the disk in full does not count. */
static void rows_behind_the_last_flush_are_left_out(void **state)
{
    struct recording r;
    struct exact_cycles a;
    struct mkexp *m;
    char path[600];

    (void)state;
    snprintf(path, sizeof path, "%s/flush.exp", scratch_dir());
    m = mkexp_new(path);
    mkexp_oracle(m, 0, MKEXP_END, 0, REASON_off, MKEXP_END * 12);
    mkexp_oracle(m, 1, MKEXP_END, 0, REASON_off, MKEXP_END * 12);
    mkexp_oracle(m, 0, MKEXP_END + 50, 0, REASON_off, 500);
    mkexp_close(m, 0);
    open_path(&r, path);
    exact_cycles_read(&a, &r);
    assert_false(r.ended);
    assert_int_equal(r.end, MKEXP_END + 50);
    assert_true(exact_cycles_exact(&a, &r));
    exact_cycles_free(&a);
    recording_close(&r);
}

/* ---- interrupts ---------------------------------------------------------- */

static const struct interrupt_row *row_named(const struct interrupts *s,
                                             const char *name)
{
    for (size_t i = 0; i < s->rows; i++)
        if (!strcmp(s->row[i].name, name))
            return &s->row[i];
    fail_msg("no row %s", name);
    return NULL;
}

/* IDLE-92: by address, symbol, thread and process. */
static void interrupts_add_up_by_whatever_is_asked(void **state)
{
    static const struct {
        enum interrupts_by by;
        const char *name;
        uint64_t count;
    } want[] = {
        {INTERRUPTS_BY_FUNCTION, "txn", 3},
        {INTERRUPTS_BY_FUNCTION, "idle_loop", 2},
        {INTERRUPTS_BY_FUNCTION, "producer", 1},
        {INTERRUPTS_BY_PC, "txn+0x10", 2},
        {INTERRUPTS_BY_PC, "txn+0x14", 1},
        {INTERRUPTS_BY_THREAD, "worker 0 (thread 10)", 3},
        {INTERRUPTS_BY_THREAD, "producer (thread 12)", 1},
        {INTERRUPTS_BY_PROCESS, "process 1", 6},
    };
    struct recording r;

    (void)state;
    open_standard(&r);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        struct interrupts s;

        interrupts_read(&s, &r, want[i].by, -1);
        assert_int_equal(s.total.count, 6);
        assert_int_equal(row_named(&s, want[i].name)->count, want[i].count);
        interrupts_free(&s);
    }
    recording_close(&r);
}

static void interrupts_are_told_apart_by_vector(void **state)
{
    const struct interrupt_row *txn;
    struct interrupts s;
    struct recording r;
    char name[16];

    (void)state;
    open_standard(&r);
    interrupts_read(&s, &r, INTERRUPTS_BY_FUNCTION, 0);
    assert_int_equal(s.total.count, 4); /* of CPU 0 */
    assert_int_equal(s.vectors, 3);
    assert_string_equal(interrupts_name(s.vector[1], name), "decrementer");
    assert_string_equal(interrupts_name(s.vector[2], name), "perfmon");
    assert_string_equal(interrupts_name(0x7700, name), "0x7700");
    txn = row_named(&s, "txn");
    assert_int_equal(txn->by[1], 2);
    assert_int_equal(txn->by[2], 1);
    assert_int_equal(txn->wait, 30);
    interrupts_free(&s);
    recording_close(&r);
}

/* ---- text and tables ----------------------------------------------------- */

static void numbers_read_as_people_write_them(void **state)
{
    char out[TEXT_NUMBER];
    uint64_t n;

    (void)state;
    assert_string_equal(text_count(out, 0), "0");
    assert_string_equal(text_count(out, 999), "999");
    assert_string_equal(text_count(out, 1000), "1,000");
    assert_string_equal(text_count(out, UINT64_MAX),
                        "18,446,744,073,709,551,615");
    assert_string_equal(text_percent(out, 1, 3), "33.3");
    assert_string_equal(text_percent(out, 9999, 10000), "99.9");
    assert_string_equal(text_percent(out, 7, 7), "100.0");
    assert_string_equal(text_percent(out, 7, 0), "0.0");
    assert_string_equal(text_percent(out, UINT64_MAX - 1, UINT64_MAX), "99.9");
    assert_string_equal(text_time(out, 24000000, 200000000), "120.000 ms");
    assert_string_equal(text_time(out, 1, 200000000), "5.000 ns");
    assert_string_equal(text_time(out, 600000000, 200000000), "3.000 s");
    assert_true(text_number("0x1F", &n) && n == 31);
    assert_true(text_number("0100", &n) && n == 100); /* never octal */
    assert_true(text_number("09", &n) && n == 9);
    assert_true(text_number("0", &n) && n == 0);
    assert_true(text_digits("0x1F2", 4, &n) && n == 31);
    assert_true(text_digits("129", 2, &n) && n == 12);
    assert_false(text_number("0x", &n));
    assert_false(text_number("0x10000000000000000", &n));
    assert_false(text_number("+1", &n));
    assert_false(text_number(" 1", &n));
    assert_true(text_number("18446744073709551615", &n));
    assert_false(text_number("18446744073709551616", &n));
    assert_false(text_number("-1", &n));
    assert_false(text_number("12 ", &n));
    assert_true(text_cycles("1.5ms", 200000000, &n) && n == 300000);
    assert_true(text_cycles("2 us", 200000000, &n) && n == 400);
    assert_true(text_cycles("3ns", 200000000, &n) && n == 1); /* 0.6 */
    assert_true(text_cycles("18446744073s", 1000000000, &n));
    assert_true(n == 18446744073000000000u);
    assert_false(text_cycles("18446744074s", 1000000000, &n));
    assert_true(text_cycles("-1.5s", 7, &n) && n == 0);
    assert_true(text_cycles("0x10", 0, &n) && n == 16);
    assert_true(text_cycles("16 cycles", 0, &n) && n == 16);
    assert_false(text_cycles("1ms", 0, &n));
    assert_false(text_cycles("ms", 7, &n));
    assert_false(text_cycles(".", 7, &n));
    assert_false(text_cycles("--1", 7, &n));
    assert_false(text_cycles("1.2.3s", 7, &n));
    assert_false(text_cycles("99999999999999999999999999s", 7, &n));
    assert_false(text_number("", &n));
}

static char *printed(struct table *t, unsigned width)
{
    static char text[4096];
    FILE *f = fmemopen(text, sizeof text, "w");

    if (width)
        table_print(t, f, width);
    else
        table_print_csv(t, f);
    fclose(f);
    table_free(t);
    return text;
}

static void a_table_lines_up_and_fits(void **state)
{
    struct table t = {0};

    (void)state;
    table_column(&t, "idle\ncycles", "cycles", TABLE_NUMBER);
    table_column(&t, "secret", "secret", TABLE_CSV);
    table_column(&t, "function", "function", 0);
    table_count(&t, 1234567);
    table_text(&t, "hidden");
    table_text(&t, "a_function_with_a_name_that_is_long");
    table_dotted(&t, 0);
    table_text(&t, "hidden");
    table_text(&t, "f");
    assert_string_equal(printed(&t, 40),
                        "     idle\n"
                        "   cycles  function\n"
                        "1,234,567  a_function_with_a_name_that..\n"
                        "        .  f\n");
}

static void a_form_that_fits_is_shown_whole(void **state)
{
    struct table t = {0};

    (void)state;
    table_column(&t, "n", "n", TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    table_count(&t, 5);
    table_text(&t, "Book<some::long::type_of_entries>::post(unsigned long)");
    table_shorter(&t, "Book<..>::post(unsigned long)");
    table_shorter(&t, "Book<..>::post(..)");
    assert_string_equal(printed(&t, 80),
                        "n  function\n5  Book<some::long::type_of_entries>::"
                        "post(unsigned long)\n");
    table_column(&t, "n", "n", TABLE_NUMBER);
    table_column(&t, "function", "function", 0);
    table_count(&t, 5);
    table_text(&t, "Book<some::long::type_of_entries>::post(unsigned long)");
    table_shorter(&t, "Book<..>::post(unsigned long)");
    table_shorter(&t, "Book<..>::post(..)");
    assert_string_equal(printed(&t, 40),
                        "n  function\n5  Book<..>::post(unsigned long)\n");
}

static void other_columns_make_room_for_the_last(void **state)
{
    struct table t = {0};

    (void)state;
    table_column(&t, "cycles", "cycles", TABLE_NUMBER);
    table_column(&t, "line", "line", TABLE_PATH);
    table_column(&t, "object", "object", 0);
    table_column(&t, "function < its caller", "functions", 0);
    table_count(&t, 1234567);
    table_text(&t, "a_long_name/of_some/project/file.c:17");
    table_text(&t, "a.member.of_a_member");
    table_text(&t, "a_function < another_one");
    assert_string_equal(
        printed(&t, 60),
        "   cycles  line            object           function < its..\n"
        "1,234,567  ../file.c:17    a.member.of_a..  a_function < a..\n");
}

static void add_row(struct table *t, uint64_t n, const char *line,
                    const char *stack)
{
    table_count(t, n);
    table_text(t, line);
    table_text(t, stack);
}

static void rows_that_look_the_same_are_cut_elsewhere(void **state)
{
    struct table t = {0};

    (void)state;
    table_column(&t, "n", "n", TABLE_NUMBER);
    table_column(&t, "line", "line", TABLE_PATH);
    table_column(&t, "stack", "stack", 0);
    /* The first three but for their ends; the fourth has another line, the
     * fifth another beginning; the sixth is the first once more. */
    add_row(&t, 1, "a.c:7", "merge_bins < main_function < start_threads");
    add_row(&t, 2, "a.c:7", "merge_bins < main_function < the_first_of_all");
    add_row(&t, 3, "a.c:7", "merge_bins < main_function < the_first_of_none");
    add_row(&t, 4, "a.c:8", "merge_bins < main_function < start_threads");
    add_row(&t, 5, "a.c:7", "split_bins < main_function < start_threads");
    add_row(&t, 6, "a.c:7", "merge_bins < main_function < start_threads");
    assert_string_equal(printed(&t, 40),
                        "n  line   stack\n"
                        "1  a.c:7  merge_bins < ma..start_threads\n"
                        "2  a.c:7  merge_bins < main_funct..f_all\n"
                        "3  a.c:7  merge_bins < main_func..f_none\n"
                        "4  a.c:8  merge_bins < main_function <..\n"
                        "5  a.c:7  split_bins < main_function <..\n"
                        "6  a.c:7  merge_bins < ma..start_threads\n");
}

static void a_cut_in_the_middle_keeps_characters_whole(void **state)
{
    struct table t = {0};

    (void)state;
    table_column(&t, "n", "n", TABLE_NUMBER);
    table_column(&t, "name", "name", 0);
    table_count(&t, 1);
    table_text(&t, "a_long_name_of_a_function_that_ends_with_\xc3\xa4\xc3\xa4");
    table_count(&t, 2);
    table_text(&t, "a_long_name_of_a_function_that_ends_with_\xc3\xa4\xc3\xb6");
    assert_string_equal(
        printed(&t, 40),
        "n  name\n"
        "1  a_long_name_of_a_function_that_en..\xc3\xa4\xc3\xa4\n"
        "2  a_long_name_of_a_function_that_en..\xc3\xa4\xc3\xb6\n");
}

static void a_stack_is_wrapped_between_words(void **state)
{
    struct table t = {0};

    (void)state;
    table_column(&t, "n", "n", TABLE_NUMBER);
    table_column(&t, "stack", "stack", TABLE_WRAP);
    table_count(&t, 5);
    table_text(&t, "sched < mutex_lock < transaction < worker < start");
    assert_string_equal(printed(&t, 40),
                        "n  stack\n"
                        "5  sched < mutex_lock < transaction <\n"
                        "   worker < start\n");
}

static void csv_quotes_what_would_break_it(void **state)
{
    struct table t = {0};

    (void)state;
    table_column(&t, "n", "n", TABLE_NUMBER);
    table_column(&t, "name", "name", 0);
    table_count(&t, 1234567);
    table_text(&t, "operator,\"x\"");
    assert_string_equal(printed(&t, 0),
                        "n,name\n1234567,\"operator,\"\"x\"\"\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sampler_interrupts_idling_but_not_the_period),
        cmocka_unit_test(a_period_that_is_open_at_the_end_ends_with_the_run),
        cmocka_unit_test(a_cycle_finds_its_period),
        cmocka_unit_test(samples_are_counted_where_their_stack_ends),
        cmocka_unit_test(a_period_is_explained_by_its_first_to_idle_stack),
        cmocka_unit_test(callers_are_looked_up_at_the_call),
        cmocka_unit_test(calls_from_two_places_are_one_unless_asked_for),
        cmocka_unit_test(a_period_is_not_explained_twice),
        cmocka_unit_test(addresses_without_a_function_stay_apart),
        cmocka_unit_test(a_guest_that_counted_otherwise_is_noted),
        cmocka_unit_test(account_adds_up_to_every_cycle),
        cmocka_unit_test(no_cell_is_rounded_by_a_whole_cycle),
        cmocka_unit_test(one_twelfth_too_few_or_too_many_is_noticed),
        cmocka_unit_test(rows_behind_the_last_flush_are_left_out),
        cmocka_unit_test(interrupts_add_up_by_whatever_is_asked),
        cmocka_unit_test(interrupts_are_told_apart_by_vector),
        cmocka_unit_test(numbers_read_as_people_write_them),
        cmocka_unit_test(a_table_lines_up_and_fits),
        cmocka_unit_test(a_form_that_fits_is_shown_whole),
        cmocka_unit_test(other_columns_make_room_for_the_last),
        cmocka_unit_test(rows_that_look_the_same_are_cut_elsewhere),
        cmocka_unit_test(a_cut_in_the_middle_keeps_characters_whole),
        cmocka_unit_test(a_stack_is_wrapped_between_words),
        cmocka_unit_test(csv_quotes_what_would_break_it),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
