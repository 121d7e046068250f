/* pools.c - see pools.h. */
#include "tools/analysis/retime/play/pools.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/play/cpus.h"
#include "tools/analysis/retime/play/latches.h"
#include "tools/analysis/retime/play/mutex.h"

#define ENOUGH 8 /* pieces, to say that what holds of all is no chance */

/* A lock is taken at some place, perhaps with waits for a condition, up to when
 * the thread goes on with it. */
struct turn {
    uint32_t lock, caller, thread;
    uint32_t begin, go, give; /* operations; give: or none */
    uint64_t at, given;       /* of `go`, and of `give` */
    bool last;                /* its thread's last one there */
    bool paused;              /* a wait for a condition has given it back */
    bool waits;               /* there was one */
};

struct pool {
    size_t first, count; /* pieces, in `turn` */
    uint32_t lock;
    bool fed;    /* by turns elsewhere */
    bool wakes;  /* ... each of which wakes all that wait */
    bool late;   /* ... with the lock given back already */
    bool shared; /* any thread may have any piece */
};

struct pools {
    struct turn *turn; /* by lock, place, then `at` */
    size_t turns, room;
    struct pool *pool;
    size_t pools, pools_room;
    uint32_t
        *begins;     /* by operation: a pool, from 1, a piece of which begins */
    uint32_t *piece; /* ... which */
    uint32_t *feeds; /* ... to which that puts one */
    uint32_t *waits; /* ... in which it waits for a piece */
    /* From where a thread gives the lock back, since a piece is not there yet,
     * in the middle: to where the system finds that it has come since; to being
     * asleep. Both 0: none had to wait. */
    uint64_t looks, asleep;
    uint64_t back;  /* from a CPU again to having the lock */
    uint64_t after; /* ... from the program again */
    /* Of the system call that wakes who waits: all of it; up to the wake-up. */
    uint64_t call, wake;
    uint64_t beside; /* ... and of the program that it takes */
    int64_t lag;     /* from there to being runnable */
};

/* Of who waits for a piece: it is about to take the lock and look, it has given
 * it back and calls the system, which finds that it is to go on, or lets it
 * sleep. */
enum { POOLS_LOOKS, POOLS_CALLS, POOLS_TOLD, POOLS_SLEEPS };

struct pools_state {
    const struct pools *of;
    struct pools_progress {
        size_t taken, given;
    } pool[];
};

/* ---- turns --------------------------------------------------------------- */

static const struct scene_hold *hold_of(const struct retime *g, size_t op)
{
    return &g->scene->hold[g->op[op].hold];
}

static bool is_pools(const struct retime *g, const struct scene_hold *h)
{
    return h->caller && !g->shared[h->lock] && !g->spins[h->lock] &&
           g->scene->lock[h->lock].kind == OBJECT_USER;
}

/* The turns of a thread: `open` by lock the one that is not over, from 1. */
static void add_turn(struct retime *g, size_t op, uint32_t *open)
{
    const struct graph_op *o = &g->op[op];
    const struct scene_hold *h = hold_of(g, op);
    struct pools *s = g->pools;
    struct turn *t = open[h->lock] ? &s->turn[open[h->lock] - 1] : NULL;

    if (o->is == GRAPH_GIVE) {
        if (t) {
            t->give = (uint32_t)op;
            t->given = h->given;
            t->paused = h->done == h->given;
        }
        return;
    }
    if (t && t->paused) {
        t->paused = false;
        t->go = (uint32_t)op;
        t->at = h->taken;
        t->waits = true;
        return;
    }
    s->turn = grow(s->turn, &s->room, s->turns + 1, sizeof *s->turn);
    t = &s->turn[s->turns++];
    *t = (struct turn){.lock = h->lock,
                       .caller = h->caller,
                       .thread = o->thread,
                       .begin = (uint32_t)op,
                       .go = (uint32_t)op,
                       .give = GRAPH_NONE,
                       .at = h->taken};
    open[h->lock] = (uint32_t)s->turns;
    for (size_t n = op; n > g->thread[o->thread].first; n--) {
        if (g->op[n].is == GRAPH_ASK && g->op[n].hold == o->hold)
            t->begin = (uint32_t)n;
        if (g->op[n].from < h->asked || t->begin < op)
            break;
    }
}

