/* timetree_test.c - the time tree on the worked example of its design, number
 * by number, and on random samples against a scan of all (TREE-08 to
 * TREE-48). timeout: 120 s */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/timetree/timetree.h"

#define TYPES 9 /* A to I */
#define KIND (TIMETREE_LEAF | TIMETREE_FORCED)

/* ---- the worked example -------------------------------------------------- */

/* Times of the example are thousandths of its units. */
static void put(struct stream *s, uint64_t from, uint64_t to, const char *what)
{
    unsigned count[TYPES] = {0}, n = 0, k = 0;
    char type;

    for (int many, used; sscanf(what, " %c%d%n", &type, &many, &used) == 2;
         what += used) {
        count[type - 'A'] = (unsigned)many;
        n += (unsigned)many;
    }
    for (unsigned t = 0; t < TYPES; t++)
        for (unsigned i = 0; i < count[t]; i++, k++)
            stream_add(s,
                       from * 1000 + (2 * k + 1) * (to - from) * 1000 / (2 * n),
                       t, 1);
    assert_int_equal(k, n);
}

static struct timetree example(bool inherit)
{
    struct timetree_options with = {100, 95, 2, inherit};
    struct stream s = {0};
    struct timetree t;

    put(&s, 0, 250, "A32 B18 C10 D11 E6 F13 G10");
    put(&s, 250, 375, "A16 B10 C10 D3 E6");
    put(&s, 375, 500, "A24 B16 C15 D6 E9 F1");
    put(&s, 500, 1000, "A41 B31 C11 D5 E3 F5 G3 H9 I6");
    assert_int_equal(s.count, 330);
    timetree_build(&t, &s, TYPES, 0, 1000000, &with);
    assert_true(timetree_whole(&t));
    return t;
}

/* "A113 B75 ...", in the order in which they stand. */
static const char *entries(const struct timetree *t, uint32_t node)
{
    static char text[200];
    const struct timetree_node *n = &t->node[node];
    struct timetree_entry list[TYPES];
    size_t at = 0;

    text[0] = '\0';
    assert_true(timetree_entries(t, node, false, list));
    for (uint32_t i = 0; i < n->entries; i++) {
        assert_int_equal(list[i].weight, list[i].count);
        at += (size_t)snprintf(text + at, sizeof text - at, "%s%c%u",
                               i ? " " : "", 'A' + list[i].type, list[i].count);
    }
    return text;
}

/* "A65 B29 ...", in the order of types. */
static const char *counts(const struct timetree_answer *a)
{
    static char text[200];
    size_t at = 0;

    text[0] = '\0';
    for (unsigned i = 0; i < TYPES; i++)
        if (a->count[i])
            at +=
                (size_t)snprintf(text + at, sizeof text - at, "%s%c%u",
                                 at ? " " : "", 'A' + i, (unsigned)a->count[i]);
    return text;
}

static void expect_node(const struct timetree *t, uint32_t node, uint64_t from,
                        uint64_t to, uint64_t n, bool leaf, const char *what)
{
    assert_int_equal(t->node[node].from, from * 1000);
    assert_int_equal(t->node[node].to, to * 1000);
    assert_int_equal(t->node[node].held, n);
    assert_int_equal(!!(t->node[node].flags & TIMETREE_LEAF), leaf);
    assert_string_equal(entries(t, node), what);
}

/* G-T1 */
static void example_with_inherited_drops(void **state)
{
    struct timetree t = example(true);

    (void)state;
    assert_int_equal(t.nodes, 7);
    expect_node(&t, 0, 0, 1000, 330, false, "A113 B75 C46 D25 E24 F19 G13");
    assert_int_equal(t.node[0].kept, 315);
    expect_node(&t, 1, 0, 500, 216, false, "A72 B44 C35 E21 D20 F14");
    assert_int_equal(t.node[1].kept, 206);
    expect_node(&t, 2, 0, 250, 90, true, "A32 B18 F13 D11 C10 E6");
    expect_node(&t, 3, 250, 500, 116, false, "A40 B26 C25 E15 D9");
    assert_int_equal(t.node[3].kept, 115);
    expect_node(&t, 4, 250, 375, 45, true, "A16 B10 C10 E6 D3");
    expect_node(&t, 5, 375, 500, 70, true, "A24 B16 C15 E9 D6");
    expect_node(&t, 6, 500, 1000, 99, true, "A41 B31 C11 D5 F5 E3 G3");
    assert_int_equal(t.node[4].depth, 4);
    assert_int_equal(t.stream.count, 90 + 45 + 70 + 99); /* what leaves hold */
    timetree_free(&t);
}

