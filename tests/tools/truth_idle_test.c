/* truth_idle_test.c - simprof truth of idle samples, on an experiment whose
 * context switches and samples can be added up by hand.
 *
 * One CPU of 100,000 cycles; idle thread 1, workers 10 and 11.
 *   10,000 to 40,000 idle, left by 10, ended by 11
 *   50,000 to 60,000 idle, left by 11, ended by 10
 *   70,000 to 80,000 idle, left by 10, ended by 10
 * To-idle samples at 20,000 (10), 30,000 (10), 55,000 (10, which is wrong);
 * from-idle at 40,000 (11), and one at 65,000 in no idle period.
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

static const char *experiment(void)
{
    static char path[512];
    static const uint32_t pcs[] = {MKEXP_PC(sched, 0x10), 0};
    struct mkexp *m;
    char elf[600];

    snprintf(path, sizeof path, "%s", scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle");
    mkexp_thread(m, 10, THREAD_IS_APP, "ten");
    mkexp_thread(m, 11, THREAD_IS_APP, "eleven");
    mkexp_switch(m, 0, 0, 1, 10);
    mkexp_switch(m, 0, 10000, 10, 1);
    mkexp_switch(m, 0, 40000, 1, 11);
    mkexp_switch(m, 0, 50000, 11, 1);
    mkexp_switch(m, 0, 60000, 1, 10);
    mkexp_switch(m, 0, 70000, 10, 1);
    mkexp_switch(m, 0, 80000, 1, 10);
    mkexp_idle(m, 0, 20000, IDLE_KIND_TO, 10, pcs);
    mkexp_idle(m, 0, 30000, IDLE_KIND_TO, 10, pcs);
    mkexp_idle(m, 0, 40000, IDLE_KIND_FROM, 11, pcs);
    mkexp_idle(m, 0, 55000, IDLE_KIND_TO, 10, pcs);
    mkexp_idle(m, 0, 65000, IDLE_KIND_FROM, 10, pcs);
    mkexp_close(m, 1);
    return path;
}

static void each_sample_is_right_or_wrong(void **state)
{
    const struct simprof *s = simprof_run("truth --csv", experiment());

    (void)state;
    assert_int_equal(s->status, 0);
    simprof_expect(s->out, "to-idle,each thread,3,0.3333,,,,");
    simprof_expect(s->out, "from-idle,each thread,2,0.5000,,,,");
    assert_false(simprof_has(s->out, "cause"));
}

/* Left by 10: 40,000 of 50,000 idle cycles; samples say all of them. The two
 * periods that were sampled have 40,000 cycles, all put to 10, too. */
static void shares_are_held_against_idle_cycles(void **state)
{
    const struct simprof *s = simprof_run("truth --csv", experiment());

    (void)state;
    /* Three fair samples: twice sqrt(2 x 0.8 x 0.2 / 3 pi), halved. */
    simprof_expect(s->out, "to-idle,thread share,3,0.2000,,0.1843,,");
    simprof_expect(s->out, "to-idle,thread cycles,3,0.2000,,,,");
    /* ended by 11: 30,000 of 50,000; half of the samples, all that is
     * explained */
    simprof_expect(s->out, "from-idle,thread share,2,0.1000,,0.2764,,");
    simprof_expect(s->out, "from-idle,thread cycles,2,0.4000,,,,");
    s = simprof_run("truth --csv --event=to-idle", experiment());
    /* Two periods of two samples and of one: as good as 3 x 3 / (2 x 2 + 1) =
     * 1.8 draws. Of all of so many Wilson's interval begins at
     * 1.8 / (1.8 + 1.96 ^ 2). */
    simprof_expect(s->out, "0.8000,1.0000,0.3191,1.0000,1,0.8000,10 ten");
    simprof_expect(s->out, "0.2000,0.0000,0.0000,0.6809,1,0.0000,11 eleven");
    s = simprof_run("truth --width=400", experiment());
    assert_true(simprof_has(
        s->out, "1 of 3 samples name another thread than the context switches "
                "do, 0 lie in no idle period; 2 of 3 periods were sampled."));
    assert_true(simprof_has(s->out, "1 lie in no idle period"));
}

