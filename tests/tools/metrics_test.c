/* metrics_test.c - simprof's tables of metrics on the sampled experiment of
 * tests/lib/mkexp.c: every number there was added up by hand. timeout: 60 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"

static const struct simprof *run(const char *arguments)
{
    const char *path = scratch_path();

    mkexp_sampled(path);
    return simprof_run(arguments, path);
}

/* ANA-48, ANA-50, ANA-85, ANA-87, ANA-88 */
static void functions_has_exclusive_and_inclusive_columns(void **state)
{
    const struct simprof *r = run("functions");

    (void)state;
    assert_int_equal(r->status, 0);
    assert_string_equal(r->err, "");
    simprof_expect(r->out, "200,000  100.0%   7,010   7,010  100.0%  <Total>");
    simprof_expect(r->out, " 58,334   29.2%   4,000   5,010   71.5%  txn");
    simprof_expect(r->out,
                   "      .       .       .   6,010   85.7%  thread_start");
    simprof_expect(r->out, "      .       .       .   1,000   14.3%  "
                           "<Truncated-stack>");
    simprof_expect(r->out, "cycles: 7 samples, one in 1,000; stacks not "
                           "walked to their root: 1");
}

static void csv_has_every_counter(void **state)
{
    const struct simprof *r = run("functions --csv");

    (void)state;
    simprof_expect(r->out,
                   "excl_exact,excl_exact_percent,excl_cycles,incl_cycles,incl_"
                   "cycles_percent,excl_dcache_miss,incl_dcache_miss,incl_"
                   "dcache_miss_percent,function");
    simprof_expect(r->out, "3,0.0,0,0,0.0,100,100,33.3,<Unknown>");
    simprof_expect(r->out, "20000,10.0,2000,2000,28.5,0,100,33.3,producer");
}

/* Exclusive values of rows against <Total>, whatever is left out. */
static void exclusive_columns_add_up_in_every_view(void **state)
{
    static const char *const view[] = {
        "functions --csv",
        "objects --csv",
        "functions --csv --limit=3",
        "functions --csv --cpu=1",
        "functions --csv --from=2000 --to=60000",
        "functions --csv --filters='thread == 10'"};
    static const unsigned column[] = {0, 2, 5};

    (void)state;
    for (size_t i = 0; i < sizeof view / sizeof view[0]; i++) {
        const struct simprof *r = run(view[i]);
        uint64_t sum[3] = {0}, total[3] = {0};
        int rows = 0;

        assert_int_equal(r->status, 0);
        for (const char *s = strchr(r->out, '\n') + 1; *s;
             s = strchr(s, '\n') + 1, rows++) {
            for (unsigned k = 0; k < 3; k++) {
                const char *cell = s;

                for (unsigned skip = column[k]; skip--;)
                    cell = strchr(cell, ',') + 1;
                (rows ? sum : total)[k] += strtoull(cell, NULL, 10);
            }
        }
        assert_true(rows > 1);
        for (unsigned k = 0; k < 3; k++)
            assert_int_equal(sum[k], total[k]);
    }
}

static void metrics_choose_columns_and_sort_orders_them(void **state)
{
    const struct simprof *r =
        run("functions --csv --metrics=ei.+%cycles --sort=i.cycles");
    const char *start, *txn;

    (void)state;
    simprof_expect(r->out,
                   "excl_cycles_seconds,excl_cycles,excl_cycles_percent,incl_"
                   "cycles_seconds,incl_cycles,incl_cycles_percent,function");
    /* 4000 cycles at 200 MHz are 20 us */
    simprof_expect(r->out, "0.000020,4000,57.1,0.000025,5010,71.5,txn");
    start = strstr(r->out, ",thread_start");
    txn = strstr(r->out, ",txn");
    assert_true(start < txn);
    r = run("functions --csv --metrics=e.dcache_miss:i.dcache_miss:name "
            "--sort=name");
    assert_string_equal(r->out, "excl_dcache_miss,incl_dcache_miss,function\n"
                                "300,300,<Total>\n"
                                "100,100,<Unknown>\n"
                                "0,100,producer\n"
                                "0,300,thread_start\n"
                                "200,200,txn\n"
                                "0,200,worker\n");
    r = run("functions --csv --metrics=e.dcache_miss --sort=-e.dcache_miss");
    simprof_expect(r->out, "300,<Total>");
    assert_true(strstr(r->out, "<Unknown>") < strstr(r->out, "txn"));
}

