/* oracle_sums_test.c - the oracle against a plain list of everything added. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>

#include "pmu/oracle.h"

#define ADDS 200000u

struct row {
    uint32_t context, pc;
    int reason;
    uint64_t twelfths;
};

struct list {
    struct row *row;
    size_t n;
};

static uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(*state >> 33);
}

static int row_order(const void *a, const void *b)
{
    const struct row *x = a, *y = b;

    if (x->context != y->context)
        return x->context < y->context ? -1 : 1;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    return x->reason - y->reason;
}

static struct list list_new(void)
{
    struct list l = {malloc(ADDS * sizeof *l.row), 0};

    assert_non_null(l.row);
    return l;
}

/* Sort, and add up rows of the same key: what the drain must show. */
static void list_fold(struct list *l)
{
    size_t i, n = 0;

    qsort(l->row, l->n, sizeof *l->row, row_order);
    for (i = 0; i < l->n; i++)
        if (n && !row_order(&l->row[n - 1], &l->row[i]))
            l->row[n - 1].twelfths += l->row[i].twelfths;
        else
            l->row[n++] = l->row[i];
    l->n = n;
}

static void list_add(void *arg, uint32_t context, uint32_t pc,
                     enum reason reason, uint64_t twelfths)
{
    struct list *l = arg;

    assert_true(l->n < ADDS);
    l->row[l->n++] = (struct row){context, pc, (int)reason, twelfths};
}

/* Random rows over `span` bytes of code, into both. */
static uint64_t add_random(struct oracle *o, struct list *l, unsigned n,
                           uint32_t span, uint64_t seed)
{
    uint64_t sum = 0;
    unsigned i;

    for (i = 0; i < n; i++) {
        uint32_t context = next_random(&seed) % 5 * 0x11111111u;
        uint32_t pc = 0xFFFFF000u + next_random(&seed) % span / 4 * 4;
        enum reason r = (enum reason)(next_random(&seed) % REASON_COUNT);
        uint64_t t = 1 + next_random(&seed) % 12;
        if (i % 1000 == 0)
            t <<= 36; /* a long nap */
        oracle_add(o, context, pc, r, t);
        list_add(l, context, pc, r, t);
        sum += t;
    }
    return sum;
}

static void expect_same(struct oracle *o, struct list *naive)
{
    struct list seen = list_new();
    size_t i;

    list_fold(naive);
    oracle_drain(o, list_add, &seen);
    assert_int_equal(seen.n, naive->n);
    for (i = 0; i < seen.n; i++) {
        assert_int_equal(row_order(&seen.row[i], &naive->row[i]), 0);
        assert_int_equal(seen.row[i].twelfths, naive->row[i].twelfths);
    }
    free(seen.row);
}

static void sums_equal_a_naive_account_in_order(void **state)
{
    struct list naive = list_new();
    struct oracle *o = oracle_new();
    uint64_t sum;

    (void)state;
    assert_non_null(o);
    /* 5 contexts x 100 KB: 16000 lines, so that the table grows */
    sum = add_random(o, &naive, ADDS, 100 * 1024, 1);
    assert_int_equal(oracle_total(o), sum);
    expect_same(o, &naive);
    assert_int_equal(oracle_total(o), sum);
    oracle_free(o);
    free(naive.row);
}

static void a_drain_forgets_rows_and_keeps_the_total(void **state)
{
    struct oracle *o = oracle_new();
    uint64_t sum = 0;
    unsigned round;

    (void)state;
    for (round = 0; round < 5; round++) {
        struct list naive = list_new();
        sum += add_random(o, &naive, 20000, 4096u << round, round + 7);
        expect_same(o, &naive);
        assert_int_equal(oracle_total(o), sum);
        free(naive.row);
    }
    oracle_free(o);
}

struct sum {
    uint64_t twelfths;
    uint32_t context;
    unsigned rows;
};

