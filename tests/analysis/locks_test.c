/* locks_test.c - locks that were waited for, on records made by hand: what each
 * cycle belongs to was worked out on paper and stands in comments.
 *
 * Two CPUs, cycles 0 to 100000; threads 10 to 13, stacks as in causes_test.c.
 * timeout: 60 s
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
#include "tools/analysis/causes/locks.h"

#define TAKE 1
#define GIVE 2
#define WAIT 3
#define BOTH_CPUS 3

static struct mkexp *begin(const char *path)
{
    static const char *const name[] = {"A", "B", "C", "D"};
    struct mkexp *m = mkexp_new(path);

    mkexp_program(m, "locks.elf");
    mkexp_say(m, "knob account_us 500");
    for (unsigned n = 0; n < 4; n++)
        mkexp_thread(m, 10 + n, THREAD_IS_APP, name[n]);
    mkexp_thread(m, 1, THREAD_IS_IDLE, "idle.0");
    mkexp_thread(m, 2, THREAD_IS_IDLE, "idle.1");
    mkexp_frame(m, TAKE, 0, MKEXP_PC(mutex_lock, 8));
    mkexp_frame(m, GIVE, 0, MKEXP_PC(txn, 8));
    mkexp_frame(m, WAIT, 0, MKEXP_PC(worker, 8));
    return m;
}

static void runs(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread)
{
    mkexp_state(m, cpu, at, thread, STATE_USER, 0, 0);
}

static void wants(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                  uint32_t owner)
{
    mkexp_waits(m, cpu, at, thread, STATE_LOCK, OBJECT_KERNEL, 0x5000, owner,
                TAKE);
}

static void runnable(struct mkexp *m, unsigned cpu, uint64_t at,
                     uint32_t thread)
{
    mkexp_waits(m, cpu, at, thread, STATE_RUNNABLE, OBJECT_CPUS, BOTH_CPUS, 0,
                0);
}

static void let_go(struct mkexp *m, unsigned cpu, uint64_t at, uint32_t thread,
                   uint32_t waker)
{
    mkexp_wake(m, cpu, at, thread, waker, GIVE);
    runnable(m, cpu, at, thread);
}

struct found {
    struct recording r;
    struct scene scene;
    struct places places;
    struct locks l;
};

static void find(struct found *f, const char *path, uint64_t from, uint64_t to,
                 uint64_t least)
{
    char why[300];

    assert_true(recording_open(&f->r, path, why, sizeof why));
    recording_within(&f->r, from, to);
    scene_read(&f->scene, &f->r);
    places_open(&f->places, &f->r, &f->scene);
    locks_find(&f->l, &f->scene, &f->places, SCENE_NONE, least);
    assert_int_equal(f->r.problems.count, 0);
}

static void done(struct found *f)
{
    for (size_t n = 0; n < f->l.shown; n++) {
        const struct locks_lock *l = &f->l.lock[f->l.order[n]];
        uint64_t did = 0;

        for (unsigned k = 0; k < LOCKS_DID; k++)
            did += l->did[k];
        assert_int_equal(did, l->waits.cycles);
    }
    locks_free(&f->l);
    places_close(&f->places);
    scene_free(&f->scene);
    recording_close(&f->r);
}

static uint64_t at_place(const struct found *f, bool holds, const char *name)
{
    uint64_t cycles = 0;

    for (size_t n = 0; n < f->l.places; n++) {
        const struct locks_place *p = &f->l.place[n];
        uint32_t number = f->places.list[p->place].function[0];

        if (p->holds == holds && !strcmp(loadmap_name(&f->r.map, number), name))
            cycles += p->sum.cycles;
    }
    return cycles;
}

/* B (CPU 1) wants A's lock from 10000. A runs on CPU 0 to 20000, then C has the
 * CPU up to 80000; A has it again, waits for a time from 82000 to 85000, and
 * lets B go on at 90000; B runs to the end. B waits 80000: A ran 10000 + 2000 +
 * 5000, waited 3000, had no CPU 60000. */
static void inverted(const char *path, bool c_wants_it)
{
    struct mkexp *m = begin(path);

    runs(m, 0, 0, 10);
    runs(m, 1, 0, 11);
    runnable(m, 0, 0, 12);
    wants(m, 1, 10000, 11, 10);
    runnable(m, 0, 20000, 10);
    runs(m, 0, 20000, 12);
    if (c_wants_it)
        wants(m, 0, 80000, 12, 10);
    else
        mkexp_state(m, 0, 80000, 12, STATE_ENDED, 0, 0);
    runs(m, 0, 80000, 10);
    mkexp_state(m, 0, 82000, 10, STATE_TIMER, 0, WAIT);
    mkexp_wake(m, 0, 85000, 10, 0, 0);
    runnable(m, 0, 85000, 10);
    runs(m, 0, 85000, 10);
    let_go(m, 1, 90000, 11, 10);
    runs(m, 1, 90000, 11);
    mkexp_state(m, 0, 90000, 10, STATE_ENDED, 0, 0);
    mkexp_close(m, 1);
}

