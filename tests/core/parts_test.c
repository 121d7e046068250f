/* parts_test.c - cache tags, bus calendar, snoops and predictors, each alone.
 */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <string.h>

#include "sim/core/detailed/predict.h"
#include "sim/core/timebase.h"
#include "sim/mem/bus.h"
#include "sim/mem/cache.h"

static void later_request_for_an_earlier_cycle_gets_the_gap(void **state)
{
    struct calendar c = {0};

    (void)state;
    assert_int_equal(calendar_book(&c, 100, 10), 100);
    assert_int_equal(calendar_book(&c, 50, 10), 50);
    assert_int_equal(calendar_book(&c, 50, 10), 60);  /* behind the second */
    assert_int_equal(calendar_book(&c, 65, 40), 110); /* no gap that long */
    assert_int_equal(calendar_book(&c, 65, 30), 70);  /* one that fits */
    assert_int_equal(calendar_book(&c, 0, 50), 0);
    assert_int_equal(calendar_book(&c, 0, 1), 150); /* all is taken */
}

static void full_calendar_forgets_the_oldest(void **state)
{
    struct calendar c = {0};
    unsigned k;

    (void)state;
    for (k = 0; k < 3 * CALENDAR; k++)
        assert_int_equal(calendar_book(&c, 100 * k, 10), 100 * k);
    assert_int_equal(calendar_book(&c, 100 * (k - 1), 10), 100 * (k - 1) + 10);
}

static void least_recently_used_line_is_replaced(void **state)
{
    struct cache c;
    struct line *l;
    pa_t stride = 32 * 1024 / 4;
    unsigned k;

    (void)state;
    assert_true(cache_init(&c, 32, 4, 32));
    assert_int_equal(c.sets, 256);
    for (k = 0; k < 4; k++)
        cache_place(&c, cache_victim(&c, k * stride), k * stride, MESI_E);
    cache_touch(&c, cache_find(&c, 0));
    assert_int_equal(cache_victim(&c, 4 * stride)->tag, stride);
    l = cache_find(&c, 2 * stride);
    line_drop(l);
    assert_ptr_equal(cache_victim(&c, 4 * stride), l);
    assert_null(cache_find(&c, 2 * stride));
    cache_free(&c);
    assert_false(cache_init(&c, 24, 1, 32)); /* 768 sets */
}

static void words_arrive_critical_first_and_round(void **state)
{
    struct arrival arrival[2] = {{0}};
    struct cache c = {.bytes = 32, .arrival = arrival};

    (void)state;
    cache_arrive(&c, 1, cache_word(&c, 0x10), 100, 3);
    assert_int_equal(cache_usable(&c, 1, cache_word(&c, 0x10)), 100);
    assert_int_equal(cache_usable(&c, 1, cache_word(&c, 0x1C)), 103);
    assert_int_equal(cache_usable(&c, 1, cache_word(&c, 0x00)), 106);
    assert_int_equal(cache_usable(&c, 1, cache_word(&c, 0x08)), 109);
    assert_int_equal(cache_full(&c, 1), 109);
}

struct system {
    struct params params;
    struct bus bus;
    struct cache cache[3];
};

static void system_open(struct system *s)
{
    unsigned k;

    memset(s, 0, sizeof *s);
    params_default(&s->params);
    bus_init(&s->bus, &s->params, 3);
    for (k = 0; k < 3; k++) {
        assert_true(cache_init(&s->cache[k], 32, 4, 32));
        s->bus.dcache[k] = &s->cache[k];
    }
}

static void system_close(struct system *s)
{
    unsigned k;

    for (k = 0; k < 3; k++)
        cache_free(&s->cache[k]);
}

static void hold(struct system *s, unsigned cpu, enum mesi state)
{
    struct cache *c = &s->cache[cpu];

    cache_place(c, cache_victim(c, 0x1000), 0x1000, state);
}