/* G-T2 */
static void example_taken_literally(void **state)
{
    struct timetree t = example(false);

    (void)state;
    assert_int_equal(t.nodes, 11);
    expect_node(&t, 2, 0, 250, 100, false, "A32 B18 F13 D11 C10 G10 E6");
    expect_node(&t, 3, 0, 125, 50, true, "A32 B18");
    expect_node(&t, 4, 125, 250, 50, true, "F13 D11 C10 G10 E6");
    expect_node(&t, 7, 375, 500, 71, true, "A24 B16 C15 E9 D6 F1");
    expect_node(&t, 8, 500, 1000, 114, false, "A41 B31 C11 H9 I6 D5 F5 E3");
    assert_int_equal(t.node[8].kept, 111);
    assert_int_equal(t.node[9].held, 57);
    assert_int_equal(t.node[10].held, 57);
    timetree_free(&t);
}

struct seen {
    char text[200];
    size_t at;
};

static void note(void *arg, const struct timetree *t, uint32_t node,
                 enum timetree_relation how)
{
    static const char *const number[] = {"301", "311", "321", "322",
                                         "331", "332", "312"};
    static const char *const word[] = {"disjoint", "partial", "full"};
    struct seen *s = arg;

    (void)t;
    s->at +=
        (size_t)snprintf(s->text + s->at, sizeof s->text - s->at, "%s%s %s",
                         s->at ? ", " : "", number[node], word[how]);
}

static void expect_query(const struct timetree *t, uint64_t from, uint64_t to,
                         const char *visited, uint64_t read, const char *result,
                         uint64_t exact)
{
    struct seen s = {"", 0};
    struct timetree_query q = {
        .from = from * 1000, .to = to * 1000, .visit = note, .arg = &s};
    struct timetree_answer a;

    timetree_ask(t, &q, &a);
    assert_string_equal(s.text, visited);
    assert_int_equal(a.read, read);
    assert_string_equal(counts(&a), result);
    assert_true(a.counted + a.other <= exact);
    assert_true(a.counted + a.other + a.maybe >= exact);
    timetree_forget(&a);
}

/* G-T3 */
static void queries_of_the_example(void **state)
{
    struct timetree t = example(true);
    struct timetree_query q = {
        .from = 300000, .to = 700000, .count_leaves = true};
    struct timetree_answer a;

    (void)state;
    expect_query(&t, 700, 1000, "301 partial, 311 disjoint, 312 partial", 99,
                 "B26 C11 D5 E3 F5 G3", 68);
    expect_query(&t, 0, 700, "301 partial, 311 full, 312 partial", 99,
                 "A113 B49 C35 D20 E21 F14", 262);
    expect_query(&t, 300, 700,
                 "301 partial, 311 partial, 321 disjoint, 322 partial, "
                 "331 partial, 332 full, 312 partial",
                 144, "A65 B29 C25 D9 E15", 144);
    expect_query(&t, 0, 1000, "301 full", 0, "A113 B75 C46 D25 E24 F19 G13",
                 330);
    expect_query(&t, 0, 500, "301 partial, 311 full, 312 disjoint", 0,
                 "A72 B44 C35 D20 E21 F14", 216);
    timetree_ask(&t, &q, &a); /* a leaf inside, sample by sample */
    assert_int_equal(a.read, 45 + 70 + 99);
    assert_string_equal(counts(&a), "A65 B29 C25 D9 E15");
    timetree_forget(&a);
    timetree_free(&t);
}

static void queries_are_clipped_to_the_run(void **state)
{
    struct timetree t = example(false);
    struct timetree_query all = {.from = 0, .to = UINT64_MAX};
    struct timetree_query none = {.from = 400000, .to = 400000};
    struct timetree_query after = {.from = 2000000, .to = 3000000};
    struct timetree_answer a;

    (void)state;
    timetree_ask(&t, &all, &a);
    assert_int_equal(a.counted + a.other, 330);
    assert_int_equal(a.visited, 1);
    timetree_forget(&a);
    timetree_ask(&t, &none, &a);
    assert_int_equal(a.counted + a.other + a.read + a.visited, 0);
    timetree_forget(&a);
    timetree_ask(&t, &after, &a);
    assert_int_equal(a.counted + a.other + a.read + a.visited, 0);
    timetree_forget(&a);
    timetree_free(&t);
}

