/* path.c - see path.h. */
#include "tools/analysis/causes/path.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/causes/tally.h"

#define LONGEST (1ull << 40) /* cycles: an hour and a half */
#define WAITS 64 /* for locks, one in another; the others are not told */

struct way {
    struct path *path;
    const struct scene *scene;
    struct tally tally;
    uint64_t *cycles; /* by thread */
    uint32_t at;      /* the thread it is at */
    uint64_t cycle;   /* all behind it is done */
    uint32_t stuck;   /* changes of thread since it was an earlier cycle */
    const struct scene_stay *wait[WAITS]; /* passed over, not to their end */
    unsigned waits;
};

/* The stay that a thread was in just before a cycle; NULL: it was not born. */
static const struct scene_stay *stay_before(const struct scene *s,
                                            uint32_t thread, uint64_t cycle)
{
    const struct scene_thread *t = &s->thread[thread];
    size_t end = t->first + t->stays;
    size_t n = SEARCH_FIRST(t->first, end, i, s->stay[i].from >= cycle);

    return n > t->first ? &s->stay[n - 1] : NULL;
}

/* Of those that run at the end the first one, else the last to end. */
static uint32_t last_thread(const struct scene *s, uint64_t end)
{
    uint32_t best = SCENE_NONE;
    uint64_t ended = 0;

    for (uint32_t n = 0; n < s->threads; n++) {
        const struct scene_stay *t = stay_before(s, n, end);

        if (!t || s->thread[n].sampler)
            continue;
        if (scene_runs(t))
            return n;
        if (t->state == STATE_ENDED && t->from > ended) {
            ended = t->from;
            best = n;
        }
    }
    return best;
}

/* The cycles down to `to` are those of the waits that are still passed over. */
static void charge_locks(struct way *w, uint64_t to)
{
    for (uint64_t until = w->cycle; w->waits && until > to; w->waits--) {
        const struct scene_stay *t = w->wait[w->waits - 1];
        uint64_t from = t->from > to ? t->from : to;

        if (from < until) {
            w->path->lock[t->lock] += until - from;
            until = from;
        }
        if (t->from < to)
            break;
    }
}

static void step_back(struct way *w, uint64_t to)
{
    charge_locks(w, to);
    w->cycles[w->at] += w->cycle - to;
    w->path->c.total += w->cycle - to;
    w->cycle = to;
    w->stuck = 0;
}

/* False: there is none, or it leads nowhere. */
static bool change(struct way *w, uint32_t thread)
{
    if (thread == SCENE_NONE || ++w->stuck > w->scene->threads)
        return false;
    w->path->changes += thread != w->at;
    w->at = thread;
    return true;
}

static bool change_to(struct way *w, uint32_t wake)
{
    const struct scene_wake *by =
        wake == SCENE_NONE ? NULL : &w->scene->wake[wake];

    return by && by->by == WAKE_BY_THREAD && change(w, by->waker);
}

/* It waited for its CPU: was that idle? */
static bool was_idle(const struct scene *s, unsigned cpu, uint64_t cycle)
{
    size_t n = SEARCH_FIRST(0, s->stints, i,
                            s->stint[i].cpu > cpu || (s->stint[i].cpu == cpu &&
                                                      s->stint[i].to > cycle));

    return n < s->stints && s->stint[n].cpu == cpu && s->stint[n].from <= cycle;
}

static void pass_runnable(struct way *w, const struct scene_stay *t,
                          uint64_t from)
{
    const struct scene *s = w->scene;
    const struct scene_thread *who = &s->thread[t->thread];
    const struct scene_stay *before = t > s->stay + who->first ? t - 1 : NULL;
    bool comes = t + 1 < s->stay + who->first + who->stays;
    bool idle = comes && was_idle(s, t[1].cpu, from);
    uint32_t stack = before && scene_blocked(before) ? before->stack : t->stack;

    tally_charge(&w->tally, idle ? ROOT_WAKEUP : ROOT_CPU,
                 places_waits(w->tally.places, stack, t->from),
                 w->cycle - from);
    step_back(w, from);
}

