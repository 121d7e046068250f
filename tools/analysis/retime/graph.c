/* graph.c - stays and wake-ups become operations; see graph.h. */
#include "tools/analysis/retime/graph.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/retime/play/pools.h"
#include "tools/analysis/retime/play/barriers.h"
#include "tools/analysis/retime/play/rounds.h"

/* A wake-up that a thread gave, or a lock that it took or gave back: where it
 * stands among what that thread did. */
struct given {
    enum graph_is is;
    uint32_t of;   /* a wake-up, or behind these a poll; or a hold */
    uint32_t stay; /* of the thread, in which it was done */
    uint64_t at;
    size_t serial; /* of a wake-up, in the records; of a poll's its beginning */
};

struct builder {
    struct retime *g;
    const struct scene *s;
    struct given *given; /* by thread, then time */
    size_t count, room;
    /* By wake-up, then by poll: */
    uint32_t *given_of; /* an index of `given`, or none */
    uint32_t *op_of;    /* the operation that waits for it */
};

/* ---- wake-ups ------------------------------------------------------------ */

/* The stay of running in which a thread woke another: at that cycle, or, since
 * clocks of two CPUs differ, the one before it, or the first one. */
static uint32_t stay_of_waker(const struct scene *s, uint32_t thread,
                              uint64_t cycle)
{
    const struct scene_thread *t = &s->thread[thread];
    size_t end = t->first + t->stays;
    size_t n = SEARCH_FIRST(t->first, end, i, s->stay[i].from > cycle);

    for (size_t k = n; k > t->first; k--)
        if (scene_runs(&s->stay[k - 1]))
            return (uint32_t)(k - 1);
    for (; n < end; n++)
        if (scene_runs(&s->stay[n]))
            return (uint32_t)n;
    return SCENE_NONE;
}

static void give(struct builder *b, enum graph_is is, uint32_t of,
                 uint32_t thread, uint64_t cycle)
{
    uint32_t stay = stay_of_waker(b->s, thread, cycle);
    const struct scene_stay *in;
    struct given *x;

    if (stay == SCENE_NONE)
        return;
    in = &b->s->stay[stay];
    b->given = grow(b->given, &b->room, b->count + 1, sizeof *b->given);
    x = &b->given[b->count++];
    *x = (struct given){is, of, stay, cycle, 0};
    x->at = x->at < in->from ? in->from : x->at > in->to ? in->to : x->at;
    if (is == GRAPH_WAKE) /* of one word's: who has waited longest is first */
        x->serial = of < b->s->wakes ? b->s->wake[of].serial
                                     : b->s->poll[of - b->s->wakes].since;
}

static void take_wake(struct builder *b, uint32_t wake)
{
    const struct scene_wake *w = &b->s->wake[wake];

    if (w->by == WAKE_BY_THREAD && w->waker != SCENE_NONE &&
        w->waker != w->thread)
        give(b, GRAPH_WAKE, wake, w->waker, w->cycle);
}

/* A wait for another thread, but none that a system call has on its way, for a
 * lock of the kernel's. */
static bool is_own_wait(const struct scene_stay *t)
{
    return scene_blocked(t) &&
           !(t->state == STATE_LOCK && t->kind == OBJECT_KERNEL);
}

/* When a thread began to ask for a lock that it then waited for: behind a wait
 * for a condition when that was over. */
static uint64_t asked_at(const struct scene *s, const struct scene_hold *h)
{
    size_t first = s->thread[h->thread].first, n = h->stay;

    /* In front of the stay in which it looks at the word. */
    if (s->lock[h->lock].word)
        return h->asked && h->asked < h->taken ? h->asked - 1 : h->asked;
    if (h->stay == SCENE_NONE || s->lock[h->lock].kind != OBJECT_USER)
        return h->asked;
    while (n > first && !is_own_wait(&s->stay[n - 1]))
        n--;
    return n == h->stay || s->stay[n].from < h->asked ? h->asked
                                                      : s->stay[n].from;
}

