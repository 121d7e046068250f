/* scene.c - records become stays, wake-ups and idle stints; see scene.h. */
#include "tools/analysis/causes/scene/scene.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/causes/scene/build.h"
#include "tools/analysis/states/happenings.h"

uint32_t scene_thread_of(const struct scene *s, uint32_t id)
{
    const uint32_t *n = hash_find(&s->by_id, id);

    return n ? *n : SCENE_NONE;
}

/* Is t, the first record of a thread, one of a Linux kernel's own, which never
 * becomes a program's? */
static bool is_daemon(const struct scene *s, const struct thread *t)
{
    const struct threads *all = &s->r->threads;

    if (!t || !text_lines_get(&s->r->log, "kernel"))
        return false;
    for (const struct thread *k = t;
         k < all->list + all->count && k->id == t->id; k++)
        if (k->is != THREAD_IS_DAEMON)
            return false;
    return true;
}

static uint32_t add_thread(struct scene *s, uint32_t id)
{
    bool fresh;
    uint32_t *n = hash_at(&s->by_id, id, &fresh);
    const struct thread *t;

    if (!fresh)
        return *n;
    *n = (uint32_t)s->threads;
    t = threads_find(&s->r->threads, id, 0);
    s->thread =
        grow(s->thread, &s->threads_room, s->threads + 1, sizeof *s->thread);
    s->thread[s->threads++] =
        (struct scene_thread){.id = id,
                              .sampler = t && t->is == THREAD_IS_SAMPLER,
                              .daemon = is_daemon(s, t),
                              .works = SCENE_NONE};
    return *n;
}

/* ---- stays --------------------------------------------------------------- */

static int by_thread(const void *a, const void *b)
{
    const struct happening *x = a, *y = b;

    if (x->thread != y->thread)
        return x->thread < y->thread ? -1 : 1;
    return x->serial < y->serial ? -1 : x->serial > y->serial;
}

static void add_stay(struct scene *s, const struct happening *h)
{
    uint32_t thread = add_thread(s, h->thread);
    struct scene_thread *t = &s->thread[thread];
    struct scene_stay *last = t->stays ? &s->stay[s->stays - 1] : NULL;
    uint64_t from = last && last->from > h->cycle ? last->from : h->cycle;

    if (last)
        last->to = from;
    else
        t->first = s->stays;
    s->stay = grow(s->stay, &s->stays_room, s->stays + 1, sizeof *s->stay);
    s->stay[s->stays++] = (struct scene_stay){.from = from,
                                              .to = s->r->end,
                                              .thread = thread,
                                              .state = h->state,
                                              .kind = h->kind,
                                              .object = h->object,
                                              .owner = h->owner,
                                              .stack = h->stack,
                                              .wake = SCENE_NONE,
                                              .lock = SCENE_NONE,
                                              .poll = SCENE_NONE,
                                              .masked = SCENE_NONE,
                                              .cpu = h->cpu};
    t->stays++;
}

/* Owners are threads, too; a run of runnable stays has one mask. */
static void settle_stays(struct scene *s)
{
    uint32_t masked = SCENE_NONE;

    for (size_t n = 0; n < s->stays; n++) {
        struct scene_stay *t = &s->stay[n];

        t->owner = t->owner ? scene_thread_of(s, t->owner) : SCENE_NONE;
        if (t->to < t->from)
            t->to = t->from;
        if (masked != SCENE_NONE && s->stay[masked].thread != t->thread)
            masked = SCENE_NONE;
        if (t->state != STATE_RUNNABLE)
            continue;
        if (masked == SCENE_NONE || s->stay[masked].object != t->object)
            masked = (uint32_t)n;
        t->masked = masked;
    }
}

/* Running, in the program and in the system by turns, is one stretch. */
static void measure_stretches(struct scene *s)
{
    for (size_t n = 0, end; n < s->stays; n = end) {
        for (end = n + 1; end < s->stays && scene_runs(&s->stay[n]) &&
                          scene_runs(&s->stay[end]) &&
                          s->stay[end].thread == s->stay[n].thread;)
            end++;
        for (size_t k = n; k < end; k++) {
            s->stay[k].since = s->stay[n].from;
            s->stay[k].until = s->stay[end - 1].to;
        }
    }
}

static void read_stays(struct scene *s)
{
    struct happenings h = {0};

    happenings_read_recorded(&h, s->r, REC_STATE);
    if (h.count)
        qsort(h.list, h.count, sizeof *h.list, by_thread);
    scene_part_polls(&h, s->r);
    for (size_t n = 0; n < h.count; n++)
        add_stay(s, &h.list[n]);
    happenings_free(&h);
    settle_stays(s);
    measure_stretches(s);
}