static void options_that_make_no_sense_are_refused(void **state)
{
    static const struct {
        const char *arguments, *why;
    } bad[] = {
        {"functions --metrics=e.nonsense", "e.nonsense: no metric"},
        {"functions --metrics=cycles", "cycles: no metric"},
        {"functions --metrics=a.cycles", "without a column"},
        {"functions --metrics=", ": no metric"},
        {"functions --metrics=name:e.cycles", "name: no metric"},
        {"functions --sort=x.cycles", "x.cycles: no metric"},
        {"functions --metrics=e.cycels", "called cycels; did you mean cycles?"},
        {"functions --from=x", "--from=x: must be a time"},
        {"functions --from=1.5hours", "--from=1.5hours: must be a time"},
        {"seconds --step=-5", "--step=-5: must be a time"},
        {"functions --thread=99", "--thread=99: no such thread: 99"},
        {"functions --thread=x", "--thread=x: must be a thread's number"},
        {"functions --limt=5",
         "--limt=5: no such option; did you mean --limit?"},
        {"functions -limit 5", "-limit: no such option; did you mean --limit?"},
        {"functions --pcs", "--pcs: not an option of this report"},
        {"functions --csv=x", "--csv=x: takes no argument"},
        {"functions --from=5 --to=5", "--from must be below --to"},
        {"functions --from=99s", "--from=99s: the run ends at "},
        {"functions --from=99s --to=100s", "--from=99s: the run ends at "},
        {"timeline --from=99s", "--from=99s: the run ends at "},
        {"locks --from=99s", "--from=99s: the run ends at "},
        {"gap --from=99s", "--from=99s: the run ends at "},
        {"export --format=csv --from=99s", "--from=99s: the run ends at "},
        {"functions --filters='cpu = 1'", "  cpu = 1\n      ^"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct simprof *r = run(bad[i].arguments);

        assert_int_equal(r->status, 2);
        if (!simprof_has(r->err, bad[i].why))
            fail_msg("%s: %s", bad[i].arguments, r->err);
        assert_string_equal(r->out, "");
    }
}

/* 200 MHz: 5 us are 1,000 cycles. What is below 0 begins with the run. */
static void times_have_units(void **state)
{
    static const char *const same[] = {
        "--from=1000 --to=2000", "--from=5us --to=0.01ms",
        "--from=5000ns --to=0.00001s", "--from=0x3e8 --to='2000 cycles'"};
    static char first[SIMPROF_TEXT];
    char arguments[200];

    (void)state;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        const struct simprof *r;

        snprintf(arguments, sizeof arguments,
                 "functions --csv --metrics=e+cycles %s", same[i]);
        r = run(arguments);
        assert_int_equal(r->status, 0);
        if (!i)
            memcpy(first, r->out, sizeof first);
        assert_string_equal(r->out, first);
    }
    memcpy(first, run("functions --csv")->out, sizeof first);
    assert_true(simprof_has(run("functions --from=5us --to=10us")->out,
                            "only from cycle 1,000 on, before 2,000"));
    assert_string_equal(run("functions --csv --from=-10")->out, first);
    assert_string_equal(run("functions --csv --from=-2.5ms")->out, first);
}

/* Threads add up to all samples. */
static void one_thread_can_be_chosen(void **state)
{
    const struct simprof *r = run("functions --thread=12 --metrics=e+cycles");

    (void)state;
    simprof_expect(r->out, "only thread 12, producer");
    simprof_expect(r->out, " 2,000  <Total>");
    simprof_expect(run("lines --thread=10 --csv --metrics=e+cycles")->out,
                   "5010,<Total>");
}

static void filters_hold_for_samples_and_oracle(void **state)
{
    const struct simprof *r =
        run("functions --csv --metrics=e+exact:e.dcache_miss "
            "--filters='function==\"txn\"'");

    (void)state;
    assert_string_equal(r->out, "excl_exact,excl_dcache_miss,function\n"
                                "58333,200,<Total>\n"
                                "58333,200,txn\n");
    r = run("functions --reasons --csv --filters='cpu == 0'");
    simprof_expect(r->out, "100000,1200000,100.0,50001,8333,<Total>");
}

/* ANA-49: sums above and below the starred line. */
static void callers_and_callees_stand_around_a_function(void **state)
{
    const struct simprof *r = run("callers-callees");

    (void)state;
    assert_int_equal(r->status, 0);
    assert_true(simprof_has(r->out, " 4,010       .   5,010   worker\n"
                                    " 1,000   4,000   5,010   txn\n"
                                    " 4,000   4,000   5,010  *txn\n"
                                    " 1,010   1,010   1,010   mutex_lock\n"));
    assert_true(simprof_has(r->out, " 6,010   7,010   7,010   <Total>\n"
                                    "     .       .   6,010  *thread_start\n"));
    assert_true(simprof_has(r->out,
                            " 1,000   7,010   7,010   <Total>\n"
                            "     .       .   1,000  *<Truncated-stack>\n"
                            " 1,000   2,000   2,000   producer\n"));
}

