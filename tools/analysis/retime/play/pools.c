/* pools.c - see pools.h. */
#include "tools/analysis/retime/play/pools.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/retime/play/cpus.h"
#include "tools/analysis/retime/play/latches.h"
#include "tools/analysis/retime/play/mutex.h"
#include "tools/analysis/retime/play/pools_found.h"

#define ENOUGH 8 /* pieces, to say that what holds of all is no chance */

/* Of who waits for a piece: it is about to take the lock and look, it has given
 * it back and calls the system, which finds that it is to go on, or lets it
 * sleep; it is woken as soon as it sleeps. */
enum { POOLS_LOOKS, POOLS_CALLS, POOLS_TOLD, POOLS_SLEEPS, POOLS_WOKEN };

struct pools_state {
    const struct pools *of;
    struct pools_progress {
        size_t taken, given;
        struct graph_word met; /* calls for its condition */
    } pool[];
};

/* ---- turns --------------------------------------------------------------- */

static bool is_pools(const struct retime *g, const struct scene_hold *h)
{
    return h->caller && !g->shared[h->lock] && !g->scene->lock[h->lock].slots &&
           !g->spins[h->lock] && g->scene->lock[h->lock].kind == OBJECT_USER;
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

static bool of_program(const struct retime *g, const struct graph_op *o)
{
    return g->scene->lock[g->scene->hold[o->hold].lock].kind == OBJECT_USER;
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

/* Does a thread signal a condition in a turn? */
static bool signals_in(const struct scene *s, const struct turn *t)
{
    size_t n = SEARCH_FIRST(
        0, s->signals, i,
        s->signal[i].thread > t->thread ||
            (s->signal[i].thread == t->thread && s->signal[i].to >= t->at));

    for (; n < s->signals && s->signal[n].thread == t->thread &&
           s->signal[n].to <= t->given;
         n++)
        if (s->signal[n].event == LOCK_SIGNALLED)
            return true;
    return false;
}

static int by_turn_given(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    return x->given < y->given ? -1 : x->given > y->given;
}

/* Does a thread publish, and have others seen it each time before it does so
 * again? It takes the lock at one place and these, more than one, at another,
 * as often each, and the last of them signals a condition. How many they are;
 * 0: it does not. */
static uint32_t answers(const struct retime *g, const struct pools *s,
                        const struct pool *p)
{
    const struct turn *piece = s->turn + p->first, *own = NULL;
    size_t threads = g->scene->threads, others = 0;
    struct takers by;
    struct turn *given;
    bool all = true;

    for (size_t n = 0; n < s->turns; n++) {
        const struct turn *t = &s->turn[n];

        if (t->lock != p->lock || t->caller == piece->caller)
            continue;
        own = own ? own : t;
        others++;
        all &= t->caller == own->caller && t->give != GRAPH_NONE;
    }
    if (!all || others < 2 * p->count || others % p->count ||
        others / p->count > threads)
        return 0;
    by = takers_of(g, (struct turn *)own, others);
    if (!by.alike || by.threads != others / p->count)
        return 0;
    given = grow_zero(others, sizeof *given);
    memcpy(given, own, others * sizeof *given);
    qsort(given, others, sizeof *given, by_turn_given);
    for (size_t n = 1; n < p->count; n++) {
        const struct turn *last = &given[n * by.threads - 1];

        all &= last->given <= piece[n].at + GRAPH_TURN &&
               signals_in(g->scene, last);
    }
    free(given);
    return all ? (uint32_t)by.threads : 0;
}

/* Its pieces begin, and are put, where they do among the operations. */
static void enter_pool(struct retime *g, const struct pool *new)
{
    struct pools *s = g->pools;
    size_t *had = grow_zero(g->scene->threads + 1, sizeof *had);
    size_t first = new->first, end = first + new->count;
    struct pool *p;

    s->pool = grow(s->pool, &s->pools_room, s->pools + 1, sizeof *s->pool);
    p = &s->pool[s->pools++];
    *p = *new;
    for (size_t n = first; n < end; n++) {
        struct turn *t = &s->turn[n];

        t->nth = had[t->thread]++;
        s->begins[t->begin] = (uint32_t)s->pools;
        s->piece[t->begin] = (uint32_t)(n - first);
        for (size_t k = t->begin; k < t->go; k++)
            if (is_for_piece(g, &g->op[k], p->lock)) {
                g->op[k].played = GRAPH_PROGRAMS_LOCKS;
                s->waits[k] = (uint32_t)s->pools;
                p->word = graph_word_lock(g, k);
            }
    }
    for (size_t n = 0; n < s->turns; n++)
        if (p->fed && s->turn[n].lock == p->lock && (n < first || n >= end) &&
            s->turn[n].give != GRAPH_NONE) {
            s->feeds[s->turn[n].give] = (uint32_t)s->pools;
            p->wakes |= wakes_several(g, &s->turn[n]);
            p->late |= wakes_behind(g, s->turn[n].give, (uint32_t)s->pools);
        }
    free(had);
}

/* Those that answer have the n-th turn when n have been published. */
static void enter_answers(struct retime *g, const struct pool *p)
{
    const struct pools *s = g->pools;
    struct pool q = {.lock = p->lock,
                     .word = GRAPH_NONE,
                     .each = true,
                     .fed = true,
                     .count = p->count * p->answers};

    while (s->turn[q.first].lock != p->lock || q.first == p->first)
        q.first += q.first == p->first ? p->count : 1;
    enter_pool(g, &q);
}

static void add_pool(struct retime *g, size_t first, size_t count)
{
    struct pools *s = g->pools;
    struct pool p = {.first = first,
                     .count = count,
                     .lock = s->turn[first].lock,
                     .word = GRAPH_NONE};
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
    p.answers = !p.fed && by.threads == 1 ? answers(g, s, &p) : 0;
    p.fed |= p.answers > 0;
    p.shared = by.threads > 1 && by.to_end && (p.fed || !by.alike);
    if (!p.shared && !p.fed)
        return;
    if (waits && !p.fed)
        return;
    enter_pool(g, &p);
    if (p.answers && !g->call) /* under --user their waits say as much */
        enter_answers(g, &p);
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
    pools_measure(g, s);
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

/* When a call has the kernel's lock for what threads wait for. */
static struct graph_word *met_at(struct replay *p, uint32_t pool)
{
    uint32_t word = p->pools->of->pool[pool - 1].word;

    return word == GRAPH_NONE ? &p->pools->pool[pool - 1].met
                              : &p->latch[word].met;
}

/* It goes on from where it takes the lock: what it ran up to an operation ends
 * there, or where it asks for it. */
static bool goes_on(struct replay *p, uint32_t thread, size_t from)
{
    uint64_t take = p->g->op[from].is == GRAPH_ASK ? p->g->mutex[0].take : 0;

    replay_expect(p, p->runner[thread].cycle + take, EVENT_STEP, thread);
    return true;
}

/* Is the piece that a thread would have next there when the lock has been given
 * back elsewhere `more` times more? */
static bool will_be_there(const struct pools_state *s, uint32_t pool,
                          size_t piece, size_t more)
{
    const struct pool *of = &s->of->pool[pool - 1];
    size_t given = s->pool[pool - 1].given + more;

    if (of->each)
        return piece_of(s, pool, piece)->nth < given;
    return !of->fed || s->pool[pool - 1].taken <
                           (of->answers ? given / of->answers + 1 : given);
}

static bool is_there(const struct pools_state *s, uint32_t pool, size_t piece)
{
    return will_be_there(s, pool, piece, 0);
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

    if (r->looks == POOLS_WOKEN) {
        r->looks = POOLS_LOOKS;
        cpus_leave(p, thread);
        latches_way(p, thread, r->woken, p->pools->of->back);
        return true;
    }
    if (r->looks == POOLS_CALLS && !is_there(p->pools, r->pool, r->piece)) {
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
    uint64_t late;

    if (of_program(p->g, &p->g->op[r->at]))
        r->puts = false;
    if (!pool)
        return false;
    lock = s->of->pool[pool - 1].lock;
    if (is_there(s, pool, r->piece)) {
        r->pool = 0;
        replay_pass(p, r, gets(s, r, pool)->go);
        r->claim = r->at + 1;
        p->latch[lock].hold = p->g->op[r->at].hold;
        return false;
    }
    r->looks = POOLS_CALLS;
    r->paused = true;
    mutex_drop(p, thread, lock);
    late = mutex_meets(p->g, met_at(p, pool), r->cycle + r->owes + s->of->front,
                       GRAPH_WORD_WAITS);
    replay_expect(p, r->cycle + s->of->looks + r->owes + late, EVENT_STEP,
                  thread);
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
    size_t next = s->pool[pool - 1].taken, from = r->at;
    const struct turn *t = piece_of(s, pool,
                                    !of->shared        ? r->piece
                                    : next < of->count ? next
                                                       : of->count - 1);

    r->pool = pool;
    r->looks = POOLS_LOOKS;
    r->part = t->thread;
    r->at = t->go;
    r->claim = r->at + 1;
    return goes_on(p, thread, from);
}

bool pools_claim(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    struct pools_state *s = p->pools;
    uint32_t pool = r->claim == r->at + 1 ? 0 : s->of->begins[r->at];
    size_t from = r->at;
    const struct turn *t;

    if (r->pool)
        return sleeps(p, thread);
    if (!pool)
        return false;
    r->piece = s->of->piece[r->at];
    r->paused = false;
    if (!is_there(s, pool, r->piece))
        return comes(p, thread, pool);
    t = gets(s, r, pool);
    if (t->waits)
        replay_pass(p, r, t->go);
    r->claim = r->at + 1;
    return t->waits && goes_on(p, thread, from);
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

/* Those that are about to sleep find that they are to go on. Under --user,
 * where a call begins with that, one that calls before the word is written
 * sleeps, and is woken behind it. */
static void tell(struct replay *p, uint32_t pool, uint64_t cycle)
{
    bool all = p->pools->of->pool[pool - 1].wakes;
    uint64_t written = cycle + p->pools->of->wake;
    uint32_t n;

    if (!all && longest(p, pool, POOLS_SLEEPS) != GRAPH_NONE)
        return;
    while ((n = longest(p, pool, POOLS_CALLS)) != GRAPH_NONE) {
        bool sleeps = p->g->call && p->runner[n].until <= written;

        p->runner[n].looks = sleeps ? POOLS_WOKEN : POOLS_TOLD;
        p->runner[n].woken = written;
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

static uint64_t meets(struct replay *p, uint32_t pool, uint64_t begin,
                      bool wakes, bool recorded)
{
    struct graph_word met = *met_at(p, pool);
    uint64_t late = mutex_meets(p->g, &met, begin,
                                wakes ? GRAPH_WORD_WAKES : GRAPH_WORD_FINDS);

    if (!recorded)
        *met_at(p, pool) = met;
    return late;
}

void pools_tell(struct replay *p, struct runner *r, uint32_t wait)
{
    uint32_t pool = p->pools ? p->pools->of->waits[wait] : 0;
    uint64_t late;
    bool wakes;

    if (!pool || p->g->call || r->puts)
        return;
    r->puts = true;
    tell(p, pool, r->cycle);
    wakes = longest(p, pool, POOLS_SLEEPS) != GRAPH_NONE;
    late = meets(p, pool, r->cycle, wakes, true);
    if (wakes)
        return;
    r->owes += late;
    r->spared += p->pools->of->call - p->pools->of->none;
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

    if (!pool)
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
    uint64_t late;
    bool wakes;

    r->puts = true;
    tell(p, pool, r->cycle);
    wakes = longest(p, pool, POOLS_SLEEPS) != GRAPH_NONE;
    late = meets(p, pool, r->cycle + s->beside, wakes, false);
    wake(p, pool, replay_later(r->cycle + s->wake, s->lag));
    return s->beside + (wakes ? s->call : s->none) + late;
}

/* Is there a piece for those that wait when the lock has been given back so
 * often more? */
static bool brings_next(const struct pools_state *s, uint32_t pool, size_t more)
{
    return s->of->pool[pool - 1].each || will_be_there(s, pool, 0, more);
}

bool pools_calls(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    uint32_t pool = p->pools->of->feeds[r->at];

    if (!is_untold(p, r, pool) || !brings_next(p->pools, pool, 1) ||
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
    if (!brings_next(s, pool, 0))
        return;
    if (is_untold(p, r, pool) && !wakes_behind(p->g, r->at, pool))
        r->owes += call(p, r, pool);
}
