/* polls_test.c - a thread that sleeps again and again until another one has
 * written a word, played through again with that one faster. The records are
 * made by hand, and what must come out was worked out on paper.
 *
 * Two CPUs, cycles 0 to 100000. A, thread 10, on CPU 0, sleeps for 10000 cycles
 * from 10000 on, and looks for 10 cycles after each, five times; the last sleep
 * ends at 60040, and A ends at 90000. B, thread 11, on CPU 1, all of it in
 * `producer`, writes the word at 60000 and ends at 70000.
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
#include "tools/analysis/retime/retime.h"

#define A 10
#define B 11
#define SLEEPS 5
#define IN 10 /* cycles of a function that takes a lock, or gives it back */

/* B has the word for a lock from `b_takes` on; A tries to take it between these
 * sleeps. `a_had`: it has it already. 0: they do not. */
struct lock {
    uint64_t b_takes, a_had;
};

static void take(struct mkexp *m, uint64_t at, uint32_t thread)
{
    mkexp_lock(m, thread - A, at, thread, LOCK_TAKEN, MKEXP_WORD, IN);
}

static void give(struct mkexp *m, uint64_t at, uint32_t thread)
{
    mkexp_lock(m, thread - A, at + IN, thread, LOCK_GIVEN, MKEXP_WORD, IN);
}

/* The record of it says that B wrote the word `ago` cycles before 60100. */
static const char *recorded_with(struct lock lock, uint32_t writer,
                                 uint32_t since, uint32_t ago)
{
    const char *path = scratch_path();
    struct mkexp *m = mkexp_new(path);

    mkexp_program(m, "polls.elf");
    mkexp_say(m, "knob account_us 500");
    mkexp_say(m, "record-locks");
    mkexp_thread(m, A, THREAD_IS_APP, "A");
    mkexp_thread(m, B, THREAD_IS_APP, "B");
    mkexp_spent(m, 1, MKEXP_END, B, MKEXP_PC(producer, 8), REASON_complete,
                UINT64_C(12) * 70000);
    mkexp_state(m, 0, 0, A, STATE_USER, 0, 0);
    mkexp_state(m, 1, 0, B, STATE_USER, 0, 0);
    if (lock.a_had)
        take(m, lock.a_had, A);
    if (lock.b_takes)
        take(m, lock.b_takes, B);
    for (unsigned n = 0; n < SLEEPS; n++) {
        mkexp_waits(m, 0, 10000 + 10010 * n, A, STATE_TIMER, OBJECT_NONE, 0, 0,
                    0);
        mkexp_state(m, 0, 20000 + 10010 * n, A, STATE_USER, 0, 0);
    }
    if (lock.b_takes)
        give(m, 60000, B);
    if (lock.b_takes || lock.a_had)
        take(m, 60050, A);
    mkexp_poll(m, 0, 60100, A, writer, since, 55, ago,
               lock.b_takes || lock.a_had);
    if (lock.b_takes || lock.a_had)
        give(m, 65000, A);
    mkexp_state(m, 1, 70000, B, STATE_ENDED, 0, 0);
    mkexp_state(m, 0, 90000, A, STATE_ENDED, 0, 0);
    mkexp_close(m, 1);
    return path;
}

static const char *recorded(uint32_t writer, uint32_t since, uint32_t ago)
{
    return recorded_with((struct lock){0, 0}, writer, since, ago);
}

static uint64_t predict(const char *path, const char *spec,
                        enum retime_doubt *doubt)
{
    struct retime_change change = retime_change_none();
    struct recording r;
    struct scene scene;
    struct retime *g;
    struct retime_prediction p;
    char why[300];

    assert_true(recording_open(&r, path, why, sizeof why));
    recording_within(&r, 0, UINT64_MAX);
    scene_read(&scene, &r);
    g = retime_open(&scene, UINT64_MAX);
    if (spec)
        assert_true(retime_change_add(&change, spec, why, sizeof why));
    assert_true(retime_predict(g, &change, &p, why, sizeof why));
    *doubt = retime_doubt(g, &change, &p);
    retime_close(g);
    scene_free(&scene);
    recording_close(&r);
    return p.elapsed;
}

