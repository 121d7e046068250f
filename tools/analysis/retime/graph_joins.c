/* graph_joins.c - for the end of which threads others wait; see graph.h. Where
 * a thread did not have to, since that one had ended, records tell when it was
 * in the function, not for which one: of those that it has made itself, and not
 * yet waited for, it is the first that had ended by then.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/retime/graph.h"

/* Who made a thread; none: that is not known. */
static uint32_t maker(const struct scene *s, uint32_t thread)
{
    const struct scene_thread *t = &s->thread[thread];
    uint32_t wake = t->stays ? s->stay[t->first].wake : SCENE_NONE;

    return wake != SCENE_NONE && s->wake[wake].by == WAKE_BY_THREAD
               ? s->wake[wake].waker
               : SCENE_NONE;
}

/* When it ended; UINT64_MAX: it did not. */
static uint64_t ended(const struct scene *s, uint32_t thread)
{
    const struct scene_thread *t = &s->thread[thread];
    const struct scene_stay *last =
        t->stays ? &s->stay[t->first + t->stays - 1] : NULL;

    return last && last->state == STATE_ENDED ? last->from : UINT64_MAX;
}

/* The thread whose end it has waited for meanwhile, and when that woke it;
 * none: it has not. */
static uint32_t waited_for(const struct scene *s, const struct scene_signal *g,
                           uint64_t *woken)
{
    const struct scene_thread *t = &s->thread[g->thread];
    size_t end = t->first + t->stays;
    size_t n = SEARCH_FIRST(t->first, end, i, s->stay[i].to > g->from);

    for (; n < end && s->stay[n].from < g->to; n++) {
        const struct scene_stay *w = &s->stay[n];

        if ((w->state == STATE_QUEUE || w->state == STATE_BARRIER) &&
            w->kind == OBJECT_USER && w->wake != SCENE_NONE &&
            s->wake[w->wake].by == WAKE_BY_THREAD) {
            *woken = s->wake[w->wake].cycle;
            return s->wake[w->wake].waker;
        }
    }
    return SCENE_NONE;
}

/* By thread: who made it; is it joined; the first that it may have made itself
 * and not joined. */
struct family {
    uint32_t *made_by, *first;
    bool *joined;
};

/* The first thread that another one has made, and that has ended when it goes
 * on, but for `exits` cycles. */
static uint32_t first_ended(const struct scene *s, struct family *f,
                            const struct scene_signal *g, uint64_t exits)
{
    uint32_t *first = &f->first[g->thread];

    while (*first < s->threads &&
           (f->made_by[*first] != g->thread || f->joined[*first]))
        ++*first;
    for (uint32_t n = *first; n < s->threads; n++)
        if (f->made_by[n] == g->thread && !f->joined[n] &&
            s->stay[s->thread[n].first].from <= g->from &&
            ended(s, n) <= g->to + exits + GRAPH_TURN)
            return n;
    return GRAPH_NONE;
}

uint64_t graph_exits(const struct scene *s)
{
    int64_t *list = grow_zero(s->signals + 1, sizeof *list), exits;
    size_t count = 0;

    for (size_t n = 0; n < s->signals; n++) {
        const struct scene_signal *g = &s->signal[n];
        uint64_t woken, end;
        uint32_t who =
            g->event == LOCK_JOINED ? waited_for(s, g, &woken) : SCENE_NONE;

        if (who == SCENE_NONE || maker(s, who) != g->thread)
            continue;
        end = ended(s, who);
        if (end != UINT64_MAX && end > woken)
            list[count++] = (int64_t)(end - woken);
    }
    exits = graph_median(list, count);
    free(list);
    return (uint64_t)exits;
}

uint32_t *graph_joins(const struct scene *s, uint64_t exits)
{
    uint32_t *of = grow_zero(s->signals + 1, sizeof *of);
    struct family f = {.made_by = grow_zero(s->threads + 1, sizeof *f.made_by),
                       .first = grow_zero(s->threads + 1, sizeof *f.first),
                       .joined = grow_zero(s->threads + 1, sizeof *f.joined)};

    for (uint32_t n = 0; n < s->threads; n++)
        f.made_by[n] = maker(s, n);
    for (size_t n = 0; n < s->signals; n++) {
        const struct scene_signal *g = &s->signal[n];
        uint64_t woken;
        uint32_t who =
            g->event == LOCK_JOINED ? waited_for(s, g, &woken) : SCENE_NONE;

        of[n] = GRAPH_NONE;
        if (who != SCENE_NONE && f.made_by[who] == g->thread) {
            f.joined[who] = true;
            continue;
        }
        if (g->event == LOCK_JOINED)
            of[n] = first_ended(s, &f, g, exits);
        if (of[n] != GRAPH_NONE)
            f.joined[of[n]] = true;
    }
    free(f.made_by);
    free(f.first);
    free(f.joined);
    return of;
}

