/* turns.c - see turns.h. */
#include "tools/analysis/retime/play/turns.h"

#include <stdlib.h>

#include "lib/base/grow.h"

void turns_open(struct turns *t, const struct retime *g)
{
    t->gets = grow_zero(g->ops + 1, sizeof *t->gets);
    t->from = grow_zero(g->ops + 1, sizeof *t->from);
    t->giver = grow_zero(g->ops + 1, sizeof *t->giver);
    for (size_t n = 0; n < g->ops; n++) {
        t->gets[n] = t->from[n] = (uint32_t)n;
        if (g->op[n].is == GRAPH_WAKE && g->op[n].target != GRAPH_NONE)
            t->giver[g->op[n].target] = g->op[n].thread;
    }
}

void turns_free(struct turns *t)
{
    free(t->gets);
    free(t->from);
    free(t->giver);
}

bool turns_same_object(const struct retime *g, const struct graph_op *a,
                       const struct graph_op *b)
{
    const struct scene_stay *x = &g->scene->stay[a->stay];
    const struct scene_stay *y = &g->scene->stay[b->stay];

    return a->is == GRAPH_WAIT && b->is == GRAPH_WAIT && x->state == y->state &&
           (x->state == STATE_LOCK || x->state == STATE_QUEUE) &&
           x->kind == y->kind && x->object / 8 == y->object / 8;
}

void turns_change(struct turns *t, uint32_t target, uint32_t first)
{
    uint32_t now = t->gets[target];

    t->gets[t->from[first]] = now;
    t->from[now] = t->from[first];
    t->gets[target] = first;
    t->from[first] = target;
}