struct beginning {
    uint64_t from;
    uint32_t stay;
};

static int by_beginning(const void *a, const void *b)
{
    const struct beginning *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x->stay < y->stay ? -1 : x->stay > y->stay;
}

static void order_stays(struct scene *s)
{
    struct beginning *list = grow_zero(s->stays + 1, sizeof *list);

    s->begins = grow_zero(s->stays + 1, sizeof *s->begins);
    for (size_t n = 0; n < s->stays; n++)
        list[n] = (struct beginning){s->stay[n].from, (uint32_t)n};
    if (s->stays)
        qsort(list, s->stays, sizeof *list, by_beginning);
    for (size_t n = 0; n < s->stays; n++)
        s->begins[n] = list[n].stay;
    free(list);
}

/* ---- wake-ups ------------------------------------------------------------ */

static void read_wakes(struct scene *s)
{
    struct happenings h = {0};

    happenings_read(&h, s->r, REC_WAKE);
    if (h.count)
        qsort(h.list, h.count, sizeof *h.list, by_thread);
    s->wake = grow(s->wake, &s->wakes_room, h.count + 1, sizeof *s->wake);
    for (size_t n = 0; n < h.count; n++) {
        const struct happening *w = &h.list[n];
        uint32_t thread = scene_thread_of(s, w->thread);

        if (thread != SCENE_NONE)
            s->wake[s->wakes++] =
                (struct scene_wake){.cycle = w->cycle,
                                    .serial = w->serial,
                                    .thread = thread,
                                    .by = w->by,
                                    .waker = scene_thread_of(s, w->waker),
                                    .stack = w->stack};
    }
    happenings_free(&h);
}

/* Does a wake-up make that stay? */
static bool was_woken(const struct scene *s, size_t stay)
{
    const struct scene_stay *t = &s->stay[stay];

    return t->state == STATE_RUNNABLE &&
           (!stay || t[-1].thread != t->thread || scene_blocked(t - 1));
}

/* One thread's wake-ups from w to `end`: one for each time it was woken, in
 * this order. Where some are lost, the last one by then that lies in the wait;
 * clocks of two CPUs may differ, so cycles alone would not do. */
static void match_thread(struct scene *s, const struct scene_thread *t,
                         size_t w, size_t end)
{
    size_t times = 0;

    for (size_t n = t->first; n < t->first + t->stays; n++)
        times += was_woken(s, n);
    for (size_t n = t->first; n < t->first + t->stays && w < end; n++) {
        bool first = n == t->first;
        uint64_t since = first ? 0 : s->stay[n - 1].from;

        if (!was_woken(s, n))
            continue;
        while (times != end - w && w < end && s->wake[w].cycle < since)
            w++;
        if (w == end ||
            (times != end - w && s->wake[w].cycle > s->stay[n].from))
            continue;
        s->stay[first ? n : n - 1].wake = (uint32_t)w++;
        times--;
    }
}

static void match_wakes(struct scene *s)
{
    size_t w = 0, end;

    for (uint32_t n = 0; n < s->threads; n++, w = end) {
        for (end = w; end < s->wakes && s->wake[end].thread == n;)
            end++;
        match_thread(s, &s->thread[n], w, end);
    }
}

uint64_t scene_runnable(const struct scene *s)
{
    uint64_t sum = 0;

    for (size_t n = 0; n < s->stays; n++)
        if (s->stay[n].state == STATE_RUNNABLE)
            sum += s->stay[n].to - s->stay[n].from;
    return sum;
}

/* ---- all of it ----------------------------------------------------------- */

void scene_read(struct scene *s, struct recording *r)
{
    *s = (struct scene){.r = r};
    frames_read(&s->frames, r);
    s->stacks = s->frames.count != 0;
    read_stays(s);
    order_stays(s);
    read_wakes(s);
    match_wakes(s);
    scene_read_locks(s);
    scene_read_polls(s);
    scene_read_spins(s);
    scene_read_stints(s);
    scene_read_spots(s);
}

void scene_free(struct scene *s)
{
    frames_free(&s->frames);
    free(s->thread);
    free(s->stay);
    free(s->begins);
    free(s->wake);
    free(s->lock);
    free(s->hold);
    free(s->signal);
    free(s->spin);
    free(s->poll);
    free(s->stint);
    free(s->spot);
    hash_free(&s->by_id);
    *s = (struct scene){0};
}
