/* gi1_test.c - the schedule monitor's decisions, step by step. The first
 * test is the worked example of the scheduler and sampler tables; the others
 * take one rule each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "guest/prof/idle/schedmon.c"

#define CPUS 2

static const struct schedmon_who t1 = {1, 10, ROLE_THREAD, true};
static const struct schedmon_who t2 = {2, 10, ROLE_THREAD, true};
static const struct schedmon_who u = {3, 11, ROLE_THREAD, false};
static const struct schedmon_who idle = {4, 0, ROLE_IDLE, false};
static const struct schedmon_who sampler = {5, 99, ROLE_SAMPLER, false};

/* Samples a script took, by thread. */
struct tally {
    unsigned to_idle[8], from_idle[8];
};

/* A sample interrupt whose sample, if any, is complete before the next. */
static struct schedmon_found sample(struct schedmon *m, struct tally *t,
                                    unsigned cpu, bool is_idle)
{
    struct schedmon_found f = schedmon_interrupt(m, cpu, is_idle);

    if (f.seen == SEEN_TO_IDLE) {
        assert_true(schedmon_begin(m, cpu));
        t->to_idle[f.tid]++;
        schedmon_complete(m, cpu);
    }
    return f;
}

static void change(struct schedmon *m, struct tally *t, unsigned cpu,
                   const struct schedmon_who *out,
                   const struct schedmon_who *in)
{
    if (schedmon_switch(m, cpu, out, in)) {
        assert_true(schedmon_begin(m, cpu));
        t->from_idle[in->tid]++;
        schedmon_complete(m, cpu);
    }
}

static void both_kinds(struct schedmon *m)
{
    schedmon_init(m, CPUS, true, true, false);
}

/* Expected counts and table entries: requirements, worked example G-I1. */
static void the_worked_example_gives_three_one_one(void **state)
{
    struct schedmon m;
    struct tally t = {{0}, {0}};

    (void)state;
    both_kinds(&m);
    change(&m, &t, 0, &t1, &idle); /* e1 */
    assert_int_equal(m.cpu[0].saved_tid, 1);
    sample(&m, &t, 0, true); /* e2 */
    assert_int_equal(t.to_idle[1], 1);
    assert_true(m.cpu[0].deferred);
    sample(&m, &t, 0, true); /* e3 */
    assert_int_equal(t.to_idle[1], 2);
    assert_true(m.cpu[0].deferred);
    change(&m, &t, 0, &idle, &u); /* e4 */
    assert_true(m.cpu[0].deferred);
    assert_int_equal(sample(&m, &t, 0, false).seen, SEEN_BUSY); /* e5 */
    change(&m, &t, 0, &u, &t2);                                 /* e6 */
    assert_false(m.cpu[0].deferred);
    assert_int_equal(t.from_idle[2], 1);
    assert_int_equal(m.cpu[0].saved_tid, 1);
    change(&m, &t, 0, &t2, &t1); /* e7 */
    assert_int_equal(m.cpu[0].saved_tid, 2);
    change(&m, &t, 1, &idle, &t2); /* e8 */
    assert_int_equal(t.from_idle[2], 1);
    change(&m, &t, 1, &t2, &idle); /* e9 */
    assert_int_equal(m.cpu[1].saved_tid, 2);
    assert_int_equal(m.cpu[0].saved_tid, 0);
    change(&m, &t, 0, &t1, &idle); /* e10 */
    assert_int_equal(m.cpu[0].saved_tid, 1);
    sample(&m, &t, 1, true); /* e11 */
    assert_true(m.cpu[1].deferred);
    sample(&m, &t, 0, true); /* e12 */
    assert_true(m.cpu[0].deferred);
    assert_int_equal(t.to_idle[1], 3);
    assert_int_equal(t.to_idle[2], 1);
    assert_int_equal(t.from_idle[1], 0);
    assert_int_equal(t.from_idle[2], 1);
}

static void an_unmonitored_thread_leaves_the_table_alone(void **state)
{
    struct schedmon m;

    (void)state;
    both_kinds(&m);
    schedmon_switch(&m, 0, &t1, &u);
    schedmon_switch(&m, 0, &u, &idle);
    assert_int_equal(m.cpu[0].saved_tid, 1);
    assert_int_equal(m.cpu[0].saved_pid, 10);
}

static void an_idle_cpu_without_a_saved_thread_notifies_nobody(void **state)
{
    struct schedmon m;

    (void)state;
    both_kinds(&m);
    schedmon_switch(&m, 0, &u, &idle);
    assert_int_equal(schedmon_interrupt(&m, 0, true).seen, SEEN_NONE);
}

static void a_busy_cpu_sets_no_flag(void **state)
{
    struct schedmon m;

    (void)state;
    both_kinds(&m);
    schedmon_switch(&m, 0, &t1, &t2);
    assert_int_equal(schedmon_interrupt(&m, 0, false).seen, SEEN_BUSY);
    assert_false(m.cpu[0].deferred);
}

static void the_flag_is_set_once_and_on_its_own_cpu(void **state)
{
    struct schedmon m;

    (void)state;
    both_kinds(&m);
    assert_true(schedmon_interrupt(&m, 1, true).flag_set);
    assert_false(schedmon_interrupt(&m, 1, true).flag_set);
    assert_true(m.cpu[1].deferred);
    assert_false(m.cpu[0].deferred);
}

