/* simprof_test.c - simprof as its user meets it: what it prints, what it says
 * to damage and to wrong usage, and its exit status. Runs $BUILD/simprof on
 * the experiment that tests/lib/mkexp.c draws. timeout: 60 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"

/* What a run of simprof left. */
static const char *fresh(void)
{
    const char *path = scratch_path();

    mkexp_standard(path);
    return path;
}

static void remove_file(const char *exp, const char *name)
{
    char path[700];

    snprintf(path, sizeof path, "%s/%s", exp, name);
    assert_int_equal(unlink(path), 0);
}

static void cut_file(const char *exp, const char *name, off_t size)
{
    char path[700];

    snprintf(path, sizeof path, "%s/%s", exp, name);
    assert_int_equal(truncate(path, size), 0);
}

static void rewrite_file(const char *exp, const char *name, const char *text)
{
    char path[700];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", exp, name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

/* ---- the reports --------------------------------------------------------- */

static void functions_adds_up_to_every_cycle(void **state)
{
    const struct simprof *r = simprof_run("functions", fresh());

    (void)state;
    assert_int_equal(r->status, 0);
    assert_string_equal(r->err, "");
    simprof_expect(r->out, "200,000  100.0%  <Total>");
    simprof_expect(r->out, "121,563   60.8%  <napping>");
    simprof_expect(r->out, " 58,334   29.2%  txn");
    simprof_expect(r->out, "    100       .  <parked>");
    simprof_expect(r->out, "Shares of exact cycles are of all but 100 cycles "
                           "of CPUs not yet released\n(<parked>).");
    simprof_expect(r->out, "      3    0.0%  <Unknown>");
    simprof_expect(r->out,
                   "Every cycle is in the table: 100,000 cycles x 2 CPUs "
                   "= 200,000, exact.");
}

static void functions_per_cpu_agrees_with_the_total(void **state)
{
    const struct simprof *r = simprof_run("functions --per-cpu", fresh());

    (void)state;
    simprof_expect(r->out, "200,000  100.0%  100,000  100,000  <Total>");
    simprof_expect(r->out, "121,563   60.8%   41,666   79,897  <napping>");
}

static void csv_rows_add_up_in_every_view(void **state)
{
    static const char *const view[] = {"", "--per-cpu", "--reasons",
                                       "--per-cpu --reasons", "--limit=2"};
    const char *exp = fresh();

    (void)state;
    for (size_t i = 0; i < sizeof view / sizeof view[0]; i++) {
        char arguments[64];
        uint64_t sum = 0, total = 0;
        const struct simprof *r;

        snprintf(arguments, sizeof arguments, "functions --csv %s", view[i]);
        r = simprof_run(arguments, exp);
        assert_int_equal(r->status, 0);
        for (char *s = strchr(r->out, '\n') + 1; *s; s = strchr(s, '\n') + 1) {
            uint64_t n = strtoull(s, NULL, 10);
            char *end = strchr(s, '\n');

            *(simprof_has(s, "<Total>") && strstr(s, "<Total>") < end ? &total
                                                                      : &sum) +=
                n;
        }
        assert_int_equal(total, 200000);
        assert_int_equal(sum, 200000);
    }
}

static void functions_shows_reasons_as_columns(void **state)
{
    const struct simprof *r = simprof_run("functions --reasons --csv", fresh());

    (void)state;
    simprof_expect(r->out,
                   "cycles,twelfths,percent,complete,dmiss,imiss,function");
    simprof_expect(r->out, "58334,700007,29.2,50001,8333,0,txn");
    r = simprof_run("functions --reasons", fresh());
    simprof_expect(r->out, " 58,334   29.2%     85.7%  14.3%       .  txn");
}

/* IDLE-01, IDLE-76: the path to the lock is named, most frequent first. */
static void idle_names_the_stacks_most_frequent_first(void **state)
{
    const struct simprof *r = simprof_run("idle", fresh());
    char *lock, *sleep;

    (void)state;
    assert_int_equal(r->status, 0);
    assert_string_equal(r->err, "");
    simprof_expect(r->out,
                   "     2  66.7%  0.0-100.0%  54.5%  sched < mutex_lock < txn "
                   "< worker <");
    simprof_expect(r->out, "     1  33.3%  0.0-100.0%  36.4%  sched < "
                           "timer_sleep < producer < thread_start");
    lock = strstr(r->out, "mutex_lock < txn");
    sleep = strstr(r->out, "timer_sleep < producer");
    assert_true(lock < sleep);
    simprof_expect(r->out, "all  54.8%    60.8%        4        3            3"
                           "        3          1    90.9%");
}

static void idle_tree_counts_to_and_from(void **state)
{
    const struct simprof *r = simprof_run("idle --table=tree", fresh());

    (void)state;
    simprof_expect(r->out, "      3  100.0%          1  100.0%  <Total>");
    simprof_expect(r->out,
                   "      2   66.7%          1  100.0%        mutex_lock");
    simprof_expect(r->out,
                   "      1   33.3%          .       .      timer_sleep");
    assert_false(simprof_has(r->out, " < "));
}

static void idle_csv_has_a_row_for_every_stack(void **state)
{
    const struct simprof *r = simprof_run("idle --csv", fresh());

    (void)state;
    assert_string_equal(
        r->out,
        "cpu,kind,samples,idle_cycles,stack,of,low,high\n"
        "all,to-idle,2,59700,thread_start;worker;txn;mutex_lock;sched,3,"
        "0.0000,1.0000\n"
        "all,to-idle,1,39900,thread_start;producer;timer_sleep;sched,3,"
        "0.0000,1.0000\n"
        /* of one draw, by Wilson's formula: 1 / (1 + 1.96 ^ 2) */
        "all,from-idle,1,0,thread_start;worker;txn;mutex_lock;sched,1,"
        "0.2065,1.0000\n");
    r = simprof_run("idle --csv --no-intervals", fresh());
    simprof_expect(r->out, "cpu,kind,samples,idle_cycles,stack,of");
    r = simprof_run("idle --csv --cpu=1", fresh());
    simprof_expect(r->out, "1,to-idle,1,39800,thread_start;worker;txn;"
                           "mutex_lock;sched,2,0.0000,1.0000");
    assert_false(simprof_has(r->out, "from-idle"));
    r = simprof_run("idle --csv --table=cpus", fresh());
    simprof_expect(r->out, "cpu,cycles,idle_cycles,nap_cycles,periods,sampled,"
                           "interrupts,to_idle,from_idle,explained_cycles,"
                           "from_idle_beforehand");
    simprof_expect(r->out, "0,100000,29900,41666,2,1,1,1,1,19900,0");
}

/* IDLE-01: CPUs that are always busy give an empty report. */
static void idle_report_of_busy_cpus_is_empty_and_says_so(void **state)
{
    char path[600];
    struct mkexp *m;
    const struct simprof *r;

    (void)state;
    snprintf(path, sizeof path, "%s/busy.exp", scratch_dir());
    m = mkexp_new(path);
    mkexp_thread(m, 1, 1, "idle 0");
    mkexp_switch(m, 0, 10, 1, 10);
    mkexp_switch(m, 1, 10, 2, 11);
    for (unsigned cpu = 0; cpu < 2; cpu++) {
        mkexp_stat(m, cpu, 1, 50);
        mkexp_oracle(m, cpu, MKEXP_END, 0x10000, 2, MKEXP_END * 12);
    }
    mkexp_close(m, 1);
    r = simprof_run("idle", path);
    assert_int_equal(r->status, 0);
    simprof_expect(r->out, "No idle transitions: the report is empty.");
    simprof_expect(r->out,
                   "No CPU was ever idle, so there is nothing to explain.");
    assert_false(simprof_has(r->out, "function < its caller"));
    r = simprof_run("idle --csv", path);
    assert_string_equal(r->out,
                        "cpu,kind,samples,idle_cycles,stack,of,low,high\n");
}

static void idle_time_without_samples_says_why(void **state)
{
    const char *exp = fresh();
    const struct simprof *r;

    (void)state;
    cut_file(exp, "idle.rec", 32);
    cut_file(exp, "stat.rec", 32);
    r = simprof_run("idle", exp);
    assert_int_equal(r->status, 1); /* the log says there were some */
    simprof_expect(r->err, "simprof: damage: idle.rec: 4 of its 4 records are "
                           "not there; run simrun again for the rest");
    simprof_expect(r->out,
                   "The CPUs were idle 54.8% of the time, in 4 periods.");
    simprof_expect(r->out,
                   "No sample interrupt is on record that found a CPU idle.");
}

/* IDLE-92 */
static void interrupts_are_a_sample_profile(void **state)
{
    const char *exp = fresh();
    const struct simprof *r = simprof_run("interrupts --csv", exp);

    (void)state;
    assert_string_equal(
        r->out, "count,percent,external,decrementer,perfmon,mean_wait_cycles,"
                "function\n"
                "6,100.0,1,4,1,5,<Total>\n"
                "3,50.0,0,2,1,10,txn\n"
                "2,33.3,1,1,0,0,idle_loop\n"
                "1,16.7,0,1,0,0,producer\n");
    r = simprof_run("interrupts --csv --by=pc --cpu=1", exp);
    simprof_expect(r->out, "1,50.0,1,0,producer+0x20");
    r = simprof_run("interrupts --by=thread --limit=1", exp);
    simprof_expect(r->out,
                   "    3   50.0%         .            2        1    10  "
                   "worker 0 (thread 10)");
    simprof_expect(r->out,
                   "    3   50.0%         1            2        .     0  "
                   "<all others>");
}

static void info_tells_what_ran(void **state)
{
    const struct simprof *r = simprof_run("info", fresh());

    (void)state;
    assert_int_equal(r->status, 0);
    simprof_expect(r->out, "args                work=txn sampler=both");
    simprof_expect(r->out, "clock               200 MHz");
    simprof_expect(r->out, "cycles              100,000 (500.000 us)");
    simprof_expect(r->out, "exit                0 power-off");
    simprof_expect(r->out, "damage              none found");
    assert_true(simprof_has(r->out, "idle.rec"));
    assert_true(simprof_has(r->out, "clock_mhz=200 bus_ratio=3"));
    assert_true(simprof_has(r->out, "sampler 1"));
    r = simprof_run("info --csv", fresh());
    simprof_expect(r->out, "cycles,100000");
    simprof_expect(r->out, "knob bus_ratio,3");
    simprof_expect(r->out, "records in switch.rec,16");
}

/* ANA-10 */
static void notes_stand_before_the_header(void **state)
{
    const char *exp = fresh();
    const struct simprof *r;

    (void)state;
    rewrite_file(exp, "notes", "second try, larger cache\n");
    r = simprof_run("info", exp);
    assert_true(!strncmp(r->out, "second try, larger cache\n\n", 26));
}

static void the_same_report_twice_is_the_same(void **state)
{
    static const char *const report[] = {"info", "idle --per-cpu",
                                         "functions --reasons", "idle --pcs"};
    const char *exp = fresh();

    (void)state;
    for (size_t i = 0; i < sizeof report / sizeof report[0]; i++) {
        static char before[SIMPROF_TEXT];

        strcpy(before, simprof_run(report[i], exp)->out);
        assert_true(strlen(before) > 100);
        assert_string_equal(before, simprof_run(report[i], exp)->out);
    }
}

/* A report needs the directory alone: not the program, not its name. */
static void reports_do_not_need_the_program_that_ran(void **state)
{
    char before[700], after[700];
    const struct simprof *r;

    (void)state;
    snprintf(before, sizeof before, "%s", fresh());
    snprintf(after, sizeof after, "%s/moved", scratch_dir());
    assert_int_equal(rename(before, after), 0);
    r = simprof_run("functions", after);
    assert_int_equal(r->status, 0);
    assert_true(simprof_has(r->out, "  txn\n"));
}

static void text_fits_eighty_columns(void **state)
{
    static const char *const report[] = {"info", "idle", "functions --reasons",
                                         "functions --per-cpu", "idle --pcs"};

    (void)state;
    for (size_t i = 0; i < sizeof report / sizeof report[0]; i++) {
        const char *s = simprof_run(report[i], fresh())->out;
        size_t n;

        for (; *s; s += n + (s[n] == '\n')) {
            n = strcspn(s, "\n");
            if (n > 80)
                fail_msg("%s: too wide: %.*s", report[i], (int)n, s);
        }
    }
}

/* ---- damage -------------------------------------------------------------- */

static void damage_is_named_and_the_rest_reported(void **state)
{
    static const struct {
        const char *remove, *says;
    } damage[] = {
        {"switch.rec", "simprof: damage: switch.rec: missing"},
        {"thread.rec", "simprof: damage: thread.rec: missing"},
        {"stat.rec", "simprof: damage: stat.rec: missing"},
        {"oracle.rec", "simprof: damage: oracle.rec: missing"},
        {"map", "simprof: damage: map: "},
        {"log", "simprof: damage: log: "},
        {"archives/" MKEXP_ARCHIVE, "simprof: damage: archives/"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        const char *exp = fresh();
        const struct simprof *r;

        remove_file(exp, damage[i].remove);
        r = simprof_run("idle", exp);
        assert_int_equal(r->status, 1);
        if (!simprof_has(r->err, damage[i].says))
            fail_msg("no \"%s\" in: %s", damage[i].says, r->err);
        assert_true(simprof_has(r->out, "to-idle"));
    }
}

static void truncated_records_are_damage_of_an_ended_run(void **state)
{
    const char *exp = fresh();
    const struct simprof *r;

    (void)state;
    cut_file(exp, "oracle.rec", 32 + 2 * 32 + 5);
    r = simprof_run("functions", exp);
    assert_int_equal(r->status, 1);
    assert_true(simprof_has(r->err,
                            "oracle.rec: ends inside a record, its last 5 "
                            "bytes"));
    assert_true(simprof_has(r->out, "Not every cycle is in the table: "));
    simprof_expect(r->out, "58,333  100.0%  txn");
    cut_file(exp, "oracle.rec", 32); /* where a record ends */
    for (unsigned i = 0; i < 3; i++) {
        static const char *const report[] = {"overview", "cpi", "truth"};

        r = simprof_run(report[i], exp);
        assert_int_equal(r->status, 1);
        assert_true(
            simprof_has(r->err, "damage: oracle.rec: accounts for 0 cycles"));
    }
}

/* Whatever is chosen, the rows of the oracle that were read are all there or
 * that is damage; an experiment that does not count its records can be read. */
static void
a_file_cut_between_two_records_is_found_by_every_report(void **state)
{
    static const struct {
        const char *file, *report, *note;
        off_t size;
    } cut[] = {
        {"oracle.rec", "functions --cpu=1", "oracle.rec: 7", 32 + 32},
        {"oracle.rec", "functions --filters='cpu==1'", "oracle.rec: 7", 64},
        {"oracle.rec", "functions --from=100", "oracle.rec: 7", 64},
        {"oracle.rec", "cpi --cpu=0", "oracle.rec: accounts for", 64},
        {"oracle.rec", "overview --filters='cpu==1'", "accounts for", 64},
        {"switch.rec", "idle --from=5000", "switch.rec: ", 32 + 40},
        {"thread.rec", "threads", "thread.rec: 7 of its 7", 32},
        {"stat.rec", "idle --cpu=0", "stat.rec: ", 32},
        {"irq.rec", "interrupts --to=90000", "irq.rec: ", 32},
        {"map", "functions --cpu=1", "map: has 0 of 1 lines", 0},
    };
    char command[900];

    (void)state;
    for (size_t i = 0; i < sizeof cut / sizeof cut[0]; i++) {
        const char *exp = fresh();
        const struct simprof *r = simprof_run(cut[i].report, exp);

        assert_int_equal(r->status, 0);
        cut_file(exp, cut[i].file, cut[i].size);
        r = simprof_run(cut[i].report, exp);
        if (r->status != 1 || !simprof_has(r->err, cut[i].note))
            fail_msg("%s of a cut %s: status %d, %s", cut[i].report,
                     cut[i].file, r->status, r->err);
        snprintf(command, sizeof command,
                 "sed -i '/^records /d; /^segments /d; /^insns/d' '%s/log'",
                 exp);
        assert_int_equal(system(command), 0);
        r = simprof_run(cut[i].report, exp);
        if (r->status && strcmp(cut[i].file, "oracle.rec"))
            fail_msg("%s of an older experiment: %s", cut[i].report, r->err);
    }
}

static void a_killed_run_is_reported_and_noted(void **state)
{
    const char *exp = fresh();
    const struct simprof *r;

    (void)state;
    rewrite_file(exp, "log",
                 "simrun-experiment 1\nreason 0 off\nreason 1 nap\n"
                 "reason 2 complete\ncpus 2\nclock 200000000\nat 100000\n");
    r = simprof_run("functions", exp);
    assert_int_equal(r->status, 0);
    assert_true(simprof_has(r->err, "simprof: note: log: the run has no end"));
    assert_true(simprof_has(r->out, "100,000 cycles (500.000 us) so far"));
}

static void what_is_no_experiment_ends_with_125(void **state)
{
    const struct simprof *r = simprof_run("idle", "/nowhere/x.exp");

    (void)state;
    assert_int_equal(r->status, 125);
    assert_true(simprof_has(r->err, "simprof: /nowhere/x.exp: "));
    assert_string_equal(r->out, "");
    assert_int_equal(simprof_run("idle", "/dev/null")->status, 125);
    assert_int_equal(simprof_run("idle", "/")->status, 125);
    assert_true(strchr(r->err, '\n') == strrchr(r->err, '\n'));
}

static void another_format_version_ends_with_125(void **state)
{
    const char *exp = fresh();
    const struct simprof *r;

    (void)state;
    rewrite_file(exp, "log", "simrun-experiment 2\n");
    r = simprof_run("info", exp);
    assert_int_equal(r->status, 125);
    assert_true(
        simprof_has(r->err, "format version 2, this simprof reads version 1"));
}

static void a_report_that_cannot_be_written_ends_with_125(void **state)
{
    const char *build = getenv("BUILD");
    char command[2048];

    (void)state;
    snprintf(command, sizeof command,
             "'%s/simprof' info '%s' >/dev/full 2>'%s/err'",
             build ? build : "build", fresh(), scratch_dir());
    assert_int_equal(WEXITSTATUS(system(command)), 125);
    snprintf(command, sizeof command, "grep -q 'cannot be written' '%s/err'",
             scratch_dir());
    assert_int_equal(system(command), 0);
}

/* ---- usage --------------------------------------------------------------- */

static void wrong_usage_ends_with_2_and_a_line(void **state)
{
    static const char *const usage[] = {"nonsense",
                                        "idle --nonsense",
                                        "info --reasons",
                                        "idle --limit=many",
                                        "functions --cpu=9",
                                        "idle --table=legs",
                                        "functions --cpu=0 --per-cpu",
                                        "idle --cpu=",
                                        "--csv idle",
                                        "idle /tmp/another.exp"};
    const char *exp = fresh();

    (void)state;
    for (size_t i = 0; i < sizeof usage / sizeof usage[0]; i++) {
        const struct simprof *r = simprof_run(usage[i], exp);

        if (r->status != 2 || r->out[0] || !strchr(r->err, '\n') ||
            strchr(r->err, '\n')[1])
            fail_msg("%s: status %d: %s%s", usage[i], r->status, r->out,
                     r->err);
    }
}

static void help_lists_reports_and_options(void **state)
{
    const struct simprof *r = simprof_run("--help", "");

    (void)state;
    assert_int_equal(r->status, 0);
    assert_true(simprof_has(r->out, "\n  info ") &&
                simprof_has(r->out, "\n  idle ") &&
                simprof_has(r->out, "\n  functions "));
    r = simprof_run("functions --help", "");
    assert_int_equal(r->status, 0);
    assert_true(simprof_has(r->out, "--reasons") &&
                !simprof_has(r->out, "--pcs"));
    r = simprof_run("help functions", "");
    assert_int_equal(r->status, 0);
    assert_true(simprof_has(r->out, "--reasons"));
    assert_int_equal(simprof_run("help nonsense", "")->status, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_adds_up_to_every_cycle),
        cmocka_unit_test(functions_per_cpu_agrees_with_the_total),
        cmocka_unit_test(csv_rows_add_up_in_every_view),
        cmocka_unit_test(functions_shows_reasons_as_columns),
        cmocka_unit_test(idle_names_the_stacks_most_frequent_first),
        cmocka_unit_test(idle_tree_counts_to_and_from),
        cmocka_unit_test(idle_csv_has_a_row_for_every_stack),
        cmocka_unit_test(idle_report_of_busy_cpus_is_empty_and_says_so),
        cmocka_unit_test(idle_time_without_samples_says_why),
        cmocka_unit_test(interrupts_are_a_sample_profile),
        cmocka_unit_test(info_tells_what_ran),
        cmocka_unit_test(notes_stand_before_the_header),
        cmocka_unit_test(the_same_report_twice_is_the_same),
        cmocka_unit_test(reports_do_not_need_the_program_that_ran),
        cmocka_unit_test(text_fits_eighty_columns),
        cmocka_unit_test(damage_is_named_and_the_rest_reported),
        cmocka_unit_test(truncated_records_are_damage_of_an_ended_run),
        cmocka_unit_test(
            a_file_cut_between_two_records_is_found_by_every_report),
        cmocka_unit_test(a_killed_run_is_reported_and_noted),
        cmocka_unit_test(what_is_no_experiment_ends_with_125),
        cmocka_unit_test(another_format_version_ends_with_125),
        cmocka_unit_test(a_report_that_cannot_be_written_ends_with_125),
        cmocka_unit_test(wrong_usage_ends_with_2_and_a_line),
        cmocka_unit_test(help_lists_reports_and_options),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
