/* knots.c - see knots.h. Waits are edges from who waits to who woke it, with
 * their cycles; edges of less than a hundredth of the heaviest are left out. A
 * knot is a set of threads that reach each other and nothing else; time and
 * devices are one each. Waits that lead from one thread over another to a third
 * are not counted for the third, as wPerf's cascading does.
 */
#include "tools/analysis/methods/knots.h"

#include <stdlib.h>

#include "lib/base/grow.h"

#define NODES_MOST 512u /* with more threads there is no answer */
#define LEAST 100       /* of the heaviest edge: one in so many */

struct knots {
    const struct scene *s;
    size_t nodes;     /* threads, and time and devices behind them */
    uint64_t *weight; /* from, to: cycles */
    bool *reaches;
};

static size_t node_of(const struct knots *k, const struct scene_stay *t)
{
    const struct scene_wake *w =
        t->wake == SCENE_NONE ? NULL : &k->s->wake[t->wake];

    if (!w)
        return t->state == STATE_TIMER ? k->s->threads : k->nodes;
    if (w->by == WAKE_BY_THREAD)
        return w->waker == SCENE_NONE ? k->nodes : w->waker;
    return w->by == WAKE_BY_TIMER ? k->s->threads : k->s->threads + 1;
}

static bool wait_of(const struct knots *k, const struct scene_stay *t,
                    size_t *node)
{
    if (!scene_blocked(t) || k->s->thread[t->thread].sampler)
        return false;
    *node = node_of(k, t);
    return *node < k->nodes;
}

static void find_edges(struct knots *k)
{
    uint64_t most = 0;
    size_t to;

    for (size_t n = 0; n < k->s->stays; n++) {
        const struct scene_stay *t = &k->s->stay[n];

        if (wait_of(k, t, &to))
            k->weight[t->thread * k->nodes + to] += t->to - t->from;
    }
    for (size_t n = 0; n < k->nodes * k->nodes; n++)
        most = k->weight[n] > most ? k->weight[n] : most;
    for (size_t n = 0; n < k->nodes * k->nodes; n++)
        k->reaches[n] = k->weight[n] && k->weight[n] >= most / LEAST;
}

static void find_reached(struct knots *k)
{
    for (size_t via = 0; via < k->nodes; via++)
        for (size_t from = 0; from < k->nodes; from++)
            for (size_t to = 0;
                 k->reaches[from * k->nodes + via] && to < k->nodes; to++)
                k->reaches[from * k->nodes + to] |=
                    k->reaches[via * k->nodes + to];
}

/* Does a node reach none but those that reach it? */
static bool in_knot(const struct knots *k, size_t node)
{
    for (size_t to = 0; to < k->nodes; to++)
        if (k->reaches[node * k->nodes + to] &&
            !k->reaches[to * k->nodes + node])
            return false;
    return true;
}

void knots_blame(struct methods *m)
{
    struct knots k = {.s = m->scene, .nodes = m->scene->threads + 2};
    size_t to;

    if (k.nodes > NODES_MOST)
        return;
    k.weight = grow_zero(k.nodes * k.nodes, sizeof *k.weight);
    k.reaches = grow_zero(k.nodes * k.nodes, sizeof *k.reaches);
    find_edges(&k);
    find_reached(&k);
    for (size_t n = 0; n < k.s->stays; n++) {
        const struct scene_stay *t = &k.s->stay[n];

        if (!wait_of(&k, t, &to) || !in_knot(&k, to))
            continue;
        if (to >= k.s->threads)
            methods_blame(m, METHOD_KNOT, t->stack, t->to - t->from);
        else if (k.reaches[to * k.nodes + t->thread])
            methods_blame(m, METHOD_KNOT, k.s->wake[t->wake].stack,
                          t->to - t->from);
    }
    free(k.weight);
    free(k.reaches);
}
