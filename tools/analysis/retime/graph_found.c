/* graph_found.c - how long after a thread has asked for a program's lock that
 * another one has does the system look whether it has been given back; see
 * graph.h.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/retime/graph.h"

/* Of the time from asking to having a lock that was found free, up to there.
 * APPROX: 7 of 10, where no recorded one tells. Source: the guest, 690 to 760
 * of 1,039 cycles. Cost: who comes as much too early or late falls asleep, or
 * does not. */
#define USUAL(cycles) ((cycles)*7 / 10)

static int by_cycles(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* From asking for a lock to its being given back by others: of those that found
 * that it had been, and of those that slept. */
struct given {
    uint64_t *found, *slept;
    size_t founds, sleeps;
};

/* `n`: of the holds by lock, in the order in which it was taken. */
static void note(struct given *given, const struct retime *g,
                 const struct scene_hold **list, size_t n)
{
    const struct scene_hold *h = list[n];
    uint64_t asked = h->asked + g->spinning[h->lock];
    size_t k = n;

    if (g->called[h - g->scene->hold]) {
        if (n && list[n - 1]->lock == h->lock && list[n - 1]->given > asked &&
            list[n - 1]->given <= h->taken)
            given->found[given->founds++] = list[n - 1]->given - asked;
        return;
    }
    if (h->stay == SCENE_NONE)
        return;
    while (k && list[k - 1]->lock == h->lock && list[k - 1]->given > asked)
        k--;
    if (k < n)
        given->slept[given->sleeps++] = list[k]->given - asked;
}

/* How many of them would not have done what they did, if it looked then. */
static size_t wrong(const struct given *given, uint64_t looks)
{
    size_t found = SEARCH_FIRST(0, given->founds, i, given->found[i] > looks);

    return given->founds - found +
           SEARCH_FIRST(0, given->sleeps, i, given->slept[i] >= looks);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static void rather(const struct given *given, uint64_t usual, uint64_t looks,
                   uint64_t *best)
{
    size_t now = wrong(given, looks), before = wrong(given, *best);

    if (now < before ||
        (now == before && apart(looks, usual) < apart(*best, usual)))
        *best = looks;
}

uint64_t graph_looks_at(const struct retime *g, uint64_t found)
{
    const struct scene *s = g->scene;
    const struct scene_hold **list = graph_holds_by_lock(s);
    struct given given = {grow_zero(s->holds + 1, sizeof *given.found),
                          grow_zero(s->holds + 1, sizeof *given.slept), 0, 0};
    uint64_t best = USUAL(found);
    size_t count = 0;

    for (size_t n = 0; n < s->holds; n++)
        if (graph_lock_is(g, list[n]->lock) == GRAPH_LOCK_MUTEX &&
            !s->lock[list[n]->lock].counted && !g->again[list[n] - s->hold])
            list[count++] = list[n];
    for (size_t n = 0; n < count; n++)
        note(&given, g, list, n);
    qsort(given.found, given.founds, sizeof *given.found, by_cycles);
    qsort(given.slept, given.sleeps, sizeof *given.slept, by_cycles);
    for (size_t n = 0; n < given.founds; n++)
        rather(&given, USUAL(found), given.found[n], &best);
    for (size_t n = 0; n < given.sleeps; n++)
        rather(&given, USUAL(found), given.slept[n], &best);
    free(given.found);
    free(given.slept);
    free(list);
    return best < found ? best : found;
}

uint64_t graph_tries_at(const struct retime *g, size_t from, size_t take)
{
    bool left = false;

    for (size_t n = from; n < take; n++) {
        const struct graph_op *o = &g->op[n];
        const struct scene_stay *t;

        if (o->is != GRAPH_RUN)
            continue;
        t = &g->scene->stay[o->stay];
        if (left && t->state == STATE_SYSTEM)
            return t->from;
        left |= t->state != STATE_SYSTEM;
    }
    return g->op[take].from;
}
