/* session_test.c - many commands on one experiment: simprof EXP -COMMAND,
 * scripts, what is set, selected and defined. timeout: 60 s */
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

/* A script in the scratch directory; its path. */
static const char *script(const char *name, const char *text)
{
    static char path[600];
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", scratch_dir(), name);
    f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
    return path;
}

/* simprof -script FILE EXP of the sampled experiment, for these lines. */
static const struct simprof *run(const char *text)
{
    const char *path = scratch_path();
    char arguments[700];

    mkexp_sampled(path);
    snprintf(arguments, sizeof arguments, "-script '%s'",
             script("script", text));
    return simprof_run(arguments, path);
}

static const struct simprof *obey(const char *arguments)
{
    const char *path = scratch_path();

    mkexp_sampled(path);
    return simprof_run(arguments, path);
}

static unsigned count(const char *text, const char *part)
{
    unsigned n = 0;

    for (; (text = strstr(text, part)); text += strlen(part))
        n++;
    return n;
}

/* ---- settings ------------------------------------------------------------ */

static void what_is_set_holds_for_later_reports(void **state)
{
    const struct simprof *r = run("printmode csv\n"
                                  "metrics e+cycles:i+cycles\n"
                                  "filters cpu == 1\n"
                                  "functions\n"
                                  "cpus\n"
                                  "filters all\n"
                                  "cpus\n");

    (void)state;
    assert_int_equal(r->status, 0);
    assert_string_equal(r->out, "excl_cycles,incl_cycles,function\n"
                                "2000,2000,<Total>\n"
                                "2000,2000,producer\n"
                                "0,1000,<Truncated-stack>\n"
                                "0,1000,thread_start\n"
                                "excl_cycles,CPU\n"
                                "2000,<Total>\n"
                                "2000,CPU 1\n"
                                "excl_cycles,CPU\n"
                                "7010,<Total>\n"
                                "5010,CPU 0\n"
                                "2000,CPU 1\n");
}

static void an_option_of_one_report_does_not_stay(void **state)
{
    const struct simprof *r = run("functions --csv --metrics=e+cycles\n"
                                  "metrics i+cycles\nsort name\n"
                                  "functions --csv --sort=-name\n"
                                  "functions --csv\n");
    const char *second = strchr(r->out + 1, '\n');

    (void)state;
    assert_int_equal(strncmp(r->out, "excl_cycles,function\n", 21), 0);
    second = strstr(second, "incl_cycles,function\n7010,<Total>\n0,<");
    assert_null(second); /* names from the end of the alphabet first */
    second = strstr(r->out, "incl_cycles,function\n7010,<Total>\n5010,worker");
    assert_non_null(second);
    assert_non_null(strstr(second + 1, "incl_cycles,function\n7010,<Total>\n"
                                       "1000,<Truncated-stack>\n"));
}

/* What is set once does not keep a report from what it can do. */
static void settings_that_do_not_suit_a_report_give_way(void **state)
{
    const struct simprof *r = run("metrics i.cycles:e%cycles\nsort i.cycles\n"
                                  "limit 1\nprintmode csv\n"
                                  "functions\ncpus\n"
                                  "metrics a+cycles\ncpus\n");

    (void)state;
    assert_int_equal(r->status, 0);
    assert_non_null(strstr(r->out, "\n0.000030,0.0,thread_start\n"));
    assert_non_null(strstr(r->out, "excl_cycles_percent,CPU\n"
                                   "100.0,<Total>\n71.5,CPU 0\n"));
    assert_non_null(strstr(r->out, "excl_dcache_miss_percent,CPU\n"));
    assert_int_equal(run("cpus --sort=i.cycles\n")->status, 2);
    assert_int_equal(run("sort i.cycles\ncpus --metrics=a+cycles\n")->status,
                     2);
}

static void selections_and_filter_hold_together(void **state)
{
    const struct simprof *r = run("metrics e+cycles:e+dcache_miss\n"
                                  "thread_select 10-11\n"
                                  "filters cycle > 1500\n"
                                  "object_select guest.elf\n"
                                  "cpu_select 0,1\n"
                                  "threads --csv\n"
                                  "show\n"
                                  "thread_select all\nfilters default\n"
                                  "threads --csv\n");

    (void)state;
    assert_int_equal(r->status, 0);
    assert_string_equal(r->out, "excl_cycles,excl_dcache_miss,thread\n"
                                "4010,100,<Total>\n"
                                "4010,100,worker 0 (thread 10)\n"
                                "metrics e+cycles:e+dcache_miss\n"
                                "filters cycle > 1500\n"
                                "cpu_select 0,1\n"
                                "thread_select 10-11\n"
                                "object_select guest.elf\n"
                                "excl_cycles,excl_dcache_miss,thread\n"
                                "7010,200,<Total>\n"
                                "5010,200,worker 0 (thread 10)\n"
                                "2000,0,producer (thread 12)\n");
}

