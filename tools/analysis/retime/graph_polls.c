/* graph_polls.c - of sleeps that are asked for again and again until a word is
 * written: when they end, and what they interrupt; see graph.h.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/retime/graph.h"

int64_t graph_looks_late(const struct scene *s, const struct scene_poll *poll,
                         const struct scene_stay *first, uint64_t written)
{
    const struct scene_stay *last = &s->stay[poll->stay + poll->stays - 1];
    uint64_t way = poll->ended > last->to ? poll->ended - last->to : 0;
    uint64_t at = written > way + GRAPH_TURN ? written - way - GRAPH_TURN : 0;
    uint64_t before = first->from;

    for (const struct scene_stay *t = first; t < last; t++)
        if (t->state == STATE_TIMER)
            before = t->to;
    at = at > before ? at : before + 1;
    at = at < last->to ? at : last->to;
    return (int64_t)(at - written);
}

#define AHEAD 16 /* holds, of the kernel's locks, in front of that, at most */

uint32_t graph_tried(const struct scene *s, const struct scene_poll *poll)
{
    uint64_t over = s->stay[poll->stay + poll->stays - 1].to;
    size_t n = SEARCH_FIRST(0, s->holds, i,
                            s->hold[i].thread > poll->thread ||
                                (s->hold[i].thread == poll->thread &&
                                 s->hold[i].taken + GRAPH_TURN >= over));

    for (unsigned k = 0; poll->tried && !poll->runs && k < AHEAD; k++, n++) {
        const struct scene_hold *h = n < s->holds ? &s->hold[n] : NULL;

        if (!h || h->thread != poll->thread)
            break;
        if (s->lock[h->lock].kind != OBJECT_USER || s->lock[h->lock].word)
            continue;
        return h->stay == SCENE_NONE && !h->shared &&
                       s->lock[h->lock].object == poll->object
                   ? (uint32_t)n
                   : SCENE_NONE;
    }
    return SCENE_NONE;
}

/* Does a thread come from those sleeps to taking the lock with nothing done in
 * between that is not to be done again? */
static bool can_try(const struct retime *g, size_t wait, size_t take)
{
    const struct scene *s = g->scene;

    for (size_t n = wait + 1; n < take; n++) {
        const struct graph_op *o = &g->op[n];
        bool locks =
            o->is == GRAPH_ASK || o->is == GRAPH_TAKE || o->is == GRAPH_GIVE;

        if (o->is != GRAPH_RUN && o->is != GRAPH_DISPATCH &&
            (!locks || s->lock[s->hold[o->hold].lock].kind == OBJECT_USER))
            return false;
    }
    return wait < take;
}

/* From the end of the last sleep but one to the beginning of the last; 0: there
 * was one. */
static uint64_t between(const struct retime *g, const struct graph_op *wait)
{
    const struct scene *s = g->scene;
    const struct scene_poll *p = &s->poll[wait->poll];
    const struct scene_stay *last = &s->stay[p->stay + p->stays - 1];

    for (const struct scene_stay *t = last; t-- > &s->stay[wait->stay];)
        if (t->state == STATE_TIMER)
            return last->from - t->to;
    return 0;
}

/* By lock: the longest series of sleeps, if no thread waited for it. */
static void find_longest(struct retime *g)
{
    const struct scene *s = g->scene;

    g->tries = grow_zero(s->locks + 1, sizeof *g->tries);
    for (uint32_t n = 0; n < s->locks; n++)
        g->tries[n] = GRAPH_NONE;
    for (size_t n = 0; n < g->ops; n++) {
        const struct graph_op *o = &g->op[n];
        uint32_t *longest;

        if (o->is != GRAPH_TAKE || o->tries == GRAPH_NONE)
            continue;
        longest = &g->tries[s->hold[o->hold].lock];
        o = &g->op[o->tries];
        if (*longest == GRAPH_NONE ||
            s->poll[*longest].stays < s->poll[o->poll].stays)
            *longest = o->poll;
    }
    for (size_t n = 0; n < s->holds; n++)
        if (s->hold[n].stay != SCENE_NONE)
            g->tries[s->hold[n].lock] = GRAPH_NONE;
}

