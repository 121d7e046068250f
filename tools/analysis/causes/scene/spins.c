/* spins.c - who ran in a function that takes a lock while another thread
 * had it, or looked at a word until it was written; see scene.h.
 */
#define _GNU_SOURCE /* qsort_r */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/causes/scene/build.h"

#define TURN 64 /* cycles by which clocks of two CPUs may differ */

static int by_lock(const void *a, const void *b, void *holds)
{
    const struct scene_hold *hold = holds, *x = &hold[*(const uint32_t *)a],
                            *y = &hold[*(const uint32_t *)b];

    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->taken != y->taken)
        return x->taken < y->taken ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static int by_thread(const void *a, const void *b)
{
    const struct scene_spin *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void add(struct scene *s, const struct scene_spin *spin)
{
    if (spin->owner == spin->thread || spin->to < spin->from + TURN)
        return;
    s->spin = grow(s->spin, &s->spins_room, s->spins + 1, sizeof *s->spin);
    s->spin[s->spins++] = *spin;
}

static struct scene_spin for_lock(const struct scene_hold *x,
                                  const struct scene_hold *had)
{
    return (struct scene_spin){had->taken > x->asked ? had->taken : x->asked,
                               had->given < x->taken ? had->given : x->taken,
                               x->thread,
                               had->thread,
                               x->lock,
                               SCENE_NONE};
}

/* While it has a CPU: who writes the word in the end, or, of a lock, who had
 * it. `had`: holds of that, `holds` of them, by when they were taken, of
 * others. */
static void add_poll(struct scene *s, uint32_t poll, const uint32_t *had,
                     size_t holds)
{
    const struct scene_poll *p = &s->poll[poll];

    for (uint32_t n = p->stay; n < p->stay + p->stays; n++) {
        const struct scene_stay *t = &s->stay[n];
        uint64_t to = t->to < p->written ? t->to : p->written;
        size_t k = holds;

        if (!scene_runs(t))
            continue;
        for (; k && t->from < to; k--) {
            const struct scene_hold *h = &s->hold[had[k - 1]];
            uint64_t from = k > 1 && h->taken > t->from ? h->taken : t->from;

            if (from >= to)
                continue;
            add(s, &(struct scene_spin){from, to, p->thread, h->thread,
                                        SCENE_NONE, poll});
            to = from;
        }
        if (!holds && t->from < to)
            add(s, &(struct scene_spin){t->from, to, p->thread, p->writer,
                                        SCENE_NONE, poll});
    }
}

/* The wait for a lock of a word that a thread has taken then, if it has waited:
 * the holds of others since it began to are in front of it in the order. */
static uint32_t poll_of(const struct scene *s, const struct scene_hold *x)
{
    const struct scene_poll *p =
        s->lock[x->lock].word ? scene_poll_from(s, x->thread, x->asked) : NULL;

    return p && p->runs && p->since == x->asked ? (uint32_t)(p - s->poll)
                                                : SCENE_NONE;
}

static void add_polls(struct scene *s, const uint32_t *order)
{
    bool *of_lock = grow_zero(s->polls + 1, sizeof *of_lock);

    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *x = &s->hold[order[n]];
        uint32_t poll = poll_of(s, x);
        size_t k = n;

        while (poll != SCENE_NONE && k &&
               s->hold[order[k - 1]].lock == x->lock &&
               s->hold[order[k - 1]].given > x->asked)
            k--;
        if (k == n)
            continue;
        of_lock[poll] = true;
        add_poll(s, poll, order + k, n - k);
    }
    for (uint32_t n = 0; n < s->polls; n++)
        if (s->poll[n].runs && !s->poll[n].works && !of_lock[n])
            add_poll(s, n, NULL, 0);
    free(of_lock);
}

/* A lock that threads read has several owners at a time: it is none here. */
void scene_read_spins(struct scene *s)
{
    uint32_t *order = grow_zero(s->holds + 1, sizeof *order);

    for (size_t n = 0; n < s->holds; n++)
        order[n] = (uint32_t)n;
    if (s->holds)
        qsort_r(order, s->holds, sizeof *order, by_lock, s->hold);
    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *x = &s->hold[order[n]];

        if (x->stay != SCENE_NONE || s->lock[x->lock].readers ||
            s->lock[x->lock].slots || s->lock[x->lock].word ||
            x->taken < x->asked + TURN)
            continue;
        for (size_t k = n; k-- > 0;) {
            const struct scene_hold *had = &s->hold[order[k]];
            struct scene_spin spin;

            if (had->lock != x->lock || had->given <= x->asked)
                break;
            spin = for_lock(x, had);
            add(s, &spin);
        }
    }
    add_polls(s, order);
    if (s->spins)
        qsort(s->spin, s->spins, sizeof *s->spin, by_thread);
    free(order);
}

static size_t first_from(const struct scene *s, uint32_t thread, uint64_t cycle)
{
    return SEARCH_FIRST(
        0, s->spins, i,
        s->spin[i].thread > thread ||
            (s->spin[i].thread == thread && s->spin[i].to >= cycle));
}

const struct scene_spin *scene_spin_from(const struct scene *s, uint32_t thread,
                                         uint64_t cycle)
{
    size_t n = first_from(s, thread, cycle);

    return n < s->spins && s->spin[n].thread == thread ? &s->spin[n] : NULL;
}

const struct scene_spin *scene_spin_before(const struct scene *s,
                                           uint32_t thread, uint64_t cycle)
{
    size_t n = first_from(s, thread, cycle);

    return n && s->spin[n - 1].thread == thread ? &s->spin[n - 1] : NULL;
}