/* Stacks of switches: the first two periods were left from mutex_lock, called
 * by txn, 40,000 cycles, the third from timer_sleep. Of three samples one, of
 * the second period, says timer_sleep. What is below sched does not matter. */
static void causes_are_held_against_each_other(void **state)
{
    static const uint32_t lock[] = {MKEXP_PC(idle_loop, 8), MKEXP_PC(sched, 8),
                                    MKEXP_PC(mutex_lock, 8), MKEXP_PC(txn, 8),
                                    0};
    static const uint32_t nap[] = {MKEXP_PC(sched, 8), MKEXP_PC(timer_sleep, 8),
                                   0};
    static const uint32_t lock_seen[] = {MKEXP_PC(sched, 0x20),
                                         MKEXP_PC(mutex_lock, 0x14),
                                         MKEXP_PC(txn, 0x18), 0};
    const uint32_t at = MKEXP_PC(sched, 8);
    static char path[512];
    const struct simprof *s;
    struct mkexp *m;
    char elf[600];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle");
    mkexp_thread(m, 3, THREAD_IS_SAMPLER, "sampler");
    mkexp_thread(m, 10, THREAD_IS_APP, "ten");
    mkexp_switch_from(m, 0, 10000, 10, 1, at, lock);
    mkexp_switch_from(m, 0, 40000, 1, 10, at, nap);
    mkexp_switch_from(m, 0, 50000, 10, 3, at, lock);
    mkexp_switch_from(m, 0, 51000, 3, 1, at, nap); /* a sampler came between */
    mkexp_switch_from(m, 0, 61000, 1, 10, at, nap);
    mkexp_switch_from(m, 0, 70000, 10, 1, at, nap);
    mkexp_switch_from(m, 0, 80000, 1, 10, at, nap);
    mkexp_idle(m, 0, 20000, IDLE_KIND_TO, 10, lock_seen);
    mkexp_idle(m, 0, 55000, IDLE_KIND_TO, 10, nap);
    mkexp_idle(m, 0, 75000, IDLE_KIND_TO, 10, nap);
    mkexp_close(m, 1);
    s = simprof_run("truth --csv", path);
    assert_int_equal(s->status, 0);
    simprof_expect(s->out, "to-idle,each cause,3,0.3333,,,,");
    /* 80 % and 20 %, of samples 1 and 2 of 3, of cycles 30,000 and 20,000 */
    simprof_expect(s->out, "to-idle,cause share,3,0.4667,,0.1843,,");
    simprof_expect(s->out, "to-idle,cause cycles,3,0.2000,,,,");
    s = simprof_run("truth --csv --event=to-idle-causes", path);
    /* In one of three periods: drawn again it is in none, or in all. */
    simprof_expect(s->out,
                   "0.8000,0.3333,0.0000,1.0000,1,0.6000,mutex_lock < txn");
    simprof_expect(s->out, "0.2000,0.6667,0.0000,1.0000,1,0.4000,timer_sleep");
}

/* The same with idle interrupts that gave no sample: two of six are of no
 * cause, and that is an error of a third. What they tell has a row, never an
 * exact share. */
