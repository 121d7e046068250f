/* causes_test.c - whose idle time is, on records made by hand: what each cycle
 * belongs to and is charged to was worked out on paper and stands in comments.
 *
 * Two CPUs, cycles 0 to 100000; threads 10 to 13. Stacks by number: 1 sleeps,
 * 2 takes a lock, 3 waits in a queue, 4 sets a mask. timeout: 60 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "pmu/oracle.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/causes/causes.h"
#include "tools/analysis/causes/deadlock.h"
#include "tools/analysis/causes/path.h"

#define SLEEP 1
#define TAKE 2
#define WAIT 3
#define BIND 4
#define BOTH_CPUS 3

/* ---- making records ------------------------------------------------------ */

static const uint32_t idle_of[] = {1, 2};

static struct mkexp *begin(const char *path)
{
    static const char *const name[] = {"A", "B", "C", "D"};
    struct mkexp *m = mkexp_new(path);

    mkexp_program(m, "causes.elf");
    mkexp_say(m, "knob account_us 500"); /* all of the run */
    for (unsigned n = 0; n < 4; n++)
        mkexp_thread(m, 10 + n, THREAD_IS_APP, name[n]);
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle.0");
    mkexp_thread(m, 2, THREAD_IS_IDLE, "idle.1");
    mkexp_frame(m, SLEEP, 0, MKEXP_PC(timer_sleep, 8));
    mkexp_frame(m, TAKE, 0, MKEXP_PC(mutex_lock, 8));
    mkexp_frame(m, WAIT, 0, MKEXP_PC(txn, 8));
    mkexp_frame(m, BIND, 0, MKEXP_PC(worker, 8));
    return m;
}

/* A thread runs on a CPU that was idle before; or in the place of another. */
static void comes_behind(struct mkexp *m, unsigned cpu, uint64_t at,
                         uint32_t out, uint32_t thread)
{
    mkexp_switch(m, cpu, at, out, thread);
    mkexp_state(m, cpu, at, thread, STATE_SYSTEM, 0, 0);
}

static void comes(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread)
{
    comes_behind(m, cpu, at, idle_of[cpu], thread);
}

/* It leaves its CPU idle. */
static void leaves(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                   uint32_t state, uint32_t owner, uint32_t stack)
{
    mkexp_state(m, cpu, at, thread, state, owner, stack);
    mkexp_switch(m, cpu, at, thread, idle_of[cpu]);
}

static void woken(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                  uint32_t waker, uint32_t mask)
{
    mkexp_wake(m, cpu, at, thread, waker, 0);
    mkexp_waits(m, cpu, at, thread, STATE_RUNNABLE, OBJECT_CPUS, mask, 0, 0);
}

/* A CPU's account: it napped so long, and the rest is a thread's, in f. */
static void account(struct mkexp *m, unsigned cpu, uint64_t naps,
                    uint32_t thread, uint32_t pc)
{
    mkexp_oracle(m, cpu, MKEXP_END, MKEXP_PC(idle_loop, 0x40), REASON_nap,
                 12 * naps);
    mkexp_spent(m, cpu, MKEXP_END, thread, pc, REASON_complete,
                12 * (MKEXP_END - naps));
}

/* ---- looking at what came of them ---------------------------------------- */

struct found {
    struct recording r;
    struct scene scene;
    struct naps naps;
    struct places places;
    struct causes c;
};

static void find_by(struct found *f, const char *path, enum causes_rule rule,
                    uint64_t from, uint64_t to)
{
    const struct causes_choice choice = {
        .rule = rule, .cpu = -1, .thread = SCENE_NONE};
    char why[300];

    assert_true(recording_open(&f->r, path, why, sizeof why));
    recording_within(&f->r, from, to);
    scene_read(&f->scene, &f->r);
    naps_read(&f->naps, &f->scene, &f->r);
    places_open(&f->places, &f->r, &f->scene);
    causes_find(&f->c, &f->scene, &f->naps, &f->places, &choice);
    assert_int_equal(f->r.problems.count, 0);
    assert_int_equal(f->c.total, f->c.naps);
}