static void take_joins(struct builder *b)
{
    uint32_t *joins;

    b->g->exits = graph_exits(b->s);
    joins = graph_joins(b->s, b->g->exits);

    for (size_t n = 0; n < b->s->signals; n++)
        if (joins[n] != GRAPH_NONE)
            give(b, GRAPH_JOIN, joins[n], b->s->signal[n].thread,
                 b->s->signal[n].to);
    free(joins);
}

static void take_holds(struct builder *b)
{
    const struct scene *s = b->s;

    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *h = &s->hold[n];

        uint64_t again = b->g->again[n] ? graph_asks_again(b->g, h) : 0;

        if (again)
            give(b, GRAPH_ASK, (uint32_t)n, h->thread, again);
        else if (h->stay != SCENE_NONE || b->g->spins[h->lock] ||
                 b->g->called[n] || b->g->caught[n])
            give(b, GRAPH_ASK, (uint32_t)n, h->thread, asked_at(s, h));
        give(b, GRAPH_TAKE, (uint32_t)n, h->thread, h->taken);
        if (h->given < s->r->end)
            give(b, GRAPH_GIVE, (uint32_t)n, h->thread, h->given);
    }
}

/* Of one cycle: holds of a thread are in the order in which they were taken,
 * and what it wakes others by comes behind that. */
static uint64_t rank(const struct given *x)
{
    return x->is == GRAPH_WAKE   ? UINT64_C(1) << 40 | x->serial
           : x->is == GRAPH_JOIN ? 0
           : x->is == GRAPH_ASK
               ? 3 * (uint64_t)x->of
               : 3 * (uint64_t)x->of + 1 + (x->is == GRAPH_GIVE);
}

static int by_waker(const void *a, const void *b)
{
    const struct given *x = a, *y = b;

    if (x->stay != y->stay)
        return x->stay < y->stay ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    if (rank(x) != rank(y))
        return rank(x) < rank(y) ? -1 : 1;
    return x->of < y->of ? -1 : x->of > y->of;
}

/* Is it among the sleeps of a poll, of which only they name it? */
static bool is_polling(const struct scene *s, uint32_t stay)
{
    uint32_t thread = s->stay[stay].thread, n = stay, poll;

    while (n > s->thread[thread].first && s->stay[n].state != STATE_TIMER)
        n--;
    poll = s->stay[n].poll;
    return poll != SCENE_NONE &&
           stay < s->poll[poll].stay + s->poll[poll].stays;
}

/* What waits for a kernel's lock that a thread has for a moment, on the way to
 * a sleep or from it, waits as long as it did: such sleeps become one wait. */
static void forget_turns(struct builder *b)
{
    const struct scene *s = b->s;

    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];
        uint32_t *of = t->wake == SCENE_NONE ? NULL : &b->given_of[t->wake];

        if (of && *of != GRAPH_NONE && scene_blocked(t) && !is_own_wait(t) &&
            is_polling(s, b->given[*of].stay))
            *of = GRAPH_NONE;
    }
}

static void find_given(struct builder *b)
{
    const struct scene *s = b->s;

    for (size_t n = 0; n < s->stays; n++)
        if (s->stay[n].wake != SCENE_NONE)
            take_wake(b, s->stay[n].wake);
    for (uint32_t n = 0; n < s->polls; n++)
        if (s->poll[n].stay != SCENE_NONE &&
            graph_tried(s, &s->poll[n]) == SCENE_NONE)
            give(b, GRAPH_WAKE, (uint32_t)s->wakes + n, s->poll[n].writer,
                 s->poll[n].written);
    take_holds(b);
    take_joins(b);
    if (b->count)
        qsort(b->given, b->count, sizeof *b->given, by_waker);
    for (size_t n = 0; n < s->wakes + s->polls; n++)
        b->given_of[n] = b->op_of[n] = GRAPH_NONE;
    for (size_t n = 0; n < b->count; n++)
        if (b->given[n].is == GRAPH_WAKE)
            b->given_of[b->given[n].of] = (uint32_t)n;
    forget_turns(b);
}

