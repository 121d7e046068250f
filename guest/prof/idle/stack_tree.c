/* stack_tree.c - the call-stack tree. Its contract: stack_tree.h. */
#include <stddef.h>

#include "guest/prof/idle/stack_tree.h"

void stack_tree_init(struct stack_tree *t, struct stack_tree_node *pool,
                     uint32_t size)
{
    *t = (struct stack_tree){.node = pool, .used = 1, .size = size};
    pool[0] = (struct stack_tree_node){0};
}

static struct stack_tree_node *
child_of(struct stack_tree *t, struct stack_tree_node *parent, uint32_t pc)
{
    struct stack_tree_node *n = parent->child;

    while (n && n->pc != pc)
        n = n->sibling;
    if (n)
        return n;
    if (t->used == t->size)
        return NULL;
    n = &t->node[t->used++];
    *n = (struct stack_tree_node){
        .pc = pc, .parent = parent, .sibling = parent->child};
    parent->child = n;
    return n;
}

struct stack_tree_node *stack_tree_insert(struct stack_tree *t,
                                          const uint32_t *pcs, unsigned depth)
{
    struct stack_tree_node *n = &t->node[0], *next;

    for (; depth > 0 && (next = child_of(t, n, pcs[depth - 1])); depth--)
        n = next;
    t->cut += depth > 0;
    return n;
}

void stack_tree_sums(const struct stack_tree *t, uint32_t *to_idle,
                     uint32_t *from_idle)
{
    *to_idle = *from_idle = 0;
    for (uint32_t i = 0; i < t->used; i++) {
        *to_idle += t->node[i].to_idle;
        *from_idle += t->node[i].from_idle;
    }
}

uint32_t stack_tree_stacks(const struct stack_tree *t)
{
    uint32_t stacks = 0;

    for (uint32_t i = 1; i < t->used; i++)
        stacks += t->node[i].to_idle || t->node[i].from_idle;
    return stacks;
}
