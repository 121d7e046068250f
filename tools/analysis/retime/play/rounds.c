/* rounds.c - see rounds.h. */
#include "tools/analysis/retime/play/rounds.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/retime/play/calls.h"
#include "tools/analysis/retime/play/cpus.h"
#include "tools/analysis/retime/play/latches.h"

#define ENOUGH 4 /* rounds, to say that what holds of all is no chance */

struct round {
    uint32_t begin, end;   /* operations of the call that wakes; behind it */
    uint32_t kind, object; /* what for */
    uint32_t thread;       /* who wakes */
    size_t first, count;   /* all others, in `member` */
    size_t woken;          /* ... of which so many, the first, were woken */
};

struct member {
    uint32_t comes; /* operation with which it calls the system */
    uint32_t wait;  /* in which it slept; none: it found that it need not */
    uint32_t goes;  /* ... and where it went on then */
    uint64_t after; /* cycles from the beginning of the call that woke it */
};

struct rounds {
    struct round *round;
    size_t rounds, rounds_room;
    struct member *member;
    size_t members, members_room;
    uint32_t *comes; /* by operation: a round, from 1, that a thread comes to */
    uint32_t *waits; /* ... or in which it waits */
    /* In the middle: the system's part in front of a wait, and behind it. */
    uint64_t front, behind;
};

/* Of a thread that waits where it does not in the recording: it does not; it
 * calls the system, which finds that the last has come, or lets it sleep. */
enum { ROUNDS_NONE, ROUNDS_CALLS, ROUNDS_TOLD, ROUNDS_SLEEPS };

struct rounds_state {
    const struct rounds *of;
    size_t *came; /* by round */
    bool *done;   /* ... the last has come */
    struct rounds_who {
        size_t came;    /* to the last round, its operation and one more */
        uint32_t round; /* for which it waits, from 1 */
        uint32_t goes;  /* the operation behind that */
        unsigned looks;
        uint64_t since;
    } who[];
};

/* ---- found --------------------------------------------------------------- */

static const struct scene_stay *stay_of(const struct retime *g, size_t op)
{
    return &g->scene->stay[g->op[op].stay];
}

/* The first operation of the stay in the system that one is in, or none. Under
 * --user a call has no other operations than these. */
static uint32_t call_of(const struct retime *g, size_t op)
{
    size_t first = g->thread[g->op[op].thread].first;
    const struct scene_stay *t;

    if (g->call)
        return (uint32_t)op;
    while (op > first && g->op[op].is != GRAPH_RUN)
        op--;
    t = stay_of(g, op);
    if (g->op[op].is != GRAPH_RUN || t->state != STATE_SYSTEM)
        return GRAPH_NONE;
    while (op > first && g->op[op - 1].from >= t->from)
        op--;
    return (uint32_t)op;
}

/* Is a program's lock taken again behind a wait, as by one for a condition? */
static bool takes_again(const struct retime *g, size_t wait)
{
    const struct graph_thread *t = &g->thread[g->op[wait].thread];

    for (size_t n = wait + 1; n < t->first + t->ops; n++) {
        const struct graph_op *o = &g->op[n];

        if (o->hold != GRAPH_NONE &&
            graph_lock_is(g, g->scene->hold[o->hold].lock) != GRAPH_LOCK_KERNEL)
            return o->again;
        if (o->is == GRAPH_WAIT || o->is == GRAPH_WAKE)
            return false;
    }
    return false;
}

/* Is a thread woken by an operation that waits for a word of the program, with
 * no lock to give back or to take? */
static bool is_plain(const struct retime *g, const struct graph_op *wake)
{
    const struct graph_op *o;
    const struct scene_stay *t;

    if (wake->is != GRAPH_WAKE || wake->target == GRAPH_NONE || !wake->needed)
        return false;
    o = &g->op[wake->target];
    t = &g->scene->stay[o->stay];
    if (o->is != GRAPH_WAIT || o->played != GRAPH_NO_LOCKS ||
        t->kind != OBJECT_USER || t->lock != SCENE_NONE ||
        t->state != STATE_QUEUE)
        return false;
    return !takes_again(g, wake->target);
}

