/* active_test.c - active time of tables made by hand, and of a small world
 * simulated instant by instant that knows the truth (ACT-01 to ACT-53). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/active/active.h"

enum { F, G, S };

static void probe(struct active_tables *t, uint64_t time, uint32_t thread,
                  enum active_event event, uint32_t portion)
{
    t->timer = realloc(t->timer, (t->timers + 1) * sizeof *t->timer);
    t->timer[t->timers++] = (struct active_timer){.time = time,
                                                  .overhead = ACTIVE_BY_TYPE,
                                                  .thread = thread,
                                                  .portion = portion,
                                                  .event = event};
}

static void change(struct active_tables *t, uint64_t time, uint32_t old,
                   uint32_t new)
{
    t->change = realloc(t->change, (t->changes + 1) * sizeof *t->change);
    t->change[t->changes++] = (struct active_switch){time, old, new};
}

static struct active_tables costs(uint64_t enter, uint64_t leave)
{
    return (struct active_tables){
        .overhead = {enter, leave, ACTIVE_BY_TYPE, ACTIVE_BY_TYPE}};
}

static struct active_thread solve(struct active_tables *t, uint32_t thread)
{
    struct active_thread a;
    enum active_event missing;

    assert_true(active_read(&a, t, thread, &missing));
    for (size_t i = 0; i < a.calls; i++) {
        const struct active_sums *s = &a.call[i].sums;

        assert_int_equal(s->elapsed, a.call[i].to - a.call[i].from);
        assert_int_equal(s->elapsed, s->out + s->overhead + s->active);
        assert_true(a.call[i].exclusive <= s->active);
    }
    return a;
}

/* The active time of the n-th complete call, and be done. */
static uint64_t active(struct active_tables *t, uint32_t thread, size_t n)
{
    struct active_thread a = solve(t, thread);
    uint64_t sum;

    assert_true(n < a.calls);
    sum = a.call[n].sums.active;
    active_free(&a);
    active_tables_free(t);
    return sum;
}

static void elapsed_less_the_begin_probe_without_switches(void **state)
{
    struct active_tables t = costs(3, 1000); /* the end costs nothing */

    (void)state;
    probe(&t, 100, 1, ACTIVE_ENTER, F);
    probe(&t, 900, 1, ACTIVE_EXIT, F);
    assert_int_equal(active(&t, 1, 0), 797);
}

static void probes_inside_all_cost(void **state)
{
    struct active_tables t = costs(3, 2);

    (void)state;
    probe(&t, 0, 1, ACTIVE_ENTER, F);
    for (uint64_t i = 1; i <= 10; i++) {
        probe(&t, i * 100, 1, ACTIVE_ENTER, G);
        probe(&t, i * 100 + 50, 1, ACTIVE_EXIT, G);
    }
    probe(&t, 2000, 1, ACTIVE_EXIT, F);
    assert_int_equal(active(&t, 1, 0), 2000 - 3 - 10 * 5);
}

static void switches_outside_do_not_count(void **state)
{
    struct active_tables t = costs(3, 2);

    (void)state;
    change(&t, 10, 1, 2);
    change(&t, 90, 2, 1);
    probe(&t, 100, 1, ACTIVE_ENTER, F);
    probe(&t, 200, 1, ACTIVE_EXIT, F);
    change(&t, 210, 1, 2);
    assert_int_equal(active(&t, 1, 0), 97);
}

static void what_is_cut_off_is_closed_at_the_ends(void **state)
{
    struct active_tables t = costs(0, 0);
    struct active_thread a;

    (void)state;
    change(&t, 50, 2, 1);  /* out before anything was recorded */
    change(&t, 300, 1, 2); /* never comes back */
    probe(&t, 100, 1, ACTIVE_ENTER, F);
    probe(&t, 400, 1, ACTIVE_EXIT, F); /* while out: impossible */
    a = solve(&t, 1);
    assert_int_equal(a.call[0].sums.out, 100);
    assert_int_equal(a.call[0].sums.active, 200);
    assert_int_equal(a.impossible, 1);
    assert_int_equal(active_between(&a, 0, 100).out, 50);
    active_free(&a);
    active_tables_free(&t);
}

static void a_switch_inside_a_probe_counts_once(void **state)
{
    struct active_tables t = costs(10, 2);
    struct active_thread a;
    struct active_piece piece[4];

    (void)state;
    probe(&t, 100, 1, ACTIVE_ENTER, F);
    change(&t, 101, 1, 2);
    change(&t, 151, 2, 1);
    probe(&t, 300, 1, ACTIVE_EXIT, F);
    a = solve(&t, 1);
    assert_int_equal(a.call[0].sums.out, 50);
    assert_int_equal(a.call[0].sums.overhead, 10);
    assert_int_equal(a.call[0].sums.active, 140);
    assert_int_equal(active_list(&a, 100, 300, true, piece, 4), 2);
    assert_int_equal(piece[0].to, 101);
    assert_int_equal(piece[1].from, 151);
    assert_int_equal(piece[1].to, 160);
    /* Lists are cut to what is asked about. */
    assert_int_equal(active_list(&a, 120, 140, false, piece, 4), 1);
    assert_int_equal(piece[0].from, 120);
    assert_int_equal(piece[0].to, 140);
    assert_int_equal(active_list(&a, 160, 300, true, piece, 4), 0);
    active_free(&a);
    active_tables_free(&t);
}