static void sum_up(void *arg, uint32_t context, uint32_t pc, enum reason reason,
                   uint64_t twelfths)
{
    struct sum *s = arg;

    (void)reason;
    assert_int_equal(pc, 0x104);
    assert_true(!s->rows || context >= s->context);
    s->context = context;
    s->twelfths += twelfths;
    s->rows++;
}

static void a_kept_account_is_seen_behind_drains(void **state)
{
    struct oracle *o = oracle_new();
    struct list seen = list_new();
    struct sum s = {0};

    (void)state;
    oracle_keep(o);
    oracle_add(o, 1, 0x104, (enum reason)0, 10);
    oracle_add(o, 3, 0x104, (enum reason)1, 20);
    oracle_add(o, 3, 0x108, (enum reason)1, 1000);
    oracle_drain(o, list_add, &seen);
    assert_int_equal(seen.n, 3);
    oracle_add(o, 2, 0x104, (enum reason)0, 40);
    oracle_add(o, 3, 0x104, (enum reason)1, 80);
    oracle_look(o, 0x104, sum_up, &s);
    assert_int_equal(s.twelfths, 150);
    assert_int_equal(s.rows, 3); /* one a context */
    oracle_drain(o, list_add, &seen);
    assert_int_equal(seen.n, 5); /* the file gets each once */
    s = (struct sum){0};
    oracle_look(o, 0x104, sum_up, &s);
    assert_int_equal(s.twelfths, 150);
    assert_int_equal(oracle_total(o), 1150);
    oracle_free(o);
    free(seen.row);
}

static void an_empty_oracle_drains_nothing(void **state)
{
    struct oracle *o = oracle_new();
    struct list none = list_new();

    (void)state;
    oracle_drain(o, list_add, &none);
    assert_int_equal(none.n, 0);
    oracle_add(o, 1, 0x100, REASON_execute, 12);
    oracle_drain(o, list_add, &none);
    oracle_drain(o, list_add, &none);
    assert_int_equal(none.n, 1);
    oracle_free(o);
    free(none.row);
}

static void neighbours_and_extremes_stay_apart(void **state)
{
    static const struct row rows[] = {
        {0, 0, 0, 1},
        {0, 0x1C, 0, 2},
        {0, 0x1C, REASON_COUNT - 1, 3},
        {0, 0x20, 0, 4}, /* the next line */
        {0, 0xFFFFFFFC, 0, 5},
        {1, 0, 0, 6},
        {0xFFFFFFFF, 0xFFFFFFFC, REASON_COUNT - 1, UINT64_C(1) << 60}};
    enum { N = sizeof rows / sizeof *rows };
    struct list seen = list_new();
    struct oracle *o = oracle_new();
    int i;

    (void)state;
    for (i = N; i--;)
        oracle_add(o, rows[i].context, rows[i].pc, (enum reason)rows[i].reason,
                   rows[i].twelfths);
    oracle_drain(o, list_add, &seen);
    assert_int_equal(seen.n, N);
    for (i = 0; i < N; i++) {
        assert_int_equal(row_order(&seen.row[i], &rows[i]), 0);
        assert_int_equal(seen.row[i].twelfths, rows[i].twelfths);
    }
    oracle_free(o);
    free(seen.row);
}

/* What an oracle that is cut hands out: the interval's rows and its end. */
struct cut {
    struct oracle *o;
    unsigned n;
    struct {
        uint64_t end, twelfths;
    } interval[8];
};

static void cut_row(void *arg, uint32_t context, uint32_t pc,
                    enum reason reason, uint64_t twelfths)
{
    struct cut *c = arg;

    (void)context;
    (void)pc;
    (void)reason;
    c->interval[c->n].twelfths += twelfths;
}

static void cut_full(void *arg, uint64_t end)
{
    struct cut *c = arg;

    c->interval[c->n].end = end;
    oracle_drain(c->o, cut_row, c);
    assert_in_range(++c->n, 1, 7);
}