static void add_round(struct retime *g, uint32_t begin, size_t end)
{
    struct rounds *s = g->rounds;
    struct round r = {.begin = begin,
                      .end = (uint32_t)end,
                      .thread = g->op[begin].thread,
                      .first = s->members};

    for (size_t n = begin; n < end; n++) {
        const struct graph_op *o = &g->op[n];
        const struct scene_stay *t;
        uint32_t comes;

        if (!is_plain(g, o))
            continue;
        t = stay_of(g, o->target);
        comes = call_of(g, o->target);
        if (s->members > r.first &&
            (t->object != r.object || t->kind != r.kind))
            return;
        r.kind = t->kind;
        r.object = t->object;
        if (comes == GRAPH_NONE || g->op[comes].from > g->op[begin].from)
            continue;
        s->member = grow(s->member, &s->members_room, s->members + 1,
                         sizeof *s->member);
        s->member[s->members++] =
            (struct member){.comes = comes,
                            .wait = o->target,
                            .after = o->from - g->op[begin].from};
    }
    r.count = r.woken = s->members - r.first;
    if (!r.count)
        return;
    s->round = grow(s->round, &s->rounds_room, s->rounds + 1, sizeof *s->round);
    s->round[s->rounds++] = r;
}

/* Behind a call of a thread, whose last operation is in front of `end`. */
static size_t behind_call(const struct retime *g, uint32_t begin, size_t end)
{
    size_t n = begin + 1;

    if (g->call)
        while (n < end && g->op[n].is == GRAPH_WAKE)
            n++;
    else
        while (n < end && g->op[n].from < stay_of(g, begin)->to)
            n++;
    return n;
}

static void find_calls(struct retime *g, uint32_t thread)
{
    size_t n = g->thread[thread].first, end = n + g->thread[thread].ops;

    while (n < end) {
        uint32_t begin = is_plain(g, &g->op[n]) ? call_of(g, n) : GRAPH_NONE;
        size_t behind = n + 1;

        if (begin != GRAPH_NONE) {
            behind = graph_most(behind, behind_call(g, begin, end));
            add_round(g, begin, behind);
        }
        n = behind;
    }
}