static void find(struct found *f, const char *path)
{
    find_by(f, path, CAUSES_ARRIVER, 0, UINT64_MAX);
}

static void done(struct found *f)
{
    uint64_t roots = 0;

    for (size_t n = 0; n < f->c.roots; n++)
        roots += f->c.root[n].cycles;
    assert_int_equal(roots, f->c.total);
    causes_free(&f->c);
    places_close(&f->places);
    naps_free(&f->naps);
    scene_free(&f->scene);
    recording_close(&f->r);
}

static void class_is(const struct found *f, unsigned cpu,
                     enum causes_class class, uint64_t cycles)
{
    if (f->c.by_class[cpu][class] != cycles)
        fail_msg("CPU %u, class %d: %llu cycles instead of %llu", cpu, class,
                 (unsigned long long)f->c.by_class[cpu][class],
                 (unsigned long long)cycles);
}

static uint64_t root_in(const struct found *f, const struct causes *c,
                        enum chain_root is, const char *function)
{
    for (size_t n = 0; n < c->roots; n++) {
        const struct causes_root *r = &c->root[n];
        uint32_t number = f->places.list[r->place].function[0];

        if (r->is == is && !strcmp(loadmap_name(&f->r.map, number), function))
            return r->cycles;
    }
    return 0;
}

static uint64_t root_of(const struct found *f, enum chain_root is,
                        const char *function)
{
    return root_in(f, &f->c, is, function);
}

/* ---- the cases ----------------------------------------------------------- */

/* B (CPU 1) sleeps with the lock from 20000, is woken at 60000, is there at
 * 61000; A (CPU 0) wants it from 30000, gets it at 70000, is there at 72000.
 * CPU 1 is idle 41000: 40000 timer, 1000 scheduler. CPU 0 42000: 40000 lock,
 * 2000 scheduler; of the lock's B slept 30000, was on its way 1000, ran 9000.
 */
static void sleeper(const char *path, uint64_t naps0)
{
    struct mkexp *m = begin(path);

    comes(m, 0, 0, 10);
    comes(m, 1, 0, 11);
    leaves(m, 1, 20000, 11, STATE_TIMER, 0, SLEEP);
    leaves(m, 0, 30000, 10, STATE_LOCK, 11, TAKE);
    woken(m, 1, 60000, 11, 0, BOTH_CPUS);
    comes(m, 1, 61000, 11);
    woken(m, 1, 70000, 10, 11, BOTH_CPUS);
    comes(m, 0, 72000, 10);
    account(m, 0, naps0, 10, MKEXP_PC(worker, 8));
    account(m, 1, 41000, 11, MKEXP_PC(producer, 8));
    mkexp_close(m, 1);
}

static void a_lock_is_waited_for_as_long_as_its_holder_sleeps(void **state)
{
    const char *path = scratch_path();
    struct found f;

    (void)state;
    sleeper(path, 42000);
    find(&f, path);
    assert_int_equal(f.c.total, 83000);
    class_is(&f, 0, CAUSES_LOCK, 40000);
    class_is(&f, 0, CAUSES_SCHEDULER, 2000);
    class_is(&f, 1, CAUSES_TIMER, 40000);
    class_is(&f, 1, CAUSES_SCHEDULER, 1000);
    assert_int_equal(root_of(&f, ROOT_SLEEPS, "timer_sleep"), 70000);
    assert_int_equal(root_of(&f, ROOT_WAKEUP, "timer_sleep"), 2000);
    assert_int_equal(root_of(&f, ROOT_WAKEUP, "mutex_lock"), 2000);
    assert_int_equal(root_of(&f, ROOT_RUNS, "producer"), 9000);
    /* The first chain: A and B wait, and B's timer is the root. */
    assert_int_equal(f.c.shape[0].chain.root, ROOT_SLEEPS);
    done(&f);
}

/* CPU 0's idle thread works half of its 42000 cycles: each piece has half its
 * length in naps. */