/* What CPU 1, in `from`, is left with after CPU 0 asks `op`. */
static void mesi_step(enum mesi from, enum bus_op op, enum mesi to, bool pushed,
                      bool shared)
{
    struct system s;
    struct snooped a;
    struct line *l;

    system_open(&s);
    hold(&s, 1, from);
    a = bus_snoop(&s.bus, op, 0, 0x1008);
    l = cache_find(&s.cache[1], 0x1000);
    assert_int_equal(l ? l->state : MESI_I, to);
    assert_int_equal(a.pushed, pushed ? 2 : 0);
    assert_int_equal(a.hit, 2);
    assert_int_equal(a.seen, 6);
    assert_int_equal(a.shared, shared);
    system_close(&s);
}

static void snoops_follow_mesi(void **state)
{
    (void)state;
    mesi_step(MESI_M, BUS_READ, MESI_S, true, true);
    mesi_step(MESI_E, BUS_READ, MESI_S, false, true);
    mesi_step(MESI_S, BUS_READ, MESI_S, false, true);
    mesi_step(MESI_M, BUS_RWITM, MESI_I, true, false);
    mesi_step(MESI_S, BUS_RWITM, MESI_I, false, false);
    mesi_step(MESI_S, BUS_KILL, MESI_I, false, false);
    mesi_step(MESI_M, BUS_CLEAN, MESI_S, true, true);
    mesi_step(MESI_M, BUS_FLUSH, MESI_I, true, false);
}

/* A single and a sync are nobody's business. */
static void what_is_not_snooped_leaves_states_alone(void **state)
{
    const enum bus_op ops[] = {BUS_SINGLE, BUS_SYNC};
    struct system s;

    (void)state;
    system_open(&s);
    hold(&s, 1, MESI_M);
    for (unsigned k = 0; k < 2; k++)
        assert_int_equal(bus_snoop(&s.bus, ops[k], 0, 0x1000).seen, 0);
    assert_int_equal(cache_find(&s.cache[1], 0x1000)->state, MESI_M);
    system_close(&s);
}

/* Decision 10: no CPU has a line before its writer has committed to it. */
static void reader_waits_for_the_writers_commit(void **state)
{
    struct system s;
    struct snooped met;

    (void)state;
    system_open(&s);
    hold(&s, 1, MESI_M);
    met = bus_snoop(&s.bus, BUS_READ, 0, 0x1000);
    assert_int_equal(met.pushed, 2);
    s.cache[1].arrival[met.frame].written = 500;
    assert_true(bus_tenure(&s.bus, BUS_READ, &met, 0).first > 500);
    system_close(&s);
}

/* The first beat of a line that memory sends, asked for at cycle `at`. */
static uint64_t read_first(struct system *s, uint64_t at)
{
    const struct snooped none = {0};

    return bus_tenure(&s->bus, BUS_READ, &none, at).first;
}

/* 8 bus cycles to the first beat, 3 processor cycles each, behind the edge. */
static void memory_answers_after_its_latency(void **state)
{
    struct system s;

    (void)state;
    system_open(&s);
    assert_int_equal(read_first(&s, 4), 6 + 24);
    /* the data bus is busy for four beats: the next burst queues behind */
    assert_int_equal(read_first(&s, 4), 42);
    system_close(&s);
}

/* Twice the beats, the first as soon as ever; half the sets. */
static void longer_lines_have_more_beats(void **state)
{
    struct system s;
    struct cache *c = &s.cache[0];
    struct line *l;
    unsigned frame;

    (void)state;
    system_open(&s);
    cache_free(c);
    assert_true(cache_init(c, 32, 4, 64));
    assert_int_equal(c->sets, 128);
    s.params.line_bytes = 64;
    bus_init(&s.bus, &s.params, 1);
    assert_int_equal(read_first(&s, 4), 6 + 24);
    assert_int_equal(read_first(&s, 4), 30 + 24);
    l = cache_victim(c, 0x1078);
    cache_place(c, l, 0x1078, MESI_E);
    frame = cache_frame(c, l);
    cache_arrive(c, frame, cache_word(c, 0x1078), 100, 3);
    assert_ptr_equal(cache_find(c, 0x1040), l);
    assert_null(cache_find(c, 0x103F));
    assert_null(cache_find(c, 0x1080));
    assert_int_equal(cache_usable(c, frame, cache_word(c, 0x1078)), 100);
    assert_int_equal(cache_usable(c, frame, cache_word(c, 0x1040)), 103);
    assert_int_equal(cache_usable(c, frame, cache_word(c, 0x1070)), 121);
    assert_int_equal(cache_full(c, frame), 121);
    system_close(&s);
}