static void find_turns(struct retime *g)
{
    uint32_t *open = grow_zero(g->scene->locks + 1, sizeof *open);

    for (uint32_t t = 0; t < g->scene->threads; t++) {
        size_t end = g->thread[t].first + g->thread[t].ops;

        for (uint32_t n = 0; n < g->scene->locks; n++)
            open[n] = 0;
        for (size_t n = g->thread[t].first; n < end; n++)
            if ((g->op[n].is == GRAPH_TAKE || g->op[n].is == GRAPH_GIVE) &&
                is_pools(g, hold_of(g, n)))
                add_turn(g, n, open);
    }
    free(open);
}

static int by_place(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->lock != y->lock)
        return x->lock < y->lock ? -1 : 1;
    if (x->caller != y->caller)
        return x->caller < y->caller ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->go < y->go ? -1 : x->go > y->go;
}

/* ---- which are shared work ----------------------------------------------- */

/* How threads take turns at one place. */
struct takers {
    size_t threads;
    bool alike;  /* all as many */
    bool to_end; /* none had its last one before any that was not a last one */
};

static struct takers takers_of(const struct retime *g, struct turn *t,
                               size_t count)
{
    size_t *of = grow_zero(g->scene->threads + 1, sizeof *of);
    struct takers k = {0, true, true};
    size_t others = 0;

    for (size_t n = count; n-- > 0;) {
        t[n].last = !of[t[n].thread]++;
        k.threads += t[n].last;
        others += !t[n].last;
    }
    for (size_t n = 0; n < count; n++) {
        k.alike &= of[t[n].thread] == of[t->thread];
        k.to_end &= n >= others || !t[n].last;
    }
    free(of);
    return k;
}