static void naps_are_the_accounts_to_the_cycle(void **state)
{
    const char *path = scratch_path();
    struct found f;

    (void)state;
    sleeper(path, 21001);
    find(&f, path);
    assert_int_equal(f.c.total, 21001 + 41000);
    class_is(&f, 0, CAUSES_LOCK, 20000);
    class_is(&f, 0, CAUSES_SCHEDULER, 1001);
    done(&f);
}

static void intervals_add_up(void **state)
{
    const char *path = scratch_path();
    uint64_t total = 0, lock = 0;
    struct found f;

    (void)state;
    sleeper(path, 42000);
    for (uint64_t from = 0; from < MKEXP_END; from += 12500) {
        find_by(&f, path, CAUSES_ARRIVER, from, from + 12500);
        total += f.c.total;
        lock += f.c.by_class[0][CAUSES_LOCK];
        done(&f);
    }
    /* Of an interval of the account a part has its share by length, wherever
     * the stints lie: of 42000 naps 5250 in each of eight. The sum is exact,
     * and what lies in no stint is no thread's. The lock has all of those from
     * 25000 to 62500, and 7500 of the 9500 idle cycles behind that. */
    assert_int_equal(total, 83000);
    assert_int_equal(lock, 3 * 5250 + 5250 * 7500 / 9500);
}

/* All rules share out the same naps. B left CPU 1; A and, from 30000 on, B wait
 * and may run on both. */
static void rules_differ_in_whose_it_is_and_not_in_the_sum(void **state)
{
    const char *path = scratch_path();
    struct found f;

    (void)state;
    sleeper(path, 42000);
    find_by(&f, path, CAUSES_LEAVER, 0, UINT64_MAX);
    assert_int_equal(f.c.total, 83000);
    class_is(&f, 0, CAUSES_LOCK, 40000);
    done(&f);
    find_by(&f, path, CAUSES_SHARE, 0, UINT64_MAX);
    assert_int_equal(f.c.total, 83000);
    /* 30000 to 60000 half each, then A alone. */
    class_is(&f, 0, CAUSES_LOCK, 15000 + 10000);
    class_is(&f, 0, CAUSES_TIMER, 15000);
    /* 20000 to 30000 B alone, then half. */
    class_is(&f, 1, CAUSES_TIMER, 10000 + 15000);
    class_is(&f, 1, CAUSES_LOCK, 15000);
    done(&f);
}

/* C and A want B's lock, from 25000 and 30000. B hands it to C at 40000 and
 * waits for something; C has it until 60000. A's CPU 0 waits 10000 for B and
 * 20000 for C, though A's record names B. */
static void handed_over(const char *path, uint32_t kind)
{
    struct mkexp *m = begin(path);

    comes(m, 0, 0, 12);
    comes(m, 1, 0, 11);
    mkexp_waits(m, 0, 25000, 12, STATE_LOCK, kind, 0x5000, 11, TAKE);
    comes_behind(m, 0, 25000, 12, 10);
    mkexp_waits(m, 0, 30000, 10, STATE_LOCK, kind, 0x5000, 11, TAKE);
    mkexp_switch(m, 0, 30000, 10, 1);
    woken(m, 1, 40000, 12, 11, BOTH_CPUS);
    mkexp_state(m, 1, 40000, 11, STATE_QUEUE, 0, WAIT);
    comes_behind(m, 1, 40000, 11, 12);
    woken(m, 1, 60000, 10, 12, BOTH_CPUS);
    comes(m, 0, 60000, 10);
    account(m, 0, 30000, 10, MKEXP_PC(worker, 8));
    mkexp_spent(m, 1, MKEXP_END, 11, MKEXP_PC(worker, 8), REASON_complete,
                12 * 40000);
    mkexp_spent(m, 1, MKEXP_END, 12, MKEXP_PC(producer, 8), REASON_complete,
                12 * 60000);
    mkexp_close(m, 1);
}

static void a_lock_is_waited_for_from_whoever_has_it_then(void **state)
{
    static const uint32_t kind[] = {OBJECT_KERNEL, OBJECT_USER};
    struct found f;

    (void)state;
    for (unsigned n = 0; n < 2; n++) {
        const char *path = scratch_path();

        handed_over(path, kind[n]);
        find(&f, path);
        class_is(&f, 0, CAUSES_LOCK, 30000);
        assert_int_equal(root_of(&f, ROOT_RUNS, "worker"), 10000);
        assert_int_equal(root_of(&f, ROOT_RUNS, "producer"), 20000);
        done(&f);
    }
}