/* A wait that no thread ended. */
static void pass_wait(struct way *w, const struct scene_stay *t, uint64_t from)
{
    const struct scene_wake *by =
        t->wake == SCENE_NONE ? NULL : &w->scene->wake[t->wake];
    enum chain_root is = ROOT_UNKNOWN;

    if (t->state == STATE_TIMER || (by && by->by == WAKE_BY_TIMER))
        is = ROOT_SLEEPS;
    else if (by && by->by == WAKE_BY_DEVICE)
        is = ROOT_DEVICE;
    else if (by && by->by == WAKE_BY_INTERRUPT)
        is = ROOT_INTERRUPT;
    tally_charge(&w->tally, is,
                 places_waits(w->tally.places, t->stack, t->from),
                 w->cycle - from);
    if (is == ROOT_SLEEPS)
        w->path->stack[t->stack] += w->cycle - from;
    step_back(w, from);
}

/* A sleep until a word is written: what is behind that, and then its writer's.
 * False: it is none, or leads nowhere. */
static bool pass_poll(struct way *w, const struct scene_stay *t, uint64_t from)
{
    const struct scene_poll *p =
        t->poll == SCENE_NONE ? NULL : &w->scene->poll[t->poll];

    if (!p || p->written <= from)
        return false;
    if (p->written >= w->cycle)
        return change(w, p->writer);
    pass_wait(w, t, p->written);
    return true;
}

/* One stay, or one change of thread. False: the path begins here. */
static bool pass(struct way *w)
{
    const struct scene *s = w->scene;
    const struct scene_stay *t = stay_before(s, w->at, w->cycle);
    uint64_t from;

    if (!t) {
        const struct scene_thread *who = &s->thread[w->at];

        return who->stays && change_to(w, s->stay[who->first].wake);
    }
    from = t->from > w->path->from ? t->from : w->path->from;
    if (scene_runs(t)) {
        tally_ran(&w->tally, (uint32_t)(t - s->stay), from, w->cycle);
        step_back(w, from);
    } else if (t->state == STATE_RUNNABLE) {
        pass_runnable(w, t, from);
    } else if (t->state == STATE_ENDED) {
        w->path->to = w->cycle = t->from;
    } else if (pass_poll(w, t, from)) {
        return w->cycle > w->path->from;
    } else if (!change_to(w, t->wake)) {
        pass_wait(w, t, from);
    } else if (t->state == STATE_LOCK && w->waits < WAITS) {
        w->wait[w->waits++] = t;
    }
    return w->cycle > w->path->from;
}

static int most_first(const void *a, const void *b)
{
    const struct path_thread *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles < y->cycles ? 1 : -1;
    return x->thread < y->thread ? -1 : x->thread > y->thread;
}

static void order_threads(struct way *w)
{
    struct path *p = w->path;

    p->thread = grow_zero(w->scene->threads + 1, sizeof *p->thread);
    for (uint32_t n = 0; n < w->scene->threads; n++)
        if (w->cycles[n])
            p->thread[p->threads++] = (struct path_thread){n, w->cycles[n]};
    if (p->threads)
        qsort(p->thread, p->threads, sizeof *p->thread, most_first);
}

void path_find(struct path *p, const struct scene *s, struct places *places,
               uint32_t thread)
{
    const struct recording *r = s->r;
    struct way w = {.path = p, .scene = s};

    *p = (struct path){
        .c = {.r = s->r, .scene = s, .places = places, .cpus = r->cpus},
        .from = r->windowed ? r->from : 0,
        .to = r->windowed && r->to < r->end ? r->to : r->end};
    p->last = thread == SCENE_NONE ? last_thread(s, p->to) : thread;
    tally_open(&w.tally, &p->c, s, places);
    p->lock = grow_zero(s->locks + 1, sizeof *p->lock);
    p->stack = grow_zero(s->frames.count + 1, sizeof *p->stack);
    w.tally.by_stack = p->stack;
    w.cycles = grow_zero(s->threads + 1, sizeof *w.cycles);
    if (p->to > p->from && p->to - p->from > LONGEST) {
        problem_add(&s->r->problems, PROBLEM_DAMAGE,
                    "the run, or the interval, is too long for a critical "
                    "path; give --from and --to, or run simrun again");
        p->last = SCENE_NONE;
    }
    w.at = p->last;
    w.cycle = p->to;
    while (p->last != SCENE_NONE && w.cycle > p->from && pass(&w))
        continue;
    p->from = w.cycle;
    tally_close(&w.tally);
    order_threads(&w);
    free(w.cycles);
}

void path_free(struct path *p)
{
    causes_free(&p->c);
    free(p->thread);
    free(p->lock);
    free(p->stack);
    *p = (struct path){0};
}
