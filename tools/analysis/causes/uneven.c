/* uneven.c - see uneven.h. */
#include "tools/analysis/causes/uneven.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

#define REST                                                                   \
    100 /* one part in so many of its work may come behind its end:            \
         * it is told that there is no more, and ends */
#define AT_WORK 0.9 /* of its time the last thread runs, or could */

struct worker {
    uint32_t place, begins, thread;
    uint32_t maker; /* the thread that made it */
    uint64_t done;  /* cycle */
    uint64_t until; /* of what it runs up to there is its work */
    unsigned cpus;  /* that it ran on, a bit each */
};

/* Does a thread run there, and not in a loop that asks a word in vain? */
static bool works(const struct scene *s, const struct scene_stay *stay)
{
    const struct scene_poll *p =
        stay->poll == SCENE_NONE ? NULL : &s->poll[stay->poll];

    return scene_runs(stay) && !(p && p->runs && !p->works);
}

/* The cycle of a stay where a thread works no more: until the records end it
 * asks a word. */
static uint64_t end_of(const struct scene_thread *t,
                       const struct scene_stay *stay)
{
    return t->asks && t->asks < stay->to ? t->asks : stay->to;
}

/* The cycles that a thread worked, or could, between two. */
static uint64_t ran(const struct scene *s, uint32_t thread, uint64_t from,
                    uint64_t to, bool could)
{
    const struct scene_thread *t = &s->thread[thread];
    uint64_t sum = 0;

    for (size_t n = t->first; n < t->first + t->stays; n++) {
        const struct scene_stay *stay = &s->stay[n];
        uint64_t a = stay->from > from ? stay->from : from;
        uint64_t b = end_of(t, stay) < to ? end_of(t, stay) : to;

        if (a < b &&
            (works(s, stay) || (could && stay->state == STATE_RUNNABLE)))
            sum += b - a;
    }
    return sum;
}

/* When it had run all but the rest of what it runs. */
static void find_done(const struct scene *s, struct worker *w)
{
    const struct scene_thread *t = &s->thread[w->thread];
    uint64_t rest = ran(s, w->thread, 0, UINT64_MAX, false) / REST;

    for (size_t n = t->first + t->stays; n-- > t->first;) {
        const struct scene_stay *stay = &s->stay[n];
        uint64_t end = end_of(t, stay);
        uint64_t length = end > stay->from ? end - stay->from : 0;

        if (!works(s, stay) || !length)
            continue;
        if (stay->cpu < 32)
            w->cpus |= 1u << stay->cpu;
        if (w->done)
            continue;
        if (length > rest)
            w->done = end - rest;
        else
            rest -= length;
    }
}

/* Where and by whom it was made: the wake-up in front of its first stay. */
static uint32_t made_at(const struct scene *s, struct places *p,
                        uint32_t thread, size_t *wake, uint32_t *maker)
{
    const struct scene_thread *t = &s->thread[thread];
    const struct scene_wake *w;

    while (*wake < s->wakes && s->wake[*wake].thread < thread)
        (*wake)++;
    w = &s->wake[*wake];
    if (!t->stays || *wake == s->wakes || w->thread != thread ||
        w->by != WAKE_BY_THREAD || w->cycle > s->stay[t->first].from)
        return PLACES_NOWHERE;
    *maker = w->waker;
    return places_waits(p, w->stack, w->cycle);
}

/* The program's own function that is outermost on a stack. */
static uint32_t outermost(const struct scene *s, struct places *p,
                          uint32_t stack)
{
    uint32_t found = LOADMAP_UNKNOWN;
    const struct frames_place *f;

    while ((f = frames_at(&s->frames, stack))) {
        uint32_t own = places_own(p, stack);

        if (own != LOADMAP_UNKNOWN)
            found = own;
        stack = f->caller;
    }
    return found;
}

/* The program's own function that a thread begins with, where stacks of it have
 * one: that of most. A sample may meet a thread that has not got its own stack
 * yet. */
static uint32_t begins_with(const struct scene *s, struct places *p,
                            uint32_t thread)
{
    const struct scene_thread *t = &s->thread[thread];
    uint32_t found = LOADMAP_UNKNOWN;
    size_t lead = 0;

    for (size_t n = 0; n < t->spots + t->stays; n++) {
        uint32_t stack = n < t->spots ? s->spot[t->spot + n].stack
                                      : s->stay[t->first + n - t->spots].stack;
        uint32_t is = outermost(s, p, stack);

        if (is == LOADMAP_UNKNOWN)
            continue;
        if (!lead)
            found = is;
        lead += is == found ? 1 : (size_t)-1;
    }
    return found;
}

static bool is_within(const struct scene *s, struct places *p, uint32_t stack,
                      uint32_t function)
{
    const struct frames_place *f;

    for (; (f = frames_at(&s->frames, stack)); stack = f->caller)
        if (places_own(p, stack) == function)
            return true;
    return false;
}

