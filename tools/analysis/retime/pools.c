/* pools.c - see pools.h. */
#include "tools/analysis/retime/pools.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/cpus.h"
#include "tools/analysis/retime/latches.h"
#include "tools/analysis/retime/mutex.h"

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
};

/* Of who waits for a piece: it is about to take the lock and look, it has given
 * it back and calls the system, or that lets it sleep. */
enum { POOLS_LOOKS, POOLS_CALLS, POOLS_SLEEPS };

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
    while (t->begin > g->thread[o->thread].first &&
           g->op[t->begin].is != GRAPH_ASK)
        t->begin--;
    if (g->op[t->begin].is != GRAPH_ASK || g->op[t->begin].hold != o->hold)
        t->begin = t->go;
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

/* From where the lock is given back to the first wait of a turn. */
static uint64_t to_wait(const struct retime *g, const struct turn *t)
{
    size_t n = t->begin, wait;

    while (n < t->go && g->op[n].is != GRAPH_WAIT)
        n++;
    for (wait = n; n > t->begin && g->op[n].is != GRAPH_GIVE;)
        n--;
    return g->op[wait].from - g->op[n].from;
}

static void measure_waits(const struct retime *g, struct pools *s)
{
    int64_t *list = grow_zero(s->turns + 1, sizeof *list);
    size_t count = 0;

    for (size_t n = 0; n < s->turns; n++)
        if (s->turn[n].waits)
            list[count++] = (int64_t)to_wait(g, &s->turn[n]);
    s->asleep = (uint64_t)graph_median(list, count);
    s->looks = (s->asleep + g->mutex[GRAPH_LOCK_MUTEX].leave[1]) / 2;
    if (g->call || s->looks > s->asleep)
        s->looks = s->asleep;
    free(list);
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
    if (!p.shared && (!p.fed || by.threads > 1))
        return;
    if (waits && !p.fed)
        return;
    s->pool = grow(s->pool, &s->pools_room, s->pools + 1, sizeof *s->pool);
    s->pool[s->pools++] = p;
    for (size_t n = first; n < first + count; n++) {
        s->begins[s->turn[n].begin] = (uint32_t)s->pools;
        s->piece[s->turn[n].begin] = (uint32_t)(n - first);
        for (size_t k = s->turn[n].begin; k < s->turn[n].go; k++)
            if (g->op[k].is == GRAPH_WAIT) {
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
    measure_waits(g, s);
    if (s->turns)
        qsort(s->turn, s->turns, sizeof *s->turn, by_place);
    for (size_t n = 0, end; n < s->turns; n = end) {
        for (end = n; end < s->turns && s->turn[end].lock == s->turn[n].lock &&
                      s->turn[end].caller == s->turn[n].caller;)
            end++;
        add_pool(g, n, end - n);
    }
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

/* A system call finds that the piece has come since, or lets it sleep. */
static bool sleeps(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];

    if (r->looks != POOLS_CALLS || is_there(p->pools, r->pool)) {
        r->looks = POOLS_LOOKS;
        return false;
    }
    r->looks = POOLS_SLEEPS;
    cpus_leave(p, thread);
    return true;
}

bool pools_missing(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    struct pools_state *s = p->pools;
    uint32_t pool = r->pool, lock;

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
    if (!is_there(s, pool))
        return comes(p, thread, pool);
    t = gets(s, r, pool);
    if (t->waits)
        replay_pass(p, r, t->go);
    r->claim = r->at + 1;
    return t->waits && goes_on(p, thread);
}

bool pools_waits(const struct replay *p, uint32_t wait, bool *waits)
{
    uint32_t pool = p->pools ? p->pools->of->waits[wait] : 0;

    *waits = false;
    for (uint32_t n = 0; pool && n < p->g->scene->threads; n++)
        *waits |=
            p->runner[n].pool == pool && p->runner[n].looks != POOLS_LOOKS;
    return pool;
}

/* Who has waited longest for a piece, asleep. */
static uint32_t longest(const struct replay *p, uint32_t pool)
{
    uint32_t first = GRAPH_NONE;

    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (p->runner[n].pool == pool && p->runner[n].looks == POOLS_SLEEPS &&
            (first == GRAPH_NONE ||
             p->runner[n].cycle < p->runner[first].cycle))
            first = n;
    return first;
}

void pools_given(struct replay *p, uint32_t thread)
{
    struct pools_state *s = p->pools;
    uint32_t pool = s->of->feeds[p->runner[thread].at], n;

    if (!pool)
        return;
    s->pool[pool - 1].given++;
    while ((n = longest(p, pool)) != GRAPH_NONE) {
        struct runner *r = &p->runner[n];

        r->looks = POOLS_LOOKS;
        latches_way(p, n,
                    graph_most(p->runner[thread].cycle,
                               r->cycle + (s->of->asleep - s->of->looks)),
                    p->g->mutex[0].leave[1]);
        if (!s->of->pool[pool - 1].wakes)
            return;
    }
}
