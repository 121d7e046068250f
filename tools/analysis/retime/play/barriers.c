/* barriers.c - see barriers.h. */
#include "tools/analysis/retime/play/barriers.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/experiment/stack.h"
#include "tools/analysis/retime/play/cpus.h"
#include "tools/analysis/retime/play/latches.h"
#include "tools/analysis/retime/play/mutex.h"

#define ENOUGH 4 /* rounds, to say that what holds of all is no chance */

struct meeting {
    uint32_t lock, object; /* the condition's words, in eights of bytes */
    uint32_t take, give;   /* operations of the thread that comes last */
    size_t first, count;   /* all others, in `member`, as they are woken */
};

struct member {
    uint32_t take;  /* operations: it takes the lock, */
    uint32_t wait;  /* ... gives it back and waits, */
    uint32_t end;   /* ... and gives it back again behind that */
    uint64_t after; /* cycles from where the last takes the lock to the wake-up
                     */
};

struct barriers {
    struct meeting *meeting;
    size_t meetings, room;
    struct member *member;
    size_t members, members_room;
    uint32_t *comes; /* by operation that takes a lock: a meeting, from 1 */
    /* In the middle, of threads that wait at a barrier: from taking the lock to
     * the wait; from having a CPU again to asking for it; and how long it is
     * had then. */
    uint64_t front, back, again;
};

/* Of who comes last in the recording, and does not now: it calls the system,
 * which lets it sleep, or finds that the last has come; then it takes the lock
 * again. */
enum looks { NOT, CALLS, SLEEPS, TAKES };

struct barriers_state {
    const struct barriers *of;
    size_t *came; /* by meeting */
    bool *done;   /* ... the last has come */
    struct barriers_who {
        enum looks looks;
        uint32_t meeting; /* from 1 */
    } who[];
};

/* ---- found --------------------------------------------------------------- */

static uint32_t lock_of(const struct retime *g, size_t op)
{
    return g->op[op].hold == GRAPH_NONE ? GRAPH_NONE
                                        : g->scene->hold[g->op[op].hold].lock;
}

static size_t end_of(const struct retime *g, size_t op)
{
    const struct graph_thread *t = &g->thread[g->op[op].thread];

    return t->first + t->ops;
}

/* The operation that gives back a lock which one takes; none: there is none. */
static uint32_t give_of(const struct retime *g, size_t take)
{
    for (size_t n = take + 1, end = end_of(g, take); n < end; n++)
        if (g->op[n].is == GRAPH_GIVE && g->op[n].hold == g->op[take].hold)
            return (uint32_t)n;
    return GRAPH_NONE;
}

/* In front of an operation the one by which its thread took the lock of a
 * program that it has; none: it has none. */
static uint32_t held_at(const struct retime *g, size_t op)
{
    size_t first = g->thread[g->op[op].thread].first;

    for (size_t n = op; n > first; n--) {
        const struct graph_op *o = &g->op[n - 1];

        if ((o->is != GRAPH_TAKE && o->is != GRAPH_GIVE) ||
            graph_lock_is(g, lock_of(g, n - 1)) == GRAPH_LOCK_KERNEL)
            continue;
        return o->is == GRAPH_TAKE ? (uint32_t)(n - 1) : GRAPH_NONE;
    }
    return GRAPH_NONE;
}

/* Does an operation wait, or wake a thread that does, for anything but a lock?
 */
static bool is_other(const struct retime *g, const struct graph_op *o)
{
    if (o->is == GRAPH_WAKE)
        o = o->target == GRAPH_NONE ? NULL : &g->op[o->target];
    return o && o->is == GRAPH_WAIT &&
           !scene_wants_lock(&g->scene->stay[o->stay]);
}

/* Does a thread that is woken from a wait take that lock again? Then m->end. */
static bool takes_again(const struct retime *g, uint32_t lock, struct member *m)
{
    for (size_t n = m->wait + 1, end = end_of(g, m->wait); n < end; n++) {
        const struct graph_op *o = &g->op[n];

        if (is_other(g, o) || o->is == GRAPH_GIVE)
            return false;
        if (o->is != GRAPH_TAKE || lock_of(g, n) != lock)
            continue;
        m->end = give_of(g, n);
        return o->again && m->end != GRAPH_NONE;
    }
    return false;
}

/* Had it taken that lock for this wait alone? Then m->take. */
static bool gives_back(const struct retime *g, uint32_t lock, struct member *m)
{
    size_t first = g->thread[g->op[m->wait].thread].first;

    for (size_t n = m->wait; n > first; n--) {
        const struct graph_op *o = &g->op[n - 1];

        if (is_other(g, o) || o->is == GRAPH_TAKE)
            return false;
        if (o->is != GRAPH_GIVE || lock_of(g, n - 1) != lock)
            continue;
        m->take = g->take[o->hold];
        return m->take != GRAPH_NONE && !g->op[m->take].again;
    }
    return false;
}

