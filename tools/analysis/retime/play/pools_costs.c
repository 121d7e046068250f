/* pools_costs.c - what waiting for a piece of shared work takes, and waking who
 * waits; see pools_found.h.
 */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/play/pools_found.h"

enum {
    W_FRONT,  /* of W_ASLEEP: up to the system call */
    W_ASLEEP, /* from giving the lock back to being asleep */
    W_LOOKS, /* ... up to where it gives the first of the kernel's locks back */
    W_TAIL,  /* of W_BACK: the rest of the system call */
    W_AFTER, /* ... and behind that */
    W_BACK,  /* from a CPU to having the lock again */
    W_CALL,  /* the system call that wakes */
    W_WAKE,  /* ... up to the wake-up */
    W_LAG,   /* from there to being runnable */
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

/* Under --user, of a thread that has a lock: from having taken it to a wake-up,
 * and from there to giving it back. */
static void measure_held(const struct retime *g, size_t wake, struct waits *w)
{
    size_t first = g->thread[g->op[wake].thread].first, n = wake, end;
    const struct graph_thread *t = &g->thread[g->op[wake].thread];

    while (n > first && g->op[n].is != GRAPH_TAKE && g->op[n].is != GRAPH_GIVE)
        n--;
    if (g->op[n].is != GRAPH_TAKE || g->op[n].hold == GRAPH_NONE)
        return;
    for (end = wake; end < t->first + t->ops && g->op[end].is != GRAPH_GIVE;)
        end++;
    if (end == t->first + t->ops || g->op[end].hold != g->op[n].hold)
        return;
    note(w, W_WAKE, g->op[wake].from - g->op[n].from);
    note(w, W_CALL, g->op[end].from - g->op[wake].from);
}

/* What waking the threads that wait for pieces took; or any, one at a time. */
static void measure_wakes(const struct retime *g, const struct pools *s,
                          bool any, struct waits *w)
{
    for (size_t n = 1; n < g->ops; n++) {
        const struct graph_op *o = &g->op[n];
        const struct scene_stay *t;

        if (o->is != GRAPH_WAKE || o->target == GRAPH_NONE)
            continue;
        if (g->call && (any || s->waits[o->target]))
            measure_held(g, n, w);
        if (g->call || !in_system(g, o - 1) ||
            !(any ? graph_wakes_one(g, n) : s->waits[o->target] > 0))
            continue;
        t = &g->scene->stay[o[-1].stay];
        note(w, W_CALL, t->to - t->from);
        note(w, W_WAKE, o->from - t->from);
        note(w, W_LAG, (uint64_t)g->op[o->target].lag);
    }
}

/* What the program takes of a turn: of one in which it calls the system for
 * those that wait; of others at the same place; of others of the same lock. */
enum { B_CALLS, B_PLAIN, B_OTHER, B_ALL };

struct besides {
    int64_t *list[B_ALL];
    size_t count[B_ALL];
};

/* Does it call the system, and wake threads? *cycles: of the program. */
static bool calls(const struct retime *g, const struct turn *t, bool *wakes,
                  uint64_t *cycles)
{
    bool is = false;

    *wakes = false;
    *cycles = 0;
    for (size_t n = t->go; n < t->give; n++) {
        const struct graph_op *o = &g->op[n];

        is |= in_system(g, o);
        *wakes |= o->is == GRAPH_WAKE && o->target != GRAPH_NONE;
        if (o->is == GRAPH_RUN && !in_system(g, o))
            *cycles += o->to - o->from;
    }
    return is;
}

/* The turns of one place. */
static void measure_place(const struct retime *g, const struct turn *t,
                          size_t count, struct besides *b)
{
    bool here = false, wakes;
    uint64_t cycles;

    for (size_t n = 0; n < count && !here; n++)
        here = t[n].give != GRAPH_NONE && calls(g, &t[n], &wakes, &cycles) &&
               wakes;
    for (size_t n = 0; n < count; n++) {
        bool is = t[n].give != GRAPH_NONE && calls(g, &t[n], &wakes, &cycles);
        int what = is ? B_CALLS : here ? B_PLAIN : B_OTHER;

        if (t[n].give != GRAPH_NONE && is == wakes)
            b->list[what][b->count[what]++] = (int64_t)cycles;
    }
}

/* The cycles of the program that such a call takes; 0: that is not known.
 * *called: how often there was one. */
static uint64_t beside(struct besides *b, size_t *called)
{
    unsigned other = b->count[B_PLAIN] ? B_PLAIN : B_OTHER;
    int64_t with = graph_median(b->list[B_CALLS], b->count[B_CALLS]);
    int64_t without = graph_median(b->list[other], b->count[other]);

    *called = b->count[other] && with > without ? b->count[B_CALLS] : 0;
    return *called ? (uint64_t)(with - without) : 0;
}

/* ... as at the lock where it is made most often. */
static uint64_t measure_besides(const struct retime *g, const struct pools *s)
{
    struct besides b;
    uint64_t best = 0, cycles;
    size_t most = 0, called;

    for (unsigned n = 0; n < B_ALL; n++)
        b.list[n] = grow_zero(s->turns + 1, sizeof **b.list);
    for (size_t n = 0, end; n < s->turns; n = end) {
        for (unsigned k = 0;
             k < B_ALL && (!n || s->turn[n].lock != s->turn[n - 1].lock); k++)
            b.count[k] = 0;
        for (end = n; end < s->turns && s->turn[end].lock == s->turn[n].lock &&
                      s->turn[end].caller == s->turn[n].caller;)
            end++;
        measure_place(g, &s->turn[n], end - n, &b);
        if (end < s->turns && s->turn[end].lock == s->turn[n].lock)
            continue;
        cycles = beside(&b, &called);
        if (called > most)
            best = cycles;
        most = called > most ? called : most;
    }
    for (unsigned n = 0; n < B_ALL; n++)
        free(b.list[n]);
    return best;
}

/* The first wait of a turn, from where the lock is given back; its last one, to
 * where it is taken again. */
static void measure_turn(const struct retime *g, const struct turn *t,
                         struct waits *w)
{
    size_t n = t->begin, wait;
    const struct scene_stay *stay;
    uint64_t looks, back;