/* The thread that made them may do a part itself: it calls the function that
 * they begin with. It has done that when it is seen there for the last time.
 * False: it does not. */
static bool takes_part(const struct scene *s, struct places *p,
                       const struct worker *of, struct worker *w)
{
    const struct scene_thread *t;
    uint64_t first = UINT64_MAX;

    *w = (struct worker){.place = of->place,
                         .begins = of->begins,
                         .thread = of->maker,
                         .maker = SCENE_NONE};
    if (of->maker == SCENE_NONE || of->begins == LOADMAP_UNKNOWN)
        return false;
    t = &s->thread[of->maker];
    for (size_t n = t->spot; n < t->spot + t->spots; n++) {
        const struct scene_spot *spot = &s->spot[n];

        if (!is_within(s, p, spot->stack, of->begins))
            continue;
        first = spot->cycle < first ? spot->cycle : first;
        w->done = w->until = spot->cycle;
    }
    for (size_t n = t->first; n < t->first + t->stays; n++)
        if (scene_runs(&s->stay[n]) && s->stay[n].cpu < 32 &&
            s->stay[n].from < w->done && s->stay[n].to > first)
            w->cpus |= 1u << s->stay[n].cpu;
    return w->done > first;
}

/* Do two threads do the same, as far as that is known? */
static bool is_same(const struct worker *a, const struct worker *b)
{
    return a->place == b->place && a->begins == b->begins;
}

static int by_place(const void *a, const void *b)
{
    const struct worker *x = a, *y = b;

    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    if (x->begins != y->begins)
        return x->begins < y->begins ? -1 : 1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static unsigned count_bits(unsigned bits)
{
    unsigned n = 0;

    for (; bits; bits &= bits - 1)
        n++;
    return n;
}

/* Does a mask keep a thread off one of these CPUs, a bit each? */
static bool is_bound(const struct scene *s, uint32_t thread, unsigned cpus)
{
    const struct scene_thread *t = &s->thread[thread];

    for (size_t n = t->first; n < t->first + t->stays; n++)
        if (s->stay[n].state == STATE_RUNNABLE &&
            s->stay[n].kind == OBJECT_CPUS && cpus & ~s->stay[n].object)
            return true;
    return false;
}

/* Threads w[0] to w[count - 1] are made in one place, but for one that makes
 * them, and do the same. */
static struct uneven of_place(const struct scene *s, const struct worker *w,
                              unsigned count)
{
    struct uneven u = {.place = w->place,
                       .begins = w->begins,
                       .threads = count,
                       .from = w->done};
    uint64_t work = 0, even;
    unsigned cpus = 0;

    for (unsigned n = 0; n < count; n++) {
        cpus |= w[n].cpus;
        if (w[n].done < u.from)
            u.from = w[n].done;
        if (w[n].done > u.to) {
            u.to = w[n].done;
            u.last = w[n].thread;
        }
    }
    for (unsigned n = 0; n < count; n++)
        work += ran(s, w[n].thread, u.from, least(u.to, w[n].until), false);
    if (is_bound(s, u.last, cpus)) /* then other pieces would be no help */
        return u;
    cpus = count_bits(cpus);
    cpus = cpus < count ? cpus : count;
    even = cpus ? work / cpus : 0;
    if (even < u.to - u.from && (double)ran(s, u.last, u.from, u.to, true) >=
                                    AT_WORK * (double)(u.to - u.from))
        u.gain = u.to - u.from - even;
    return u;
}

bool uneven_find(struct uneven *u, const struct scene *s, struct places *p)
{
    struct worker *list = grow_zero(s->threads + 1, sizeof *list);
    size_t count = 0, wake = 0;

    *u = (struct uneven){.gain = 0};
    for (uint32_t n = 0; n < s->threads; n++) {
        struct worker w = {.thread = n, .until = UINT64_MAX};

        w.place = made_at(s, p, n, &wake, &w.maker);
        find_done(s, &w);
        if (w.place == PLACES_NOWHERE || !w.done)
            continue;
        w.begins = begins_with(s, p, n);
        list[count++] = w;
    }
    if (count)
        qsort(list, count, sizeof *list, by_place);
    for (size_t n = 0, end; n < count; n = end) {
        struct uneven it = {.gain = 0};
        struct worker *one;
        bool makes;

        for (end = n; end < count && is_same(&list[end], &list[n]); end++)
            continue;
        one = grow_zero(end - n + 1, sizeof *one);
        memcpy(one, &list[n], (end - n) * sizeof *one);
        makes = takes_part(s, p, &list[n], &one[end - n]);
        if (end - n + makes >= 2)
            it = of_place(s, one, (unsigned)(end - n) + makes);
        it.maker = makes ? list[n].maker : SCENE_NONE;
        free(one);
        if (it.gain > u->gain)
            *u = it;
    }
    free(list);
    return u->gain > 0;
}