static void counter_needs_two_steps_to_change_its_mind(void **state)
{
    struct params params;
    struct predictor p;
    ea_t target;

    (void)state;
    params_default(&params);
    assert_true(predict_init(&p, &params));
    assert_false(predict_taken(&p, 0x1000)); /* weakly not taken */
    predict_teach(&p, 0x1000, 0x1000, true, true, 0x2000);
    assert_true(predict_taken(&p, 0x1000));
    assert_true(predict_target(&p, 0x1000, 0x1000, &target));
    assert_int_equal(target, 0x2000);
    predict_teach(&p, 0x1000, 0x1000, true, true, 0x2000);
    predict_teach(&p, 0x1000, 0x1000, true, false, 0x1004);
    assert_true(predict_taken(&p, 0x1000)); /* strongly, then weakly taken */
    predict_teach(&p, 0x1000, 0x1000, true, false, 0x1004);
    assert_false(predict_taken(&p, 0x1000));
    assert_false(
        predict_target(&p, 0x1000, 0x1000, &target)); /* dropped with it */
    predict_free(&p);
}

static void target_cache_keeps_the_last_64(void **state)
{
    struct params params;
    struct predictor p;
    ea_t target;
    unsigned k;

    (void)state;
    params_default(&params);
    assert_true(predict_init(&p, &params));
    for (k = 0; k < 64; k++)
        predict_teach(&p, 0x1000 + 4 * k, 0x1000 + 4 * k, false, true, k);
    assert_true(
        predict_target(&p, 0x1000, 0x1000, &target)); /* used: now youngest */
    predict_teach(&p, 0x9000, 0x9000, false, true, 99);
    assert_false(predict_target(&p, 0x1004, 0x1004, &target));
    assert_true(predict_target(&p, 0x1000, 0x1000, &target));
    predict_flush(&p);
    assert_false(predict_target(&p, 0x9000, 0x9000, &target));
    predict_free(&p);
}

/* 604 UM p.250: the fetch address asks, so one branch is learnt once for each
 * fetch that it is reached by, and a fetch has one target. */
static void target_cache_is_asked_by_the_address_of_the_fetch(void **state)
{
    struct params params;
    struct predictor p;
    ea_t target;

    (void)state;
    params_default(&params);
    assert_true(predict_init(&p, &params));
    predict_teach(&p, 0x1000, 0x1004, false, true, 0x2000);
    assert_true(predict_target(&p, 0x1000, 0x1004, &target));
    assert_false(predict_target(&p, 0x1004, 0x1004, &target));
    assert_false(predict_target(&p, 0x1000, 0x100C, &target));
    predict_teach(&p, 0x1004, 0x1004, false, true, 0x2000);
    assert_true(predict_target(&p, 0x1004, 0x1004, &target));
    predict_teach(&p, 0x1000, 0x100C, true, true, 0x3000);
    assert_false(predict_target(&p, 0x1000, 0x1004, &target));
    assert_true(predict_target(&p, 0x1000, 0x100C, &target));
    assert_int_equal(target, 0x3000);
    /* 0x1004 is not taken: what 0x100C has of the same fetch stays */
    predict_teach(&p, 0x1000, 0x1004, true, false, 0x1008);
    assert_true(predict_target(&p, 0x1000, 0x100C, &target));
    predict_free(&p);
}

/* The BTAC told in the plainest way: looked through from end to end. */
struct plain {
    struct btac_entry entry[64];
    uint64_t stamp;
};

static struct btac_entry *plain_find(struct plain *b, ea_t fetch)
{
    for (unsigned k = 0; k < 64; k++)
        if (b->entry[k].used && b->entry[k].fetch == fetch)
            return &b->entry[k];
    return NULL;
}