/* Is a thread woken by an operation that waits for a condition, with that lock?
 */
static bool is_member(const struct retime *g, const struct graph_op *wake,
                      uint32_t lock, struct member *m)
{
    const struct graph_op *o;
    const struct scene_stay *t;

    if (wake->is != GRAPH_WAKE || wake->target == GRAPH_NONE || !wake->needed)
        return false;
    o = &g->op[wake->target];
    t = &g->scene->stay[o->stay];
    m->wait = wake->target;
    return o->is == GRAPH_WAIT && o->played == GRAPH_NO_LOCKS &&
           t->kind == OBJECT_USER && t->lock == SCENE_NONE &&
           t->state == STATE_QUEUE && takes_again(g, lock, m) &&
           gives_back(g, lock, m);
}

static void add_meeting(struct retime *g, uint32_t take, uint32_t give)
{
    struct barriers *s = g->barriers;
    struct meeting x = {.lock = lock_of(g, take),
                        .take = take,
                        .give = give,
                        .first = s->members};

    for (size_t n = take; n < give; n++) {
        const struct graph_op *o = &g->op[n];
        struct member m = {.after = o->from - g->op[take].from};

        if (!is_member(g, o, x.lock, &m))
            continue;
        x.object = g->scene->stay[g->op[m.wait].stay].object / 8;
        s->member = grow(s->member, &s->members_room, s->members + 1,
                         sizeof *s->member);
        s->member[s->members++] = m;
    }
    x.count = s->members - x.first;
    if (!x.count)
        return;
    s->meeting = grow(s->meeting, &s->room, s->meetings + 1, sizeof x);
    s->meeting[s->meetings++] = x;
}

static void find_meetings(struct retime *g, uint32_t thread)
{
    size_t n = g->thread[thread].first, end = n + g->thread[thread].ops;

    while (n < end) {
        uint32_t take = g->op[n].is == GRAPH_WAKE && g->op[n].needed
                            ? held_at(g, n)
                            : GRAPH_NONE;
        uint32_t give = take == GRAPH_NONE ? GRAPH_NONE : give_of(g, take);

        if (give != GRAPH_NONE) {
            add_meeting(g, take, give);
            n = give;
        }
        n++;
    }
}

static int by_barrier(const void *a, const void *b)
{
    const struct meeting *x = a, *y = b;

    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return x->take < y->take ? -1 : x->take > y->take;
}

/* Is a function on a stack? */
static bool is_on(const struct retime *g, uint32_t function, uint32_t stack)
{
    const struct frames_place *f;

    for (; (f = frames_at(&g->scene->frames, stack)); stack = f->caller)
        if (g->function[stack] == function)
            return true;
    return false;
}

/* Do all threads take the lock in one place, in a function from which they wake
 * as well as wait? */
static bool is_one_place(const struct retime *g, const struct meeting *x,
                         size_t count)
{
    const struct member *m = &g->barriers->member[x->first];
    const struct scene_stay *wait = &g->scene->stay[g->op[m->wait].stay];
    const struct frames_place *f = frames_at(&g->scene->frames, wait->stack);
    struct loadmap *map = &g->scene->r->map;
    uint32_t place = g->scene->hold[g->op[x->take].hold].caller;
    uint32_t thread = map->thread, function;
    uint64_t cycle;

    if (!place || !f || wait->wake == SCENE_NONE)
        return false;
    for (size_t n = 0; n < count; n++) {
        m = &g->barriers->member[x[n].first];
        if (g->scene->hold[g->op[x[n].take].hold].caller != place)
            return false;
        for (size_t k = 0; k < x[n].count; k++)
            if (g->scene->hold[g->op[m[k].take].hold].caller != place)
                return false;
    }
    cycle = frames_whose(f, map, f->cycle);
    function =
        loadmap_find(map, loadmap_home(map, stack_before(place), cycle), cycle)
            .function;
    loadmap_thread(map, thread);
    return function != LOADMAP_UNKNOWN && is_on(g, function, wait->stack) &&
           is_on(g, function, g->scene->wake[wait->wake].stack);
}

/* The threads of a barrier, whose rounds these are, of one lock and condition;
 * 0: it is none. */