/* A waits in a queue from 20000; B, which wakes it at 80000, itself waits in
 * one from 30000 to 70000 for C, which runs all the time. CPU 0 waits 10000 for
 * B, 40000 for C, 10000 for B. C came to CPU 1 at 30000 and B at 70000. */
static void a_queue_is_waited_for_from_who_wakes(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path);
    struct found f;

    (void)state;
    comes(m, 0, 0, 10);
    comes(m, 1, 0, 11);
    leaves(m, 0, 20000, 10, STATE_QUEUE, 0, WAIT);
    mkexp_state(m, 1, 30000, 11, STATE_QUEUE, 0, WAIT);
    comes_behind(m, 1, 30000, 11, 12);
    woken(m, 1, 70000, 11, 12, BOTH_CPUS);
    mkexp_state(m, 1, 70000, 12, STATE_ENDED, 0, 0);
    comes_behind(m, 1, 70000, 12, 11);
    woken(m, 1, 80000, 10, 11, BOTH_CPUS);
    comes(m, 0, 80000, 10);
    account(m, 0, 60000, 10, MKEXP_PC(worker, 8));
    mkexp_spent(m, 1, MKEXP_END, 11, MKEXP_PC(producer, 8), REASON_complete,
                12 * 60000);
    mkexp_spent(m, 1, MKEXP_END, 12, MKEXP_PC(txn, 8), REASON_complete,
                12 * 40000);
    mkexp_close(m, 1);
    find(&f, path);
    class_is(&f, 0, CAUSES_QUEUE, 60000);
    assert_int_equal(root_of(&f, ROOT_RUNS, "producer"), 20000);
    assert_int_equal(root_of(&f, ROOT_RUNS, "txn"), 40000);
    done(&f);
}

/* A runs on CPU 0, which B may use alone and waits for from 20000 to 70000, by
 * the mask that it set itself. CPU 1 is idle from 20000 on: 50000 that B may
 * not use, 30000 for no thread that comes. */
static void a_mask_is_the_cause_of_what_it_forbids(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path);
    struct found f;

    (void)state;
    comes(m, 0, 0, 10);
    comes(m, 1, 0, 11);
    mkexp_waits(m, 1, 20000, 11, STATE_RUNNABLE, OBJECT_CPUS, 1, 0, BIND);
    mkexp_switch(m, 1, 20000, 11, 2);
    mkexp_state(m, 0, 70000, 10, STATE_ENDED, 0, 0);
    comes_behind(m, 0, 70000, 10, 11);
    account(m, 0, 0, 10, MKEXP_PC(producer, 8));
    account(m, 1, 80000, 11, MKEXP_PC(txn, 8));
    mkexp_close(m, 1);
    find(&f, path);
    class_is(&f, 1, CAUSES_NOT_ALLOWED, 50000);
    class_is(&f, 1, CAUSES_NO_MORE, 30000);
    assert_int_equal(root_of(&f, ROOT_MASK, "worker"), 50000);
    assert_int_equal(root_of(&f, ROOT_RUNS, "txn"), 30000);
    done(&f);
}

/* The same, but B waited for others while it set the mask, as in Linux, and was
 * woken at 20000, by A: the mask is where B waited. */
static void a_mask_is_where_its_thread_was_woken(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path);
    struct found f;

    (void)state;
    comes(m, 0, 0, 10);
    comes(m, 1, 0, 11);
    leaves(m, 1, 10000, 11, STATE_BARRIER, 0, BIND);
    mkexp_wake(m, 0, 20000, 11, 10, SLEEP);
    mkexp_waits(m, 0, 20000, 11, STATE_RUNNABLE, OBJECT_CPUS, 1, 0, 0);
    mkexp_state(m, 0, 70000, 10, STATE_ENDED, 0, 0);
    comes_behind(m, 0, 70000, 10, 11);
    account(m, 0, 0, 10, MKEXP_PC(producer, 8));
    account(m, 1, 90000, 11, MKEXP_PC(txn, 8));
    mkexp_close(m, 1);
    find(&f, path);
    class_is(&f, 1, CAUSES_NOT_ALLOWED, 50000);
    assert_int_equal(root_of(&f, ROOT_MASK, "worker"), 50000);
    done(&f);
}