/* ---- operations ---------------------------------------------------------- */

static struct graph_op *add(struct builder *b, enum graph_is is,
                            uint32_t thread, uint64_t from, uint64_t to)
{
    struct retime *g = b->g;

    g->op = grow(g->op, &g->room, g->ops + 1, sizeof *g->op);
    g->op[g->ops] = (struct graph_op){.is = is,
                                      .thread = thread,
                                      .target = GRAPH_NONE,
                                      .hold = GRAPH_NONE,
                                      .stay = GRAPH_NONE,
                                      .poll = GRAPH_NONE,
                                      .tries = GRAPH_NONE,
                                      .from = from,
                                      .to = to};
    g->thread[thread].ops++;
    return &g->op[g->ops++];
}

/* Running, with what was done for others meanwhile; *next: the first of
 * those not yet passed. */
static void add_running(struct builder *b, uint32_t stay, size_t *next)
{
    const struct scene_stay *t = &b->s->stay[stay];
    uint64_t at = t->from;
    struct graph_op *o;

    while (*next < b->count && b->given[*next].stay < stay)
        ++*next;
    for (; *next < b->count && b->given[*next].stay == stay; ++*next) {
        const struct given *x = &b->given[*next];

        if (x->at > at)
            add(b, GRAPH_RUN, t->thread, at, x->at)->stay = stay;
        at = x->at;
        if (x->is == GRAPH_WAKE) {
            add(b, GRAPH_WAKE, t->thread, at, at)->target = x->of;
            continue;
        }
        o = add(b, x->is, t->thread, at, at);
        if (x->is == GRAPH_JOIN) {
            o->joins = x->of;
            continue;
        }
        o->hold = x->of;
        o->again = x->is != GRAPH_GIVE && b->g->again[x->of];
        if (x->is == GRAPH_TAKE)
            b->g->take[x->of] = (uint32_t)(b->g->ops - 1);
    }
    if (t->to > at)
        add(b, GRAPH_RUN, t->thread, at, t->to)->stay = stay;
}

/* A wait from `from` until it is runnable; by wake-up, or for a time. */
static void add_wait(struct builder *b, enum graph_is is, uint32_t stay,
                     uint64_t from, uint64_t until)
{
    const struct scene_stay *t = &b->s->stay[stay];
    struct graph_op *o = add(b, is, t->thread, from, until);
    uint32_t given = t->wake == SCENE_NONE ? GRAPH_NONE : b->given_of[t->wake];

    o->stay = stay;
    if (given == GRAPH_NONE)
        return;
    o->target = t->wake;
    o->lag = (int64_t)(until - b->given[given].at);
    b->op_of[t->wake] = (uint32_t)(b->g->ops - 1);
}

static void add_dispatch(struct builder *b, uint32_t thread, uint64_t ready,
                         const struct scene_stay *runs, uint64_t allowed)
{
    struct graph_op *o = add(b, GRAPH_DISPATCH, thread, ready, runs->from);

    o->cpu = runs->cpu < GRAPH_CPUS ? runs->cpu : 0;
    o->allowed = allowed;
}

static uint64_t allowed_of(const struct scene_stay *t)
{
    return t->state == STATE_RUNNABLE && t->kind == OBJECT_CPUS ? t->object
                                                                : UINT64_MAX;
}

/* What follows a stay that does not run, in which the thread was until `t`
 * began: the way to a CPU if there is one. */
static void add_way(struct builder *b, const struct scene_stay *t,
                    const struct scene_stay *end)
{
    const struct scene_stay *runs = t;

    while (runs < end && runs->state == STATE_RUNNABLE)
        runs++;
    if (runs < end && scene_runs(runs))
        add_dispatch(b, t->thread, t->from, runs,
                     runs > t ? allowed_of(runs - 1) : UINT64_MAX);
}