/* With half of its time B writes at 30000, and A sees that at 30010, two sleeps
 * instead of five: 30030 cycles less. With 0.9 it is at 54000, and the same
 * sleep as before. With twice its time B writes at 120000: the eleventh sleep
 * ends at 120100, 60060 later. */
static void it_sleeps_as_often_as_it_must(void **state)
{
    const char *path = recorded(B, 60100 - 9990, 100);
    enum retime_doubt doubt;

    (void)state;
    assert_int_equal(predict(path, NULL, &doubt), MKEXP_END);
    assert_int_equal(predict(path, "func:producer=x0.5", &doubt),
                     MKEXP_END - 30030);
    assert_int_equal(doubt, RETIME_HOLDS);
    assert_int_equal(predict(path, "func:producer=x0.9", &doubt), MKEXP_END);
    assert_int_equal(predict(path, "func:producer=x2", &doubt),
                     MKEXP_END + 60060);
}

/* B is done before A looks: it never sleeps, and has what it ran until then. */
static void it_need_not_sleep(void **state)
{
    enum retime_doubt doubt;

    (void)state;
    assert_int_equal(
        predict(recorded(B, 60100 - 9990, 100), "func:producer=x0.1", &doubt),
        MKEXP_END - 50040);
}

/* A record that cannot be true says nothing: A sleeps as often as it did. */
static void a_damaged_record_is_none(void **state)
{
    static const struct {
        uint32_t writer, since, ago;
    } bad[] = {{A, 60100 - 9990, 100},  /* by itself */
               {99, 60100 - 9990, 100}, /* by a thread without records */
               {B, 60100 - 9990, 40},   /* behind the end of the last sleep */
               {B, 200, 5000},          /* in front of the first */
               {B, 150, 100}};          /* there is no sleep */

    (void)state;
    for (size_t n = 0; n < sizeof bad / sizeof *bad; n++) {
        enum retime_doubt doubt;

        assert_int_equal(
            predict(recorded(bad[n].writer, bad[n].since, bad[n].ago),
                    "func:producer=x0.5", &doubt),
            MKEXP_END);
    }
}

/* The word is a lock, which B has from 2000 to 60000; A tries to take it. The
 * same as above, with 10 cycles for that behind the last sleep. In a tenth of
 * its time B gives it back at 6000: A takes it at 10000, not at 60050. */
static void it_tries_as_often_as_it_must(void **state)
{
    const char *path =
        recorded_with((struct lock){2000, 0}, B, 60100 - 9990, 100);
    enum retime_doubt doubt;

    (void)state;
    assert_int_equal(predict(path, NULL, &doubt), MKEXP_END);
    assert_int_equal(predict(path, "func:producer=x0.5", &doubt),
                     MKEXP_END - 30030);
    assert_int_equal(predict(path, "func:producer=x0.9", &doubt), MKEXP_END);
    assert_int_equal(predict(path, "func:producer=x2", &doubt),
                     MKEXP_END + 60060);
    assert_int_equal(predict(path, "func:producer=x0.1", &doubt),
                     MKEXP_END - 50050);
}

/* B gives it back from 30015 on, which takes 10 cycles. A, which takes as long,
 * has not found it free when it would have had it at 30020, but 10010 later. */
static void it_looks_in_the_middle(void **state)
{
    const char *path =
        recorded_with((struct lock){2000, 0}, B, 60100 - 9990, 100);
    enum retime_doubt doubt;

    (void)state;
    assert_int_equal(predict(path, "func:producer=x0.50025", &doubt),
                     MKEXP_END - 20020);
}

/* A has the lock that it is said to try: it waits for B as for any word. */
static void its_own_lock_is_not_tried(void **state)
{
    const char *path =
        recorded_with((struct lock){0, 8000}, B, 60100 - 9990, 100);
    enum retime_doubt doubt;

    (void)state;
    assert_int_equal(predict(path, NULL, &doubt), MKEXP_END);
    assert_int_equal(predict(path, "func:producer=x0.5", &doubt),
                     MKEXP_END - 30030);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_sleeps_as_often_as_it_must),
        cmocka_unit_test(it_need_not_sleep),
        cmocka_unit_test(it_tries_as_often_as_it_must),
        cmocka_unit_test(it_looks_in_the_middle),
        cmocka_unit_test(its_own_lock_is_not_tried),
        cmocka_unit_test(a_damaged_record_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, scratch_clean);
}
