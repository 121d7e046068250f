/* idle_words_test.c - what the idle report says in words, and advises, is true
 * of the run: each kind of run that leaves CPUs idle without a stack that says
 * why.
 *
 * One CPU of 100,000 cycles; idle thread 1, sampler 3, worker 10; idle from
 * 20,000 to 60,000 and from 70,000 on.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "pmu/oracle.h"
#include "include/record.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tests/lib/simprof.h"

static char path[512];

static struct mkexp *program(void)
{
    struct mkexp *m;
    char elf[600];

    snprintf(path, sizeof path, "%s", scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    return m;
}

/* What a run left behind; sampler: it has a thread for that. */
static struct mkexp *begin(bool sampler)
{
    struct mkexp *m = program();

    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle");
    if (sampler)
        mkexp_thread(m, 3, THREAD_IS_SAMPLER, "sampler");
    mkexp_thread(m, 10, THREAD_IS_APP, "ten");
    mkexp_switch(m, 0, 20000, 10, 1);
    mkexp_switch(m, 0, 60000, 1, 10);
    mkexp_switch(m, 0, 70000, 10, 1);
    return m;
}

static const char *report(struct mkexp *m, bool ended)
{
    const struct simprof *s;

    mkexp_close(m, ended);
    s = simprof_run("idle --cpu=0 --width=400", path);
    assert_int_equal(s->status, 0);
    /* An order to sample more often is true of no run here. */
    assert_false(simprof_has(s->out, "ample more often"));
    return s->out;
}

static void unsampled(struct mkexp *m, uint64_t at, uint32_t why)
{
    mkexp_unsampled(m, 0, at, why == UNSAMPLED_NONE ? 0 : 10, why);
}

/* Threads that ended, or that never ran there: interrupts came, and why they
 * gave no stack stands in rows. */
static void interrupts_without_a_stack_are_told_by_reason(void **state)
{
    struct mkexp *m = begin(true);
    const char *out;

    (void)state;
    unsampled(m, 30000, UNSAMPLED_NONE);
    for (unsigned i = 0; i < 2; i++)
        unsampled(m, 40000 + i, UNSAMPLED_ENDED);
    for (unsigned i = 0; i < 3; i++)
        unsampled(m, 50000 + i, UNSAMPLED_RUNNABLE);
    for (unsigned i = 0; i < 4; i++)
        unsampled(m, 80000 + i, UNSAMPLED_MOVED);
    for (unsigned i = 0; i < 5; i++)
        unsampled(m, 90000 + i, UNSAMPLED_OUTSTANDING);
    for (unsigned i = 0; i < 5; i++)
        unsampled(m, 95000 + i, UNSAMPLED_AGAIN);
    out = report(m, true);
    simprof_expect(out, "CPU 0 was idle 70.0% of the time.");
    simprof_expect(out, "Of 20 sample interrupts that found a CPU idle, 100.0% "
                        "gave no stack: 9 stale, 1 none, 5 suppressed, 5 in "
                        "sampled periods.");
    assert_true(simprof_has(out, " 1   5.0%"));
    assert_true(simprof_has(out, "<none: no monitored thread is remembered>"));
    assert_true(simprof_has(out, " 2  10.0%"));
    assert_true(simprof_has(out, "<stale: the thread has ended>"));
    assert_true(simprof_has(out, " 3  15.0%"));
    assert_true(simprof_has(out, "<stale: the thread was woken, has not run>"));
    assert_true(simprof_has(out, " 4  20.0%"));
    assert_true(simprof_has(out, "<stale: the thread has run elsewhere>"));
    assert_true(simprof_has(out, " 5  25.0%"));
    assert_true(simprof_has(out, "<suppressed: a sample was outstanding>"));
    assert_true(simprof_has(out, "<once: the idle period had a sample>"));
    assert_false(simprof_has(out, "Call tree"));
}

/* Threads that ended an idle period, and of which no stack had been taken
 * beforehand, are of the whole, by reason; what was taken is no end. */
static void ends_without_a_stack_are_told_by_reason(void **state)
{
    struct mkexp *m = begin(true);
    const char *out;

    (void)state;
    for (unsigned i = 0; i < 4; i++)
        mkexp_precapture(m, 0, 30000 + i, 10, PRECAPTURE_TAKEN);
    mkexp_precapture(m, 0, 31000, 10, PRECAPTURE_NOTHING);
    mkexp_precapture(m, 0, 31001, 10, PRECAPTURE_CHANGED);
    mkexp_precapture(m, 0, 59000, 10, PRECAPTURE_LATE);
    for (unsigned i = 0; i < 2; i++)
        mkexp_precapture(m, 0, 59001 + i, 10, PRECAPTURE_EXCLUDED);
    for (unsigned i = 0; i < 5; i++)
        mkexp_precapture(m, 0, 90000 + i, 10, PRECAPTURE_FAILED);
    out = report(m, true);
    assert_true(simprof_has(out, "  1  12.5%"));
    assert_true(simprof_has(out, "<late: no stack was taken since it ran>"));
    assert_true(simprof_has(out, "  2  25.0%"));
    assert_true(simprof_has(out, "<excluded: by the boot line>"));
    assert_true(simprof_has(out, "  5  62.5%"));
    assert_true(
        simprof_has(out, "<failed: its stack could not be read before>"));
    simprof_expect(out, "Share: of 8 threads, one an idle period that a sample "
                        "interrupt met.");
    simprof_expect(out, "Of 4 stacks that were taken beforehand, while their "
                        "threads waited (fromidle=precapture), 0 are from-idle "
                        "samples.");
}