/* ---- the end of the run -------------------------------------------------- */

/* Does a thread end, and behind a wake-up of such a wait run nothing of the
 * program's? */
static bool ends_with(const struct retime *g, uint32_t thread, size_t wait)
{
    const struct graph_thread *t = &g->thread[thread];

    if (!graph_ends(g, thread, UINT64_MAX))
        return false;
    for (size_t n = t->first + t->ops; n-- > t->first;) {
        const struct graph_op *o = &g->op[n];

        if (o->is == GRAPH_WAKE && o->target == wait)
            return true;
        if (o->is == GRAPH_RUN && g->scene->stay[o->stay].state != STATE_SYSTEM)
            return false;
    }
    return false;
}

/* Is it a wait that a thread's end ends? */
static bool is_join(const struct retime *g, size_t wait)
{
    const struct graph_op *o = &g->op[wait];
    const struct scene *s = g->scene;
    const struct scene_stay *t = o->is == GRAPH_WAIT ? &s->stay[o->stay] : NULL;

    return t && t->state == STATE_BARRIER && o->target != GRAPH_NONE &&
           s->wake[t->wake].waker != SCENE_NONE &&
           ends_with(g, s->wake[t->wake].waker, wait);
}

/* Who waited for one thread's end has most likely asked for the others, too. */
void graph_find_join(struct retime *g)
{
    const struct graph_thread *t;

    g->join = GRAPH_NONE;
    if (g->last == GRAPH_NONE)
        return;
    t = &g->thread[g->last];
    for (size_t n = t->first; n < t->first + t->ops; n++)
        if (is_join(g, n))
            g->join = (uint32_t)n;
}

static uint64_t last_end(const struct retime *g)
{
    uint64_t last = 0;

    for (uint32_t n = 0; n < g->scene->threads; n++) {
        const struct graph_thread *t = &g->thread[n];

        if (n != g->last && graph_ends(g, n, g->last_at))
            last = graph_most(last, g->op[t->first + t->ops - 1].from);
    }
    return last;
}

/* By lock: is it one of the program's that several threads have in turn? */
static bool *of_several(const struct scene *s)
{
    bool *several = grow_zero(s->locks + 1, sizeof *several);
    uint32_t *had = grow_zero(s->locks + 1, sizeof *had); /* from 1 */

    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *h = &s->hold[n];

        several[h->lock] |= s->lock[h->lock].kind == OBJECT_USER &&
                            had[h->lock] && had[h->lock] != h->thread + 1;
        had[h->lock] = h->thread + 1;
    }
    free(had);
    return several;
}

/* A thread that asks for another one's end when that has ended does not wait.
 * It has most likely done so behind the last lock of the program's, or wake-up,
 * and does nothing then but end. */
void graph_find_close(struct retime *g)
{
    const struct graph_thread *t;
    uint64_t from, done = 0;
    bool *several;
    size_t n;

    g->close = GRAPH_NONE;
    if (g->last == GRAPH_NONE || !(from = last_end(g)))
        return;
    several = of_several(g->scene);
    t = &g->thread[g->last];
    for (n = t->first + t->ops; n > t->first && !done; n--) {
        const struct graph_op *o = &g->op[n - 1];

        if (o->is == GRAPH_WAKE && o->needed &&
            graph_ends(g, g->op[o->target].thread, g->last_at))
            done = o->from;
        else if (o->is == GRAPH_GIVE && several[g->scene->hold[o->hold].lock])
            done = g->scene->hold[o->hold].done;
    }
    free(several);
    for (from = graph_most(from, done); n < t->first + t->ops; n++)
        if (g->op[n].is == GRAPH_RUN && g->op[n].from >= from) {
            g->close = (uint32_t)n;
            return;
        }
}