/* A ready thread is on its way from where it is: A, which lost CPU 0 at 20000
 * to B, from there; D, which A made, from where A did so. CPU 1 is idle up to
 * 40000, when A comes to it, from 50000 to 60000, when D does, and behind
 * 70000. */
static void who_is_on_its_way_says_from_where(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path);
    struct found f;

    (void)state;
    comes(m, 0, 0, 10);
    mkexp_waits(m, 0, 20000, 10, STATE_RUNNABLE, OBJECT_CPUS, BOTH_CPUS, 0,
                TAKE);
    comes_behind(m, 0, 20000, 10, 11);
    comes(m, 1, 40000, 10);
    mkexp_wake(m, 1, 50000, 13, 10, WAIT);
    mkexp_waits(m, 1, 50000, 13, STATE_RUNNABLE, OBJECT_CPUS, BOTH_CPUS, 0, 0);
    leaves(m, 1, 50000, 10, STATE_ENDED, 0, 0);
    comes(m, 1, 60000, 13);
    leaves(m, 1, 70000, 13, STATE_ENDED, 0, 0);
    account(m, 0, 0, 11, MKEXP_PC(producer, 8));
    account(m, 1, 80000, 10, MKEXP_PC(producer, 8));
    mkexp_close(m, 1);
    find(&f, path);
    class_is(&f, 1, CAUSES_SCHEDULER, 20000 + 10000);
    assert_int_equal(root_of(&f, ROOT_WAKEUP, "mutex_lock"), 20000);
    assert_int_equal(root_of(&f, ROOT_WAKEUP, "txn"), 10000);
    done(&f);
}

/* B waits in a queue from 20000 on, until A wakes it at 80000. Between, at
 * 50000, D comes to its CPU for 10000 cycles, since it slept long enough. An
 * idle CPU waits for D if that is a program's, and not if it is a Linux
 * kernel's own. */
static void nothing_waits_for_linuxs_housekeeping(void **state)
{
    struct found f;

    (void)state;
    for (unsigned kernel = 0; kernel < 2; kernel++) {
        const char *path = scratch_path();
        struct mkexp *m = begin(path);

        if (kernel)
            mkexp_say(m, "kernel linux");
        mkexp_thread(m, 14, THREAD_IS_DAEMON, "kthread");
        comes(m, 0, 0, 10);
        comes(m, 1, 0, 14);
        mkexp_state(m, 1, 10000, 14, STATE_TIMER, 0, SLEEP);
        comes_behind(m, 1, 10000, 14, 11);
        leaves(m, 1, 20000, 11, STATE_QUEUE, 0, WAIT);
        woken(m, 1, 50000, 14, 0, BOTH_CPUS);
        comes(m, 1, 50000, 14);
        leaves(m, 1, 60000, 14, STATE_TIMER, 0, SLEEP);
        woken(m, 1, 80000, 11, 10, BOTH_CPUS);
        comes(m, 1, 80000, 11);
        account(m, 0, 0, 10, MKEXP_PC(producer, 8));
        account(m, 1, 50000, 11, MKEXP_PC(worker, 8));
        mkexp_close(m, 1);
        find(&f, path);
        class_is(&f, 1, CAUSES_TIMER, kernel ? 0 : 30000);
        class_is(&f, 1, CAUSES_QUEUE, kernel ? 50000 : 20000);
        assert_int_equal(root_of(&f, ROOT_RUNS, "producer"),
                         kernel ? 50000 : 20000);
        assert_int_equal(root_of(&f, ROOT_SLEEPS, "timer_sleep"),
                         kernel ? 0 : 30000);
        done(&f);
    }
}

