/* graph_sched.c - what threads say to the scheduler, as far as it shows, as
 * neither is recorded.
 *
 * Priorities: who preempts whom is a thread that becomes runnable and has the
 * CPU of one that runs soon after that, nearly each time. Affinities: a thread
 * that waits for a CPU has a mask then, which it may have set any time since
 * the last such wait; most do so at once.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/graph.h"

#define SOON 4000 /* cycles */
#define RARELY 4  /* it waits once in so many times, at most */

static uint32_t times(const struct hash *h, uint64_t key)
{
    const uint32_t *at = hash_find(h, key);

    return at ? *at : 0;
}

bool graph_preempts(const struct retime *g, uint32_t thread, uint32_t runs)
{
    uint64_t key = graph_preempts_key(thread, runs);
    uint32_t made = times(&g->preempts, key);

    return made && times(&g->keeps, key) <= made / RARELY;
}

/* The n-th of all dispatches waited for a thread that left the CPU in an
 * operation; NULL: it did not. */
static struct graph_op *waited_for(struct retime *g, size_t n)
{
    const struct graph_op *o = &g->op[g->order[n]];
    const struct graph_op *before;
    uint32_t left;

    if (n == g->first[o->cpu])
        return NULL;
    before = &g->op[g->order[n - 1]];
    left = graph_leaves(g, g->order[n - 1]);
    return left != GRAPH_NONE && before->thread != o->thread &&
                   before->to <= o->from && o->from < g->op[left].from
               ? &g->op[left]
               : NULL;
}

void graph_find_masks(struct retime *g)
{
    uint64_t behind = UINT64_MAX;
    uint32_t of = GRAPH_NONE;

    for (size_t n = g->ops; n-- > 0;) {
        struct graph_op *o = &g->op[n];
        uint64_t own = o->allowed;

        if (o->is != GRAPH_DISPATCH)
            continue;
        if (o->thread == of && o->cpu < GRAPH_CPUS && behind >> o->cpu & 1)
            o->allowed &= behind;
        behind = own;
        of = o->thread;
    }
}

void graph_find_preempts(struct retime *g)
{
    size_t count = g->first[GRAPH_CPUS], found = 0;
    int64_t *list = grow_zero(count + 1, sizeof *list);

    for (size_t n = 0; n < count; n++) {
        const struct graph_op *o = &g->op[g->order[n]];
        struct graph_op *left = waited_for(g, n);
        uint64_t key, took = left ? left->from - o->from : 0;
        bool soon = took <= SOON, fresh;

        if (!left || (soon && left->is != GRAPH_YIELD))
            continue;
        key = graph_preempts_key(o->thread, left->thread);
        ++*hash_at(soon ? &g->preempts : &g->keeps, key, &fresh);
        if (!soon)
            continue;
        left->preempted = took;
        list[found++] = (int64_t)took;
    }
    g->preempted = (uint64_t)graph_median(list, found);
    free(list);
    for (size_t n = 0; n < count; n++) {
        struct graph_op *left = waited_for(g, n);

        if (left && left->is == GRAPH_YIELD &&
            !graph_preempts(g, g->op[g->order[n]].thread, left->thread))
            left->preempted = 0;
    }
}