static void never_negative_however_much_probes_cost(void **state)
{
    struct active_tables t = costs(1000000, 1000000);

    (void)state;
    probe(&t, 100, 1, ACTIVE_ENTER, F);
    probe(&t, 120, 1, ACTIVE_ENTER, G);
    change(&t, 125, 1, 2);
    change(&t, 135, 2, 1);
    probe(&t, 140, 1, ACTIVE_EXIT, G);
    probe(&t, 200, 1, ACTIVE_EXIT, F);
    assert_int_equal(active(&t, 1, 0), 0);
}

static void a_thread_may_go_from_one_processor_to_another(void **state)
{
    (void)state;
    /* Records of two processors at one instant, in either order. */
    for (int order = 0; order < 2; order++) {
        struct active_tables t = costs(0, 0);
        struct active_thread a;

        probe(&t, 100, 1, ACTIVE_ENTER, F);
        if (order)
            change(&t, 150, 7, 1);
        change(&t, 150, 1, 2);
        if (!order)
            change(&t, 150, 7, 1);
        change(&t, 160, 1, 7);
        change(&t, 170, 2, 1);
        probe(&t, 200, 1, ACTIVE_EXIT, F);
        a = solve(&t, 1);
        assert_int_equal(a.call[0].sums.out, 10);
        assert_int_equal(a.misplaced, 0);
        active_free(&a);
        active_tables_free(&t);
    }
}

static void recursion_is_counted_once(void **state)
{
    struct active_tables t = costs(0, 0);
    struct active_thread a;
    uint64_t exclusive = 0;

    (void)state;
    probe(&t, 0, 1, ACTIVE_ENTER, F);
    probe(&t, 10, 1, ACTIVE_ENTER, F);
    probe(&t, 20, 1, ACTIVE_EXIT, F);
    probe(&t, 100, 1, ACTIVE_EXIT, F);
    a = solve(&t, 1);
    assert_int_equal(a.calls, 2);
    assert_int_equal(a.call[0].within, 0);
    assert_int_equal(a.call[1].within, 1);
    assert_int_equal(a.call[1].parent, 0);
    for (size_t i = 0; i < a.calls; i++)
        exclusive += a.call[i].exclusive;
    assert_int_equal(exclusive, 100);
    active_free(&a);
    active_tables_free(&t);
}

static void begins_and_ends_that_do_not_fit_are_told(void **state)
{
    struct active_tables t = costs(0, 0);
    struct active_thread a;

    (void)state;
    probe(&t, 5, 1, ACTIVE_EXIT, S); /* never begun */
    probe(&t, 10, 1, ACTIVE_ENTER, F);
    probe(&t, 20, 1, ACTIVE_ENTER, G); /* left by a long jump */
    probe(&t, 30, 1, ACTIVE_EXIT, F);
    probe(&t, 40, 1, ACTIVE_ENTER, F); /* the records end */
    change(&t, 50, 1, 2);
    change(&t, 60, 1, 2);
    a = solve(&t, 1);
    assert_int_equal(a.calls, 1);
    assert_int_equal(a.call[0].sums.active, 20);
    assert_int_equal(a.unbegun, 1);
    assert_int_equal(a.crossed, 1);
    assert_int_equal(a.open, 1);
    assert_int_equal(a.misplaced, 1);
    active_free(&a);
    active_tables_free(&t);
}

/* F was left by a long jump at once; later it ran as it should. */
static void what_never_ends_is_around_nothing(void **state)
{
    struct active_tables t = costs(0, 0);
    struct active_thread a;

    (void)state;
    probe(&t, 10, 1, ACTIVE_ENTER, F);
    probe(&t, 20, 1, ACTIVE_ENTER, F);
    probe(&t, 22, 1, ACTIVE_ENTER, F); /* recursion */
    probe(&t, 25, 1, ACTIVE_EXIT, F);
    probe(&t, 30, 1, ACTIVE_EXIT, F);
    probe(&t, 40, 1, ACTIVE_ENTER, F);
    probe(&t, 50, 1, ACTIVE_EXIT, F);
    a = solve(&t, 1);
    assert_int_equal(a.open, 1);
    assert_int_equal(a.calls, 3);
    assert_int_equal(a.call[0].within, 0);
    assert_int_equal(a.call[1].within, 1);
    assert_int_equal(a.call[1].depth, 1);
    assert_int_equal(a.call[2].within, 0);
    active_free(&a);
    active_tables_free(&t);
}