static void a_setting_that_makes_no_sense_is_not_taken(void **state)
{
    static const char *const bad[] = {
        "limit many",           "metrics e+nothing",
        "sort cycles",          "filters cpu = 1",
        "from yesterday",       "cpu_select 1-",
        "thread_select x",      "object_select y",
        "printmode html",       "indxobj_define x",
        "indxobj_define x 1 +", "indxobj_define threads cpu",
        "mobj_define line cpu", "mobj_define 2x cpu",
        "indxobj nothing",      "memobj nothing",
        "script nowhere",       "outfile /nowhere/x",
        "filters 'cpu"};
    char text[200];

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct simprof *r;

        snprintf(text, sizeof text, "# line 1\n%s\nshow\n", bad[i]);
        r = run(text);
        if (r->status != 2 || r->out[0] || !simprof_has(r->err, "/script:2: "))
            fail_msg("%s: status %d, %s%s", bad[i], r->status, r->out, r->err);
    }
}

/* ---- scripts ------------------------------------------------------------- */

static void a_mistake_names_its_line_and_the_rest_is_obeyed(void **state)
{
    const struct simprof *r = run("# what follows is wrong\n"
                                  "\n"
                                  "nonsense\n"
                                  "  cpus --csv --metrics=e+cycles\n"
                                  "cpus --reasons\n"
                                  "csingle nobody\n"
                                  "cpus --csv --metrics=e+dcache_miss");

    (void)state;
    assert_int_equal(r->status, 2);
    assert_true(simprof_has(r->err, "script:3: nonsense: no such command"));
    assert_true(
        simprof_has(r->err, "script:5: --reasons: not an option of this"));
    assert_true(simprof_has(r->err, "script:6: nobody: no such function"));
    assert_int_equal(count(r->err, "\n"), 3);
    simprof_expect(r->out, "7010,<Total>");
    simprof_expect(r->out, "300,<Total>");
}

/* Reports in text have an empty line between them; what was refused is none. An
 * export that cannot be written does not end the session. */
static void reports_are_set_apart(void **state)
{
    const struct simprof *r = run("width 60\n"
                                  "csingle nobody\n"
                                  "export --format=nothing\n"
                                  "export --format=folded -o /nowhere/x\n"
                                  "cpus --metrics=e+cycles\n"
                                  "csingle nobody\n"
                                  "cpus --metrics=e+dcache_miss\n");
    const char *first = strstr(r->out, "CPU 1\n");

    (void)state;
    assert_int_equal(r->status, 125);
    assert_true(simprof_has(r->err, "script:3: --format=nothing: must be"));
    assert_true(simprof_has(r->err, "script:4: /nowhere/x: No such file"));
    assert_int_not_equal(r->out[0], '\n');
    assert_non_null(first);
    assert_int_equal(first[6], '\n');
    assert_int_not_equal(first[7], '\n');
}

static void quit_ends_the_script_it_stands_in(void **state)
{
    char text[700];
    const struct simprof *r;

    (void)state;
    snprintf(text, sizeof text, "script %s\nlimit\nexit\nwidth\n",
             script("inner", "limit 7\nquit\nlimit 8\n"));
    r = run(text);
    assert_string_equal(r->out, "limit: 7\n");
    assert_int_equal(r->status, 0);
    snprintf(text, sizeof text, "script %s/itself\nlimit\n", scratch_dir());
    r = run(text + 0);
    script("itself", text);
    r = run(text);
    assert_int_equal(r->status, 2);
    assert_true(simprof_has(r->err, "scripts within scripts"));
}

static void output_goes_to_files(void **state)
{
    char text[2000];
    const char *dir = scratch_dir();

    (void)state;
    snprintf(text, sizeof text,
             "printmode csv\nmetrics e+cycles\n"
             "outfile %s/one\ncpus\noutfile -\nthreads\n"
             "appendfile %s/one\nthreads\n",
             dir, dir);
    assert_string_equal(
        run(text)->out,
        "excl_cycles,thread\n7010,<Total>\n"
        "5010,worker 0 (thread 10)\n2000,producer (thread 12)\n");
    snprintf(text, sizeof text,
             "cmp '%s/one' - <<'END'\n"
             "excl_cycles,CPU\n7010,<Total>\n5010,CPU 0\n2000,CPU 1\n"
             "excl_cycles,thread\n7010,<Total>\n5010,worker 0 (thread 10)\n"
             "2000,producer (thread 12)\nEND\n",
             dir);
    assert_int_equal(system(text), 0);
}

