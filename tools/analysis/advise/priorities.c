/* priorities.c - threads that have a CPU while others on which the run's length
 * hangs wait for it; see advise.h.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/advise/advise.h"
#include "tools/analysis/states/words.h"

#define MUCH 10u    /* one part in so many of the path */
#define LITTLE 200u /* the same, of what does not count */
#define TOGETHER 8u /* threads of one change, if they have no name */

/* Threads that have the CPU which the holder of a lock wants. */
static void add_inversions(struct advise *a)
{
    for (size_t n = 0; n < a->locks.shown; n++) {
        const struct locks_lock *l = &a->locks.lock[a->locks.order[n]];
        struct advise_candidate *c;
        char number[WORDS_NUMBER];
        uint32_t id;

        if (!locks_is_inverted(l) || l->displaced_by == SCENE_NONE)
            continue;
        id = a->scene->thread[l->displaced_by].id;
        c = advise_add(a, ADVISE_PRIORITY);
        snprintf(c->spec, sizeof c->spec, "priority:%" PRIu32 "=low", id);
        snprintf(c->what, sizeof c->what,
                 "%s runs where a lock's holder should",
                 words_thread(a->r, id, a->path.to, number));
    }
}

/* ---- in the background --------------------------------------------------- */

/* Of one without a name its number. */
static const char *name_of(const struct advise *a, uint32_t thread,
                           char number[WORDS_NUMBER])
{
    return words_thread(a->r, a->scene->thread[thread].id, a->path.to, number);
}

/* Have both the same name, or none? */
static bool is_alike(const struct advise *a, uint32_t thread, uint32_t other)
{
    char number[WORDS_NUMBER], number_too[WORDS_NUMBER];
    const char *name = name_of(a, thread, number),
               *too = name_of(a, other, number_too);

    return !strcmp(name, number) ? !strcmp(too, number_too)
                                 : !strcmp(name, too);
}

/* Threads that take the CPU from the critical path, and are next to nothing of
 * that. */
struct apart {
    const struct advise *a;
    bool *is;   /* by thread; owned */
    bool *done; /* by thread: there is a change for it; owned */
};

static void find_apart(struct apart *t)
{
    const struct path *p = &t->a->path;

    for (uint32_t n = 0; n < t->a->scene->threads; n++)
        t->is[n] = p->taken_thread[n] > 0;
    for (size_t n = 0; n < p->threads; n++)
        if (p->thread[n].cycles > p->c.total / LITTLE)
            t->is[p->thread[n].thread] = false;
}

/* Those like a thread: how many take the CPU, which one most, for how many
 * cycles all together; and is each of them apart? */
struct alike {
    unsigned threads;
    uint32_t most;
    uint64_t taken;
    bool all;
};

static struct alike find_alike(const struct apart *t, uint32_t thread)
{
    const uint64_t *taken = t->a->path.taken_thread;
    struct alike is = {.most = thread, .all = true};

    for (uint32_t n = 0; n < t->a->scene->threads; n++) {
        if (!is_alike(t->a, thread, n))
            continue;
        is.all &= t->is[n];
        if (!t->is[n] || taken[n] <= t->a->path.c.total / LITTLE)
            continue;
        is.threads++;
        is.taken += taken[n];
        if (taken[n] > taken[is.most])
            is.most = n;
    }
    return is;
}

/* Those of a group, by their numbers. */
static void put_numbers(const struct apart *t, uint32_t thread,
                        struct advise_candidate *c)
{
    const struct advise *a = t->a;
    unsigned put = 0;

    for (uint32_t n = 0; n < a->scene->threads && put < TOGETHER; n++) {
        size_t used = strlen(c->spec);

        if (!t->is[n] || !is_alike(a, thread, n) ||
            a->path.taken_thread[n] <= a->path.c.total / LITTLE)
            continue;
        snprintf(c->spec + used, sizeof c->spec - used,
                 "%spriority:%" PRIu32 "=low", put++ ? "; " : "",
                 a->scene->thread[n].id);
    }
}

static void add_background(struct apart *t, struct advise *a, uint32_t thread)
{
    struct alike alike = find_alike(t, thread);
    char number[WORDS_NUMBER];
    const char *name = name_of(a, alike.most, number);
    struct advise_candidate *c;

    for (uint32_t n = 0; n < a->scene->threads; n++)
        t->done[n] |= is_alike(a, thread, n);
    if (alike.taken <= a->path.c.total / MUCH)
        return;
    c = advise_add(a, ADVISE_PRIORITY);
    if (alike.all && strcmp(name, number) && !strpbrk(name, ";="))
        snprintf(c->spec, sizeof c->spec, "priority:%.15s=low", name);
    else
        put_numbers(t, thread, c);
    snprintf(c->what, sizeof c->what, "%s%s",
             strcmp(name, number) ? "" : "thread ", name);
    if (alike.threads > 1)
        snprintf(c->what + strlen(c->what), 32, ", one of %u threads,",
                 alike.threads);
    snprintf(c->what + strlen(c->what), 64,
             " has the CPU that the critical path waits for");
}

uint64_t advise_spare(const struct advise *a)
{
    const struct scene *s = a->scene;
    uint64_t all = a->r->end * a->r->cpus, sum = 0;

    for (size_t n = 0; n < s->stays; n++)
        if (scene_runs(&s->stay[n]))
            sum += s->stay[n].to - s->stay[n].from;
    for (uint32_t n = 0; n < s->polls; n++)
        if (s->poll[n].works) {
            uint64_t cycles = scene_runs_until(s, &s->poll[n]);

            sum -= cycles < sum ? cycles : sum;
        }
    return sum < all ? (all - sum) / a->r->cpus : 0;
}

void advise_find_priorities(struct advise *a)
{
    size_t threads = a->scene->threads + 1;
    struct apart t = {.a = a};

    if (!text_lines_get(&a->r->log, "argument"))
        return; /* a guest's threads cannot be told */
    add_inversions(a);
    if (advise_spare(a) < a->path.c.total / LITTLE)
        return;
    t.is = grow_zero(threads, sizeof *t.is);
    t.done = grow_zero(threads, sizeof *t.done);
    find_apart(&t);
    for (uint32_t n = 0; n + 1 < threads; n++)
        if (t.is[n] && !t.done[n])
            add_background(&t, a, n);
    free(t.is);
    free(t.done);
}