/* B has a lock and may use CPU 1 alone, where D takes its place at 20000 and
 * ends at 70000; A on CPU 0 wants the lock from 20000 on, and gets it at 80000.
 * It is D that A waits for, not B's mask. */
static void displaced(const char *path)
{
    struct mkexp *m = begin(path);

    comes(m, 0, 0, 10);
    comes(m, 1, 0, 11);
    mkexp_waits(m, 1, 20000, 11, STATE_RUNNABLE, OBJECT_CPUS, 2, 0, BIND);
    comes_behind(m, 1, 20000, 11, 13);
    leaves(m, 0, 20000, 10, STATE_LOCK, 11, TAKE);
    mkexp_state(m, 1, 70000, 13, STATE_ENDED, 0, 0);
    comes_behind(m, 1, 70000, 13, 11);
    woken(m, 1, 80000, 10, 11, BOTH_CPUS);
    comes(m, 0, 80000, 10);
    account(m, 0, 60000, 10, MKEXP_PC(txn, 8));
    mkexp_spent(m, 1, MKEXP_END, 13, MKEXP_PC(producer, 8), REASON_complete,
                12 * 50000);
    mkexp_spent(m, 1, MKEXP_END, 11, MKEXP_PC(worker, 8), REASON_complete,
                12 * 50000);
    mkexp_close(m, 1);
}

static void who_displaces_a_locks_holder_is_the_cause(void **state)
{
    const char *path = scratch_path();
    struct found f;

    (void)state;
    displaced(path);
    find(&f, path);
    class_is(&f, 0, CAUSES_LOCK, 60000);
    assert_int_equal(root_of(&f, ROOT_RUNS, "producer"), 50000);
    assert_int_equal(root_of(&f, ROOT_RUNS, "worker"), 10000);
    done(&f);
}

/* CPU 1's first thread is made by A, which runs on CPU 0, at 40000; another one
 * never comes behind its end at 60000. */
static void born_late(struct mkexp *m)
{
    woken(m, 0, 40000, 11, 10, BOTH_CPUS);
    comes(m, 1, 41000, 11);
    leaves(m, 1, 60000, 11, STATE_ENDED, 0, 0);
    account(m, 0, 0, 10, MKEXP_PC(producer, 8));
    account(m, 1, 81000, 11, MKEXP_PC(worker, 8));
    mkexp_close(m, 1);
}

static void before_birth_and_behind_the_end(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path);
    struct found f;

    (void)state;
    comes(m, 0, 0, 10);
    born_late(m);
    find(&f, path);
    class_is(&f, 1, CAUSES_NOT_BORN, 40000);
    class_is(&f, 1, CAUSES_SCHEDULER, 1000);
    class_is(&f, 1, CAUSES_NO_MORE, 40000);
    assert_int_equal(root_of(&f, ROOT_RUNS, "producer"), 80000);
    done(&f);
}

/* The same, but A waits from 10000 to 30000 for CPU 0, where C runs: C
 * displaces no lock's holder. */
static void before_birth_by_one_that_waits_for_a_cpu(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path);
    struct found f;

    (void)state;
    comes(m, 0, 0, 10);
    mkexp_waits(m, 0, 10000, 10, STATE_RUNNABLE, OBJECT_CPUS, 1, 0, 0);
    comes_behind(m, 0, 10000, 10, 12);
    mkexp_state(m, 0, 30000, 12, STATE_ENDED, 0, 0);
    comes_behind(m, 0, 30000, 12, 10);
    born_late(m);
    find(&f, path);
    class_is(&f, 1, CAUSES_NOT_BORN, 20000);
    class_is(&f, 1, CAUSES_NOT_ALLOWED, 20000);
    class_is(&f, 1, CAUSES_SCHEDULER, 1000);
    class_is(&f, 1, CAUSES_NO_MORE, 40000);
    done(&f);
}