static void a_type_without_a_cost_is_an_error(void **state)
{
    struct active_tables t = costs(3, 2);
    struct active_thread a;
    enum active_event missing;

    (void)state;
    probe(&t, 0, 1, ACTIVE_BEGIN, S);
    probe(&t, 10, 1, ACTIVE_END, S);
    assert_false(active_read(&a, &t, 1, &missing));
    assert_int_equal(missing, ACTIVE_BEGIN);
    active_free(&a);
    t.timer[0].overhead = t.timer[1].overhead = 4; /* its own: all is well */
    assert_int_equal(active(&t, 1, 0), 6);
}

/* ---- a small world ------------------------------------------------------- */

#define THREADS 5
#define CPUS 2
#define INSTANTS 4000
#define DEPTH 6

/* What a thread does, and what really happened in it. */
struct world_thread {
    unsigned depth;
    unsigned busy;         /* instants its probe still takes */
    uint64_t truth[DEPTH]; /* active in each open call */
    uint64_t begun[DEPTH];
    int cpu; /* -1: on none */
};

struct expected {
    uint32_t thread;
    uint64_t from, active;
};

/* One instant of a thread that runs. */
static void run(struct active_tables *t, struct world_thread *w, uint32_t id,
                uint64_t now, struct expected *e, size_t *count)
{
    int what = rand() % 12;
    unsigned cost = 1 + (unsigned)rand() % 5;

    if (!w->busy && what == 0 && w->depth < DEPTH) {
        w->begun[w->depth] = now;
        w->truth[w->depth] = 0;
        w->depth++;
        w->busy = cost;
        probe(t, now, id, ACTIVE_ENTER, (uint32_t)w->depth);
        t->timer[t->timers - 1].overhead = cost;
    } else if (!w->busy && what == 1 && w->depth) {
        w->busy = cost;
        probe(t, now, id, ACTIVE_EXIT, (uint32_t)w->depth);
        t->timer[t->timers - 1].overhead = cost;
        w->depth--;
        e[(*count)++] =
            (struct expected){id, w->begun[w->depth], w->truth[w->depth]};
    }
    if (w->busy)
        w->busy--;
    else
        for (unsigned i = 0; i < w->depth; i++)
            w->truth[i]++;
}

static void maybe_switch(struct active_tables *t, struct world_thread *w,
                         uint32_t *on, int cpu, uint64_t now)
{
    uint32_t next = (uint32_t)rand() % THREADS;

    if (rand() % 20 || w[next].cpu >= 0)
        return;
    change(t, now, on[cpu], next);
    w[on[cpu]].cpu = -1;
    w[next].cpu = cpu;
    on[cpu] = next;
}

static void shuffle(struct active_tables *t)
{
    for (size_t i = t->timers; i > 1; i--) {
        size_t k = (size_t)rand() % i;
        struct active_timer x = t->timer[i - 1];

        t->timer[i - 1] = t->timer[k];
        t->timer[k] = x;
    }
}

static void what_it_says_is_what_happened(void **state)
{
    static struct expected e[INSTANTS * CPUS];

    (void)state;
    for (unsigned seed = 1; seed <= 30; seed++) {
        struct active_tables t = costs(ACTIVE_BY_TYPE, ACTIVE_BY_TYPE);
        struct world_thread w[THREADS] = {{.cpu = 0}, {.cpu = 1}};
        uint32_t on[CPUS] = {0, 1};
        size_t count = 0, seen = 0;

        srand(seed);
        for (unsigned i = CPUS; i < THREADS; i++)
            w[i].cpu = -1;
        for (uint64_t now = 1; now < INSTANTS; now++)
            for (int cpu = 0; cpu < CPUS; cpu++) {
                maybe_switch(&t, w, on, cpu, now);
                run(&t, &w[on[cpu]], on[cpu], now, e, &count);
            }
        shuffle(&t);
        for (uint32_t id = 0; id < THREADS; id++) {
            struct active_thread a = solve(&t, id);

            assert_int_equal(a.misplaced + a.impossible + a.unbegun, 0);
            for (size_t i = 0; i < count; i++)
                for (size_t k = 0; k < a.calls; k++)
                    if (e[i].thread == id && a.call[k].from == e[i].from) {
                        assert_int_equal(a.call[k].sums.active, e[i].active);
                        seen++;
                    }
            active_free(&a);
        }
        assert_true(count > 50);
        assert_int_equal(seen, count);
        active_tables_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elapsed_less_the_begin_probe_without_switches),
        cmocka_unit_test(probes_inside_all_cost),
        cmocka_unit_test(switches_outside_do_not_count),
        cmocka_unit_test(what_is_cut_off_is_closed_at_the_ends),
        cmocka_unit_test(a_switch_inside_a_probe_counts_once),
        cmocka_unit_test(never_negative_however_much_probes_cost),
        cmocka_unit_test(a_thread_may_go_from_one_processor_to_another),
        cmocka_unit_test(recursion_is_counted_once),
        cmocka_unit_test(begins_and_ends_that_do_not_fit_are_told),
        cmocka_unit_test(what_never_ends_is_around_nothing),
        cmocka_unit_test(a_type_without_a_cost_is_an_error),
        cmocka_unit_test(what_it_says_is_what_happened),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