static void csingle_shows_one_function(void **state)
{
    const struct simprof *r = run("csingle txn --csv --metrics=aei+cycles");

    (void)state;
    assert_string_equal(r->out, "excl_cycles,incl_cycles,attr_cycles,of,role,"
                                "function\n"
                                "4000,5010,1000,txn,caller,txn\n"
                                "0,5010,4010,txn,caller,worker\n"
                                "4000,5010,4000,txn,function,txn\n"
                                "1010,1010,1010,txn,callee,mutex_lock\n");
    r = run("csingle --function=txn --csv --metrics=a+cycles");
    simprof_expect(r->out, "4010,txn,caller,worker");
    r = run("csingle nowhere");
    assert_int_equal(r->status, 2);
    assert_true(simprof_has(r->err, "nowhere: no such function"));
    r = run("csingle");
    assert_int_equal(r->status, 2);
}

static void calltree_counts_from_root_to_leaf(void **state)
{
    const struct simprof *r = run("calltree");

    (void)state;
    assert_true(simprof_has(r->out, " 7,010   7,010  100.0%  <Total>\n"
                                    "     .   6,010   85.7%    thread_start\n"
                                    "     .   5,010   71.5%      worker\n"
                                    " 3,000   5,010   71.5%        txn\n"));
    simprof_expect(r->out, " 1,000   1,000   14.3%            txn");
    r = run("calltree --csv --metrics=ei+dcache_miss");
    simprof_expect(r->out, "100,100,5,4,3,<Unknown>");
}

/* A tree cut by 1% has every sample once all the same. */
static void small_branches_are_put_together(void **state)
{
    static const uint32_t one[] = {MKEXP_PC(txn, 0), 0};
    static const uint32_t two[] = {MKEXP_PC(sched, 0), 0};
    static const uint32_t three[] = {MKEXP_PC(worker, 0), 0};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    const struct simprof *r;
    char elf[700];

    (void)state;
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 0 cycles 1000");
    mkexp_profile(m, 0, 10, 10, 0, 998, 0, one);
    mkexp_profile(m, 0, 20, 10, 0, 1, 0, two);
    mkexp_profile(m, 0, 30, 10, 0, 1, 0, three);
    mkexp_close(m, 1);
    r = simprof_run("calltree", path);
    simprof_expect(r->out, "   998     998   99.8%    txn");
    simprof_expect(r->out, "     2       2    0.2%    (2 more, each below 1%)");
    r = simprof_run("calltree --limit=0", path);
    simprof_expect(r->out, "     1       1    0.1%    sched");
}

/* As many columns as there is room for, in text too, and not one more. */
static void columns_have_an_end(void **state)
{
    char arguments[2048] = "functions --metrics=e+exact";

    (void)state;
    for (int i = 1; i < 64; i++)
        strcat(arguments, ":e+cycles");
    assert_int_equal(run(arguments)->status, 0);
    strcat(arguments, ":e+cycles");
    assert_int_equal(run(arguments)->status, 2);
    assert_true(simprof_has(run(arguments)->err, "64 columns are all there"));
}

/* Code that no load object has is a row of its own. */
static void unknown_code_is_no_objects(void **state)
{
    (void)state;
    simprof_expect(run("objects --csv --metrics=e+dcache_miss")->out,
                   "100,<Unknown>");
}

/* --limit: so many call sequences, the largest with their callers; the rows
 * add up to the total, those of exact cycles, which have no stacks, too. */
static void a_call_tree_can_be_limited(void **state)
{
    const struct simprof *r = run("calltree --limit=3");

    (void)state;
    simprof_expect(r->out, " 7,010   7,010  100.0%  <Total>");
    simprof_expect(r->out, " 3,000   5,010   71.5%        txn");
    simprof_expect(r->out, " 2,010   2,010   28.7%          (2 more)");
    assert_false(simprof_has(r->out, "            txn"));
    r = run("calltree --limit=1 --csv --metrics=ei+cycles");
    simprof_expect(r->out, "7010,7010,0,,0,<Total>");
    simprof_expect(r->out, "0,6010,1,0,1,thread_start");
    simprof_expect(r->out, "6010,6010,2,1,2,<all others>");
    r = run("calltree --csv --metrics=e+exact");
    simprof_expect(r->out, "200000,0,,0,<Total>");
    simprof_expect(r->out, "200000,1,0,1,<no stack>");
    r = run("calltree --csv --metrics=i+dcache_miss");
    assert_false(simprof_has(r->out, "\n0,"));
}