/* ---- the command line ---------------------------------------------------- */

static void
commands_stand_before_the_experiment_as_er_print_has_them(void **state)
{
    const struct simprof *r = obey("-printmode csv -metrics e+cycles "
                                   "-filters 'cpu == 1' -sort -e+cycles "
                                   "-functions -csingle producer --limit=3");

    (void)state;
    assert_int_equal(r->status, 2); /* csingle has no limit */
    simprof_expect(r->out, "2000,producer");
    r = obey("-limit 2 -nonsense -functions");
    assert_int_equal(r->status, 2);
    assert_string_equal(r->out, "");
    assert_true(simprof_has(r->err, "-nonsense: no such command"));
}

static void commands_stand_behind_the_experiment(void **state)
{
    const char *path = scratch_path();
    char arguments[700];
    const struct simprof *r;

    (void)state;
    mkexp_sampled(path);
    snprintf(arguments, sizeof arguments, "'%s' -cpus --csv -script", path);
    r = simprof_run(arguments, script("script", "threads --csv\n"));
    assert_int_equal(r->status, 0);
    assert_int_equal(count(r->out, ",<Total>\n"), 2);
    snprintf(arguments, sizeof arguments, "'%s' -limit 1 -help csingle <",
             path);
    r = simprof_run(arguments, "/dev/null");
    assert_true(simprof_has(r->out, "--function=NAME"));
}

/* What is wrong with an experiment is read once and told once. */
static void damage_is_told_once(void **state)
{
    const char *path = scratch_path();
    char command[700];
    const struct simprof *r;

    (void)state;
    mkexp_sampled(path);
    snprintf(command, sizeof command, "rm '%s'/archives/*", path);
    assert_int_equal(system(command), 0);
    r = simprof_run("-cpus -threads -functions", path);
    assert_int_equal(r->status, 1);
    assert_int_equal(count(r->err, "damage: "), 1);
    r = simprof_run("-filters cpu==0 -info", path);
    assert_true(simprof_has(r->err, "note: info goes without --filters"));
}

/* ---- definitions --------------------------------------------------------- */

static void an_index_object_is_defined_by_name(void **state)
{
    const struct simprof *r = run("metrics e+cycles\nprintmode csv\n"
                                  "indxobj_define deep depth * 10 + cpu\n"
                                  "indxobj deep\nindxobj cpus\n");

    (void)state;
    assert_string_equal(r->out, "excl_cycles,deep\n"
                                "7010,<Total>\n"
                                "1000,11 (0xb)\n"
                                "1000,21 (0x15)\n"
                                "3000,30 (0x1e)\n"
                                "1010,40 (0x28)\n"
                                "1000,50 (0x32)\n"
                                "excl_cycles,CPU\n"
                                "7010,<Total>\n"
                                "5010,CPU 0\n"
                                "2000,CPU 1\n");
}

/* er_print takes an expression with blanks in quotes only. */
static void expressions_may_stand_in_quotes(void **state)
{
    const struct simprof *r =
        run("metrics e+cycles\nprintmode csv\n"
            "indxobj_define deep \"depth * 10 + cpu\"\n"
            "filters \"cpu == 1\"\nindxobj deep\n"
            "filters \"txn\" in stack && name == \"producer\"\n"
            "show\n");

    (void)state;
    assert_string_equal(r->err, "");
    assert_true(simprof_has(r->out, "2000,<Total>\n"));
    assert_true(simprof_has(r->out, "indxobj_define deep depth * 10 + cpu\n"));
    assert_true(simprof_has(
        r->out, "filters \"txn\" in stack && name == \"producer\"\n"));
}

/* Two CPUs at one line (0x2000), one of them at the next as well; and samples
 * without an address. Line 0x42000 is of the same set in 8 KB a way. */
static const char *accesses(void)
{
    static const uint32_t stack[] = {MKEXP_PC(txn, 0x10), 0};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    char elf[700];

    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_say(m, "knob dcache_kb 32");
    mkexp_say(m, "knob dcache_ways 4");
    mkexp_say(m, "profile 0 dcache_miss 100");
    mkexp_access(m, 0, 10, 10, 0, 101, 0x2000, stack);
    mkexp_access(m, 1, 20, 11, 0, 103, 0x201C, stack);
    mkexp_access(m, 1, 30, 11, 0, 107, 0x2020, stack);
    mkexp_access(m, 0, 40, 10, 0, 109, 0x42004, stack);
    mkexp_access(m, 0, 50, 10, 0, 113, 0xFFFFFFFC, stack);
    mkexp_profile(m, 1, 60, 11, 0, 127, 0, stack);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0x10), 2, MKEXP_END * 12);
    mkexp_oracle(m, 1, MKEXP_END, MKEXP_PC(txn, 0x10), 2, MKEXP_END * 12);
    mkexp_close(m, 1);
    return path;
}

