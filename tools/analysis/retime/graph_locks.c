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

    for (size_t n = give + 1;
         n < end && (g->op[n].from <= h->done || h->done == h->given); n++) {
        struct graph_op *o = &g->op[n], *wait;

        if (h->done == h->given && o->is == GRAPH_WAIT)
            return; /* for a condition */
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

struct lists {
    int64_t *list[7];
    size_t count[7];
};

enum { L_TAKE, L_GIVE, L_ENTER, L_LEAVE, L_WAKE, L_CALL, L_AGAIN, LISTS };

static void note(struct lists *l, int which, uint64_t from, uint64_t to)
{
    l->list[which][l->count[which]++] = (int64_t)(to - from);
}

/* What one operation on a lock of a program tells. */
static void measure_op(struct retime *g, const struct graph_op *o,
                       struct lists *l)
{
    const struct scene *s = g->scene;
    const struct scene_hold *h = &s->hold[o->hold];
    const struct graph_op *way = o;

    if (s->lock[h->lock].kind != OBJECT_USER)
        return;
    if (o->is == GRAPH_ASK) {
        if (!o->again)
            note(l, L_ENTER, o->from, s->stay[h->stay].from);
    } else if (o->is == GRAPH_TAKE && h->stay == SCENE_NONE) {
        if (!o->again)
            note(l, L_TAKE, h->asked, h->taken);
    } else if (o->is == GRAPH_TAKE) {
        while (way->is != GRAPH_DISPATCH && way->is != GRAPH_ASK &&
               way->is != GRAPH_BIRTH)
            way--;
        if (way->is == GRAPH_DISPATCH)
            note(l, o->again ? L_AGAIN : L_LEAVE,
                 way->to + (way->near ? 0 : g->trap), h->taken);
    } else if (o->is == GRAPH_GIVE && h->done > h->given) {
        note(l, o->target == GRAPH_NONE ? L_GIVE : L_CALL, h->given, h->done);
        for (; way->is != GRAPH_END && o->target != GRAPH_NONE; way++)
            if (way->is == GRAPH_WAKE && way->target == o->target) {
                note(l, L_WAKE, o->from, way->from);
                break;
            }
    }
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void measure_mutexes(struct retime *g)
{
    struct graph_mutex *m = &g->mutex;
    struct lists l = {.count = {0}};
    uint64_t median[LISTS];

    for (unsigned n = 0; n < LISTS; n++)
        l.list[n] = grow_zero(g->ops + 1, sizeof **l.list);
    for (size_t n = 0; n < g->ops; n++)
        if (g->op[n].is == GRAPH_ASK || g->op[n].is == GRAPH_TAKE ||
            g->op[n].is == GRAPH_GIVE)
            measure_op(g, &g->op[n], &l);
    for (unsigned n = 0; n < LISTS; n++) {
        median[n] = (uint64_t)graph_median(l.list[n], l.count[n]);
        free(l.list[n]);
    }
    *m = (struct graph_mutex){
        .take = median[L_TAKE],
        .give = median[L_GIVE],
        .enter = less(median[L_ENTER], median[L_TAKE]),
        .leave = {median[l.count[L_LEAVE] ? L_LEAVE : L_AGAIN],
                  median[l.count[L_AGAIN] ? L_AGAIN : L_LEAVE]},
        .wake = l.count[L_WAKE] ? median[L_WAKE] : median[L_GIVE],
        .call = l.count[L_CALL] ? less(median[L_CALL], median[L_GIVE])
                                : g->meet[1].wake,
    };
    if (!l.count[L_AGAIN] && !l.count[L_LEAVE])
        m->leave[0] = m->leave[1] = g->meet[1].wait;
}

static void measure_meetings(struct retime *g)
{
    struct graph_meet *kernel = &g->meet[0], *program = &g->meet[1];

    kernel->wait = compare(g, OBJECT_KERNEL, false);
    kernel->wake = compare(g, OBJECT_KERNEL, true);
    program->wait = compare(g, OBJECT_USER, false);
    program->wake = compare(g, OBJECT_USER, true);
    if (!program->wait)
        program->wait = graph_most(of_waits(g), g->call);
    if (!program->wake)
        program->wake = graph_most(of_wakes(g), g->call);
}

/* The waits that mutex.c plays. */
static void mark_played(struct retime *g)
{
    for (size_t n = 0; n < g->ops; n++)
        if (g->op[n].is == GRAPH_ASK &&
            g->scene->lock[g->scene->hold[g->op[n].hold].lock].kind ==
                OBJECT_USER)
            for (size_t k = n; k < g->take[g->op[n].hold]; k++)
                g->op[k].played |= g->op[k].is == GRAPH_WAIT;
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
    measure_mutexes(g);
    mark_played(g);
}