    while (n < t->go && g->op[n].is != GRAPH_WAIT)
        n++;
    for (wait = n; n > t->begin && (g->op[n].is != GRAPH_GIVE ||
                                    hold_of(g, n)->lock != t->lock);)
        n--;
    note(w, W_ASLEEP, g->op[wait].from - g->op[n].from);
    looks = graph_looks_in(g, g->op[n].from, wait);
    if (looks)
        note(w, W_LOOKS, looks);
    stay = &g->scene->stay[g->op[wait - 1].stay];
    if (in_system(g, &g->op[wait - 1]) && stay->from > g->op[n].from)
        note(w, W_FRONT, stay->from - g->op[n].from);
    if (g->scene->hold[g->op[t->go].hold].stay != SCENE_NONE)
        return;
    for (n = t->go; n > t->begin && g->op[n].is != GRAPH_DISPATCH;)
        n--;
    if (g->op[n].is != GRAPH_DISPATCH)
        return;
    back = graph_tries_at(g, n, t->go) - g->op[n].to;
    if (g->call)
        back -= g->op[n].near || back < g->trap ? 0 : g->trap;
    note(w, W_BACK, back);
    if (n + 1 >= g->ops || !in_system(g, &g->op[n + 1]))
        return;
    stay = &g->scene->stay[g->op[n + 1].stay];
    note(w, W_TAIL, stay->to - stay->from);
    note(w, W_AFTER, graph_tries_at(g, n, t->go) - stay->to);
}

/* APPROX: a system call that finds it need not wait takes half of what one does
 * that waits. Source: the guest, 733 of 1,493 cycles. Cost: where most calls
 * are of that kind, their difference from it. */
void pools_measure(const struct retime *g, struct pools *s)
{
    struct waits w = {.count = {0}};
    int64_t median[W_ALL];
    uint64_t returns;

    for (unsigned n = 0; n < W_ALL; n++)
        w.list[n] = grow_zero(g->ops + 1, sizeof **w.list);
    for (size_t n = 0; n < s->turns; n++)
        if (s->turn[n].waits)
            measure_turn(g, &s->turn[n], &w);
    measure_wakes(g, s, false, &w);
    for (size_t n = 0; n < s->pools && !w.count[W_CALL]; n++)
        if (s->pool[n].answers)
            measure_wakes(g, s, true, &w);
    for (unsigned n = 0; n < W_ALL; n++) {
        median[n] = graph_median(w.list[n], w.count[n]);
        free(w.list[n]);
    }
    s->asleep = (uint64_t)median[W_ASLEEP];
    returns =
        (uint64_t)(median[W_ASLEEP] + median[W_FRONT] + median[W_TAIL]) / 2;
    s->front = (uint64_t)median[W_FRONT];
    s->looks =
        w.count[W_LOOKS] ? (uint64_t)median[W_LOOKS] + GRAPH_WRITES : returns;
    s->back = w.count[W_BACK] ? (uint64_t)median[W_BACK]
                              : g->mutex[GRAPH_LOCK_MUTEX].leave[1];
    s->after = g->call ? g->call + s->back : (uint64_t)median[W_AFTER];
    if (!g->call && returns > s->looks)
        s->after += returns - s->looks;
    s->call = w.count[W_CALL] ? (uint64_t)median[W_CALL] : g->meet[1].wake;
    s->wake = w.count[W_WAKE] ? (uint64_t)median[W_WAKE] : s->call / 2;
    s->none = g->needless && g->needless < s->call ? g->needless : s->wake;
    s->lag = median[W_LAG];
    s->beside = measure_besides(g, s);
    if (!s->beside)
        s->beside = g->mutex[GRAPH_LOCK_MUTEX].beside;
    if (g->call) { /* who calls does so whether or not the other sleeps yet */
        s->beside = w.count[W_WAKE] ? (uint64_t)median[W_WAKE] : 0;
        s->wake = s->beside;
        s->call = s->none =
            w.count[W_CALL] ? (uint64_t)median[W_CALL] : g->call;
    }
    if (g->call || s->looks > s->asleep)
        s->looks = s->asleep;
}
