/* stacktree.c - nodes in one array, edges in a hash. */
#include "tools/analysis/profile/stacktree.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

static uint32_t append(struct stacktree *t, uint32_t parent, uint32_t frame)
{
    uint32_t n = (uint32_t)t->count;

    t->node = grow(t->node, &t->room, t->count + 1, sizeof *t->node);
    t->base = grow(t->base, &t->base_room, (t->count + 1) * t->metrics,
                   sizeof *t->base);
    t->node[n] = (struct stacknode){
        .frame = frame,
        .parent = parent,
        .child = STACKTREE_NONE,
        .sibling = STACKTREE_NONE,
    };
    if (parent != STACKTREE_NONE) {
        t->node[n].depth = t->node[parent].depth + 1;
        t->node[n].sibling = t->node[parent].child;
        t->node[parent].child = n;
    }
    t->count++;
    return n;
}

void stacktree_init(struct stacktree *t, unsigned metrics)
{
    *t = (struct stacktree){.metrics = metrics};
    append(t, STACKTREE_NONE, 0);
}

void stacktree_free(struct stacktree *t)
{
    free(t->node);
    free(t->base);
    free(t->total);
    hash_free(&t->edge);
    *t = (struct stacktree){0};
}

uint32_t stacktree_below(struct stacktree *t, uint32_t node, uint32_t frame)
{
    bool fresh;
    uint32_t *child = hash_at(&t->edge, (uint64_t)node << 32 | frame, &fresh);

    if (fresh)
        *child = append(t, node, frame);
    return *child;
}

uint32_t stacktree_enter(struct stacktree *t, const uint32_t *frame, size_t n)
{
    uint32_t at = STACKTREE_ROOT;

    while (n--)
        at = stacktree_below(t, at, frame[n]);
    return at;
}

void stacktree_add(struct stacktree *t, uint32_t node, unsigned metric,
                   uint64_t n)
{
    t->base[(size_t)node * t->metrics + metric] += n;
}

void stacktree_total(struct stacktree *t)
{
    size_t cells = t->count * t->metrics;

    free(t->total);
    t->total = grow_zero(cells, sizeof *t->total);
    memcpy(t->total, t->base, cells * sizeof *t->total);
    for (size_t n = t->count; n-- > 1;)
        for (unsigned m = 0; m < t->metrics; m++)
            t->total[t->node[n].parent * t->metrics + m] +=
                t->total[n * t->metrics + m];
}

struct order {
    struct stacktree *t;
    int (*before)(const struct stacktree *t, uint32_t a, uint32_t b,
                  const void *arg);
    const void *arg;
};

/* Merge two ordered lists of siblings into one. */
static uint32_t merge(const struct order *o, uint32_t a, uint32_t b)
{
    uint32_t first = STACKTREE_NONE, *link = &first;

    while (a != STACKTREE_NONE && b != STACKTREE_NONE) {
        uint32_t *from = o->before(o->t, a, b, o->arg) <= 0 ? &a : &b;

        *link = *from;
        link = &o->t->node[*from].sibling;
        *from = *link;
    }
    *link = a != STACKTREE_NONE ? a : b;
    return first;
}

/* Merge sort of a list of siblings. */
static uint32_t sorted(const struct order *o, uint32_t list)
{
    uint32_t slow = list, fast, half;

    if (list == STACKTREE_NONE || o->t->node[list].sibling == STACKTREE_NONE)
        return list;
    fast = o->t->node[list].sibling;
    while (fast != STACKTREE_NONE &&
           (fast = o->t->node[fast].sibling) != STACKTREE_NONE) {
        fast = o->t->node[fast].sibling;
        slow = o->t->node[slow].sibling;
    }
    half = o->t->node[slow].sibling;
    o->t->node[slow].sibling = STACKTREE_NONE;
    return merge(o, sorted(o, list), sorted(o, half));
}

void stacktree_sort(struct stacktree *t,
                    int (*before)(const struct stacktree *t, uint32_t a,
                                  uint32_t b, const void *arg),
                    const void *arg)
{
    struct order o = {.t = t, .before = before, .arg = arg};

    for (size_t n = 0; n < t->count; n++)
        t->node[n].child = sorted(&o, t->node[n].child);
}

uint32_t stacktree_next(const struct stacktree *t, uint32_t node)
{
    if (t->node[node].child != STACKTREE_NONE)
        return t->node[node].child;
    while (node != STACKTREE_ROOT && t->node[node].sibling == STACKTREE_NONE)
        node = t->node[node].parent;
    return node == STACKTREE_ROOT ? STACKTREE_NONE : t->node[node].sibling;
}

int stacktree_larger(const void *a, const void *b)
{
    const struct stacktree_rank *x = a, *y = b;

    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    if (x->depth != y->depth)
        return x->depth < y->depth ? -1 : 1;
    return x->node < y->node ? -1 : x->node > y->node;
}
