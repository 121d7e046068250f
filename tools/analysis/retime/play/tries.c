/* tries.c - see tries.h. */
#include "tools/analysis/retime/play/tries.h"

#define MOST 10000 /* sleeps: whose lock it is waits for this thread */

bool tries_is(const struct graph_op *o)
{
    return o->is == GRAPH_WAIT && o->tries != GRAPH_NONE;
}

/* The n-th of its sleeps, the last of them for all behind it. */
static const struct scene_stay *nth(const struct scene *s,
                                    const struct graph_op *o, unsigned n)
{
    const struct scene_poll *poll = &s->poll[o->poll];
    const struct scene_stay *last = &s->stay[poll->stay + poll->stays - 1];
    const struct scene_stay *t = &s->stay[o->stay];

    while (t < last && (n || t->state != STATE_TIMER)) {
        n -= t->state == STATE_TIMER;
        t++;
    }
    return t;
}

uint64_t tries_sleep(struct replay *p, uint32_t thread,
                     const struct graph_op *o)
{
    const struct scene *s = p->g->scene;
    const struct scene_poll *poll = &s->poll[o->poll];
    const struct scene_stay *t = &s->stay[o->stay];
    const struct scene_stay *end = &s->stay[poll->stay + poll->stays];
    uint64_t cycles = 0;

    if (p->latch)
        return spend_stay(p->spend, nth(s, o, p->runner[thread].tries++));
    for (; t < end; t++)
        cycles +=
            t->state == STATE_TIMER ? spend_stay(p->spend, t) : t->to - t->from;
    return cycles;
}

bool tries_again(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    const struct latch *l =
        p->latch ? &p->latch[p->g->scene->hold[o->hold].lock] : NULL;

    if (o->tries == GRAPH_NONE || !l || (!l->has && !l->shares) ||
        l->has == thread + 1 || r->tries > MOST) {
        r->tries = 0;
        return false;
    }
    r->at = o->tries;
    return true;
}