static int by_object(const void *a, const void *b)
{
    const struct round *x = a, *y = b;

    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    if (x->object != y->object)
        return x->object < y->object ? -1 : 1;
    return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* A call in which a thread is when another one's begins, and that ends without
 * a wait: its first operation, or none. *behind: the one behind it. */
static uint32_t call_at(const struct retime *g, uint32_t thread, uint64_t cycle,
                        uint32_t *behind)
{
    const struct graph_thread *t = &g->thread[thread];
    size_t end = t->first + t->ops, n;
    uint32_t first;

    n = SEARCH_FIRST(t->first, end, i, g->op[i].to >= cycle);
    while (n < end && g->op[n].is != GRAPH_RUN)
        n++;
    if (n == end || g->op[n].from > cycle)
        return GRAPH_NONE;
    first = call_of(g, n);
    if (first == GRAPH_NONE ||
        stay_of(g, first)->to - stay_of(g, first)->from > 2 * g->finds)
        return GRAPH_NONE;
    while (n < end && g->op[n].from < stay_of(g, first)->to) {
        if (g->op[n].is == GRAPH_WAIT || g->op[n].is == GRAPH_WAKE)
            return GRAPH_NONE;
        n++;
    }
    *behind = (uint32_t)n;
    return n < end && g->op[n].is == GRAPH_RUN ? first : GRAPH_NONE;
}

static bool is_in(const struct retime *g, const struct round *r,
                  uint32_t thread)
{
    bool in = r->thread == thread;

    for (size_t k = r->first; k < r->first + r->count; k++)
        in |= g->op[g->rounds->member[k].comes].thread == thread;
    return in;
}

/* Those of all that take part in other rounds which did not sleep in this one.
 */
static void complete(struct retime *g, struct round *r, const bool *takes_part)
{
    struct rounds *s = g->rounds;
    size_t first = s->members;

    s->member =
        grow(s->member, &s->members_room,
             s->members + r->count + g->scene->threads, sizeof *s->member);
    for (size_t k = 0; k < r->count; k++)
        s->member[s->members++] = s->member[r->first + k];
    for (uint32_t n = 0; n < g->scene->threads; n++) {
        struct member m = {.wait = GRAPH_NONE};

        if (!takes_part[n] || is_in(g, r, n) || g->call)
            continue;
        m.comes = call_at(g, n, g->op[r->begin].from, &m.goes);
        if (m.comes != GRAPH_NONE)
            s->member[s->members++] = m;
    }
    r->first = first;
    r->count = s->members - first;
}

/* Are rounds for one word always of the same threads? So they are if in half of
 * them or more all take part that ever do. */
static bool are_rounds(struct retime *g, struct round *r, size_t count)
{
    bool *takes_part = grow_zero(g->scene->threads + 1, sizeof *takes_part);
    size_t threads = 0, whole = 0;

    for (size_t n = 0; n < count; n++)
        for (uint32_t t = 0; t < g->scene->threads; t++)
            takes_part[t] |= is_in(g, &r[n], t);
    for (uint32_t n = 0; n < g->scene->threads; n++)
        threads += takes_part[n];
    for (size_t n = 0; n < count; n++) {
        complete(g, &r[n], takes_part);
        whole += r[n].count + 1 == threads;
    }
    free(takes_part);
    return threads > 2 && 2 * whole >= count;
}

static uint64_t in_middle(const struct retime *g, bool behind)
{
    int64_t *list = grow_zero(g->rounds->members + 1, sizeof *list), cycles;
    size_t count = 0;

    for (size_t n = 0; n < g->rounds->members; n++) {
        const struct member *m = &g->rounds->member[n];
        size_t k = m->wait + 1;

        if (m->wait == GRAPH_NONE)
            continue;
        while (behind && g->op[k].is == GRAPH_DISPATCH)
            k++;
        list[count++] =
            behind ? (int64_t)(stay_of(g, k)->to - g->op[k].from)
                   : (int64_t)(g->op[m->wait].from - g->op[m->comes].from);
    }
    cycles = graph_median(list, count);
    free(list);
    return (uint64_t)cycles;
}

static void add_member(struct rounds *s, const struct member *m, uint32_t round)
{
    s->comes[m->comes] = round;
    if (m->wait != GRAPH_NONE)
        s->waits[m->wait] = round;
}

void rounds_find(struct retime *g)
{
    struct rounds *s;

    if (!g->take)
        return;
    s = g->rounds = grow_zero(1, sizeof *s);
    s->comes = grow_zero(g->ops + 1, sizeof *s->comes);
    s->waits = grow_zero(g->ops + 1, sizeof *s->waits);
    for (uint32_t n = 0; n < g->scene->threads; n++)
        find_calls(g, n);
    if (s->rounds)
        qsort(s->round, s->rounds, sizeof *s->round, by_object);
    for (size_t n = 0, end; n < s->rounds; n = end) {
        for (end = n; end < s->rounds &&
                      s->round[end].kind == s->round[n].kind &&
                      s->round[end].object == s->round[n].object;)
            end++;
        if (end - n < ENOUGH || !are_rounds(g, &s->round[n], end - n))
            continue;
        g->meets_all = true;
        for (size_t k = n; k < end; k++) {
            s->comes[s->round[k].begin] = (uint32_t)k + 1;
            for (size_t m = 0; m < s->round[k].count; m++)
                add_member(s, &s->member[s->round[k].first + m],
                           (uint32_t)k + 1);
        }
    }
    if (g->call)
        return;
    s->front = in_middle(g, false);
    s->behind = in_middle(g, true);
}

void rounds_forget(struct retime *g)
{
    if (!g->rounds)
        return;
    free(g->rounds->round);
    free(g->rounds->member);
    free(g->rounds->comes);
    free(g->rounds->waits);
    free(g->rounds);
}

/* ---- played -------------------------------------------------------------- */

struct rounds_state *rounds_open(const struct retime *g)
{
    struct rounds_state *s;

    if (!g->rounds || !g->rounds->rounds)
        return NULL;
    s = grow_zero(1, sizeof *s + g->scene->threads * sizeof *s->who);
    s->came = grow_zero(g->rounds->rounds, sizeof *s->came);
    s->done = grow_zero(g->rounds->rounds, sizeof *s->done);
    s->of = g->rounds;
    return s;
}

void rounds_close(struct rounds_state *s)
{
    if (s) {
        free(s->came);
        free(s->done);
    }
    free(s);
}

/* Where in a call its n-th wake-up is. */
static uint64_t after(const struct rounds *s, const struct round *r, size_t n)
{
    const struct member *m = &s->member[r->first];
    uint64_t last = m[r->woken - 1].after;
    uint64_t each = r->woken > 1 ? last - m[r->woken - 2].after : last / 2;

    return n < r->woken ? m[n].after : last + each * (n - r->woken + 1);
}

/* A thread calls the system to wait, and goes on with an operation. */
static bool waits(struct replay *p, uint32_t thread, uint32_t round,
                  uint32_t goes)
{
    struct rounds_who *w = &p->rounds->who[thread];

    w->round = round;
    w->goes = goes;
    w->looks = ROUNDS_CALLS;
    w->since = p->runner[thread].cycle;
    replay_expect(p, w->since + graph_looks_at_call(p->g), EVENT_STEP, thread);
    return true;
}

/* The call has come to where it finds that the last has come, or sleeps. */
static bool sleeps(struct replay *p, uint32_t thread)
{
    struct rounds_who *w = &p->rounds->who[thread];
    bool told = w->looks == ROUNDS_TOLD;

    p->runner[thread].at = w->goes;
    if (told) {
        w->round = 0;
        replay_expect(p, w->since + p->g->finds, EVENT_STEP, thread);
        return true;
    }
    w->looks = ROUNDS_SLEEPS;
    cpus_leave(p, thread);
    return true;
}

/* Who sleeps longest of those that wait for a round's last: a thread, or none.
 */
static uint32_t sleeper(const struct replay *p, uint32_t round)
{
    const struct rounds *s = p->rounds->of;
    uint32_t first = GRAPH_NONE;
    uint64_t longest = REPLAY_NEVER;

    for (uint32_t t = 0; t < p->g->scene->threads; t++) {
        const struct rounds_who *w = &p->rounds->who[t];
        const struct runner *r = &p->runner[t];
        uint64_t since = REPLAY_NEVER;

        if (w->round == round && w->looks == ROUNDS_SLEEPS)
            since = w->since + s->front;
        else if (r->asleep && s->waits[r->at] == round)
            since = r->cycle;
        if (since < longest) {
            longest = since;
            first = t;
        }
    }
    return first;
}

/* The last has come, and its call begins: those that sleep are woken in the
 * order in which they came, the others find it. How many wake-ups there are. */
static size_t release(struct replay *p, uint32_t round, uint64_t now)
{
    const struct rounds *s = p->rounds->of;
    const struct round *r = &s->round[round - 1];
    size_t n = 0;

    p->rounds->done[round - 1] = true;
    for (uint32_t t; (t = sleeper(p, round)) != GRAPH_NONE;) {
        struct rounds_who *w = &p->rounds->who[t];
        uint64_t woken = now + after(s, r, n++);

        if (w->round == round) {
            w->round = 0;
            latches_way(p, t, graph_most(woken, w->since + s->front),
                        s->behind);
        } else {
            replay_wake(p, (uint32_t)p->runner[t].at, woken);
        }
    }
    for (uint32_t t = 0; t < p->g->scene->threads; t++)
        if (p->rounds->who[t].round == round)
            p->rounds->who[t].looks = ROUNDS_TOLD;
    return n;
}

/* Behind a wait that it is about to begin, and what the system does then. */
static void pass(struct replay *p, struct runner *r, const struct member *m)
{
    const struct retime *g = p->g;
    size_t end = replay_end(p, r);
    uint64_t to;

    if (m->wait == GRAPH_NONE) {
        r->at = m->goes;
        return;
    }
    for (r->at = m->wait + 1; r->at < end && g->op[r->at].is == GRAPH_DISPATCH;)
        p->passed[r->at++] = true;
    if (r->at == end || g->op[r->at].is != GRAPH_RUN ||
        stay_of(g, r->at)->state != STATE_SYSTEM)
        return;
    for (to = stay_of(g, r->at)->to; r->at < end && g->op[r->at].from < to;)
        r->at++;
}

/* Those that are about to sleep find that the last has come, or are woken. */
static size_t tell(struct replay *p, const struct round *r,
                   const struct member *own, uint64_t now, size_t n)
{
    const struct rounds *s = p->rounds->of;

    for (size_t k = r->first; k < r->first + r->woken; k++)
        if (&s->member[k] != own &&
            p->woken[s->member[k].wait] == REPLAY_NEVER &&
            !calls_tell(p, s->member[k].wait, now))
            replay_wake(p, s->member[k].wait, now + after(s, r, n++));
    return n;
}

/* How long such a call takes that wakes so many, from where it begins. */
static uint64_t round_call(const struct replay *p, const struct round *r,
                           size_t n)
{
    const struct rounds *s = p->rounds->of;
    uint64_t rest = p->g->call ? 0
                               : stay_of(p->g, r->begin)->to -
                                     p->g->op[r->begin].from -
                                     after(s, r, r->woken - 1);

    return n ? after(s, r, n - 1) + rest : after(s, r, 0);
}

/* The last, though it was not: it wakes those that sleep, each as far in its
 * call as the recorded ones in theirs, and the others find it. */
static bool wakes(struct replay *p, uint32_t thread, uint32_t round,
                  const struct member *own)
{
    const struct round *r = &p->rounds->of->round[round - 1];
    struct runner *runner = &p->runner[thread];
    uint64_t now = runner->cycle;
    size_t n = tell(p, r, own, now, release(p, round, now));

    pass(p, runner, own);
    replay_expect(p, now + round_call(p, r, n), EVENT_STEP, thread);
    return true;
}

/* The last, as it was: its call takes longer or shorter, by how many it wakes.
 */
static void wakes_too(struct replay *p, uint32_t thread, uint32_t round)
{
    const struct round *r = &p->rounds->of->round[round - 1];
    struct runner *own = &p->runner[thread];
    uint64_t recorded = round_call(p, r, r->woken), takes;

    takes = round_call(
        p, r, tell(p, r, NULL, own->cycle, release(p, round, own->cycle)));
    if (takes > recorded)
        own->owes += takes - recorded;
    else
        own->spared += recorded - takes;
}

static const struct member *member_of(const struct rounds *s,
                                      const struct round *r, size_t op)
{
    for (size_t k = r->first; k < r->first + r->count; k++)
        if (s->member[k].comes == op)
            return &s->member[k];
    return NULL;
}

bool rounds_come(struct replay *p, uint32_t thread)
{
    struct runner *own = &p->runner[thread];
    struct rounds_who *w = &p->rounds->who[thread];
    const struct rounds *s = p->rounds->of;
    uint32_t round = s->comes[own->at];
    const struct round *r;
    const struct member *m;

    if (!round)
        return false;
    if (w->came == own->at + 1)
        return w->round && sleeps(p, thread);
    w->came = own->at + 1;
    r = &s->round[round - 1];
    m = member_of(s, r, own->at);
    if (++p->rounds->came[round - 1] <= r->count)
        return (!m || m->wait == GRAPH_NONE) &&
               waits(p, thread, round, m ? m->goes : r->end);
    if (m)
        return wakes(p, thread, round, m);
    wakes_too(p, thread, round);
    return false;
}

bool rounds_woke(const struct replay *p, uint32_t target)
{
    uint32_t round = p->rounds->of->waits[target];

    return round && p->rounds->done[round - 1];
}