static void memory_objects_add_up_to_the_total(void **state)
{
    const char *path = accesses();
    const struct simprof *r =
        simprof_run("memobj line --csv --metrics=e+dcache_miss:e+exact", path);

    (void)state;
    assert_string_equal(r->out, "excl_dcache_miss,excl_exact,line\n"
                                "660,200000,<Total>\n"
                                "204,0,0x00002000  CPUs 0 1\n"
                                "127,200000,<Unknown>\n"
                                "113,0,0xffffffe0  CPU 0\n"
                                "109,0,0x00042000  CPU 0\n"
                                "107,0,0x00002020  CPU 1\n");
    r = simprof_run("memobj page --csv --metrics=e+dcache_miss", path);
    assert_string_equal(r->out, "excl_dcache_miss,page\n"
                                "660,<Total>\n"
                                "311,0x00002000  CPUs 0 1\n"
                                "127,<Unknown>\n"
                                "113,0xfffff000  CPU 0\n"
                                "109,0x00042000  CPU 0\n");
    r = simprof_run("memobj set --csv --metrics=e+dcache_miss", path);
    assert_string_equal(r->out, "excl_dcache_miss,set\n"
                                "660,<Total>\n"
                                "313,set 1  CPUs 0 1\n"
                                "127,<Unknown>\n"
                                "113,set 0  CPU 0\n"
                                "107,set 2  CPU 1\n");
    r = simprof_run("memobj pline --csv --metrics=e+dcache_miss", path);
    assert_string_equal(r->out, "excl_dcache_miss,pline\n"
                                "660,<Total>\n"
                                "204,0x00012020  CPUs 0 1\n"
                                "127,<Unknown>\n"
                                "113,0x00010000  CPU 0\n"
                                "109,0x00052020  CPU 0\n"
                                "107,0x00012040  CPU 1\n");
    r = simprof_run("memobj ppage_64K --csv --metrics=e+dcache_miss", path);
    assert_string_equal(r->out, "excl_dcache_miss,ppage_64K\n"
                                "660,<Total>\n"
                                "424,0x00010000  CPUs 0 1\n"
                                "127,<Unknown>\n"
                                "109,0x00050000  CPU 0\n");
}

static void a_memory_object_is_defined_by_name(void **state)
{
    const struct simprof *r =
        simprof_run("-mobj_define half 'address >> 31' -printmode csv "
                    "-metrics e+dcache_miss -memobj half -memobj nothing",
                    accesses());

    (void)state;
    assert_string_equal(r->out, "excl_dcache_miss,half\n"
                                "660,<Total>\n"
                                "420,0x0 (0)  CPUs 0 1\n"
                                "127,<Unknown>\n"
                                "113,0x1 (1)  CPU 0\n");
    assert_true(simprof_has(r->err, "there are line, page, "));
    assert_true(simprof_has(r->err, ", set, half"));
}

/* Exact cycles have no data address; what the log does not say is not there. */
static void exact_cycles_are_of_no_line(void **state)
{
    const struct simprof *r = obey("-mobj_list -memobj set");

    (void)state;
    simprof_expect(r->out, "line            address & ~31");
    assert_false(simprof_has(r->out, "set"));
    assert_int_equal(r->status, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_set_holds_for_later_reports),
        cmocka_unit_test(an_option_of_one_report_does_not_stay),
        cmocka_unit_test(settings_that_do_not_suit_a_report_give_way),
        cmocka_unit_test(selections_and_filter_hold_together),
        cmocka_unit_test(a_setting_that_makes_no_sense_is_not_taken),
        cmocka_unit_test(a_mistake_names_its_line_and_the_rest_is_obeyed),
        cmocka_unit_test(reports_are_set_apart),
        cmocka_unit_test(quit_ends_the_script_it_stands_in),
        cmocka_unit_test(output_goes_to_files),
        cmocka_unit_test(
            commands_stand_before_the_experiment_as_er_print_has_them),
        cmocka_unit_test(commands_stand_behind_the_experiment),
        cmocka_unit_test(damage_is_told_once),
        cmocka_unit_test(an_index_object_is_defined_by_name),
        cmocka_unit_test(expressions_may_stand_in_quotes),
        cmocka_unit_test(memory_objects_add_up_to_the_total),
        cmocka_unit_test(a_memory_object_is_defined_by_name),
        cmocka_unit_test(exact_cycles_are_of_no_line),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