/* The first stay: it is made by another one, or is there at its cycle. */
static void add_birth(struct builder *b, const struct scene_stay *t,
                      const struct scene_stay *end)
{
    add_wait(b, GRAPH_BIRTH, (uint32_t)(t - b->s->stay), t->from, t->from);
    if (!scene_blocked(t))
        add_way(b, t, end);
}

/* From which stay on such a thread wakes no other one: sleeps in front are
 * single waits, since who is woken in between is not to wait for their end. */
static uint32_t polls_from(const struct builder *b, const struct scene_poll *p)
{
    uint32_t end = p->stay + p->stays;
    size_t n = SEARCH_FIRST(0, b->count, i, b->given[i].stay >= end);

    while (n-- > 0 && b->given[n].stay > p->stay)
        if (b->given[n].is == GRAPH_WAKE &&
            b->given_of[b->given[n].of] != GRAPH_NONE)
            return b->given[n].stay + 1;
    return p->stay;
}

/* Behind such a wait without sleeps: on its own CPU, or when it had one again
 * behind the word's being written. */
static void add_look(struct builder *b, struct graph_op *wait,
                     const struct scene_poll *p, const struct scene_stay *last,
                     const struct scene_stay *end)
{
    bool comes = last->state == STATE_RUNNABLE && last + 1 < end;
    const struct scene_stay *runs = comes ? last + 1 : last;
    bool queued = runs->from > p->written && runs > &b->s->stay[p->stay] &&
                  runs[-1].state == STATE_RUNNABLE;
    uint64_t ready = queued ? p->written : last->to;

    wait->to = ready;
    wait->lag = (int64_t)(ready - p->written);
    add_dispatch(b, wait->thread, ready, runs,
                 queued ? allowed_of(runs - 1) : UINT64_MAX);
    b->g->op[b->g->ops - 1].to = last->to;
}

/* Sleeps again and again, as one wait: the last of them, or NULL. */
static const struct scene_stay *add_poll(struct builder *b,
                                         const struct scene_stay *t,
                                         const struct scene_stay *end)
{
    const struct scene_poll *p =
        t->poll == SCENE_NONE ? NULL : &b->s->poll[t->poll];
    uint32_t of = (uint32_t)b->s->wakes + t->poll;
    const struct scene_stay *last;
    struct graph_op *o;
    uint32_t hold;

    if (!p)
        return NULL;
    hold = graph_tried(b->s, p);
    if ((hold == SCENE_NONE && b->given_of[of] == GRAPH_NONE) ||
        t < &b->s->stay[polls_from(b, p)])
        return NULL;
    last = &b->s->stay[p->stay + p->stays - 1];
    o = add(b, GRAPH_WAIT, t->thread, t->from, last->to);
    o->stay = (uint32_t)(t - b->s->stay);
    o->poll = t->poll;
    if (hold == SCENE_NONE) {
        o->target = of;
        b->op_of[of] = (uint32_t)(b->g->ops - 1);
    }
    if (p->runs) {
        add_look(b, o, p, last, end);
        return last;
    }
    if (hold == SCENE_NONE)
        o->lag = graph_looks_late(b->s, p, t, b->given[b->given_of[of]].at);
    if (last + 1 < end && !scene_blocked(last + 1))
        add_way(b, last + 1, end);
    return last;
}

static void add_blocked(struct builder *b, const struct scene_stay *t,
                        const struct scene_stay *end)
{
    add_wait(b, GRAPH_WAIT, (uint32_t)(t - b->s->stay), t->from, t->to);
    if (t->to > t->from && t + 1 < end && !scene_blocked(t + 1))
        add_way(b, t + 1, end);
}