static void intervals_are_handed_out_full_and_not_fuller(void **state)
{
    struct cut c = {.o = oracle_new()};

    (void)state;
    assert_true(oracle_edge(c.o) == UINT64_MAX);
    oracle_cut(c.o, 100, cut_full, &c);
    assert_int_equal(oracle_edge(c.o), 100);
    oracle_add(c.o, 1, 0x100, REASON_execute, 12 * 90 + 7);
    assert_int_equal(c.n, 0);
    oracle_add(c.o, 1, 0x104, REASON_execute, 12 * 10 - 7); /* just full */
    assert_int_equal(c.n, 1);
    oracle_add(c.o, 0, 0, REASON_nap, 12 * 350 + 5); /* across three ends */
    oracle_add(c.o, 1, 0x108, REASON_execute, 0);
    assert_int_equal(c.n, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(c.interval[i].end, 100 * (i + 1));
        assert_int_equal(c.interval[i].twelfths, 1200);
    }
    assert_int_equal(oracle_edge(c.o), 500);
    assert_int_equal(oracle_total(c.o), 12 * 450 + 5);
    oracle_drain(c.o, cut_row, &c);
    assert_int_equal(c.interval[4].twelfths, 12 * 50 + 5);
    oracle_free(c.o);
}

struct twin {
    struct oracle *o;
    struct list seen;
};

static void twin_full(void *arg, uint64_t end)
{
    struct twin *t = arg;

    list_add(&t->seen, 0, (uint32_t)end, REASON_nap, 0);
    oracle_drain(t->o, list_add, &t->seen);
}

/* Across lines, the end of all addresses and ends of intervals. */
static void a_run_is_its_instructions_one_by_one(void **state)
{
    struct twin t[2];
    uint64_t seed = 3;

    (void)state;
    for (unsigned k = 0; k < 2; k++) {
        t[k] = (struct twin){oracle_new(), list_new()};
        oracle_cut(t[k].o, 500, twin_full, &t[k]);
    }
    for (unsigned i = 0; i < 3000; i++) {
        uint32_t context = next_random(&seed) % 3;
        uint32_t pc = 0xFFFFFC00u + next_random(&seed) % 0x800 / 4 * 4;
        uint32_t length = next_random(&seed) % 40;
        uint64_t each = 1 + next_random(&seed) % 48;

        oracle_add_run(t[0].o, context, pc, length, REASON_complete, each);
        for (uint32_t n = 0; n < length; n++)
            oracle_add(t[1].o, context, pc + 4 * n, REASON_complete, each);
    }
    for (unsigned k = 0; k < 2; k++)
        oracle_drain(t[k].o, list_add, &t[k].seen);
    assert_int_equal(oracle_total(t[0].o), oracle_total(t[1].o));
    assert_int_equal(t[0].seen.n, t[1].seen.n);
    for (size_t i = 0; i < t[0].seen.n; i++) {
        const struct row *x = &t[0].seen.row[i], *y = &t[1].seen.row[i];

        assert_int_equal(row_order(x, y), 0);
        assert_int_equal(x->twelfths, y->twelfths);
    }
    for (unsigned k = 0; k < 2; k++) {
        oracle_free(t[k].o);
        free(t[k].seen.row);
    }
}

static void reasons_have_names_and_texts(void **state)
{
    int i;

    (void)state;
    for (i = 0; i < REASON_COUNT; i++) {
        assert_true(reason_name((enum reason)i)[0]);
        assert_true(reason_text((enum reason)i)[0]);
    }
    assert_string_equal(reason_name(REASON_nap), "nap");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_equal_a_naive_account_in_order),
        cmocka_unit_test(a_drain_forgets_rows_and_keeps_the_total),
        cmocka_unit_test(a_kept_account_is_seen_behind_drains),
        cmocka_unit_test(an_empty_oracle_drains_nothing),
        cmocka_unit_test(neighbours_and_extremes_stay_apart),
        cmocka_unit_test(intervals_are_handed_out_full_and_not_fuller),
        cmocka_unit_test(a_run_is_its_instructions_one_by_one),
        cmocka_unit_test(reasons_have_names_and_texts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