static void interrupts_that_met_no_idle_cpu_are_counted(void **state)
{
    struct mkexp *m = begin(true);
    const char *out;

    (void)state;
    mkexp_stat(m, 0, STAT_INTERRUPTS, 1234);
    out = report(m, true);
    simprof_expect(out, "CPU 0 was idle 70.0% of the time, in 2 periods.");
    simprof_expect(out, "1,234 sample interrupts came, none of them while its "
                        "CPU was idle.");
    /* What was counted at the end is not known of a part, nor of a run that
     * did not come to its end. */
    m = begin(true);
    out = report(m, false);
    simprof_expect(out,
                   "No sample interrupt is on record that found a CPU idle.");
}

/* Only what stands on the boot line is blamed. */
static void a_word_of_the_boot_line_is_named_where_it_is_the_cause(void **state)
{
    static const struct {
        const char *args, *says;
        bool sampler;
    } ask[] = {
        {"args trigger=event:dcache_miss:100",
         "With trigger=event:dcache_miss:100 on the boot line they come by an "
         "event that napping CPUs do not count: trigger=time:CYCLES or "
         "idle=spin meets them.",
         true},
        {"args trigger=event:dcache_miss:100 idle=spin", "", true},
        {"args trigger=event:cycles:100", "", true},
        {"args trigger=time:900000",
         "No sample interrupt came: trigger=time:900000 on the boot line is "
         "too long, fewer cycles have them come.",
         true},
        {"args sampler=off",
         "sampler=off on the boot line: no samples were taken.", false},
        {"args sampler=both",
         "The program has no profiler that samples idle CPUs.", false},
        {"args", "The program has no profiler that samples idle CPUs.", false},
        {"argument ./a.out",
         "Under --user there is no profiler inside that samples idle CPUs: "
         "simrun --sample-idle=20000 does it from outside.",
         false},
        {"kernel linux",
         "simrun --sample-idle=20000 samples a Linux kernel's idle CPUs from "
         "outside.",
         false},
        {"sampled-idle 900000",
         "No sample interrupt came: --sample-idle with fewer cycles has them "
         "come.",
         true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof ask / sizeof ask[0]; i++) {
        struct mkexp *m = begin(ask[i].sampler);
        const char *out;

        mkexp_say(m, "%s", ask[i].args);
        if (ask[i].sampler)
            mkexp_stat(m, 0, STAT_INTERRUPTS, 0);
        out = report(m, true);
        if (*ask[i].says)
            simprof_expect(out, ask[i].says);
        else
            assert_false(simprof_has(out, "boot line"));
    }
}

/* Under --user no thread is what is idle; the words and the table agree. */
static void a_cpu_without_a_thread_is_idle_under_user(void **state)
{
    struct mkexp *m = program();
    const char *out;

    (void)state;
    mkexp_say(m, "argument ./a.out");
    mkexp_switch(m, 0, 0, PROBE_NOBODY, 10);
    mkexp_switch(m, 0, 20000, 10, PROBE_NOBODY);
    mkexp_switch(m, 0, 60000, PROBE_NOBODY, 10);
    mkexp_oracle(m, 1, MKEXP_END, MKEXP_PC(txn, 0), REASON_off, 1200000);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0), REASON_nap, 480000);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0), REASON_complete, 720000);
    out = report(m, true);
    simprof_expect(out, "CPU 0 was idle 40.0% of the time, in 1 periods.");
    simprof_expect(out, "Under --user there is no profiler inside that samples "
                        "idle CPUs: simrun --sample-idle=20000 does it "
                        "from outside.");
    simprof_expect(out, "  0  40.0%    40.0%        1        0            0"
                        "        0          0     0.0%");
    assert_true(simprof_has(out, "idle, no thread ran"));
    assert_false(simprof_has(out, "boot line"));
    out = simprof_run("truth", path)->out;
    simprof_expect(out, "  0    40,000      40,000         0   0.0%");
}

/* Nothing is known, and nothing is claimed. */
static void without_context_switches_no_idleness_is_claimed(void **state)
{
    struct mkexp *m = program();
    const char *out;

    (void)state;
    mkexp_oracle(m, 1, MKEXP_END, MKEXP_PC(txn, 0), REASON_off, 1200000);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0), REASON_nap, 900000);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(txn, 0), REASON_complete, 300000);
    out = report(m, true);
    simprof_expect(out, "The run recorded no context switches, so nothing is "
                        "known of idle threads; the processors slept 75.0% of "
                        "the time.");
    simprof_expect(out, "  0     -    75.0%        -        0            0"
                        "        0          0        -");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interrupts_without_a_stack_are_told_by_reason),
        cmocka_unit_test(ends_without_a_stack_are_told_by_reason),
        cmocka_unit_test(interrupts_that_met_no_idle_cpu_are_counted),
        cmocka_unit_test(
            a_word_of_the_boot_line_is_named_where_it_is_the_cause),
        cmocka_unit_test(a_cpu_without_a_thread_is_idle_under_user),
        cmocka_unit_test(without_context_switches_no_idleness_is_claimed),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