static bool never_ends(const struct builder *b, const struct scene_stay *t,
                       const struct scene_stay *end)
{
    return t + 1 == end && t->to == b->s->r->end && !scene_runs(t);
}

static void add_thread(struct builder *b, uint32_t thread, size_t *next)
{
    const struct scene_thread *who = &b->s->thread[thread];
    const struct scene_stay *first = b->s->stay + who->first;
    const struct scene_stay *end = first + who->stays;

    b->g->thread[thread].first = b->g->ops;
    if (first < end)
        add_birth(b, first, end);
    for (const struct scene_stay *t = first; t < end; t++) {
        const struct scene_stay *before = t > first ? t - 1 : NULL;
        const struct scene_stay *polled = add_poll(b, t, end);

        if (polled) {
            t = polled;
            continue;
        }
        if (t->state == STATE_ENDED || never_ends(b, t, end)) {
            add(b, GRAPH_END, thread, t->from, t->from);
            break;
        }
        if (scene_runs(t)) {
            if (before && scene_runs(before) && before->cpu != t->cpu) {
                add(b, GRAPH_YIELD, thread, t->from, t->from);
                add_dispatch(b, thread, t->from, t, UINT64_MAX);
            }
            add_running(b, (uint32_t)(t - b->s->stay), next);
        } else if (scene_blocked(t)) {
            add_blocked(b, t, end);
        } else if (before && scene_runs(before)) {
            add(b, GRAPH_YIELD, thread, t->from, t->from);
            add_way(b, t, end);
        }
    }
}

/* Wake-ups and waits name each other. */
static void link_ops(struct builder *b)
{
    struct retime *g = b->g;

    for (size_t n = 0; n < g->ops; n++)
        if (g->op[n].is == GRAPH_WAKE) {
            uint32_t target = b->op_of[g->op[n].target];

            g->op[n].target = target;
            g->op[n].needed = target != GRAPH_NONE &&
                              g->op[target].poll == GRAPH_NONE &&
                              g->op[target].is == GRAPH_WAIT &&
                              g->op[target].from < g->op[n].from;
        }
}

/* ---- CPUs ---------------------------------------------------------------- */

struct turn {
    uint32_t cpu, op;
    uint64_t at;
};

static int by_cpu(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    if (x->cpu != y->cpu)
        return x->cpu < y->cpu ? -1 : 1;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->op < y->op ? -1 : x->op > y->op;
}

static void order_dispatches(struct retime *g)
{
    struct turn *list = grow_zero(g->ops + 1, sizeof *list);
    size_t count = 0;

    for (size_t n = 0; n < g->ops; n++)
        if (g->op[n].is == GRAPH_DISPATCH)
            list[count++] =
                (struct turn){g->op[n].cpu, (uint32_t)n, g->op[n].to};
    if (count)
        qsort(list, count, sizeof *list, by_cpu);
    g->order = grow_zero(count + 1, sizeof *g->order);
    for (size_t n = 0, cpu = 0; n <= count; n++) {
        while (cpu <= GRAPH_CPUS && (n == count || list[n].cpu >= cpu))
            g->first[cpu++] = n;
        if (n < count)
            g->order[n] = list[n].op;
    }
    free(list);
}

uint32_t graph_leaves(const struct retime *g, uint32_t dispatch)
{
    const struct graph_thread *t = &g->thread[g->op[dispatch].thread];

    for (size_t n = dispatch + 1; n < t->first + t->ops; n++)
        if (g->op[n].is == GRAPH_WAIT || g->op[n].is == GRAPH_YIELD ||
            g->op[n].is == GRAPH_END)
            return (uint32_t)n;
    return GRAPH_NONE;
}

static uint64_t left_at(const struct retime *g, uint32_t dispatch)
{
    uint32_t n = graph_leaves(g, dispatch);

    if (n == GRAPH_NONE)
        return g->scene->r->end;
    return g->op[n].poll == GRAPH_NONE ? g->op[n].from
                                       : graph_poll_left(g, g->op[n].poll);
}