static void a_holder_without_a_cpu_is_an_inversion(void **state)
{
    const char *path = scratch_path();
    const struct locks_lock *l;
    struct found f;

    (void)state;
    inverted(path, false);
    find(&f, path, 0, UINT64_MAX, 0);
    assert_int_equal(f.l.shown, 1);
    l = &f.l.lock[f.l.order[0]];
    assert_int_equal(l->waits.times, 1);
    assert_int_equal(l->waits.longest, 80000);
    assert_int_equal(l->holds.cycles, 80000);
    assert_int_equal(l->did[LOCKS_RAN], 17000);
    assert_int_equal(l->did[LOCKS_WAITED], 3000);
    assert_int_equal(l->did[LOCKS_NO_CPU], 60000);
    assert_int_equal(f.scene.thread[l->displaced_by].id, 12);
    assert_int_equal(l->displaced, 60000);
    assert_true(locks_is_inverted(l));
    /* The path: B from 90000 on, and A down to 0, of which 80000 while B waits
     * for the lock. */
    assert_int_equal(f.l.path, 100000);
    assert_int_equal(l->path, 80000);
    assert_int_equal(at_place(&f, false, "mutex_lock"), 80000);
    assert_int_equal(at_place(&f, true, "txn"), 80000);
    done(&f);
}

/* C's 20000 cycles of waiting at the end, to the run's, are waits as well; and
 * what it does in A's place is no inversion, since it wants the lock. */
static void who_wants_the_lock_inverts_nothing(void **state)
{
    const char *path = scratch_path();
    const struct locks_lock *l;
    struct found f;

    (void)state;
    inverted(path, true);
    find(&f, path, 0, UINT64_MAX, 0);
    l = &f.l.lock[f.l.order[0]];
    assert_int_equal(l->waits.times, 2);
    assert_int_equal(l->waits.cycles, 100000);
    assert_int_equal(l->did[LOCKS_NO_CPU], 60000);
    assert_int_equal(l->displaced, 0);
    assert_false(locks_is_inverted(l));
    done(&f);
}

static void short_waits_are_left_out_and_said(void **state)
{
    const char *path = scratch_path();
    struct found f;

    (void)state;
    inverted(path, true);
    find(&f, path, 0, UINT64_MAX, 20001);
    assert_int_equal(f.l.all.times, 1);
    assert_int_equal(f.l.all.cycles, 80000);
    assert_int_equal(f.l.short_, 1);
    assert_int_equal(f.l.below, 20000);
    done(&f);
    find(&f, path, 0, UINT64_MAX, 80001);
    assert_int_equal(f.l.shown, 0);
    assert_int_equal(f.l.below, 100000);
    done(&f);
}

static void intervals_of_waits_add_up(void **state)
{
    const char *path = scratch_path();
    uint64_t waited = 0, held = 0, no_cpu = 0;
    struct found f;

    (void)state;
    inverted(path, false);
    for (uint64_t from = 0; from < MKEXP_END; from += 12500) {
        find(&f, path, from, from + 12500, 0);
        waited += f.l.all.cycles;
        held += f.l.lock[0].holds.cycles;
        no_cpu += f.l.lock[0].did[LOCKS_NO_CPU];
        done(&f);
    }
    assert_int_equal(waited, 80000);
    assert_int_equal(held, 80000);
    assert_int_equal(no_cpu, 60000);
}

/* Three threads, one of which has a kernel's lock and two wait. Every 1000
 * cycles the one that has it lets the next one go and wants it anew: who is let
 * go on is on its way for `way`, and then has it. */
static void hand_round(const char *path, uint64_t way)
{
    struct mkexp *m = begin(path);

    runs(m, 0, 0, 10);
    wants(m, 1, 10, 11, 10);
    wants(m, 1, 20, 12, 10);
    for (unsigned n = 0; n < 20; n++) {
        uint64_t at = 1000 * (n + 1);
        uint32_t has = 10 + n % 3, next = 10 + (n + 1) % 3;

        let_go(m, 1, at, next, has);
        wants(m, 0, at, has, next);
        runs(m, 1, at + way, next);
    }
    mkexp_close(m, 1);
}

static void
handing_over_that_takes_longer_than_holding_is_a_convoy(void **state)
{
    static const struct {
        uint64_t way;
        bool convoy;
    } row[] = {{700, true}, {500, true}, {300, false}};

    (void)state;
    for (unsigned n = 0; n < 3; n++) {
        const char *path = scratch_path();
        const struct locks_convoy *c;
        struct found f;

        hand_round(path, row[n].way);
        find(&f, path, 0, UINT64_MAX, 0);
        c = &f.l.convoy[0];
        /* 20 waits ended. The first holder had not waited, and B not yet when A
         * was let go on: of 20 the other 19 are passes. */
        assert_int_equal(c->waits, 20);
        assert_int_equal(c->passes, 19);
        assert_int_equal(c->longest, 19);
        assert_int_equal(c->handing, 19 * row[n].way);
        assert_int_equal(c->held, 19 * (1000 - row[n].way));
        assert_int_equal(locks_is_convoy(c), row[n].convoy);
        /* From 10 on somebody waits: 990 and 19 times 1000 until let go. */
        assert_int_equal(f.l.lock[0].holds.times, 20);
        assert_int_equal(f.l.lock[0].holds.cycles, 19990);
        done(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_holder_without_a_cpu_is_an_inversion),
        cmocka_unit_test(who_wants_the_lock_inverts_nothing),
        cmocka_unit_test(short_waits_are_left_out_and_said),
        cmocka_unit_test(intervals_of_waits_add_up),
        cmocka_unit_test(
            handing_over_that_takes_longer_than_holding_is_a_convoy),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
