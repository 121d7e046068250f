/* graph_handed.c - locks that go from who gives one back to who waits longest,
 * as those that lend a priority (PTHREAD_PRIO_INHERIT) do; see graph.h.
 *
 * A recording shows it where a thread asks for a lock while the one that was
 * woken for it is on its way to a CPU. If the lock is free by then, that thread
 * has it at once; if it is that of the woken one, it waits.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/graph.h"

#define AROUND 64 /* holds of a lock, of which others are looked at */
#define ENOUGH 2  /* that waited, to say so */

static bool waited(const struct scene_hold *h)
{
    return h->stay != SCENE_NONE;
}

/* Did a thread ask for a lock between two cycles? Not where it is known by a
 * turn only. */
static bool asked_in(const struct retime *g, const struct scene_hold *h,
                     uint64_t from, uint64_t to)
{
    return !g->again[h - g->scene->hold] && h->asked > from + GRAPH_TURN &&
           h->asked + GRAPH_TURN < to;
}

/* Of the holds of a lock, in order, behind the n-th: does one tell that the
 * lock was free while a thread was woken for it, or that it was not? */
static void look_behind(const struct retime *g,
                        const struct scene_hold *const *list, size_t n,
                        size_t count, size_t *free, size_t *had)
{
    uint64_t given = list[n]->given;
    const struct scene_hold *next = list[n + 1];

    for (size_t k = n + 2; k < count && k < n + AROUND; k++) {
        const struct scene_hold *h = list[k];

        if (!waited(h) || g->again[h - g->scene->hold])
            continue;
        if (waited(next) && next->asked < given)
            *had += asked_in(g, h, given, next->taken);
        else if (!waited(next) && h->asked + GRAPH_TURN < given)
            *free += asked_in(g, next, given, UINT64_MAX);
    }
}

void graph_find_handed(struct retime *g, const struct scene_hold *const *list)
{
    const struct scene *s = g->scene;

    g->handed = grow_zero(s->locks + 1, sizeof *g->handed);
    for (size_t n = 0, end; n < s->holds; n = end) {
        uint32_t lock = list[n]->lock;
        size_t free = 0, had = 0;

        for (end = n + 1; end < s->holds && list[end]->lock == lock;)
            end++;
        if (graph_lock_is(g, lock) != GRAPH_LOCK_MUTEX || g->spins[lock] ||
            s->lock[lock].counted)
            continue;
        for (size_t k = n; k + 2 < end; k++)
            look_behind(g, list, k, end, &free, &had);
        g->handed[lock] = !free && had >= ENOUGH;
    }
}
