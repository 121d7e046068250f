/* stacktree.h - call stacks merged into a tree, with counts.
 *
 * A node stands for one call sequence from the root; the stacks that end in
 * it are counted in its base, those that pass through it also in its total.
 * So each metric's bases over all nodes add up to what was counted, and so
 * does the root's total. Frames are numbers; their meaning is the caller's.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_STACKTREE_H
#define TOOLS_ANALYSIS_PROFILE_STACKTREE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"

#define STACKTREE_ROOT 0
#define STACKTREE_NONE UINT32_MAX

struct stacknode {
    uint32_t frame;
    uint32_t parent, child, sibling; /* nodes, or STACKTREE_NONE */
    uint32_t depth;                  /* 0 at the root */
};

struct stacktree {
    struct stacknode *node; /* a parent stands before its children */
    size_t count, room;
    unsigned metrics;
    uint64_t *base; /* [node * metrics + metric] */
    size_t base_room;
    uint64_t *total;  /* the same; made by stacktree_total */
    struct hash edge; /* (parent, frame) to child */
};

void stacktree_init(struct stacktree *t, unsigned metrics);
void stacktree_free(struct stacktree *t);

/* The node of the call sequence frame[n - 1] (root) to frame[0] (leaf), made
 * if it is new. n 0: the root itself. */
uint32_t stacktree_enter(struct stacktree *t, const uint32_t *frame, size_t n);

/* The child of a node for this frame, made if it is new. */
uint32_t stacktree_below(struct stacktree *t, uint32_t node, uint32_t frame);

void stacktree_add(struct stacktree *t, uint32_t node, unsigned metric,
                   uint64_t n);

/* Bases are complete: compute the totals. */
void stacktree_total(struct stacktree *t);

/* Order children everywhere by `before` (negative: a first). It must never
 * call two different siblings equal. */
void stacktree_sort(struct stacktree *t,
                    int (*before)(const struct stacktree *t, uint32_t a,
                                  uint32_t b, const void *arg),
                    const void *arg);

/* The node after this one in a walk that visits parents before children and
 * children in order; STACKTREE_NONE at the end. Start at the root. */
uint32_t stacktree_next(const struct stacktree *t, uint32_t node);

/* A node to be ranked; and the order, for qsort: largest first; of equal ones
 * the caller, so that none is without its. */
struct stacktree_rank {
    uint64_t sum;
    uint32_t depth, node;
};
int stacktree_larger(const void *a, const void *b);

static inline uint64_t stacktree_base(const struct stacktree *t, uint32_t node,
                                      unsigned metric)
{
    return t->base[(size_t)node * t->metrics + metric];
}

static inline uint64_t stacktree_sum(const struct stacktree *t, uint32_t node,
                                     unsigned metric)
{
    return t->total[(size_t)node * t->metrics + metric];
}

#endif