static void only_the_first_monitored_thread_after_a_flag_is_taken(void **state)
{
    struct schedmon m;

    (void)state;
    both_kinds(&m);
    schedmon_interrupt(&m, 0, true);
    assert_true(schedmon_switch(&m, 0, &idle, &t1));
    assert_false(schedmon_switch(&m, 0, &t1, &t2));
}

static void a_sampler_neither_takes_the_flag_nor_ends_idleness(void **state)
{
    struct schedmon m;

    (void)state;
    schedmon_init(&m, CPUS, true, true, true);
    schedmon_switch(&m, 0, &t1, &idle);
    assert_int_equal(schedmon_interrupt(&m, 0, true).seen, SEEN_TO_IDLE);
    assert_false(schedmon_switch(&m, 0, &idle, &sampler));
    schedmon_switch(&m, 0, &sampler, &idle);
    assert_true(m.cpu[0].deferred);
    assert_int_equal(m.cpu[0].saved_tid, 1);
    /* Once per idle period, and it is still the same one. */
    assert_int_equal(schedmon_interrupt(&m, 0, true).seen, SEEN_IDLE);
}

static void once_means_once_per_idle_period(void **state)
{
    struct schedmon m;

    (void)state;
    schedmon_init(&m, CPUS, true, false, true);
    schedmon_switch(&m, 0, &t1, &idle);
    assert_int_equal(schedmon_interrupt(&m, 0, true).seen, SEEN_TO_IDLE);
    assert_int_equal(schedmon_interrupt(&m, 0, true).seen, SEEN_IDLE);
    schedmon_switch(&m, 0, &idle, &u);
    schedmon_switch(&m, 0, &u, &idle);
    assert_int_equal(schedmon_interrupt(&m, 0, true).seen, SEEN_TO_IDLE);
}

static void nothing_starts_while_a_sample_is_outstanding(void **state)
{
    struct schedmon m;

    (void)state;
    both_kinds(&m);
    schedmon_switch(&m, 0, &t1, &idle);
    schedmon_interrupt(&m, 0, true);
    assert_true(schedmon_begin(&m, 0));
    assert_false(schedmon_begin(&m, 0));
    assert_int_equal(schedmon_interrupt(&m, 0, true).seen, SEEN_SUPPRESSED);
    assert_false(schedmon_switch(&m, 0, &idle, &t2));
    assert_true(m.cpu[0].deferred); /* it waits for a free moment */
    /* The other CPU is not concerned. */
    assert_true(schedmon_begin(&m, 1));
    schedmon_complete(&m, 0);
    assert_true(schedmon_switch(&m, 0, &idle, &t2));
}

static void a_kind_that_is_off_does_nothing(void **state)
{
    struct schedmon m;

    (void)state;
    schedmon_init(&m, CPUS, true, false, false);
    schedmon_switch(&m, 0, &t1, &idle);
    assert_int_equal(schedmon_interrupt(&m, 0, true).seen, SEEN_TO_IDLE);
    assert_false(m.cpu[0].deferred);
    schedmon_init(&m, CPUS, false, true, false);
    schedmon_switch(&m, 0, &t1, &idle);
    assert_int_equal(m.cpu[0].saved_tid, 0);
    assert_int_equal(schedmon_interrupt(&m, 0, true).seen, SEEN_IDLE);
    assert_true(m.cpu[0].deferred);
}

/* Whatever happens, a thread is saved on one CPU at most. */
static void a_thread_is_saved_on_one_cpu_at_most(void **state)
{
    const struct schedmon_who *who[] = {&t1, &t2, &u, &idle, &sampler};
    struct schedmon m;
    unsigned x = 1;

    (void)state;
    schedmon_init(&m, SCHEDMON_CPUS, true, true, false);
    for (int i = 0; i < 100000; i++) {
        unsigned seen[8] = {0};

        x = x * 1103515245u + 12345u;
        schedmon_switch(&m, x >> 16 & 7, who[(x >> 20) % 5],
                        who[(x >> 24) % 5]);
        for (int c = 0; c < SCHEDMON_CPUS; c++)
            seen[m.cpu[c].saved_tid]++;
        assert_true(seen[1] <= 1 && seen[2] <= 1);
        assert_int_equal(seen[3] + seen[4] + seen[5], 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_worked_example_gives_three_one_one),
        cmocka_unit_test(an_unmonitored_thread_leaves_the_table_alone),
        cmocka_unit_test(an_idle_cpu_without_a_saved_thread_notifies_nobody),
        cmocka_unit_test(a_busy_cpu_sets_no_flag),
        cmocka_unit_test(the_flag_is_set_once_and_on_its_own_cpu),
        cmocka_unit_test(only_the_first_monitored_thread_after_a_flag_is_taken),
        cmocka_unit_test(a_sampler_neither_takes_the_flag_nor_ends_idleness),
        cmocka_unit_test(once_means_once_per_idle_period),
        cmocka_unit_test(nothing_starts_while_a_sample_is_outstanding),
        cmocka_unit_test(a_kind_that_is_off_does_nothing),
        cmocka_unit_test(a_thread_is_saved_on_one_cpu_at_most),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
