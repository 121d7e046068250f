/* stack_tree.h - a tree of call stacks: the root has the outermost functions as
 * children; a path that was seen before only counts. No locks, no hardware:
 * the owner of the tree serialises. Nodes come from a pool given at start.
 */
#ifndef GUEST_PROF_IDLE_STACK_TREE_H
#define GUEST_PROF_IDLE_STACK_TREE_H

#include <stdbool.h>
#include <stdint.h>

struct stack_tree_node {
    uint32_t pc;
    uint32_t to_idle, from_idle; /* stacks that ended here, or were cut */
    struct stack_tree_node *parent, *child, *sibling;
};

struct stack_tree {
    struct stack_tree_node *node; /* node[0] is the root */
    uint32_t used, size;
    uint32_t cut; /* stacks that found room for their outermost part alone */
};

/* `size` nodes at `pool` are the tree's from now on (size >= 1). */
void stack_tree_init(struct stack_tree *t, struct stack_tree_node *pool,
                     uint32_t size);

/* Walk pcs (leaf first, as captured) into the tree and return the leaf's
 * node; in a full tree the deepest that it reached, counted in cut, which is
 * the root if there is none. The caller increments a count. */
struct stack_tree_node *stack_tree_insert(struct stack_tree *t,
                                          const uint32_t *pcs, unsigned depth);

/* Sums of the base counts over all nodes. */
void stack_tree_sums(const struct stack_tree *t, uint32_t *to_idle,
                     uint32_t *from_idle);

/* How many distinct stacks were seen. */
uint32_t stack_tree_stacks(const struct stack_tree *t);

#endif
