/* interval_test.c - every report takes --from and --to: an interval of all is
 * all, two halves add up, and nothing lies outside of the run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"

static const char *standard(void)
{
    static char path[512];

    strcpy(path, scratch_path());
    mkexp_sampled(path);
    return path;
}

/* What a report prints with more options, without the line that says which
 * part of the run it is. */
static const char *print(const char *report, const char *more, const char *exp)
{
    static char text[2][SIMPROF_TEXT];
    static unsigned which;
    char command[256], *out = text[which = !which];
    const struct simprof *s;

    snprintf(command, sizeof command, "%s --csv %s", report, more);
    s = simprof_run(command, exp);
    assert_in_range(s->status, 0, 1);
    strcpy(out, s->out);
    return out;
}

static void an_interval_of_all_is_all(void **state)
{
    static const char *const report[] = {"overview",
                                         "metrics",
                                         "idle",
                                         "idle --per-cpu",
                                         "functions",
                                         "functions --reasons",
                                         "lines",
                                         "pcs",
                                         "callers-callees",
                                         "calltree",
                                         "objects",
                                         "threads",
                                         "cpus",
                                         "seconds --step=10000",
                                         "interrupts",
                                         "interrupts --by=pc",
                                         "active",
                                         "truth",
                                         "indxobj --index=cpu",
                                         "csingle --function=txn",
                                         "disasm --function=txn",
                                         "idle --table=cpus",
                                         "idle --table=tree"};
    const char *path = standard();

    (void)state;
    for (size_t i = 0; i < sizeof report / sizeof report[0]; i++) {
        const char *all = print(report[i], "", path);
        const char *same = print(report[i], "--from=0 --to=100001", path);

        assert_true(strlen(all) > 0);
        if (strcmp(all, same))
            fail_msg("%s: %s, in an interval of all: %s", report[i], all, same);
    }
}

/* Column `column` of the row that ends in `name`; 0: there is no such row. */
static unsigned long cell(const char *text, unsigned column, const char *name)
{
    for (const char *line = text; line && *line;
         line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL) {
        size_t n = strcspn(line, "\n");
        const char *at = line;

        if (n < strlen(name) ||
            strncmp(line + n - strlen(name), name, strlen(name)))
            continue;
        for (unsigned i = 0; i < column; i++)
            at = strchr(at, ',') + 1;
        return strtoul(at, NULL, 10);
    }
    return 0;
}

static void two_halves_add_up(void **state)
{
    static const struct {
        const char *report, *row;
        unsigned column;
    } cases[] = {
        {"functions --metrics=e+cycles:e+dcache_miss", ",<Total>", 0},
        {"functions --metrics=e+cycles:e+dcache_miss", ",<Total>", 1},
        {"functions --metrics=e+cycles:e+dcache_miss", ",txn", 0},
        {"interrupts", ",<Total>", 0},
    };
    const char *path = standard();

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        unsigned long all = cell(print(cases[i].report, "", path),
                                 cases[i].column, cases[i].row);

        assert_true(all > 0);
        for (unsigned at = 1; at <= 100000; at += 7331) {
            char before[64], after[64];

            snprintf(before, sizeof before, "--to=%u", at);
            snprintf(after, sizeof after, "--from=%u", at);
            assert_int_equal(cell(print(cases[i].report, before, path),
                                  cases[i].column, cases[i].row) +
                                 cell(print(cases[i].report, after, path),
                                      cases[i].column, cases[i].row),
                             all);
        }
    }
}

/* Idle cycles of two halves add up, and so do samples. */
static void idleness_is_cut_where_the_interval_is(void **state)
{
    const char *path = standard();
    static const unsigned column[] = {2, 6, 7}; /* idle, to, from */

    (void)state;
    for (size_t i = 0; i < sizeof column / sizeof column[0]; i++) {
        const char *all = strstr(print("idle --table=cpus", "", path), "all,");
        unsigned long whole = cell(all, column[i], "");

        for (unsigned at = 5000; at < 100000; at += 9999) {
            char before[64], after[64];
            unsigned long sum;

            snprintf(before, sizeof before, "--to=%u", at);
            snprintf(after, sizeof after, "--from=%u", at);
            sum = cell(strstr(print("idle --table=cpus", before, path), "all,"),
                       column[i], "");
            sum += cell(strstr(print("idle --table=cpus", after, path), "all,"),
                        column[i], "");
            assert_int_equal(sum, whole);
        }
    }
}

static void what_makes_no_sense_is_refused(void **state)
{
    const char *path = standard();

    (void)state;
    assert_int_equal(simprof_run("idle --from=9 --to=9", path)->status, 2);
    assert_int_equal(simprof_run("truth --from=x", path)->status, 2);
    assert_int_equal(simprof_run("interrupts --from=2 --to=1", path)->status,
                     2);
    simprof_expect(simprof_run("idle --from=100 --to=2000", path)->out,
                   "only from cycle 100 on, before 2,000");
}

/* The standard experiment's threads are there from its beginning to its end. */
static void a_program_is_a_time(void **state)
{
    const char *path = standard();
    const char *all = print("functions", "", path);

    (void)state;
    assert_string_equal(
        all,
        print("functions", "--from=begin:producer --to=end:producer", path));
    assert_int_equal(simprof_run("functions --to=begin:producer", path)->status,
                     2);
    assert_non_null(strstr(
        simprof_run("idle --from=begin:produce", path)->err,
        "--from: no thread is called produce; did you mean producer?\n"));
    assert_non_null(strstr(simprof_run("idle --to=end:", path)->err,
                           "--to=end:: must be a time"));
    assert_non_null(
        strstr(simprof_run("seconds --step=end:producer", path)->err,
               "--step=end:producer: must be a time"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_of_all_is_all),
        cmocka_unit_test(two_halves_add_up),
        cmocka_unit_test(idleness_is_cut_where_the_interval_is),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_program_is_a_time),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    scratch_clean(NULL);
    return failed;
}