/* A runs on CPU 0 until 50000 and on CPU 1 from then on: no thread waits. */
static void a_thread_that_runs_elsewhere_is_too_few(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path);
    struct found f;

    (void)state;
    comes(m, 0, 0, 10);
    mkexp_waits(m, 0, 50000, 10, STATE_RUNNABLE, OBJECT_CPUS, 2, 0, BIND);
    mkexp_switch(m, 0, 50000, 10, 1);
    comes(m, 1, 50000, 10);
    account(m, 0, 50000, 10, MKEXP_PC(producer, 8));
    account(m, 1, 50000, 10, MKEXP_PC(producer, 8));
    mkexp_close(m, 1);
    find(&f, path);
    class_is(&f, 1, CAUSES_TOO_FEW, 50000);
    class_is(&f, 0, CAUSES_NO_MORE, 50000);
    assert_int_equal(root_of(&f, ROOT_RUNS, "producer"), 100000);
    done(&f);
}

/* A has what B wants and wants what B has: from 30000 on no thread comes. C
 * sleeps until 90000 and is what CPU 1 would wait for. */
static void a_circle_is_a_deadlock(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path);
    struct chain_now now = {.cycle = 50000};
    struct owners owners;
    struct chain chain;
    uint32_t stay[2];
    struct found f;

    (void)state;
    comes(m, 0, 0, 10);
    comes(m, 1, 0, 11);
    mkexp_waits(m, 0, 30000, 10, STATE_LOCK, OBJECT_KERNEL, 0x5000, 11, TAKE);
    mkexp_switch(m, 0, 30000, 10, 1);
    mkexp_waits(m, 1, 30000, 11, STATE_LOCK, OBJECT_KERNEL, 0x6000, 10, TAKE);
    mkexp_switch(m, 1, 30000, 11, 2);
    account(m, 0, 70000, 10, MKEXP_PC(producer, 8));
    account(m, 1, 70000, 11, MKEXP_PC(producer, 8));
    mkexp_close(m, 1);
    find(&f, path);
    owners_read(&owners, &f.scene);
    for (uint32_t n = 0; n < 2; n++)
        stay[n] = (uint32_t)(f.scene.thread[n].first + 1);
    now.scene = &f.scene;
    now.owners = &owners;
    now.stay = stay;
    chain_find(&chain, &now, 0);
    assert_int_equal(chain.root, ROOT_DEADLOCK);
    assert_int_equal(chain.hops, 2);
    assert_int_equal(chain.thread[0], 0);
    /* Where the records end it is the same circle. C is in none: it sleeps. */
    assert_true(deadlock_find(&chain, &f.scene));
    assert_int_equal(chain.hops, 2);
    assert_int_equal(chain.hop[0].thread, 0);
    assert_int_equal(chain.hop[1].thread, 1);
    owners_free(&owners);
    /* Nobody comes any more, and that is why. */
    class_is(&f, 0, CAUSES_DEADLOCK, 70000);
    class_is(&f, 1, CAUSES_DEADLOCK, 70000);
    assert_int_equal(root_of(&f, ROOT_DEADLOCK, "mutex_lock"), 140000);
    done(&f);
}

/* B, which A waits for, runs from 20000 to 50000; samples found it in txn at
 * 30000 and in producer at 45000: txn has 10000 cycles, and producer 20000,
 * since the last sample stands for what is behind it. */
static void samples_tell_where_a_thread_runs(void **state)
{
    static const uint32_t in_txn[] = {MKEXP_PC(txn, 8), MKEXP_PC(worker, 8), 0};
    static const uint32_t in_producer[] = {MKEXP_PC(producer, 8), 0};
    const char *path = scratch_path();
    struct mkexp *m = begin(path);
    struct found f;

    (void)state;
    mkexp_say(m, "profile 1 cycles 1000 uk");
    comes(m, 0, 0, 10);
    comes(m, 1, 0, 11);
    leaves(m, 0, 20000, 10, STATE_QUEUE, 0, WAIT);
    mkexp_profile(m, 1, 30000, 11, 1, 1000, 0, in_txn);
    mkexp_profile(m, 1, 45000, 11, 1, 1000, 0, in_producer);
    woken(m, 1, 50000, 10, 11, BOTH_CPUS);
    comes(m, 0, 50000, 10);
    account(m, 0, 30000, 10, MKEXP_PC(worker, 8));
    account(m, 1, 0, 11, MKEXP_PC(worker, 8));
    mkexp_close(m, 1);
    find(&f, path);
    assert_true(f.scene.samples);
    assert_int_equal(root_of(&f, ROOT_RUNS, "txn"), 10000);
    assert_int_equal(root_of(&f, ROOT_RUNS, "producer"), 20000);
    done(&f);
}