static int by_given(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Was the lock given back elsewhere n times in front of the n-th piece, for
 * each n? */
static bool is_fed(const struct pools *s, const struct pool *p, size_t *most)
{
    const struct turn *piece = s->turn + p->first;
    uint64_t *given = grow_zero(s->turns + 1, sizeof *given);
    size_t puts = 0;
    bool fed;

    for (size_t n = 0; n < s->turns; n++)
        if (s->turn[n].lock == p->lock && s->turn[n].caller != piece->caller &&
            s->turn[n].give != GRAPH_NONE)
            given[puts++] = s->turn[n].given;
    if (puts)
        qsort(given, puts, sizeof *given, by_given);
    *most = puts;
    fed = puts >= p->count;
    for (size_t n = 0; fed && n < p->count; n++)
        fed = given[n] <= piece[n].at + GRAPH_TURN;
    free(given);
    return fed;
}

enum {
    W_FRONT,  /* of W_ASLEEP: up to the system call */
    W_ASLEEP, /* from giving the lock back to being asleep */
    W_TAIL,   /* of W_BACK: the rest of the system call */
    W_AFTER,  /* ... and behind that */
    W_BACK,   /* from a CPU to having the lock again */
    W_CALL,   /* the system call that wakes */
    W_WAKE,   /* ... up to the wake-up */
    W_LAG,    /* from there to being runnable */
    W_PUT,    /* the program's part of a turn that puts a piece, and wakes */
    W_PLAIN,  /* ... that wakes none */
    W_ALL
};

struct waits {
    int64_t *list[W_ALL];
    size_t count[W_ALL];
};

static void note(struct waits *w, int what, uint64_t cycles)
{
    w->list[what][w->count[what]++] = (int64_t)cycles;
}

static bool in_system(const struct retime *g, const struct graph_op *o)
{
    return o->is == GRAPH_RUN && g->scene->stay[o->stay].state == STATE_SYSTEM;
}

/* What waking the threads that wait for pieces took. */
static void measure_wakes(const struct retime *g, const struct pools *s,
                          struct waits *w)
{
    for (size_t n = 1; n < g->ops; n++) {
        const struct graph_op *o = &g->op[n];
        const struct scene_stay *t;

        if (o->is != GRAPH_WAKE || o->target == GRAPH_NONE ||
            !s->waits[o->target] || !in_system(g, o - 1))
            continue;
        t = &g->scene->stay[o[-1].stay];
        note(w, W_CALL, t->to - t->from);
        note(w, W_WAKE, o->from - t->from);
        note(w, W_LAG, (uint64_t)g->op[o->target].lag);
    }
}

/* What the program takes of a turn that puts a piece, with a call for those
 * that wait, or without one. */
static void measure_put(const struct retime *g, const struct pools *s,
                        const struct turn *t, struct waits *w)
{
    uint64_t cycles = 0;
    bool calls = false, wakes = false;

    for (size_t n = t->go; n < t->give; n++) {
        const struct graph_op *o = &g->op[n];

        calls |= in_system(g, o);
        wakes |= o->is == GRAPH_WAKE && o->target != GRAPH_NONE &&
                 s->waits[o->target];
        if (o->is == GRAPH_RUN && !in_system(g, o))
            cycles += o->to - o->from;
    }
    if (wakes == calls)
        note(w, wakes ? W_PUT : W_PLAIN, cycles);
}

/* The first wait of a turn, from where the lock is given back; its last one, to
 * where it is taken again. */
static void measure_turn(const struct retime *g, const struct turn *t,
                         struct waits *w)
{
    size_t n = t->begin, wait;
    const struct scene_stay *stay;

    while (n < t->go && g->op[n].is != GRAPH_WAIT)
        n++;
    for (wait = n; n > t->begin && (g->op[n].is != GRAPH_GIVE ||
                                    hold_of(g, n)->lock != t->lock);)
        n--;
    note(w, W_ASLEEP, g->op[wait].from - g->op[n].from);
    stay = &g->scene->stay[g->op[wait - 1].stay];
    if (in_system(g, &g->op[wait - 1]) && stay->from > g->op[n].from)
        note(w, W_FRONT, stay->from - g->op[n].from);
    if (g->scene->hold[g->op[t->go].hold].stay != SCENE_NONE)
        return;
    for (n = t->go; n > t->begin && g->op[n].is != GRAPH_DISPATCH;)
        n--;
    if (g->op[n].is != GRAPH_DISPATCH)
        return;
    note(w, W_BACK, graph_tries_at(g, n, t->go) - g->op[n].to);
    if (n + 1 >= g->ops || !in_system(g, &g->op[n + 1]))
        return;
    stay = &g->scene->stay[g->op[n + 1].stay];
    note(w, W_TAIL, stay->to - stay->from);
    note(w, W_AFTER, graph_tries_at(g, n, t->go) - stay->to);
}

/* APPROX: a system call that finds it need not wait takes half of what one does
 * that waits. Source: the guest, 733 of 1,493 cycles. Cost: where most calls
 * are of that kind, their difference from it. */
static void measure_waits(const struct retime *g, struct pools *s)
{
    struct waits w = {.count = {0}};
    int64_t median[W_ALL];

    for (unsigned n = 0; n < W_ALL; n++)
        w.list[n] = grow_zero(g->ops + 1, sizeof **w.list);
    for (size_t n = 0; n < s->turns; n++)
        if (s->turn[n].waits)
            measure_turn(g, &s->turn[n], &w);
    for (size_t n = 0; n < s->turns; n++)
        if (s->turn[n].give != GRAPH_NONE && s->feeds[s->turn[n].give])
            measure_put(g, s, &s->turn[n], &w);
    measure_wakes(g, s, &w);
    for (unsigned n = 0; n < W_ALL; n++) {
        median[n] = graph_median(w.list[n], w.count[n]);
        free(w.list[n]);
    }
    s->asleep = (uint64_t)median[W_ASLEEP];
    s->looks =
        (uint64_t)(median[W_ASLEEP] + median[W_FRONT] + median[W_TAIL]) / 2;
    s->back = w.count[W_BACK] && !g->call ? (uint64_t)median[W_BACK]
                                          : g->mutex[GRAPH_LOCK_MUTEX].leave[1];
    s->after = g->call ? 0 : (uint64_t)median[W_AFTER];
    s->call = w.count[W_CALL] ? (uint64_t)median[W_CALL] : g->meet[1].wake;
    s->wake = w.count[W_WAKE] ? (uint64_t)median[W_WAKE] : s->call / 2;
    s->lag = median[W_LAG];
    s->beside = g->mutex[GRAPH_LOCK_MUTEX].beside;
    if (w.count[W_PUT] && w.count[W_PLAIN] && median[W_PUT] > median[W_PLAIN])
        s->beside = (uint64_t)(median[W_PUT] - median[W_PLAIN]);
    if (g->call)
        s->beside = 0;
    if (g->call || s->looks > s->asleep)
        s->looks = s->asleep;
}

/* Does a turn wake more than one thread that waits in the pool added last? */
static bool wakes_several(const struct retime *g, const struct turn *t)
{
    const struct pools *s = g->pools;
    unsigned count = 0;

    for (size_t n = t->go; n < t->give; n++)
        count += g->op[n].is == GRAPH_WAKE && g->op[n].target != GRAPH_NONE &&
                 s->waits[g->op[n].target] == s->pools;
    return count > 1;
}

static bool of_program(const struct retime *g, const struct graph_op *o)
{
    return g->scene->lock[g->scene->hold[o->hold].lock].kind == OBJECT_USER;
}

/* Does a thread that has given the lock back wake one that waits in a pool,
 * with no lock of the program's? */
static bool wakes_behind(const struct retime *g, size_t give, uint32_t pool)
{
    const struct graph_thread *t = &g->thread[g->op[give].thread];

    for (size_t n = give + 1; n < t->first + t->ops; n++) {
        const struct graph_op *o = &g->op[n];

        if (o->is == GRAPH_TAKE && of_program(g, o))
            return false;
        if (o->is == GRAPH_WAKE && o->target != GRAPH_NONE &&
            g->pools->waits[o->target] == pool)
            return true;
    }
    return false;
}

/* Is it a wait, and not one for the lock? */
static bool is_for_piece(const struct retime *g, const struct graph_op *o,
                         uint32_t lock)
{
    return o->is == GRAPH_WAIT && g->scene->stay[o->stay].lock != lock;
}

static void add_pool(struct retime *g, size_t first, size_t count)
{
    struct pools *s = g->pools;
    struct pool p = {
        .first = first, .count = count, .lock = s->turn[first].lock};
    struct takers by = takers_of(g, s->turn + first, count);
    bool waits = false;
    size_t puts;

    if (count < ENOUGH)
        return;
    for (size_t n = 0; n < s->pools; n++)
        if (s->pool[n].lock == p.lock)
            return;
    for (size_t n = first; n < first + count; n++)
        waits |= s->turn[n].waits;
    p.fed = is_fed(s, &p, &puts) && (puts == count || (waits && !by.alike));
    p.shared = by.threads > 1 && by.to_end && (p.fed || !by.alike);
    if (!p.shared && !p.fed)
        return;
    if (waits && !p.fed)
        return;
    s->pool = grow(s->pool, &s->pools_room, s->pools + 1, sizeof *s->pool);
    s->pool[s->pools++] = p;
    for (size_t n = first; n < first + count; n++) {
        s->begins[s->turn[n].begin] = (uint32_t)s->pools;
        s->piece[s->turn[n].begin] = (uint32_t)(n - first);
        for (size_t k = s->turn[n].begin; k < s->turn[n].go; k++)
            if (is_for_piece(g, &g->op[k], p.lock)) {
                g->op[k].played = GRAPH_PROGRAMS_LOCKS;
                s->waits[k] = (uint32_t)s->pools;
            }
    }
    for (size_t n = 0; n < s->turns; n++)
        if (p.fed && s->turn[n].lock == p.lock &&
            (n < first || n >= first + count) &&
            s->turn[n].give != GRAPH_NONE) {
            s->feeds[s->turn[n].give] = (uint32_t)s->pools;
            s->pool[s->pools - 1].wakes |= wakes_several(g, &s->turn[n]);
            s->pool[s->pools - 1].late |=
                wakes_behind(g, s->turn[n].give, (uint32_t)s->pools);
        }
}

void pools_find(struct retime *g)
{
    struct pools *s;

    if (!g->take)
        return;
    s = g->pools = grow_zero(1, sizeof *s);
    s->begins = grow_zero(g->ops + 1, sizeof *s->begins);
    s->feeds = grow_zero(g->ops + 1, sizeof *s->feeds);
    s->piece = grow_zero(g->ops + 1, sizeof *s->piece);
    s->waits = grow_zero(g->ops + 1, sizeof *s->waits);
    find_turns(g);
    if (s->turns)
        qsort(s->turn, s->turns, sizeof *s->turn, by_place);
    for (size_t n = 0, end; n < s->turns; n = end) {
        for (end = n; end < s->turns && s->turn[end].lock == s->turn[n].lock &&
                      s->turn[end].caller == s->turn[n].caller;)
            end++;
        add_pool(g, n, end - n);
    }
    measure_waits(g, s);
}

void pools_forget(struct retime *g)
{
    if (!g->pools)
        return;
    free(g->pools->turn);
    free(g->pools->pool);
    free(g->pools->begins);
    free(g->pools->feeds);
    free(g->pools->waits);
    free(g->pools->piece);
    free(g->pools);
}

/* ---- played -------------------------------------------------------------- */

struct pools_state *pools_open(const struct retime *g)
{
    struct pools_state *s;

    if (!g->pools || !g->pools->pools)
        return NULL;
    s = grow_zero(1, sizeof *s + g->pools->pools * sizeof *s->pool);
    s->of = g->pools;
    return s;
}

void pools_close(struct pools_state *s)
{
    free(s);
}

static const struct turn *piece_of(const struct pools_state *s, uint32_t pool,
                                   size_t piece)
{
    return &s->of->turn[s->of->pool[pool - 1].first + piece];
}

/* It goes on from where it takes the lock. */
static bool goes_on(struct replay *p, uint32_t thread)
{
    replay_expect(p, p->runner[thread].cycle + p->g->mutex[0].take, EVENT_STEP,
                  thread);
    return true;
}

static bool is_there(const struct pools_state *s, uint32_t pool)
{
    return !s->of->pool[pool - 1].fed ||
           s->pool[pool - 1].taken < s->pool[pool - 1].given;
}

/* The piece that a thread gets next is its own, from where it begins. */
static const struct turn *gets(struct pools_state *s, struct runner *r,
                               uint32_t pool)
{
    size_t n = s->pool[pool - 1].taken++;
    const struct turn *t =
        piece_of(s, pool, s->of->pool[pool - 1].shared ? n : r->piece);

    r->part = t->thread;
    r->at = t->begin;
    return t;
}

/* A system call finds that the thread is to go on, or lets it sleep. True: it
 * goes on later. */
static bool sleeps(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    bool calls = r->looks == POOLS_CALLS || r->looks == POOLS_TOLD;

    if (r->looks == POOLS_CALLS && !is_there(p->pools, r->pool)) {
        r->looks = POOLS_SLEEPS;
        cpus_leave(p, thread);
        return true;
    }
    r->looks = POOLS_LOOKS;
    if (!calls || !p->pools->of->after)
        return false;
    replay_expect(p, r->cycle + p->pools->of->after, EVENT_STEP, thread);
    return true;
}

bool pools_missing(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    struct pools_state *s = p->pools;
    uint32_t pool = r->pool, lock;

    if (of_program(p->g, &p->g->op[r->at]))
        r->puts = false;
    if (!pool)
        return false;
    lock = s->of->pool[pool - 1].lock;
    if (is_there(s, pool)) {
        r->pool = 0;
        replay_pass(p, r, gets(s, r, pool)->go);
        r->claim = r->at + 1;
        p->latch[lock].hold = p->g->op[r->at].hold;
        return false;
    }
    r->looks = POOLS_CALLS;
    r->paused = true;
    mutex_drop(p, thread, lock);
    replay_expect(p, r->cycle + s->of->looks + r->owes, EVENT_STEP, thread);
    r->owes = 0;
    return true;
}

/* The piece that would be next is not there: it looks for it where that begins
 * in the recording. */
static bool comes(struct replay *p, uint32_t thread, uint32_t pool)
{
    struct runner *r = &p->runner[thread];
    const struct pools_state *s = p->pools;
    const struct pool *of = &s->of->pool[pool - 1];
    size_t next = s->pool[pool - 1].taken;
    const struct turn *t = piece_of(s, pool,
                                    !of->shared        ? r->piece
                                    : next < of->count ? next
                                                       : of->count - 1);

    r->pool = pool;
    r->looks = POOLS_LOOKS;
    r->part = t->thread;
    r->at = t->go;
    r->claim = r->at + 1;
    return goes_on(p, thread);
}

bool pools_claim(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    struct pools_state *s = p->pools;
    uint32_t pool = r->claim == r->at + 1 ? 0 : s->of->begins[r->at];
    const struct turn *t;

    if (r->pool)
        return sleeps(p, thread);
    if (!pool)
        return false;
    r->piece = s->of->piece[r->at];
    r->paused = false;
    if (!is_there(s, pool))
        return comes(p, thread, pool);
    t = gets(s, r, pool);
    if (t->waits)
        replay_pass(p, r, t->go);
    r->claim = r->at + 1;
    return t->waits && goes_on(p, thread);
}

/* Is a thread known to wait for a piece? */
static bool waits_for(const struct runner *r, uint32_t pool)
{
    return r->pool == pool &&
           (r->looks == POOLS_CALLS || r->looks == POOLS_SLEEPS);
}

bool pools_waits(const struct replay *p, uint32_t wait, bool *waits)
{
    uint32_t pool = p->pools ? p->pools->of->waits[wait] : 0;

    *waits = false;
    for (uint32_t n = 0; pool && n < p->g->scene->threads; n++)
        *waits |= waits_for(&p->runner[n], pool);
    return pool;
}

/* Who has waited longest for a piece, in such a state. */
static uint32_t longest(const struct replay *p, uint32_t pool, unsigned looks)
{
    uint32_t first = GRAPH_NONE;

    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (p->runner[n].pool == pool && p->runner[n].looks == looks &&
            (first == GRAPH_NONE ||
             p->runner[n].cycle < p->runner[first].cycle))
            first = n;
    return first;
}

/* Those that are about to sleep find that they are to go on. */
static void tell(struct replay *p, uint32_t pool)
{
    bool all = p->pools->of->pool[pool - 1].wakes;
    uint32_t n;

    if (p->g->call || (!all && longest(p, pool, POOLS_SLEEPS) != GRAPH_NONE))
        return;
    while ((n = longest(p, pool, POOLS_CALLS)) != GRAPH_NONE) {
        p->runner[n].looks = POOLS_TOLD;
        if (!all)
            return;
    }
}

uint64_t pools_beside(const struct replay *p)
{
    return p->pools ? p->pools->of->beside : 0;
}

/* Behind the way to a free CPU, what is it to where the thread has the lock? As
 * behind such a wait, if there was no other thread then. */
static uint64_t way_back(const struct retime *g, size_t wait)
{
    const struct graph_thread *t = &g->thread[g->op[wait].thread];
    const struct graph_op *way = &g->op[wait + 1];
    size_t end = t->first + t->ops, n = wait + 1;
    int64_t cycles;

    if (g->call || n >= end || way->is != GRAPH_DISPATCH || way->near ||
        way->queued)
        return g->pools->back;
    while (n < end && !(g->op[n].is == GRAPH_TAKE && g->op[n].again))
        n++;
    if (n == end || hold_of(g, n)->stay != SCENE_NONE)
        return g->pools->back;
    cycles = (int64_t)(graph_tries_at(g, wait + 1, n) - way->from);
    return cycles > g->typical[0] ? (uint64_t)(cycles - g->typical[0]) : 0;
}

/* The one that has slept longest is woken. False: none sleeps. */
static bool wake_one(struct replay *p, uint32_t pool, uint64_t cycle,
                     uint64_t takes)
{
    const struct pools *s = p->pools->of;
    uint32_t n = longest(p, pool, POOLS_SLEEPS);
    struct runner *r;

    if (n == GRAPH_NONE)
        return false;
    r = &p->runner[n];
    r->looks = POOLS_LOOKS;
    latches_way(p, n, graph_most(cycle, r->cycle + (s->asleep - s->looks)),
                takes);
    return true;
}

/* ... or all that sleep. */
static void wake(struct replay *p, uint32_t pool, uint64_t cycle)
{
    const struct pools *s = p->pools->of;

    while (wake_one(p, pool, cycle, s->back) && s->pool[pool - 1].wakes)
        ;
}

/* APPROX: a call that finds no thread asleep takes half of what is behind the
 * wake-up less than one that wakes. Source: the guest, 69 or 292 of 292 cycles:
 * it may meet one that is about to sleep at the kernel's lock. Cost: as many,
 * an item. */
void pools_tell(struct replay *p, struct runner *r, uint32_t wait)
{
    uint32_t pool = p->pools ? p->pools->of->waits[wait] : 0;

    if (!pool || p->g->call || r->puts)
        return;
    r->puts = true;
    tell(p, pool);
    if (longest(p, pool, POOLS_SLEEPS) == GRAPH_NONE)
        r->spared += (p->pools->of->call - p->pools->of->wake) / 2;
}

/* Does a call that wakes one wake no other one behind it? */
static bool is_last_wake(const struct replay *p, const struct runner *r)
{
    const struct graph_op *o = &p->g->op[r->at];
    uint64_t until = r->at && in_system(p->g, o - 1)
                         ? p->g->scene->stay[o[-1].stay].to
                         : o->from;

    for (size_t n = r->at + 1; n < replay_end(p, r); n++) {
        if (p->g->op[n].from >= until)
            break;
        if (p->g->op[n].is == GRAPH_WAKE && p->g->op[n].target != GRAPH_NONE)
            return false;
    }
    return true;
}

void pools_wake(struct replay *p, struct runner *r, uint32_t wait)
{
    uint32_t pool = p->pools ? p->pools->of->waits[wait] : 0;
    uint64_t cycle;

    if (!pool || p->g->call)
        return;
    r->puts = true;
    cycle = replay_later(r->cycle, p->g->op[wait].lag);
    wake_one(p, pool, cycle, way_back(p->g, wait));
    if (p->pools->of->pool[pool - 1].wakes && is_last_wake(p, r))
        wake(p, pool, cycle);
}

/* Does any thread wait for a piece that a thread has put, and it has not called
 * the system for it? */
static bool is_untold(const struct replay *p, const struct runner *r,
                      uint32_t pool)
{
    return pool && !r->puts &&
           (longest(p, pool, POOLS_CALLS) != GRAPH_NONE ||
            longest(p, pool, POOLS_SLEEPS) != GRAPH_NONE);
}

/* Such a call, and what it takes. */
static uint64_t call(struct replay *p, struct runner *r, uint32_t pool)
{
    const struct pools *s = p->pools->of;
    bool wakes;

    r->puts = true;
    tell(p, pool);
    wakes = longest(p, pool, POOLS_SLEEPS) != GRAPH_NONE;
    wake(p, pool, replay_later(r->cycle + s->wake, s->lag));
    return s->beside + (wakes ? s->call : s->wake);
}

bool pools_calls(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    uint32_t pool = p->pools->of->feeds[r->at];

    if (p->g->call || !is_untold(p, r, pool) ||
        p->pools->of->pool[pool - 1].late)
        return false;
    replay_expect(p, r->cycle + call(p, r, pool), EVENT_STEP, thread);
    return true;
}

void pools_given(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    struct pools_state *s = p->pools;
    uint32_t pool = s->of->feeds[r->at];

    if (!pool)
        return;
    s->pool[pool - 1].given++;
    if (p->g->call)
        wake(p, pool, r->cycle);
    else if (is_untold(p, r, pool) && !wakes_behind(p->g, r->at, pool))
        r->owes += call(p, r, pool);
}