static void interrupts_without_a_sample_are_part_of_the_whole(void **state)
{
    static const uint32_t lock[] = {MKEXP_PC(sched, 8), MKEXP_PC(mutex_lock, 8),
                                    0};
    static const uint32_t nap[] = {MKEXP_PC(sched, 8), MKEXP_PC(timer_sleep, 8),
                                   0};
    const uint32_t at = MKEXP_PC(sched, 8);
    static char path[512];
    const struct simprof *s;
    struct mkexp *m;
    char elf[600];

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path());
    m = mkexp_new(path);
    snprintf(elf, sizeof elf, "%s/program", path);
    mkexp_program(m, elf);
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle");
    mkexp_thread(m, 10, THREAD_IS_APP, "ten");
    /* 20,000 cycles each, left from the lock, and from a sleep. */
    mkexp_switch_from(m, 0, 10000, 10, 1, at, lock);
    mkexp_switch_from(m, 0, 30000, 1, 10, at, nap);
    mkexp_switch_from(m, 0, 50000, 10, 1, at, nap);
    mkexp_switch_from(m, 0, 70000, 1, 10, at, nap);
    mkexp_idle(m, 0, 15000, IDLE_KIND_TO, 10, lock);
    mkexp_idle(m, 0, 20000, IDLE_KIND_TO, 10, lock);
    mkexp_idle(m, 0, 55000, IDLE_KIND_TO, 10, nap);
    mkexp_idle(m, 0, 60000, IDLE_KIND_TO, 10, nap);
    mkexp_unsampled(m, 0, 25000, 0, UNSAMPLED_NONE);
    mkexp_unsampled(m, 0, 65000, 10, UNSAMPLED_ENDED);
    mkexp_close(m, 1);
    s = simprof_run("truth --csv", path);
    simprof_expect(s->out, "to-idle,each cause,4,0.0000,,,,");
    /* Six fair samples: sqrt(2 / 4 / 6 pi). */
    simprof_expect(s->out, "to-idle,cause share,6,0.3333,,0.1629,,");
    simprof_expect(s->out, "to-idle,cause cycles,6,0.0000,,,,");
    simprof_expect(s->out, "to-idle,thread share,6,0.3333,,0.0000,,");
    s = simprof_run("truth --csv --event=to-idle-causes", path);
    /* A share of a third, or a sixth, of as much as two draws. */
    simprof_expect(s->out, "0.5000,0.3333,0.0000,0.8406,1,0.5000,mutex_lock");
    simprof_expect(s->out, ",0.1667,0.0000,0.7592,,,"
                           "<none: no monitored thread is remembered>");
    s = simprof_run("idle --csv", path);
    simprof_expect(s->out,
                   "all,to-idle,2,20000,mutex_lock;sched,6,0.0000,0.8406");
    simprof_expect(s->out, "all,ended,1,0,,6,0.0000,0.7592");
    s = simprof_run("idle --csv --from=40000", path);
    simprof_expect(s->out, "all,to-idle,2,20000,timer_sleep;sched,3,"
                           "0.0942,0.9747");
    assert_false(simprof_has(s->out, "all,none"));
    s = simprof_run("idle --width=400 --filters='thread == 10'", path);
    assert_true(simprof_has(s->out, "Of 5 sample interrupts that found a CPU "
                                    "idle, 40.0%"));
    assert_true(simprof_has(s->out, "20.0% gave no stack: 1 stale."));
}

/* The oracle has 600,000 twelfths of the idle thread: the same 50,000. */
static void idle_time_is_held_against_the_oracle(void **state)
{
    static char path[512];
    const struct simprof *s;
    struct mkexp *m;

    (void)state;
    snprintf(path, sizeof path, "%s", scratch_path());
    m = mkexp_new(path);
    mkexp_thread(m, 0, THREAD_IS_IDLE, "idle");
    mkexp_thread(m, 10, THREAD_IS_APP, "ten");
    mkexp_switch(m, 0, 10000, 10, 0);
    mkexp_switch(m, 0, 60000, 0, 10);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(idle_loop, 0), REASON_nap, 600000);
    mkexp_oracle(m, 0, MKEXP_END, MKEXP_PC(idle_loop, 4), REASON_complete,
                 1200);
    mkexp_close(m, 1);
    s = simprof_run("truth", path);
    assert_true(
        simprof_has(s->out, "  0    50,000      50,100      -100   0.2%"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_sample_is_right_or_wrong),
        cmocka_unit_test(shares_are_held_against_idle_cycles),
        cmocka_unit_test(causes_are_held_against_each_other),
        cmocka_unit_test(interrupts_without_a_sample_are_part_of_the_whole),
        cmocka_unit_test(idle_time_is_held_against_the_oracle),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
