/* tree_test.c - the guest's call-stack tree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "guest/prof/idle/stack_tree.c"

#define NODES 16

/* Leaf first, as a walk gives them: main (1) calls a (2) calls b (3). */
static const uint32_t main_a_b[] = {3, 2, 1};
static const uint32_t main_a[] = {2, 1};
static const uint32_t main_c[] = {4, 1};

static void a_known_stack_takes_no_room(void **state)
{
    struct stack_tree_node pool[NODES];
    struct stack_tree t;
    uint32_t used;

    (void)state;
    stack_tree_init(&t, pool, NODES);
    stack_tree_insert(&t, main_a_b, 3)->to_idle++;
    used = t.used;
    for (int i = 0; i < 1000; i++)
        stack_tree_insert(&t, main_a_b, 3)->to_idle++;
    assert_int_equal(t.used, used);
    assert_int_equal(stack_tree_stacks(&t), 1);
    assert_int_equal(stack_tree_insert(&t, main_a_b, 3)->to_idle, 1001);
}

static void common_callers_are_stored_once(void **state)
{
    struct stack_tree_node pool[NODES];
    struct stack_tree t;

    (void)state;
    stack_tree_init(&t, pool, NODES);
    stack_tree_insert(&t, main_a_b, 3)->to_idle++;
    stack_tree_insert(&t, main_c, 2)->from_idle++;
    assert_int_equal(t.used, 1 + 4); /* root, main, a, b, c */
}

static void only_the_node_where_a_stack_ends_counts(void **state)
{
    struct stack_tree_node pool[NODES];
    struct stack_tree_node *leaf;
    struct stack_tree t;
    uint32_t to_idle, from_idle;

    (void)state;
    stack_tree_init(&t, pool, NODES);
    leaf = stack_tree_insert(&t, main_a_b, 3);
    leaf->to_idle++;
    assert_int_equal(leaf->pc, 3);
    assert_int_equal(leaf->parent->pc, 2);
    assert_int_equal(leaf->parent->to_idle, 0);
    stack_tree_insert(&t, main_a, 2)->to_idle++; /* one ended there after all */
    assert_int_equal(leaf->parent->to_idle, 1);
    stack_tree_insert(&t, main_c, 2)->from_idle += 5;
    stack_tree_sums(&t, &to_idle, &from_idle);
    assert_int_equal(to_idle, 2);
    assert_int_equal(from_idle, 5);
    assert_int_equal(stack_tree_stacks(&t), 3);
}

static void a_full_tree_counts_at_the_deepest_node_there_is(void **state)
{
    static const uint32_t other[] = {5, 4};
    struct stack_tree_node pool[3], *a;
    uint32_t to_idle, from_idle;
    struct stack_tree t;

    (void)state;
    stack_tree_init(&t, pool, 3);
    a = stack_tree_insert(&t, main_a, 2);
    a->to_idle++;
    assert_int_equal(t.cut, 0);
    assert_ptr_equal(stack_tree_insert(&t, main_a_b, 3), a);
    assert_int_equal(t.cut, 1);
    assert_ptr_equal(stack_tree_insert(&t, main_c, 2), a->parent);
    assert_ptr_equal(stack_tree_insert(&t, other, 2), &pool[0]);
    pool[0].to_idle++;
    assert_int_equal(t.cut, 3);
    stack_tree_sums(&t, &to_idle, &from_idle);
    assert_int_equal(to_idle, 2);
    assert_ptr_equal(stack_tree_insert(&t, main_a, 2), a);
    assert_int_equal(t.cut, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_known_stack_takes_no_room),
        cmocka_unit_test(common_callers_are_stored_once),
        cmocka_unit_test(only_the_node_where_a_stack_ends_counts),
        cmocka_unit_test(a_full_tree_counts_at_the_deepest_node_there_is),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
