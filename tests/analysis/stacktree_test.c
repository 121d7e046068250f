/* stacktree_test.c - call stacks merged into a tree (IDLE-60): bases are
 * where stacks end, totals are what passes through, both add up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include <stdlib.h>

#include "tools/analysis/profile/stacktree.h"

enum { MAIN = 1, A, B, C };

static uint32_t add(struct stacktree *t, unsigned metric, const uint32_t *leaf,
                    size_t n)
{
    uint32_t node = stacktree_enter(t, leaf, n);

    stacktree_add(t, node, metric, 1);
    return node;
}

#define STACK(...)                                                             \
    (const uint32_t[]){__VA_ARGS__},                                           \
        sizeof((const uint32_t[]){__VA_ARGS__}) / sizeof(uint32_t)

static void equal_stacks_share_a_node(void **state)
{
    struct stacktree t;
    uint32_t x, y;

    (void)state;
    stacktree_init(&t, 2);
    x = add(&t, 0, STACK(B, A, MAIN));
    y = add(&t, 0, STACK(B, A, MAIN));
    assert_int_equal(x, y);
    assert_int_equal(t.count, 4); /* the root, MAIN, A, B */
    assert_int_equal(stacktree_base(&t, x, 0), 2);
    assert_int_equal(stacktree_base(&t, x, 1), 0);
    assert_int_equal(t.node[x].depth, 3);
    stacktree_free(&t);
}

static void same_function_from_another_caller_is_another_node(void **state)
{
    struct stacktree t;
    uint32_t x, y;

    (void)state;
    stacktree_init(&t, 1);
    x = add(&t, 0, STACK(B, A, MAIN));
    y = add(&t, 0, STACK(B, C, MAIN));
    assert_int_not_equal(x, y);
    assert_int_equal(t.node[x].frame, t.node[y].frame);
    stacktree_free(&t);
}

static void inner_nodes_have_a_base_only_where_a_stack_ended(void **state)
{
    struct stacktree t;
    uint32_t leaf, inner, top;

    (void)state;
    stacktree_init(&t, 1);
    leaf = add(&t, 0, STACK(B, A, MAIN));
    add(&t, 0, STACK(B, A, MAIN));
    inner = add(&t, 0, STACK(A, MAIN));
    top = t.node[inner].parent;
    stacktree_total(&t);
    assert_int_equal(stacktree_base(&t, leaf, 0), 2);
    assert_int_equal(stacktree_base(&t, inner, 0), 1);
    assert_int_equal(stacktree_base(&t, top, 0), 0);
    assert_int_equal(stacktree_sum(&t, leaf, 0), 2);
    assert_int_equal(stacktree_sum(&t, inner, 0), 3);
    assert_int_equal(stacktree_sum(&t, top, 0), 3);
    assert_int_equal(stacktree_sum(&t, STACKTREE_ROOT, 0), 3);
    stacktree_free(&t);
}

static void recursion_is_a_path_of_its_own(void **state)
{
    struct stacktree t;
    uint32_t x;

    (void)state;
    stacktree_init(&t, 1);
    x = add(&t, 0, STACK(A, A, A, MAIN));
    assert_int_equal(t.node[x].depth, 4);
    assert_int_equal(t.count, 5);
    stacktree_free(&t);
}

static void an_empty_stack_ends_at_the_root(void **state)
{
    struct stacktree t;

    (void)state;
    stacktree_init(&t, 1);
    assert_int_equal(stacktree_enter(&t, NULL, 0), STACKTREE_ROOT);
    stacktree_free(&t);
}

/* 20000 stacks of small alphabet: bases and the root's total agree with the
 * number of stacks, every total with its base and its children's totals. */
static void random_stacks_add_up(void **state)
{
    struct stacktree t;
    uint64_t bases[3] = {0}, added[3] = {0};

    (void)state;
    srandom(1);
    stacktree_init(&t, 3);
    for (int i = 0; i < 20000; i++) {
        uint32_t frame[8];
        size_t n = (size_t)random() % 9;
        unsigned metric = (unsigned)random() % 3;

        for (size_t k = 0; k < n; k++)
            frame[k] = (uint32_t)random() % 4;
        add(&t, metric, frame, n);
        added[metric]++;
    }
    stacktree_total(&t);
    for (uint32_t n = 0; n < t.count; n++)
        for (unsigned m = 0; m < 3; m++) {
            uint64_t sum = stacktree_base(&t, n, m);

            bases[m] += sum;
            for (uint32_t c = t.node[n].child; c != STACKTREE_NONE;
                 c = t.node[c].sibling)
                sum += stacktree_sum(&t, c, m);
            assert_int_equal(stacktree_sum(&t, n, m), sum);
        }
    for (unsigned m = 0; m < 3; m++) {
        assert_int_equal(bases[m], added[m]);
        assert_int_equal(stacktree_sum(&t, STACKTREE_ROOT, m), added[m]);
    }
    stacktree_free(&t);
}

static int most_first(const struct stacktree *t, uint32_t a, uint32_t b,
                      const void *arg)
{
    uint64_t x = stacktree_sum(t, a, 0), y = stacktree_sum(t, b, 0);

    (void)arg;
    if (x != y)
        return x > y ? -1 : 1;
    return t->node[a].frame < t->node[b].frame ? -1 : 1;
}

static void a_walk_meets_every_node_once_most_frequent_first(void **state)
{
    struct stacktree t;
    uint32_t seen = 0;

    (void)state;
    srandom(2);
    stacktree_init(&t, 1);
    for (int i = 0; i < 5000; i++) {
        uint32_t frame[5];
        size_t n = 1 + (size_t)random() % 5;

        for (size_t k = 0; k < n; k++)
            frame[k] = (uint32_t)(random() % 6 * (random() % 3));
        add(&t, 0, frame, n);
    }
    stacktree_total(&t);
    stacktree_sort(&t, most_first, NULL);
    for (uint32_t n = STACKTREE_ROOT; n != STACKTREE_NONE;
         n = stacktree_next(&t, n)) {
        uint32_t next = t.node[n].sibling;

        seen++;
        assert_true(seen <= t.count);
        if (next != STACKTREE_NONE)
            assert_true(most_first(&t, n, next, NULL) < 0);
    }
    assert_int_equal(seen, t.count);
    stacktree_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_stacks_share_a_node),
        cmocka_unit_test(same_function_from_another_caller_is_another_node),
        cmocka_unit_test(inner_nodes_have_a_base_only_where_a_stack_ended),
        cmocka_unit_test(recursion_is_a_path_of_its_own),
        cmocka_unit_test(an_empty_stack_ends_at_the_root),
        cmocka_unit_test(random_stacks_add_up),
        cmocka_unit_test(a_walk_meets_every_node_once_most_frequent_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