/* ---- splitting ----------------------------------------------------------- */

static struct timetree even(uint64_t samples, uint64_t length,
                            const struct timetree_options *with)
{
    struct stream s = {0};
    struct timetree t;

    for (uint64_t i = 0; i < samples; i++)
        stream_add(&s, i * length / samples, (uint32_t)(i % 7), 1);
    timetree_build(&t, &s, 7, 0, length, with);
    assert_true(timetree_whole(&t));
    return t;
}

/* G-T5 */
static void intervals_are_split_as_told(void **state)
{
    struct timetree_options four = {1000, 95, 4, false},
                            five = {1000, 95, 5, false};
    struct timetree t = even(1000, 1000, &four);

    (void)state;
    assert_int_equal(t.nodes, 5);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(t.node[1 + i].from, i * 250);
        assert_int_equal(t.node[1 + i].to, i * 250 + 250);
    }
    timetree_free(&t);
    t = even(1000, 250, &five);
    assert_int_equal(t.nodes, 6);
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(t.node[1 + i].from, i * 50);
        assert_int_equal(t.node[1 + i].to, i * 50 + 50);
    }
    timetree_free(&t);
}

static void fewer_than_m_is_a_leaf(void **state)
{
    struct timetree_options with = {100, 95, 2, false};
    struct timetree t = even(99, 1000, &with);

    (void)state;
    assert_int_equal(t.nodes, 1);
    assert_int_equal(t.node[0].flags & KIND, TIMETREE_LEAF);
    timetree_free(&t);
    t = even(100, 1000, &with);
    assert_int_equal(t.nodes, 3);
    assert_int_equal(t.node[0].flags & KIND, 0);
    timetree_free(&t);
}

static void what_cannot_be_split_is_a_leaf_all_the_same(void **state)
{
    struct timetree_options with = {100, 95, 2, false};
    struct stream s = {0};
    struct timetree t;

    (void)state;
    for (unsigned i = 0; i < 1000; i++)
        stream_add(&s, 500, i % 3, 1);
    timetree_build(&t, &s, 3, 0, 1000, &with);
    assert_int_equal(t.nodes, 1);
    assert_int_equal(t.node[0].flags & KIND, TIMETREE_LEAF | TIMETREE_FORCED);
    timetree_free(&t);
}

static void samples_on_a_border_belong_to_one_child(void **state)
{
    struct timetree_options with = {2, 95, 2, false};
    struct stream s = {0};
    struct timetree t;

    (void)state;
    stream_add(&s, 0, 0, 1);
    stream_add(&s, 500, 1, 1);
    stream_add(&s, 1000, 2, 1); /* the last instant is inside */
    timetree_build(&t, &s, 3, 0, 1000, &with);
    assert_true(timetree_whole(&t));
    assert_int_equal(t.node[1].held, 1);
    assert_int_equal(t.node[2].held, 2);
    timetree_free(&t);
}

static void the_least_prefix_that_reaches_p_is_kept(void **state)
{
    struct timetree_options with = {100, 80, 2, false};
    struct stream s = {0};
    struct timetree t;

    (void)state;
    for (unsigned i = 0; i < 100; i++) /* 40 30 10 10 10: 80 is enough */
        stream_add(&s, i, i < 40 ? 4 : i < 70 ? 3 : (i - 70) / 10, 1);
    timetree_build(&t, &s, 5, 0, 100, &with);
    assert_string_equal(entries(&t, 0), "E40 D30 A10");
    timetree_free(&t);
}

/* ---- random samples ------------------------------------------------------ */

static struct timetree random_tree(unsigned seed, bool inherit)
{
    struct timetree_options with = {(unsigned)(seed % 5) * 40 + 20,
                                    80 + 5 * (seed % 4), 2 + seed % 4, inherit};
    struct stream s = {.unit = 100};
    struct timetree t;
    uint64_t time = 0;

    srand(seed);
    for (unsigned i = 0; i < 20000; i++) {
        uint32_t r = (uint32_t)rand() % 1000;

        time += (uint64_t)rand() % (i % 5000 < 100 ? 1000000000 : 50);
        stream_add(&s, time, r * r / 5000 + (time / 40000) % 7,
                   seed % 2 ? 100 : 90 + (uint32_t)rand() % 20);
    }
    timetree_build(&t, &s, 210, 0, time + seed % 2, &with);
    return t;
}