static size_t threads_of(const struct retime *g, const struct meeting *x,
                         size_t count)
{
    enum { WAKES = 1, WAITS };
    uint8_t *does = grow_zero(g->scene->threads + 1, sizeof *does);
    size_t threads = 0, wakers = 0, whole = 0;
    bool all_wait = true;

    for (size_t n = 0; n < count; n++) {
        does[g->op[x[n].take].thread] |= WAKES;
        for (size_t k = x[n].first; k < x[n].first + x[n].count; k++)
            does[g->op[g->barriers->member[k].take].thread] |= WAITS;
    }
    for (uint32_t n = 0; n < g->scene->threads; n++) {
        threads += does[n] != 0;
        wakers += does[n] & WAKES;
        all_wait &= does[n] != WAKES;
    }
    free(does);
    for (size_t n = 0; n < count; n++)
        whole += x[n].count + 1 == threads;
    if (threads < 3 || 2 * whole < count)
        return 0;
    return (wakers > 1 && all_wait) || is_one_place(g, x, count) ? threads : 0;
}

enum middle { FRONT, BACK, AGAIN };

static int64_t of_member(const struct retime *g, const struct member *m,
                         enum middle what)
{
    const struct graph_op *o = &g->op[m->wait + 1];
    const struct scene_hold *h = &g->scene->hold[g->op[m->end].hold];

    if (what == FRONT)
        return (int64_t)(g->op[m->wait].from - g->op[m->take].from);
    if (what == AGAIN)
        return (int64_t)(h->given - h->taken);
    while (o->is == GRAPH_DISPATCH)
        o++;
    return h->stay == SCENE_NONE
               ? (int64_t)(h->taken - o->from) -
                     (int64_t)(g->op[m->wait + 1].near ? 0 : g->trap)
               : 0;
}

static uint64_t in_middle(const struct retime *g, enum middle what)
{
    const struct barriers *s = g->barriers;
    int64_t *list = grow_zero(s->members + 1, sizeof *list), cycles;
    size_t count = 0;

    for (size_t n = 0; n < s->members; n++)
        if (s->comes[s->member[n].take])
            list[count++] = of_member(g, &s->member[n], what);
    cycles = graph_median(list, count);
    free(list);
    return (uint64_t)cycles;
}

/* Rounds in which all threads have come, of `count` of one barrier. */
static void link_rounds(struct retime *g, size_t first, size_t count,
                        size_t threads)
{
    struct barriers *s = g->barriers;

    for (size_t k = first; k < first + count; k++) {
        const struct meeting *x = &s->meeting[k];

        if (x->count + 1 != threads)
            continue;
        g->meets_all = true;
        s->comes[x->take] = (uint32_t)k + 1;
        for (size_t m = x->first; m < x->first + x->count; m++)
            s->comes[s->member[m].take] = (uint32_t)k + 1;
    }
}

void barriers_find(struct retime *g)
{
    struct barriers *s;

    if (!g->take)
        return;
    s = g->barriers = grow_zero(1, sizeof *s);
    s->comes = grow_zero(g->ops + 1, sizeof *s->comes);
    for (uint32_t n = 0; n < g->scene->threads; n++)
        find_meetings(g, n);
    if (s->meetings)
        qsort(s->meeting, s->meetings, sizeof *s->meeting, by_barrier);
    for (size_t n = 0, end; n < s->meetings; n = end) {
        const struct meeting *x = &s->meeting[n];

        for (end = n + 1; end < s->meetings &&
                          s->meeting[end].lock == x->lock &&
                          s->meeting[end].object == x->object;)
            end++;
        if (end - n >= ENOUGH)
            link_rounds(g, n, end - n, threads_of(g, x, end - n));
    }
    s->front = in_middle(g, FRONT);
    s->back = in_middle(g, BACK);
    s->again = in_middle(g, AGAIN);
}

void barriers_forget(struct retime *g)
{
    if (!g->barriers)
        return;
    free(g->barriers->meeting);
    free(g->barriers->member);
    free(g->barriers->comes);
    free(g->barriers);
}

/* ---- played -------------------------------------------------------------- */

struct barriers_state *barriers_open(const struct retime *g)
{
    struct barriers_state *s;

    if (!g->barriers || !g->barriers->meetings)
        return NULL;
    s = grow_zero(1, sizeof *s + g->scene->threads * sizeof *s->who);
    s->came = grow_zero(g->barriers->meetings, sizeof *s->came);
    s->done = grow_zero(g->barriers->meetings, sizeof *s->done);
    s->of = g->barriers;
    return s;
}

void barriers_close(struct barriers_state *s)
{
    if (s) {
        free(s->came);
        free(s->done);
    }
    free(s);
}

/* Who has slept longest of those that wait for a round's last is woken. False:
 * none sleeps. */