/* Without samples there is nothing to show, and that is said. */
static void stacks_need_samples(void **state)
{
    static const char *const report[] = {"callers-callees", "calltree"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        const char *path = scratch_path();
        const struct simprof *r;

        mkexp_standard(path);
        r = simprof_run(report[i], path);
        assert_int_equal(r->status, 0);
        assert_true(simprof_has(r->out, "No counter was sampled"));
        assert_false(simprof_has(r->out, "<Total>"));
    }
}

/* ANA-89: what was counted behind the last sample is said, and in no row. */
static void events_behind_the_last_sample_are_told(void **state)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 0x10), 0};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    const struct simprof *r;
    char elf[700];

    (void)state;
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 0 dcache_miss 100");
    mkexp_say(m, "count 0 0 131 0");
    mkexp_say(m, "count 0 1 70 0");
    mkexp_profile(m, 0, 10, 10, 0, 105, 0, stack);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0x10), 2, MKEXP_END * 12);
    mkexp_oracle(m, 1, MKEXP_END, 0, 0, MKEXP_END * 12);
    mkexp_close(m, 1);
    r = simprof_run("functions", path);
    simprof_expect(r->out,
                   "dcache_miss: 1 samples, one in 100; 26 events in none");

    assert_false(simprof_has(simprof_run("functions --cpu=0", path)->out,
                             "events in none"));
    r = simprof_run("metrics --csv", path);
    assert_true(simprof_has(r->out, "dcache_miss,e i a,+ %,105,201,1,100,"));
}

/* A counter without samples has a total, of the CPUs asked for, of the whole
 * run; columns it has none. */
static void overview_has_what_was_only_counted(void **state)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 0x10), 0};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    const struct simprof *r;
    char elf[700];

    (void)state;
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "profile 0 icache_miss 0 uk");
    mkexp_say(m, "profile 1 dcache_miss 100 uk");
    mkexp_say(m, "profile 2 HOT 0 u");
    mkexp_say(m, "count 0 0 1234 0");
    mkexp_say(m, "count 0 1 56 0");
    mkexp_say(m, "count 1 0 131 0");
    mkexp_say(m, "count 2 1 7 0");
    mkexp_profile(m, 0, 10, 10, 1, 105, 0, stack);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0x10), 2, MKEXP_END * 12);
    mkexp_oracle(m, 1, MKEXP_END, 0, 0, MKEXP_END * 12);
    mkexp_close(m, 1);
    r = simprof_run("overview --csv", path);
    assert_true(simprof_has(r->out, "\nicache_miss,1290,0,\n"));
    assert_true(simprof_has(r->out, "\nHOT.u,7,0,\n"));
    assert_true(simprof_has(r->out, "\ndcache_miss,105,1,"));
    r = simprof_run("overview --csv --cpu=0", path);
    assert_true(simprof_has(r->out, "\nicache_miss,1234,0,\n"));
    r = simprof_run("overview", path);
    assert_true(simprof_has(r->out, "EVENT:PERIOD"));
    r = simprof_run("overview --to=20", path);
    assert_false(simprof_has(r->out, "icache_miss"));
    assert_false(simprof_has(r->out, "EVENT:PERIOD"));
    r = simprof_run("overview --filters=cpu==0", path);
    assert_false(simprof_has(r->out, "icache_miss"));
    r = simprof_run("metrics --csv", path);
    assert_false(simprof_has(r->out, "icache_miss"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_has_exclusive_and_inclusive_columns),
        cmocka_unit_test(csv_has_every_counter),
        cmocka_unit_test(exclusive_columns_add_up_in_every_view),
        cmocka_unit_test(metrics_choose_columns_and_sort_orders_them),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
        cmocka_unit_test(times_have_units),
        cmocka_unit_test(one_thread_can_be_chosen),
        cmocka_unit_test(filters_hold_for_samples_and_oracle),
        cmocka_unit_test(callers_and_callees_stand_around_a_function),
        cmocka_unit_test(csingle_shows_one_function),
        cmocka_unit_test(calltree_counts_from_root_to_leaf),
        cmocka_unit_test(small_branches_are_put_together),
        cmocka_unit_test(a_call_tree_can_be_limited),
        cmocka_unit_test(unknown_code_is_no_objects),
        cmocka_unit_test(columns_have_an_end),
        cmocka_unit_test(stacks_need_samples),
        cmocka_unit_test(events_behind_the_last_sample_are_told),
        cmocka_unit_test(overview_has_what_was_only_counted),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
