/* filters_test.c - filters in the reports that are not of samples: idle and
 * interrupts. timeout: 60 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/record.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"

static const struct simprof *run(const char *arguments)
{
    const char *path = scratch_path();

    mkexp_sampled(path);
    return simprof_run(arguments, path);
}

/* What a filter asks for that idle time has not leaves samples only: no time
 * stands beside them. */
static void idle_time_that_a_filter_cannot_thin_is_left_out(void **state)
{
    const struct simprof *r = run("idle --csv --table=cpus --filters="
                                  "'cpu == 0 && transition == \"to\"'");

    (void)state;
    assert_int_equal(r->status, 0);
    assert_string_equal(r->out,
                        "cpu,cycles,idle_cycles,nap_cycles,periods,sampled,"
                        "interrupts,to_idle,from_idle,explained_cycles,"
                        "from_idle_beforehand\n"
                        "0,100000,,,,1,1,1,0,,0\n"
                        "1,99900,,,,0,0,0,0,,0\n"
                        "all,199900,,,,1,1,1,0,,0\n");
    assert_string_equal(r->err, ""); /* the guest counted more: of course */
    r = run("idle --width=400 --filters='transition == \"to\"'");
    assert_true(simprof_has(r->out, "What the filter asks for idle time has "
                                    "not (only cpu): it is left out."));
    assert_false(simprof_has(r->out, "% of the time"));
    assert_false(simprof_has(r->out, "% of the idle time"));
}

/* A filter of the CPU thins everything, as --cpu does. */
static void a_filter_of_the_cpu_is_a_choice_of_cpus(void **state)
{
    static const char *const ask[][2] = {
        {"idle --csv --table=cpus --filters='cpu == 1'",
         "idle --csv --table=cpus --cpu=1"},
        {"idle --table=all --filters='cpu > 0 && cpu < 3'",
         "idle --table=all --cpu=1"},
        {"idle --csv --table=cpus --filters='cpu >= 0'",
         "idle --csv --table=cpus"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++) {
        char *was = strdup(run(ask[i][0])->out);
        const char *is = run(ask[i][1])->out, *from = strchr(was, '\n');

        /* The line that says what is left out differs. */
        if (!strstr(ask[i][0], "--csv")) {
            from = strstr(was, "CPU 1 was idle 79.8%");
            is = strstr(is, "CPU 1 was idle 79.8%");
            assert_non_null(from);
            assert_non_null(is);
        } else {
            is = strchr(is, '\n');
        }
        assert_string_equal(from, is);
        free(was);
    }
}

static void idle_knows_stacks_and_threads(void **state)
{
    static const struct {
        const char *filter;
        unsigned to, from;
    } ask[] = {
        {"kind == \"idle\"", 3, 1},
        {"transition == \"from\"", 0, 1},
        {"\"mutex_lock\" in stack", 2, 1},
        {"\"producer\" in stack", 1, 0},
        {"name == \"producer\"", 1, 0},
        {"thread == 10 || thread == 11", 2, 1},
        {"function == \"sched\"", 3, 1},
        {"depth > 20", 0, 0},
        {"vector == 0", 0, 0}, /* missing */
        {"counter != \"cycles\"", 0, 0},
    };
    char arguments[200], want[32];

    (void)state;
    for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++) {
        const struct simprof *r;

        snprintf(arguments, sizeof arguments,
                 "idle --csv --table=cpus --filters='%s'", ask[i].filter);
        snprintf(want, sizeof want, ",%u,%u,", ask[i].to, ask[i].from);
        r = run(arguments);
        if (!simprof_has(strstr(r->out, "\nall,"), want))
            fail_msg("%s: not %s in %s", ask[i].filter, want, r->out);
    }
    assert_true(simprof_has(run("idle --filters='depth > 20'")->out,
                            "No idle transition is left by the filter."));
}

static void interrupts_are_filtered(void **state)
{
    static const uint32_t pc[] = {MKEXP_PC(txn, 0x10), MKEXP_PC(sched, 0)};
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    const struct simprof *r;
    char elf[700];

    (void)state;
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_irq(m, 0, 10, 10, 0x900, pc[0], 5);
    mkexp_irq(m, 1, 20, 11, 0x900, pc[1], 9);
    mkexp_irq(m, 0, 30, 10, 0xF00, pc[1], 7);
    mkexp_close(m, 1);
    r = simprof_run("interrupts --csv --filters='kind == \"interrupt\" && "
                    "vector == 0x900 && wait > 5'",
                    path);
    assert_true(simprof_has(r->out, "\n1,100.0,1,9,<Total>\n"));
    r = simprof_run("interrupts --csv --filters='function == \"txn\"'", path);
    assert_true(simprof_has(r->out, "\n1,100.0,1,5,txn\n"));
    r = simprof_run("interrupts --csv --cpu=0 --from=15", path);
    assert_true(simprof_has(r->out, "\n1,100.0,1,7,sched\n"));
    r = simprof_run("interrupts --filters='depth == 1'", path);
    assert_true(simprof_has(r->out, "No such interrupt was taken."));
}

/* A Linux kernel keeps 15 letters of a name; the program's whole name means it,
 * and no shorter one does. */
static void a_name_that_was_cut_is_found_by_the_whole_one(void **state)
{
    static const struct {
        const char *filter, *want;
    } ask[] = {
        {"name == \"barrier_imbalance\"", "\n1,100.0,1,5,txn\n"},
        {"name == \"barrier_imbalan\"", "\n1,100.0,1,5,txn\n"},
        {"name != \"barrier_imbalance\"", "\n1,100.0,1,9,sched\n"},
        {"name == \"barrier_imbala\"", "\n1,100.0,1,9,sched\n"},
    };
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);
    const struct simprof *r;
    char elf[700], arguments[160];

    (void)state;
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_thread(m, 10, THREAD_IS_APP, "barrier_imbalan");
    mkexp_thread(m, 11, THREAD_IS_APP, "barrier_imbala");
    mkexp_irq(m, 0, 10, 10, 0x900, MKEXP_PC(txn, 0x10), 5);
    mkexp_irq(m, 1, 20, 11, 0x900, MKEXP_PC(sched, 0), 9);
    mkexp_close(m, 1);
    for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++) {
        snprintf(arguments, sizeof arguments, "interrupts --csv --filters='%s'",
                 ask[i].filter);
        r = simprof_run(arguments, path);
        if (r->status || !simprof_has(r->out, ask[i].want))
            fail_msg("%s: %s%s", ask[i].filter, r->out, r->err);
    }
    r = simprof_run("interrupts --filters='name == \"barrier_imbal\"'", path);
    assert_int_equal(r->status, 2);
    assert_true(simprof_has(r->err, "no such thread: barrier_imbal"));
}

static void overview_is_of_what_is_selected(void **state)
{
    const struct simprof *r = run("overview --cpu=1");

    (void)state;
    simprof_expect(r->out, "cycles         2,000        2  producer, 100.0%");
    assert_false(simprof_has(r->out, "CPU 0\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(idle_time_that_a_filter_cannot_thin_is_left_out),
        cmocka_unit_test(a_filter_of_the_cpu_is_a_choice_of_cpus),
        cmocka_unit_test(idle_knows_stacks_and_threads),
        cmocka_unit_test(interrupts_are_filtered),
        cmocka_unit_test(a_name_that_was_cut_is_found_by_the_whole_one),
        cmocka_unit_test(overview_is_of_what_is_selected),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