static bool wake_longest(struct replay *p, uint32_t meeting, uint64_t cycle)
{
    struct barriers_state *s = p->barriers;
    const struct meeting *x = &s->of->meeting[meeting - 1];
    uint64_t since = REPLAY_NEVER;
    uint32_t wait = GRAPH_NONE, first = GRAPH_NONE;

    for (size_t k = x->first; k < x->first + x->count; k++) {
        uint32_t op = s->of->member[k].wait;
        const struct runner *r = &p->runner[p->there[op]];

        if (!r->asleep || r->at != op || r->cycle >= since)
            continue;
        since = r->cycle;
        wait = op;
    }
    for (uint32_t t = 0; t < p->g->scene->threads; t++) {
        if (s->who[t].meeting != meeting || s->who[t].looks != SLEEPS ||
            p->runner[t].cycle >= since)
            continue;
        since = p->runner[t].cycle;
        first = t;
    }
    if (first != GRAPH_NONE) {
        s->who[first].looks = TAKES;
        latches_way(p, first, cycle, s->of->back);
    } else if (wait != GRAPH_NONE) {
        replay_wake(p, wait, cycle);
    }
    return first != GRAPH_NONE || wait != GRAPH_NONE;
}

/* All that wait are woken, one after the other; `own` is that of who wakes.
 * Those that are about to sleep find that they need not. */
static void release(struct replay *p, uint32_t meeting,
                    const struct member *own, uint64_t now)
{
    const struct barriers *s = p->barriers->of;
    const struct meeting *x = &s->meeting[meeting - 1];
    const struct member *m = &s->member[x->first];
    size_t n = 0;

    p->barriers->done[meeting - 1] = true;
    while (wake_longest(p, meeting,
                        now + m[n < x->count ? n : x->count - 1].after))
        n++;
    for (size_t k = 0; k < x->count; k++)
        if (&m[k] != own && p->woken[m[k].wait] == REPLAY_NEVER)
            replay_wake(p, m[k].wait, now + m[x->count - 1].after);
}

static const struct member *member_of(const struct barriers *s,
                                      const struct meeting *x, size_t take)
{
    for (size_t k = x->first; k < x->first + x->count; k++)
        if (s->member[k].take == take)
            return &s->member[k];
    return NULL;
}

/* With the lock, as the last that wakes; then it gives it back, as it did
 * behind its wait. */
static bool wakes(struct replay *p, uint32_t thread, uint32_t meeting,
                  const struct member *own)
{
    const struct retime *g = p->g;
    const struct meeting *x = &g->barriers->meeting[meeting - 1];
    struct runner *r = &p->runner[thread];

    release(p, meeting, own, r->cycle);
    replay_pass(p, r, own->end);
    p->latch[x->lock].hold = g->op[own->end].hold;
    p->latch[x->lock].again = false;
    replay_expect(p, r->cycle + (g->op[x->give].from - g->op[x->take].from),
                  EVENT_STEP, thread);
    return true;
}

/* It has come, not as the last, and waits. */
static bool waits(struct replay *p, uint32_t thread, uint32_t meeting)
{
    struct runner *r = &p->runner[thread];

    p->barriers->who[thread] = (struct barriers_who){CALLS, meeting};
    mutex_drop(p, thread, p->barriers->of->meeting[meeting - 1].lock);
    replay_expect(p, r->cycle + p->barriers->of->front + r->owes, EVENT_STEP,
                  thread);
    r->owes = 0;
    return true;
}

bool barriers_come(struct replay *p, uint32_t thread)
{
    struct barriers_state *s = p->barriers;
    struct barriers_who *w = &s->who[thread];
    struct runner *r = &p->runner[thread];
    uint32_t meeting = s->of->comes[r->at];
    const struct meeting *x;
    const struct member *m;
    bool last;

    if (!meeting)
        return false;
    x = &s->of->meeting[meeting - 1];
    if (w->looks == TAKES) {
        w->looks = NOT;
        p->latch[x->lock].again = true;
        r->at = x->give;
        replay_expect(p, r->cycle + s->of->again, EVENT_STEP, thread);
        return true;
    }
    m = member_of(s->of, x, r->at);
    last = ++s->came[meeting - 1] > x->count;
    if (last && m)
        return wakes(p, thread, meeting, m);
    return !last && !m && waits(p, thread, meeting);
}

bool barriers_wait(struct replay *p, uint32_t thread)
{
    struct barriers_who *w = &p->barriers->who[thread];

    if (w->looks != CALLS)
        return false;
    w->looks = p->barriers->done[w->meeting - 1] ? TAKES : SLEEPS;
    if (w->looks == SLEEPS)
        cpus_leave(p, thread);
    return w->looks == SLEEPS;
}