static void plain_teach(struct plain *b, ea_t fetch, ea_t pc, bool taken)
{
    struct btac_entry *e = plain_find(b, fetch), *oldest = b->entry;

    if (!taken) {
        if (e && e->pc == pc)
            e->used = 0;
        return;
    }
    for (unsigned k = 1; k < 64; k++)
        if (b->entry[k].used < oldest->used)
            oldest = &b->entry[k];
    e = e ? e : oldest;
    *e = (struct btac_entry){fetch, pc, pc + 8, ++b->stamp};
}

static void target_cache_forgets_the_one_used_longest_ago(void **state)
{
    struct plain b = {0};
    struct params params;
    struct predictor p;
    uint32_t random = 1;
    unsigned found = 0;

    (void)state;
    params_default(&params);
    assert_true(predict_init(&p, &params));
    for (unsigned k = 0; k < 200000; k++) {
        ea_t fetch, pc, target = 0;
        struct btac_entry *e;
        bool taken;

        random = random * 1664525u + 1013904223u;
        /* 90 fetches, of which some share a place of the filter */
        fetch = (random >> 8 & 31) * 16 + (random >> 13) % 3 * 4096;
        pc = fetch + (random >> 20 & 1) * 4;
        taken = random >> 24 & 7;
        e = plain_find(&b, fetch);
        if (e && e->pc == pc)
            e->used = ++b.stamp;
        if (random >> 28 ||
            !predict_followed(&p, predict_placed(&p, fetch, pc), fetch, pc,
                              false, taken, pc + 8)) {
            assert_int_equal(predict_look(&p, fetch, pc, &target),
                             e && e->pc == pc);
            found += predict_target(&p, fetch, pc, &target);
            if (!taken) /* until the history says so */
                predict_drop(&p, fetch, pc);
            else
                predict_teach(&p, fetch, pc, false, true, pc + 8);
            plain_teach(&b, fetch, pc, taken);
        } else if (taken) {
            plain_teach(&b, fetch, pc, true);
        }
    }
    assert_in_range(found, 20000, 180000);
    predict_free(&p);
}

static void decrementer_signals_when_it_wraps(void **state)
{
    struct timebase t;

    (void)state;
    timebase_init(&t, 12);
    timebase_set_dec(&t, 10, 120);
    assert_int_equal(t.dec_due, (10 + 11) * 12);
    assert_int_equal(timebase_dec(&t, 120 + 12), 9);
    timebase_settle(&t, 251);
    assert_false(t.dec_pending);
    timebase_settle(&t, 260); /* seen late */
    assert_true(t.dec_pending);
    assert_int_equal(t.dec_since, 252);
    assert_int_equal(timebase_dec(&t, 252), 0xFFFFFFFF);
    t.dec_pending = false;
    timebase_set_dec(&t, 5, 300);
    timebase_set_dec(&t, 0x80000000, 312); /* the write itself wraps it */
    assert_true(t.dec_pending);
    assert_int_equal(t.dec_since, 312);
    timebase_settle(&t, (uint64_t)1 << 40); /* has not been taken */
    assert_int_equal(t.dec_since, 312);
    timebase_write(&t, 1000, 1200);
    assert_int_equal(timebase_read(&t, 1200), 1000);
    assert_int_equal(timebase_read(&t, 2400), 1100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_request_for_an_earlier_cycle_gets_the_gap),
        cmocka_unit_test(full_calendar_forgets_the_oldest),
        cmocka_unit_test(least_recently_used_line_is_replaced),
        cmocka_unit_test(words_arrive_critical_first_and_round),
        cmocka_unit_test(snoops_follow_mesi),
        cmocka_unit_test(what_is_not_snooped_leaves_states_alone),
        cmocka_unit_test(reader_waits_for_the_writers_commit),
        cmocka_unit_test(memory_answers_after_its_latency),
        cmocka_unit_test(longer_lines_have_more_beats),
        cmocka_unit_test(counter_needs_two_steps_to_change_its_mind),
        cmocka_unit_test(target_cache_keeps_the_last_64),
        cmocka_unit_test(target_cache_is_asked_by_the_address_of_the_fetch),
        cmocka_unit_test(target_cache_forgets_the_one_used_longest_ago),
        cmocka_unit_test(decrementer_signals_when_it_wraps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