/* Did the n-th of all dispatches wait for a CPU that another thread yielded?
 * Then that one yields for a thread that waits, and else does not. */
static void mark_yield(struct retime *g, size_t n)
{
    const struct graph_op *o = &g->op[g->order[n]];
    uint32_t before;

    if (n == g->first[o->cpu])
        return;
    before = graph_leaves(g, g->order[n - 1]);
    if (before != GRAPH_NONE && g->op[before].is == GRAPH_YIELD &&
        g->op[before].thread != o->thread && o->from < g->op[before].from)
        g->op[before].queued = true;
}

/* Since when a CPU was free at the n-th of all dispatches, all in order. */
static uint64_t free_at(const struct retime *g, const uint64_t *left, size_t n)
{
    return n > g->first[g->op[g->order[n]].cpu] ? left[n - 1] : 0;
}

/* Was a CPU free, and nothing on its way to it, at some cycle from `from` to
 * `to`? Both included: equal cycles of two CPUs have no order. */
static bool was_free(const struct retime *g, const uint64_t *left, unsigned cpu,
                     uint64_t from, uint64_t to)
{
    size_t end = g->first[cpu + 1];
    size_t n =
        SEARCH_FIRST(g->first[cpu], end, i, g->op[g->order[i]].to >= from);

    for (; n < end && free_at(g, left, n) <= to; n++)
        if (g->op[g->order[n]].from >= free_at(g, left, n) &&
            g->op[g->order[n]].from >= from)
            return true;
    return n == end && (n == g->first[cpu] || left[n - 1] <= to);
}

static int by_lag(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

int64_t graph_median(int64_t *list, size_t count)
{
    if (!count)
        return 0;
    qsort(list, count, sizeof *list, by_lag);
    return list[count / 2] > 0 ? list[count / 2] : 0;
}

static void find_typical(struct retime *g, size_t count)
{
    int64_t *list = grow_zero(count + 1, sizeof *list);

    for (int queued = 0; queued < 2; queued++) {
        size_t found = 0;

        for (size_t n = 0; n < count; n++)
            if (g->op[g->order[n]].near == queued)
                list[found++] = g->op[g->order[n]].lag;
        g->typical[queued] = graph_median(list, found);
        if (queued && !found)
            g->typical[queued] = (int64_t)g->call;
    }
    free(list);
}

/* Threads that work until a word is written are one wait, in which they may
 * have had a CPU several times: it is left when they left it last. */
static void leave_with_works(const struct retime *g, uint64_t *left)
{
    const struct scene *s = g->scene;

    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];
        size_t end = t->cpu < GRAPH_CPUS ? g->first[t->cpu + 1] : 0, at;

        if (t->poll == SCENE_NONE || !s->poll[t->poll].works ||
            !scene_runs(t) || !end)
            continue;
        at = SEARCH_FIRST(g->first[t->cpu], end, i,
                          g->op[g->order[i]].to >= t->to);
        if (at > g->first[t->cpu] && left[at - 1] < t->to)
            left[at - 1] = t->to;
    }
}

static void measure_dispatches(struct retime *g)
{
    size_t count = g->first[GRAPH_CPUS];
    uint64_t *left = grow_zero(count + 1, sizeof *left);

    for (size_t n = 0; n < count; n++)
        left[n] = left_at(g, g->order[n]);
    leave_with_works(g, left);
    for (size_t n = 0; n < count; n++) {
        struct graph_op *o = &g->op[g->order[n]];
        uint64_t since = free_at(g, left, n);

        mark_yield(g, n);
        o->queued = since > o->from;
        o->left = n > g->first[o->cpu] ? since + 1 : 0;
        o->near = o->queued || (o->left && o->to >= since + g->call &&
                                o->from < since + g->call);
        o->lag = (int64_t)(o->to - (o->near ? since : o->from));
        since = o->queued ? since : o->from;
        /* Under --user there is one queue, and no CPU is free beside it. */
        for (unsigned cpu = 0;
             !g->call && cpu < g->scene->r->cpus && cpu < GRAPH_CPUS; cpu++)
            o->stays |= o->queued && o->allowed >> cpu & 1 &&
                        was_free(g, left, cpu, o->from, since);
    }
    find_typical(g, count);
    free(left);
}

