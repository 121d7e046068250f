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
    struct tally tally, taken;
    uint64_t *cycles; /* by thread */
    uint32_t at;      /* the thread it is at */
    uint64_t cycle;   /* all behind it is done */
    uint32_t stuck;   /* changes of thread since it was an earlier cycle */
    bool plain;       /* no roots are wanted */
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

/* What others ran on a CPU from one cycle to another. */
static void tally_taken(struct way *w, unsigned cpu, uint64_t from, uint64_t to)
{
    const struct scene *s = w->scene;

    for (uint32_t n = 0; n < s->threads; n++) {
        const struct scene_thread *t = &s->thread[n];
        size_t end = t->first + t->stays;
        size_t k = SEARCH_FIRST(t->first, end, i, s->stay[i].to > from);

        for (; k < end && s->stay[k].from < to; k++) {
            const struct scene_stay *ran = &s->stay[k];
            uint64_t first = ran->from > from ? ran->from : from;
            uint64_t last = ran->to < to ? ran->to : to;

            if (!scene_runs(ran) || ran->cpu != cpu || t->sampler ||
                first >= last)
                continue;
            tally_ran(&w->taken, (uint32_t)k, first, last);
            w->path->taken.total += last - first;
            w->path->taken_thread[n] += last - first;
        }
    }
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

    if (!w->plain)
        tally_charge(&w->tally, idle ? ROOT_WAKEUP : ROOT_CPU,
                     places_waits(w->tally.places, stack, t->from),
                     w->cycle - from);
    if (!w->plain && comes && !idle)
        tally_taken(w, t[1].cpu, from, w->cycle);
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
    if (!w->plain)
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

/* It runs: on the path is that but for what it spins, which is its owner's. */
static void pass_running(struct way *w, const struct scene_stay *t,
                         uint64_t from)
{
    const struct scene *s = w->scene;
    const struct scene_spin *spin = scene_spin_from(s, w->at, w->cycle);

    if (spin && spin->from < w->cycle && change(w, spin->owner))
        return;
    spin = scene_spin_before(s, w->at, w->cycle);
    if (spin && spin->to > from)
        from = spin->to;
    if (!w->plain)
        tally_ran(&w->tally, (uint32_t)(t - s->stay), from, w->cycle);
    step_back(w, from);
}

/* The thread works until a word is written, which was before: when; else 0.
 * What it does then, to its end, is on the path, and before that its writer's.
 */
static uint64_t works_until(const struct way *w)
{
    uint32_t poll = w->scene->thread[w->at].works;

    return poll != SCENE_NONE && w->scene->poll[poll].written <= w->cycle
               ? w->scene->poll[poll].written
               : 0;
}

/* One stay, or one change of thread. False: the path begins here. */
static bool pass(struct way *w)
{
    const struct scene *s = w->scene;
    const struct scene_stay *t = stay_before(s, w->at, w->cycle);
    uint64_t from, until = works_until(w);

    if (!t) {
        const struct scene_thread *who = &s->thread[w->at];

        return who->stays && change_to(w, s->stay[who->first].wake);
    }
    from = t->from > w->path->from ? t->from : w->path->from;
    if (until == w->cycle && change(w, s->poll[s->thread[w->at].works].writer))
        return w->cycle > w->path->from;
    if (until > from && until < w->cycle)
        from = until;
    if (scene_runs(t)) {
        pass_running(w, t, from);
    } else if (t->state == STATE_RUNNABLE) {
        pass_runnable(w, t, from);
    } else if (t->state == STATE_ENDED) {
        w->path->to = w->cycle = t->from;
    } else if (pass_poll(w, t, from)) {
        return w->cycle > w->path->from;
    } else if (!change_to(w, t->wake)) {
        pass_wait(w, t, from);
    } else if (scene_wants_lock(t) && w->waits < WAITS) {
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
    p->taken = p->c;
    tally_open(&w.tally, &p->c, s, places);
    tally_open(&w.taken, &p->taken, s, places);
    p->lock = grow_zero(s->locks + 1, sizeof *p->lock);
    p->stack = grow_zero(s->frames.count + 1, sizeof *p->stack);
    p->taken_stack = grow_zero(s->frames.count + 1, sizeof *p->taken_stack);
    p->taken_thread = grow_zero(s->threads + 1, sizeof *p->taken_thread);
    w.tally.by_stack = p->stack;
    w.taken.by_stack = p->taken_stack;
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
    tally_close(&w.taken);
    order_threads(&w);
    free(w.cycles);
}

void path_free(struct path *p)
{
    causes_free(&p->c);
    causes_free(&p->taken);
    free(p->thread);
    free(p->lock);
    free(p->stack);
    free(p->taken_stack);
    free(p->taken_thread);
    *p = (struct path){0};
}

/* ---- by slice ------------------------------------------------------------ */

/* Where a path is at the end of a leg, backwards. */
struct standing {
    uint32_t at, stuck;
    uint64_t cycle;
    unsigned waits;
    const struct scene_stay *wait[WAITS];
};

struct legs {
    struct path_legs *p;
    const struct slices *slices;
    struct way way;
    struct path path;
    struct standing *from; /* by leg: where it begins, backwards */
    size_t room;
};

static struct standing standing_of(const struct way *w)
{
    struct standing is = {w->at, w->stuck, w->cycle, w->waits, {NULL}};

    for (unsigned k = 0; k < w->waits; k++)
        is.wait[k] = w->wait[k];
    return is;
}

static bool stands_there(const struct standing *is, const struct way *w)
{
    if (is->at != w->at || is->stuck != w->stuck || is->cycle != w->cycle ||
        is->waits != w->waits)
        return false;
    for (unsigned k = 0; k < w->waits; k++)
        if (is->wait[k] != w->wait[k])
            return false;
    return true;
}

/* A leg of another path that begins where this one is; paths that end later
 * come later. */
static uint32_t leg_there(const struct legs *l, uint32_t slice)
{
    for (size_t n = l->p->count; n-- > 0;)
        if (l->p->leg[n].slice == slice && stands_there(&l->from[n], &l->way))
            return (uint32_t)n;
    return SCENE_NONE;
}

/* False: the path begins in the slice. */
static bool walk(struct legs *l, uint32_t slice)
{
    struct path_legs *p = l->p;
    struct path_leg leg = {
        .slice = slice, .next = SCENE_NONE, .first = p->charges};
    const struct scene *s = l->way.scene;
    bool on = true;

    l->from = grow(l->from, &l->room, p->count + 1, sizeof *l->from);
    l->from[p->count] = standing_of(&l->way);
    p->leg = grow(p->leg, &p->room, p->count + 1, sizeof *p->leg);
    l->path.from = l->slices->edge[slice];
    l->path.c.total = 0;
    while (on && l->way.cycle > l->path.from)
        on = pass(&l->way) || l->way.cycle <= l->path.from;
    leg.cycles = l->path.c.total;
    for (uint32_t n = 0; n < s->locks; n++) {
        if (!l->path.lock[n])
            continue;
        p->charge = grow(p->charge, &p->charges_room, p->charges + 1,
                         sizeof *p->charge);
        p->charge[p->charges++] = (struct path_charge){n, l->path.lock[n]};
        l->path.lock[n] = 0;
    }
    leg.locks = p->charges - leg.first;
    p->leg[p->count++] = leg;
    return on;
}

/* The path that ends with a slice, as far as it is no other's. */
static void walk_from(struct legs *l, uint32_t slice)
{
    struct path_legs *p = l->p;
    uint32_t *link = &p->last[slice];
    bool on = true;

    l->way.waits = l->way.stuck = 0;
    l->way.cycle = l->slices->edge[slice + 1];
    l->way.at = last_thread(l->way.scene, l->way.cycle);
    *link = SCENE_NONE;
    if (l->way.at == SCENE_NONE)
        return;
    for (uint32_t k = slice + 1; on && k-- > 0;) {
        uint32_t there = leg_there(l, k);

        *link = there == SCENE_NONE ? (uint32_t)p->count : there;
        if (there != SCENE_NONE)
            return;
        on = walk(l, k);
        link = &p->leg[p->count - 1].next;
    }
}

void path_legs_find(struct path_legs *p, const struct scene *s,
                    struct places *places, const struct slices *slices)
{
    struct legs l = {.p = p, .slices = slices};

    *p = (struct path_legs){0};
    p->last = grow_zero(slices->count + 1, sizeof *p->last);
    l.path = (struct path){.c = {.r = s->r, .scene = s, .places = places}};
    l.path.lock = grow_zero(s->locks + 1, sizeof *l.path.lock);
    l.path.stack = grow_zero(s->frames.count + 1, sizeof *l.path.stack);
    l.way = (struct way){.path = &l.path, .scene = s, .plain = true};
    l.way.cycles = grow_zero(s->threads + 1, sizeof *l.way.cycles);
    for (uint32_t k = 0; k < slices->count; k++)
        walk_from(&l, k);
    free(l.path.lock);
    free(l.path.stack);
    free(l.way.cycles);
    free(l.from);
}

void path_legs_free(struct path_legs *p)
{
    free(p->leg);
    free(p->charge);
    free(p->last);
    *p = (struct path_legs){0};
}
