/* graph_locks.c - which wait a lock that was given back ended, and what it
 * costs two threads to meet at one; see graph.h.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/retime/graph.h"

/* The wait for that lock that a thread ended while it gave it back. */
static void link_give(struct retime *g, uint32_t give, size_t end)
{
    const struct scene *s = g->scene;
    const struct scene_hold *h = &s->hold[g->op[give].hold];

    for (size_t n = give + 1; n < end && g->op[n].from <= h->done; n++) {
        struct graph_op *o = &g->op[n], *wait;

        if (o->is != GRAPH_WAKE || o->target == GRAPH_NONE)
            continue;
        wait = &g->op[o->target];
        if (wait->is != GRAPH_WAIT || s->stay[wait->stay].lock != h->lock)
            continue;
        g->op[give].target = o->target;
        wait->hold = g->op[give].hold;
        return;
    }
}

/* ---- what it costs ------------------------------------------------------- */

static uint64_t in_system(const struct scene *s, size_t stay, uint32_t thread)
{
    const struct scene_stay *t = &s->stay[stay];

    return stay < s->stays && t->thread == thread && t->state == STATE_SYSTEM
               ? t->to - t->from
               : 0;
}

static bool of_program(const struct scene_stay *t)
{
    return (t->state == STATE_LOCK || t->state == STATE_QUEUE) &&
           t->kind == OBJECT_USER;
}

/* The system's part of a wait for a word of the program's, in front of it and
 * behind it. */
static uint64_t of_waits(const struct retime *g)
{
    const struct scene *s = g->scene;
    int64_t *list = grow_zero(s->stays + 1, sizeof *list), cost;
    size_t count = 0;

    for (size_t n = 1; n + 1 < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];
        size_t behind = n + 1;

        if (!of_program(t))
            continue;
        while (behind < s->stays && s->stay[behind].state == STATE_RUNNABLE)
            behind++;
        list[count++] = (int64_t)(in_system(s, n - 1, t->thread) +
                                  in_system(s, behind, t->thread));
    }
    cost = graph_median(list, count);
    free(list);
    return (uint64_t)cost;
}

/* ... and of waking one. */
static uint64_t of_wakes(const struct retime *g)
{
    const struct scene *s = g->scene;
    int64_t *list = grow_zero(g->ops + 1, sizeof *list), cost;
    size_t count = 0;

    for (size_t n = 1; n < g->ops; n++) {
        const struct graph_op *o = &g->op[n], *ran = o - 1;

        if (o->is == GRAPH_WAKE && o->target != GRAPH_NONE &&
            ran->is == GRAPH_RUN && ran->thread == o->thread &&
            g->op[o->target].is == GRAPH_WAIT &&
            of_program(&s->stay[g->op[o->target].stay]))
            list[count++] = (int64_t)in_system(s, ran->stay, ran->thread);
    }
    cost = graph_median(list, count);
    free(list);
    return (uint64_t)cost;
}

/* How long the thread of a hold ran in the function that took the lock. */
static uint64_t taking(const struct scene *s, const struct scene_hold *h)
{
    const struct scene_thread *who = &s->thread[h->thread];
    size_t end = who->first + who->stays;
    size_t n = SEARCH_FIRST(who->first, end, i, s->stay[i].to > h->asked);
    uint64_t cycles = 0;

    for (; n < end && s->stay[n].from < h->taken; n++) {
        const struct scene_stay *t = &s->stay[n];
        uint64_t from = t->from > h->asked ? t->from : h->asked;

        if (scene_runs(t))
            cycles += (t->to < h->taken ? t->to : h->taken) - from;
    }
    return cycles;
}

/* What taking such a lock, or giving it back, takes more with another thread
 * there than without; 0: neither is known. */
static uint64_t compare(const struct retime *g, uint32_t kind, bool gives)
{
    const struct scene *s = g->scene;
    int64_t *list[2], cost[2];
    size_t count[2] = {0};
    bool known;

    list[0] = grow_zero(g->ops + 1, sizeof **list);
    list[1] = grow_zero(g->ops + 1, sizeof **list);
    for (size_t n = 0; n < g->ops; n++) {
        const struct graph_op *o = &g->op[n];
        const struct scene_hold *h;
        bool met;

        if (o->is != (gives ? GRAPH_GIVE : GRAPH_TAKE))
            continue;
        h = &s->hold[o->hold];
        if (s->lock[h->lock].kind != kind)
            continue;
        met = gives ? o->target != GRAPH_NONE : h->stay != SCENE_NONE;
        list[met][count[met]++] =
            (int64_t)(gives ? h->done - h->given : taking(s, h));
    }
    known = count[0] && count[1];
    for (unsigned n = 0; n < 2; n++) {
        cost[n] = graph_median(list[n], count[n]);
        free(list[n]);
    }
    return known && cost[1] > cost[0] ? (uint64_t)(cost[1] - cost[0]) : 0;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void measure_meetings(struct retime *g)
{
    struct graph_meet *kernel = &g->meet[0], *program = &g->meet[1];

    kernel->wait = compare(g, OBJECT_KERNEL, false);
    kernel->wake = compare(g, OBJECT_KERNEL, true);
    program->wait = compare(g, OBJECT_USER, false);
    program->wake = compare(g, OBJECT_USER, true);
    if (!program->wait)
        program->wait = most(of_waits(g), g->call);
    if (!program->wake)
        program->wake = most(of_wakes(g), g->call);
}

void graph_link_locks(struct retime *g)
{
    if (!g->take)
        return;
    for (uint32_t t = 0; t < g->scene->threads; t++) {
        size_t end = g->thread[t].first + g->thread[t].ops;

        for (size_t n = g->thread[t].first; n < end; n++)
            if (g->op[n].is == GRAPH_GIVE)
                link_give(g, (uint32_t)n, end);
    }
    measure_meetings(g);
}