/* ---- the end ------------------------------------------------------------- */

/* Of those that run at the end the first one, else the last to end. */
static void find_last(struct retime *g)
{
    const struct scene *s = g->scene;

    g->last = GRAPH_NONE;
    for (uint32_t n = 0; n < s->threads; n++) {
        const struct scene_thread *t = &s->thread[n];
        const struct scene_stay *l =
            t->stays ? &s->stay[t->first + t->stays - 1] : NULL;

        if (!l || t->sampler)
            continue;
        if (scene_runs(l)) {
            g->last = n;
            g->last_at = l->to;
            return;
        }
        if (l->state == STATE_ENDED &&
            (g->last == GRAPH_NONE || l->from > g->last_at)) {
            g->last = n;
            g->last_at = l->from;
        }
    }
}

/* The thread that ended nearest to a cycle. False: there is none. */
static bool find_last_by(struct retime *g, uint64_t until)
{
    const struct scene *s = g->scene;
    uint64_t least = UINT64_MAX;

    for (uint32_t n = 0; n < s->threads; n++) {
        const struct scene_thread *t = &s->thread[n];
        const struct scene_stay *l =
            t->stays ? &s->stay[t->first + t->stays - 1] : NULL;
        uint64_t off;

        if (!l || t->sampler || l->state != STATE_ENDED)
            continue;
        off = l->from > until ? l->from - until : until - l->from;
        if (off >= least)
            continue;
        least = off;
        g->last = n;
        g->last_at = l->from;
    }
    return least < UINT64_MAX;
}

bool graph_ends(const struct retime *g, uint32_t thread, uint64_t cycle)
{
    const struct graph_thread *t = &g->thread[thread];
    const struct graph_op *o = t->ops ? &g->op[t->first + t->ops - 1] : NULL;
    const struct scene_thread *who = &g->scene->thread[thread];

    return o && o->is == GRAPH_END && o->from <= cycle &&
           g->scene->stay[who->first + who->stays - 1].state == STATE_ENDED;
}

void graph_build(struct retime *g, uint64_t until)
{
    const struct scene *s = g->scene;
    struct builder b = {.g = g, .s = s};
    size_t next = 0;

    b.given_of = grow_zero(s->wakes + s->polls + 1, sizeof *b.given_of);
    b.op_of = grow_zero(s->wakes + s->polls + 1, sizeof *b.op_of);
    g->thread = grow_zero(s->threads + 1, sizeof *g->thread);
    if (s->holds)
        g->take = grow_zero(s->holds, sizeof *g->take);
    for (size_t n = 0; n < s->holds; n++)
        g->take[n] = GRAPH_NONE;
    graph_find_again(g);
    graph_find_kinds(g);
    find_given(&b);
    for (uint32_t n = 0; n < s->threads; n++)
        add_thread(&b, n, &next);
    link_ops(&b);
    graph_link_tries(g);
    order_dispatches(g);
    measure_dispatches(g);
    graph_find_masks(g);
    graph_find_preempts(g);
    graph_find_favoured(g);
    graph_find_bases(g);
    graph_find_calls(g);
    graph_link_locks(g);
    if (until >= s->r->end || !find_last_by(g, until))
        find_last(g);
    graph_find_join(g);
    graph_find_close(g);
    graph_find_ends(g);
    graph_find_spun(g);
    pools_find(g);
    rounds_find(g);
    barriers_find(g);
    free(b.given);
    free(b.given_of);
    free(b.op_of);
}