/* Backwards from A: it ran 28000, was on its way 2000, B ran 9000 before it
 * woke A, was on its way 1000, slept 40000, ran 20000. */
static void the_critical_path_has_every_cycle_once(void **state)
{
    const char *path = scratch_path();
    struct found f;
    struct path p;

    (void)state;
    sleeper(path, 42000);
    find(&f, path);
    path_find(&p, &f.scene, &f.places, SCENE_NONE);
    assert_int_equal(p.last, scene_thread_of(&f.scene, 10));
    assert_int_equal(p.from, 0);
    assert_int_equal(p.to, MKEXP_END);
    assert_int_equal(p.c.total, MKEXP_END);
    assert_int_equal(p.changes, 1);
    assert_int_equal(root_in(&f, &p.c, ROOT_SLEEPS, "timer_sleep"), 40000);
    assert_int_equal(root_in(&f, &p.c, ROOT_WAKEUP, "timer_sleep"), 1000);
    assert_int_equal(root_in(&f, &p.c, ROOT_WAKEUP, "mutex_lock"), 2000);
    assert_int_equal(root_in(&f, &p.c, ROOT_RUNS, "worker"), 28000);
    assert_int_equal(root_in(&f, &p.c, ROOT_RUNS, "producer"), 29000);
    assert_int_equal(p.threads, 2);
    assert_int_equal(p.thread[0].cycles, 70000);
    path_free(&p);
    /* From B it is B's own time alone. */
    path_find(&p, &f.scene, &f.places, scene_thread_of(&f.scene, 11));
    assert_int_equal(p.c.total, MKEXP_END);
    assert_int_equal(p.threads, 1);
    path_free(&p);
    done(&f);
}

/* B waits for the CPU that D has from 20000 to 70000, and A for B's lock. */
static void a_path_through_a_taken_cpu_says_so(void **state)
{
    const char *path = scratch_path();
    struct found f;
    struct path p;

    (void)state;
    displaced(path);
    find(&f, path);
    path_find(&p, &f.scene, &f.places, SCENE_NONE);
    assert_int_equal(p.c.total, MKEXP_END);
    assert_int_equal(root_in(&f, &p.c, ROOT_CPU, "worker"), 50000);
    path_free(&p);
    done(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_lock_is_waited_for_as_long_as_its_holder_sleeps),
        cmocka_unit_test(naps_are_the_accounts_to_the_cycle),
        cmocka_unit_test(intervals_add_up),
        cmocka_unit_test(rules_differ_in_whose_it_is_and_not_in_the_sum),
        cmocka_unit_test(a_lock_is_waited_for_from_whoever_has_it_then),
        cmocka_unit_test(a_queue_is_waited_for_from_who_wakes),
        cmocka_unit_test(a_mask_is_the_cause_of_what_it_forbids),
        cmocka_unit_test(a_mask_is_where_its_thread_was_woken),
        cmocka_unit_test(who_is_on_its_way_says_from_where),
        cmocka_unit_test(nothing_waits_for_linuxs_housekeeping),
        cmocka_unit_test(who_displaces_a_locks_holder_is_the_cause),
        cmocka_unit_test(before_birth_and_behind_the_end),
        cmocka_unit_test(before_birth_by_one_that_waits_for_a_cpu),
        cmocka_unit_test(a_thread_that_runs_elsewhere_is_too_few),
        cmocka_unit_test(a_circle_is_a_deadlock),
        cmocka_unit_test(samples_tell_where_a_thread_runs),
        cmocka_unit_test(the_critical_path_has_every_cycle_once),
        cmocka_unit_test(a_path_through_a_taken_cpu_says_so),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
