/* graph_sched.c - priorities and affinities, which are not recorded, as far as
 * the recording shows them.
 *
 * A thread preempts another one if it becomes runnable and soon has the CPU of
 * that one, nearly each time. A mask is known where a thread waits for a CPU;
 * the thread may have set it any time since the last such wait, and is taken to
 * have set it at once. Of threads that wait for a lock, under --user the one of
 * the highest priority is woken first, even if another one has waited longer.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/graph.h"
#include "tools/analysis/states/words.h"

#define SOON 4000 /* cycles */
#define RARELY 4  /* it waits once in so many times, at most */

static uint32_t times(const struct hash *h, uint64_t key)
{
    const uint32_t *at = hash_find(h, key);

    return at ? *at : 0;
}

bool graph_preempts(const struct retime *g, uint32_t thread, uint32_t runs,
                    size_t op)
{
    uint64_t key = graph_pair(thread, runs);
    uint32_t made = times(&g->preempts, key);

    return made && times(&g->keeps, key) <= made / RARELY &&
           op >= times(&g->before, key);
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

bool graph_mask_is_of(const struct retime *g, const struct retime_mask *m,
                      uint32_t thread)
{
    uint32_t id = g->scene->thread[thread].id;
    char number[WORDS_NUMBER];

    return m->name[0] ? !strcmp(m->name, words_thread(g->scene->r, id,
                                                      g->scene->r->end, number))
                      : !m->thread || m->thread == id;
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

/* The waits of a thread that it does not have as short: those before it has
 * set its priority, and others. */
static void count_kept(struct retime *g)
{
    struct hash first = {0};

    for (int kept = 0; kept < 2; kept++)
        for (size_t n = 0; n < g->first[GRAPH_CPUS]; n++) {
            struct graph_op *left = waited_for(g, n);
            uint32_t op = g->order[n], *at;
            uint64_t key;
            bool fresh;

            if (!left || left->sliced || (left->preempted == 0) != (kept == 1))
                continue;
            key = graph_pair(g->op[op].thread, left->thread);
            at = hash_at(&first, key, &fresh);
            if (!kept) {
                *at = fresh || op < *at ? op : *at;
            } else if (fresh || op > *at) {
                ++*hash_at(&g->keeps, key, &fresh);
            } else {
                at = hash_at(&g->before, key, &fresh);
                *at = op >= *at ? op + 1 : *at;
            }
        }
    hash_free(&first);
}

#define MOST 97 /* hundredths of a slice that are the whole of it */

/* Which yields are at the end of a time slice. In the guest a thread may have
 * been preempted as late as that; under --user it would have had to leave its
 * CPU anyway. */
static void find_slices(struct retime *g)
{
    int64_t *late = grow_zero(g->ops + 1, sizeof *late);
    size_t found = 0;
    uint64_t since = 0;

    for (size_t n = 0; n < g->ops && g->take && g->slice; n++) {
        struct graph_op *o = &g->op[n];

        if (o->is == GRAPH_DISPATCH)
            since = o->to;
        o->sliced = o->is == GRAPH_YIELD && o->queued && !o->preempted &&
                    o->from > since &&
                    (o->from - since) >= g->slice / 100 * MOST;
        if (o->sliced && o->from - since < 2 * g->slice)
            late[found++] = (int64_t)(o->from - since - g->slice);
    }
    g->late = found && !g->call ? (uint64_t)graph_median(late, found) : g->trap;
    free(late);
}

void graph_find_preempts(struct retime *g)
{
    size_t count = g->first[GRAPH_CPUS], found = 0;
    int64_t *list = grow_zero(count + 1, sizeof *list);

    if (g->call)
        find_slices(g);
    for (size_t n = 0; n < count; n++) {
        const struct graph_op *o = &g->op[g->order[n]];
        struct graph_op *left = waited_for(g, n);
        uint64_t took = left ? left->from - o->from : 0;
        bool fresh;

        if (!left || took > SOON || left->is != GRAPH_YIELD || left->sliced)
            continue;
        ++*hash_at(&g->preempts, graph_pair(o->thread, left->thread), &fresh);
        left->preempted = took;
        list[found++] = (int64_t)took;
    }
    g->preempted = (uint64_t)graph_median(list, found);
    free(list);
    count_kept(g);
    for (size_t n = 0; n < count; n++) {
        struct graph_op *left = waited_for(g, n);

        if (left && left->preempted &&
            !graph_preempts(g, g->op[g->order[n]].thread, left->thread,
                            g->order[n]))
            left->preempted = 0;
    }
    if (!g->call)
        find_slices(g);
}

/* ---- who is woken -------------------------------------------------------- */

#define AROUND 64 /* waits for a lock, of which others are looked at */

struct wait {
    uint32_t lock, thread;
    uint64_t from, woken;
};

static int by_lock(const void *a, const void *b)
{
    const struct wait *x = a, *y = b;

    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

/* A thread was woken: was another one waiting for the same lock then? */
static void look_at(struct retime *g, const struct wait *woken,
                    const struct wait *other)
{
    bool fresh;

    if (other->lock != woken->lock || other->thread == woken->thread ||
        other->from >= woken->woken || other->woken <= woken->woken)
        return;
    if (other->from < woken->from)
        ++*hash_at(&g->favoured, graph_pair(woken->thread, other->thread),
                   &fresh);
    ++*hash_at(&g->passed, graph_pair(other->thread, woken->thread), &fresh);
}

void graph_find_favoured(struct retime *g)
{
    const struct scene *s = g->scene;
    struct wait *list = grow_zero(s->stays + 1, sizeof *list);
    size_t count = 0;

    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];

        if (t->state == STATE_LOCK && t->lock != SCENE_NONE &&
            t->wake != SCENE_NONE && s->lock[t->lock].kind == OBJECT_USER &&
            s->wake[t->wake].by == WAKE_BY_THREAD)
            list[count++] = (struct wait){t->lock, t->thread, t->from,
                                          s->wake[t->wake].cycle};
    }
    if (count)
        qsort(list, count, sizeof *list, by_lock);
    for (size_t n = 0; n < count; n++)
        for (size_t k = n > AROUND ? n - AROUND : 0;
             k < count && k < n + AROUND; k++)
            look_at(g, &list[n], &list[k]);
    free(list);
}

bool graph_favours(const struct retime *g, uint32_t a, uint32_t b)
{
    uint64_t key = graph_pair(a, b);

    return times(&g->favoured, key) && !times(&g->passed, key);
}