/* Every sample once per level, children tile their parents, P is reached. */
static void trees_of_random_samples_hold_together(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct timetree t = random_tree(seed, seed % 3 == 0);

        assert_true(timetree_whole(&t));
        assert_int_equal(t.node[0].raw, 20000);
        for (uint32_t i = 0; i < t.nodes; i++) {
            const struct timetree_node *n = &t.node[i];

            if (n->flags & TIMETREE_LEAF) {
                assert_int_equal(n->kept, n->held);
                assert_true(n->held < t.with.m || n->flags & TIMETREE_FORCED);
            }
            assert_true(n->kept * 100 >= n->held * t.with.p);
        }
        timetree_free(&t);
    }
}

/* G-T4: what a query misses of any type is not more than it says it may. */
static void errors_stay_within_their_bound(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct timetree t = random_tree(seed, false);
        uint64_t read = 0;

        for (unsigned k = 0; k < 50; k++) {
            struct timetree_query q = {.from = (uint64_t)rand() * 4 % t.to,
                                       .to = (uint64_t)rand() * 4 % t.to};
            struct timetree_answer a, exact;

            timetree_ask(&t, &q, &a);
            timetree_scan(&t, q.from, q.to, &exact);
            assert_int_equal(a.counted + a.other, exact.counted);
            for (uint32_t i = 0; i < t.types; i++) {
                assert_true(a.count[i] <= exact.count[i]);
                assert_true(exact.count[i] - a.count[i] <= a.other);
            }
            assert_true(a.read < 2 * t.with.m); /* two leaves at most */
            read += a.read;
            timetree_forget(&a);
            timetree_forget(&exact);
        }
        print_message("seed %u: %u nodes, %u samples read in 50 queries\n",
                      seed, (unsigned)t.nodes, (unsigned)read);
        timetree_free(&t);
    }
}

/* With what nodes dropped a query is exact, weights too. */
static void exact_queries_are_as_a_scan(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct timetree t = random_tree(seed, false);

        for (unsigned k = 0; k < 50; k++) {
            struct timetree_query q = {.from = (uint64_t)rand() * 4 % t.to,
                                       .to = (uint64_t)rand() * 4 % t.to,
                                       .exact = true,
                                       .count_leaves = k % 2};
            struct timetree_answer a, exact;

            timetree_ask(&t, &q, &a);
            timetree_scan(&t, q.from, q.to, &exact);
            assert_int_equal(a.other, 0);
            assert_memory_equal(a.count, exact.count,
                                t.types * sizeof *a.count);
            assert_memory_equal(a.weight, exact.weight,
                                t.types * sizeof *a.weight);
            timetree_forget(&a);
            timetree_forget(&exact);
        }
        timetree_free(&t);
    }
}

/* The next sample of some types from an instant on is the one that looking at
 * all finds, and few are looked at. */
static void the_next_sample_is_found_where_it_is(void **state)
{
    (void)state;
    for (unsigned seed = 1; seed <= 20; seed++) {
        struct timetree t = random_tree(seed, false);
        struct stream_view *v = calloc(1, sizeof *v);
        bool *wanted = calloc(t.types, sizeof *wanted);

        v->block = STREAM_NONE;
        for (unsigned k = 0; k < 50; k++) {
            uint64_t from = (uint64_t)rand() * 4 % (t.to + 2), i = 0;
            struct timetree_found found;

            for (uint32_t type = 0; type < t.types; type++)
                wanted[type] = rand() % (1 + (int)t.types / 2) == 0;
            for (; i < t.stream.count; i++) {
                assert_true(stream_read(&t.stream, v, i));
                if (v->sample[i - v->first].time >= from &&
                    wanted[v->sample[i - v->first].type])
                    break;
            }
            timetree_next(&t, from, wanted, &found);
            assert_false(found.damaged);
            assert_int_equal(found.any, i < t.stream.count);
            if (found.any) {
                const struct stream_sample *is = &v->sample[i - v->first];

                assert_int_equal(found.sample.time, is->time);
                assert_int_equal(found.sample.type, is->type);
                assert_int_equal(found.sample.weight, is->weight);
            }
            assert_true(found.read < 2 * t.with.m);
        }
        free(wanted);
        free(v);
        timetree_free(&t);
    }
}

