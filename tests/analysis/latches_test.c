/* latches_test.c - a recording with locks that were free, played through again
 * with one thread faster: what it then has to wait for, or need not. The
 * records are made by hand, and what must come out was worked out on paper.
 *
 * Two CPUs, cycles 0 to 100000; A, thread 10, runs on CPU 0, B, thread 11, on
 * CPU 1. All that B runs is in `producer`; there are no samples.
 * timeout: 60 s
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "pmu/oracle.h"
#include "tests/lib/mkexp.h"
#include "tests/lib/scratch.h"
#include "tools/analysis/causes/locks.h"
#include "tools/analysis/retime/retime.h"

#define A 10
#define B 11
#define LOCK 0x5000
#define IN 10 /* cycles in a function of locks */

static struct mkexp *begin(const char *path, uint64_t b_runs)
{
    struct mkexp *m = mkexp_new(path);

    mkexp_program(m, "latches.elf");
    mkexp_say(m, "knob account_us 500");
    mkexp_say(m, "record-locks");
    mkexp_thread(m, A, THREAD_IS_APP, "A");
    mkexp_thread(m, B, THREAD_IS_APP, "B");
    mkexp_spent(m, 1, MKEXP_END, B, MKEXP_PC(producer, 8), REASON_complete,
                12 * b_runs);
    mkexp_state(m, 0, 0, A, STATE_USER, 0, 0);
    mkexp_state(m, 1, 0, B, STATE_USER, 0, 0);
    return m;
}

static void takes(struct mkexp *m, uint64_t at, uint32_t thread, uint32_t since)
{
    mkexp_lock(m, thread - A, at, thread, LOCK_TAKEN, LOCK, since);
}

static void gives(struct mkexp *m, uint64_t at, uint32_t thread)
{
    mkexp_lock(m, thread - A, at + IN, thread, LOCK_GIVEN, LOCK, IN);
}

static void ends(struct mkexp *m, uint64_t at, uint32_t thread)
{
    mkexp_state(m, thread - A, at, thread, STATE_ENDED, 0, 0);
}

/* The run with `spec`; its locks are in *taken. */
static uint64_t predict(const char *path, const char *spec,
                        struct locks_sum *taken)
{
    struct retime_change change = retime_change_none();
    struct recording r;
    struct scene scene;
    struct places places;
    struct locks locks;
    struct retime *g;
    struct retime_prediction p;
    char why[300];

    assert_true(recording_open(&r, path, why, sizeof why));
    recording_within(&r, 0, UINT64_MAX);
    scene_read(&scene, &r);
    places_open(&places, &r, &scene);
    locks_find(&locks, &scene, &places, SCENE_NONE, 0);
    assert_int_equal(locks.known, 1);
    *taken = locks.lock[0].taken;
    g = retime_open(&scene, UINT64_MAX);
    assert_int_equal(retime_recorded(g), MKEXP_END);
    if (spec)
        assert_true(retime_change_add(&change, spec, why, sizeof why));
    assert_true(retime_predict(g, &change, &p, why, sizeof why));
    assert_int_equal(r.problems.count, 0);
    retime_close(g);
    locks_free(&locks);
    places_close(&places);
    scene_free(&scene);
    recording_close(&r);
    return p.elapsed;
}

/* A has the lock from 20000 to 40000, B from 50000 to 60000: it is free. With
 * half of its time B comes to it at 25000, waits until 40000 and as long as it
 * takes A to let it go on, has it for 5000 and goes on for 20000. */
static void who_comes_early_waits(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path, MKEXP_END);
    struct locks_sum taken;

    (void)state;
    takes(m, 20000, A, IN);
    gives(m, 40000, A);
    takes(m, 50000, B, IN);
    ends(m, 58000, A);
    gives(m, 60000, B);
    ends(m, MKEXP_END, B);
    mkexp_close(m, 1);
    assert_int_equal(predict(path, NULL, &taken), MKEXP_END);
    assert_int_equal(taken.times, 2);
    assert_int_equal(taken.cycles, 30000);
    assert_int_equal(taken.longest, 20000);
    assert_int_equal(predict(path, "func:producer=x0.5", &taken), 65000 + IN);
    assert_int_equal(predict(path, "func:producer=x1", &taken), MKEXP_END);
    /* At 45000 it is free. */
    assert_int_equal(predict(path, "func:producer=x0.9", &taken), 90000);
}

/* A takes the lock at 30000 and gives it back at 50000; B has waited for it
 * since 40000, and has it from 50030 to 70030. With a quarter of its time B
 * comes at 10000, when it is free, and gives it back by 16000: neither waits,
 * and A ends last. With nothing changed the same is played 10 cycles too short,
 * by what taking the lock takes in the middle: 6 of 60000 are added. If B
 * waited for A as recorded, it would end at 50020 + 12495. */
static void who_comes_first_need_not_wait(void **state)
{
    const char *path = scratch_path();
    struct mkexp *m = begin(path, MKEXP_END - 10020);
    struct locks_sum taken;

    (void)state;
    takes(m, 30000, A, IN);
    mkexp_waits(m, 1, 40000, B, STATE_LOCK, OBJECT_USER, LOCK, A, 0);
    mkexp_wake(m, 0, 50005, B, A, 0);
    mkexp_waits(m, 1, 50010, B, STATE_RUNNABLE, OBJECT_CPUS, 3, 0, 0);
    gives(m, 50000, A);
    mkexp_state(m, 1, 50020, B, STATE_USER, 0, 0);
    takes(m, 50030, B, 50030 - 39990);
    ends(m, 60000, A);
    gives(m, 70030, B);
    ends(m, MKEXP_END, B);
    mkexp_close(m, 1);
    assert_int_equal(predict(path, NULL, &taken), MKEXP_END);
    assert_int_equal(taken.cycles, 40000);
    assert_int_equal(predict(path, "func:producer=x0.25", &taken), 60000 + 6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(who_comes_early_waits),
        cmocka_unit_test(who_comes_first_need_not_wait),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