void graph_link_tries(struct retime *g)
{
    int64_t *awake = grow_zero(g->scene->polls + 1, sizeof *awake);
    int64_t *asleep = grow_zero(g->scene->polls + 1, sizeof *asleep);
    size_t count = 0, more = 0;

    for (size_t n = 0; n < g->ops; n++) {
        struct graph_op *o = &g->op[n];
        uint32_t hold = o->poll == GRAPH_NONE
                            ? SCENE_NONE
                            : graph_tried(g->scene, &g->scene->poll[o->poll]);
        uint32_t take = hold == SCENE_NONE ? GRAPH_NONE : g->take[hold];

        if (hold == SCENE_NONE)
            continue;
        if (take == GRAPH_NONE || !can_try(g, n, take)) {
            o->poll = GRAPH_NONE; /* a sleep like others */
            continue;
        }
        o->tries = take;
        g->op[take].tries = (uint32_t)n;
        awake[count] = (int64_t)(g->op[take].from - o->to);
        asleep[more] = (int64_t)between(g, o) - awake[count];
        more += asleep[more] > 0;
        count++;
    }
    if (count) {
        g->awake = (uint64_t)graph_median(awake, count);
        g->asleep = (uint64_t)graph_median(asleep, more);
        find_longest(g);
    }
    free(awake);
    free(asleep);
}

static int by_cycle(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

void graph_find_ends(struct retime *g)
{
    const struct scene *s = g->scene;

    if (!s->polls || !g->trap)
        return;
    g->end = grow_zero(s->stays + 1, sizeof *g->end);
    for (size_t n = 0; n < s->stays; n++)
        if (s->stay[n].poll != SCENE_NONE && s->stay[n].state == STATE_TIMER)
            g->end[g->ends++] = s->stay[n].to;
    if (g->ends)
        qsort(g->end, g->ends, sizeof *g->end, by_cycle);
}

uint64_t graph_poll_left(const struct retime *g, uint32_t poll)
{
    const struct scene_poll *p = &g->scene->poll[poll];

    for (uint32_t n = 0; p->runs && !p->yields && n < p->stays; n++)
        if (!scene_runs(&g->scene->stay[p->stay + n]))
            return g->scene->stay[p->stay + n].from;
    return p->stay == SCENE_NONE ? p->since : g->scene->stay[p->stay].from;
}

/* A wait that was over before does not tell: as soon as others for that word.
 */
void graph_find_spun(struct retime *g)
{
    const struct scene *s = g->scene;
    struct hash of = {0};
    bool fresh;

    g->calls = grow_zero(s->polls + 1, sizeof *g->calls);
    for (uint32_t n = 0; n < s->polls; n++) {
        const struct scene_poll *p = &s->poll[n];
        uint64_t left = p->called ? graph_poll_left(g, n) : 0;
        uint32_t *least =
            left > p->since ? hash_at(&of, p->object, &fresh) : NULL;

        if (!least)
            continue;
        g->calls[n] = left - p->since;
        if (fresh || g->calls[n] < *least)
            *least = (uint32_t)g->calls[n];
    }
    for (uint32_t n = 0; n < s->polls; n++) {
        const uint32_t *least = hash_find(&of, s->poll[n].object);

        if (!g->calls[n] && least)
            g->calls[n] = *least;
    }
    hash_free(&of);
}

uint64_t graph_interrupts(const struct retime *g, const struct graph_op *run)
{
    uint64_t cycles;

    if (!g->ends || g->scene->stay[run->stay].cpu)
        return 0;
    cycles = g->trap * (SEARCH_FIRST(0, g->ends, i, g->end[i] > run->to) -
                        SEARCH_FIRST(0, g->ends, i, g->end[i] > run->from));
    return cycles < run->to - run->from ? cycles : 0;
}

uint64_t graph_interrupted(const struct retime *g, const struct graph_op *run,
                           uint64_t cycles)
{
    int64_t recorded = (int64_t)(run->to - run->from);
    int64_t spent = (int64_t)graph_interrupts(g, run);
    int64_t more = (int64_t)cycles - recorded;

    if (!spent)
        return cycles;
    more += more * spent / (recorded - spent);
    return more < -recorded ? 0 : (uint64_t)(recorded + more);
}