static void weights_may_be_as_wide_as_times(void **state)
{
    static const uint64_t weight[] = {1, 0, UINT64_MAX, 1ull << 32, 7};
    struct stream s = {.unit = 7};
    struct stream_view *v = calloc(1, sizeof *v);

    (void)state;
    v->block = STREAM_NONE;
    for (unsigned i = 0; i < 5; i++)
        stream_add(&s, i, 0, weight[i]);
    stream_end(&s);
    for (unsigned i = 0; i < 5; i++) {
        assert_true(stream_read(&s, v, i));
        assert_true(v->sample[i].weight == weight[i]);
    }
    stream_free(&s);
    free(v);
}

/* TREE-44: at most 2(N - 1) nodes a level are merged. */
static void few_nodes_are_merged(void **state)
{
    struct timetree t = random_tree(3, false);
    uint32_t deepest = 0;

    (void)state;
    for (uint32_t i = 0; i < t.nodes; i++)
        deepest = t.node[i].depth > deepest ? t.node[i].depth : deepest;
    for (unsigned k = 0; k < 200; k++) {
        struct timetree_query q = {.from = (uint64_t)rand() * 4 % t.to,
                                   .to = t.to};
        struct timetree_answer a;

        q.to = q.from + (uint64_t)rand() * 4 % (t.to - q.from);
        timetree_ask(&t, &q, &a);
        assert_true(a.merged <= 2 * (t.with.n - 1) * deepest);
        timetree_forget(&a);
    }
    timetree_free(&t);
}

/* G-T6: 300 s at 1 ms. */
static void three_hundred_thousand_samples(void **state)
{
    struct timetree_options with = {0, 95, 2, false};
    struct timetree t = even(300000, 300000, &with);
    struct timetree_query q = {.from = 12345, .to = 123456};
    struct timetree_answer a;

    (void)state;
    assert_int_equal(t.with.m, 600);
    timetree_ask(&t, &q, &a);
    assert_int_equal(a.counted + a.other, 123456 - 12345);
    assert_true(a.read < 1200);
    timetree_forget(&a);
    timetree_free(&t);
}

/* What is read from a file may be anything. */
static void flip(unsigned char *at, size_t size)
{
    at[(size_t)rand() % size] ^= (unsigned char)(1 << rand() % 8);
}

static void damage_is_noticed(void **state)
{
    unsigned noticed = 0;

    (void)state;
    for (unsigned seed = 0; seed < 3000; seed++) {
        struct timetree t = example(false);
        struct timetree_query q = {.from = 100000, .to = 900000};
        struct timetree_answer a;
        bool numbers = seed % 3 == 0;

        srand(seed);
        if (numbers)
            flip((unsigned char *)t.node, t.nodes * sizeof *t.node);
        else if (seed % 3 == 1)
            flip(t.entry.byte, t.entry.size);
        else
            flip(t.stream.bytes.byte, t.stream.bytes.size);
        if (timetree_sound(&t)) { /* it may have hit padding or a flag */
            timetree_ask(&t, &q, &a);
            timetree_forget(&a);
            noticed += !numbers && !timetree_whole(&t);
        }
        timetree_free(&t);
    }
    assert_int_equal(noticed, 2000); /* sums find every bit */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_with_inherited_drops),
        cmocka_unit_test(example_taken_literally),
        cmocka_unit_test(queries_of_the_example),
        cmocka_unit_test(queries_are_clipped_to_the_run),
        cmocka_unit_test(intervals_are_split_as_told),
        cmocka_unit_test(fewer_than_m_is_a_leaf),
        cmocka_unit_test(what_cannot_be_split_is_a_leaf_all_the_same),
        cmocka_unit_test(samples_on_a_border_belong_to_one_child),
        cmocka_unit_test(the_least_prefix_that_reaches_p_is_kept),
        cmocka_unit_test(trees_of_random_samples_hold_together),
        cmocka_unit_test(errors_stay_within_their_bound),
        cmocka_unit_test(exact_queries_are_as_a_scan),
        cmocka_unit_test(the_next_sample_is_found_where_it_is),
        cmocka_unit_test(weights_may_be_as_wide_as_times),
        cmocka_unit_test(few_nodes_are_merged),
        cmocka_unit_test(three_hundred_thousand_samples),
        cmocka_unit_test(damage_is_noticed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
