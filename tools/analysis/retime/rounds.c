/* rounds.c - see rounds.h. */
#include "tools/analysis/retime/rounds.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/cpus.h"
#include "tools/analysis/retime/latches.h"

#define ENOUGH 4 /* rounds, to say that what holds of all is no chance */

struct round {
    uint32_t begin, end;   /* operations of the call that wakes; behind it */
    uint32_t kind, object; /* what for */
    uint32_t thread;       /* who wakes */
    size_t first, count;   /* those woken, in `member` */
    bool counts;
};

/* Who is woken. */
struct member {
    uint32_t comes; /* operation with which it calls the system */
    uint32_t wait;
    uint64_t after; /* cycles from the beginning of the call that wakes it */
};

struct rounds {
    struct round *round;
    size_t rounds, rounds_room;
    struct member *member;
    size_t members, members_room;
    uint32_t *comes; /* by operation: a round, from 1, that a thread comes to */
    /* In the middle: the system's part in front of a wait, and behind it. */
    uint64_t front, behind;
};

/* Of the one that wakes in the recording, which is not the last now: it has not
 * come, or goes on; it calls the system, which finds that the last has come, or
 * lets it sleep. */
enum { ROUNDS_NONE, ROUNDS_CALLS, ROUNDS_TOLD, ROUNDS_SLEEPS };

struct rounds_state {
    const struct rounds *of;
    struct rounds_progress {
        size_t came;
        unsigned looks;
        uint32_t who;   /* who does what the one that wakes did */
        uint64_t since; /* ... and since when it waits */
    } round[];
};

/* ---- found --------------------------------------------------------------- */

static const struct scene_stay *stay_of(const struct retime *g, size_t op)
{
    return &g->scene->stay[g->op[op].stay];
}

/* The first operation of the stay in the system that one is in, or none. */
static uint32_t call_of(const struct retime *g, size_t op)
{
    size_t first = g->thread[g->op[op].thread].first;
    const struct scene_stay *t;

    while (op > first && g->op[op].is != GRAPH_RUN)
        op--;
    t = stay_of(g, op);
    if (g->op[op].is != GRAPH_RUN || t->state != STATE_SYSTEM)
        return GRAPH_NONE;
    while (op > first && g->op[op - 1].from >= t->from)
        op--;
    return (uint32_t)op;
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
    return true;
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
            (struct member){comes, o->target, o->from - g->op[begin].from};
    }
    r.count = s->members - r.first;
    if (!r.count)
        return;
    s->round = grow(s->round, &s->rounds_room, s->rounds + 1, sizeof *s->round);
    s->round[s->rounds++] = r;
}

static void find_calls(struct retime *g, uint32_t thread)
{
    size_t n = g->thread[thread].first, end = n + g->thread[thread].ops;

    while (n < end) {
        uint32_t begin = is_plain(g, &g->op[n]) ? call_of(g, n) : GRAPH_NONE;
        size_t behind = n + 1;

        if (begin != GRAPH_NONE) {
            uint64_t to = stay_of(g, begin)->to;

            while (behind < end && g->op[behind].from < to)
                behind++;
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

/* Are rounds for one word always of the same threads? So they are if in half of
 * them or more all take part that ever do. */
static bool are_rounds(const struct retime *g, const struct round *r,
                       size_t count)
{
    bool *takes_part = grow_zero(g->scene->threads + 1, sizeof *takes_part);
    size_t threads = 0, whole = 0;

    for (size_t n = 0; n < count; n++) {
        takes_part[r[n].thread] = true;
        for (size_t k = 0; k < r[n].count; k++)
            takes_part[g->op[g->rounds->member[r[n].first + k].wait].thread] =
                true;
    }
    for (uint32_t n = 0; n < g->scene->threads; n++)
        threads += takes_part[n];
    for (size_t n = 0; n < count; n++)
        whole += r[n].count + 1 == threads;
    free(takes_part);
    return count >= ENOUGH && threads > 2 && 2 * whole >= count;
}

static uint64_t in_middle(const struct retime *g, bool behind)
{
    int64_t *list = grow_zero(g->rounds->members + 1, sizeof *list), cycles;
    size_t count = 0;

    for (size_t n = 0; n < g->rounds->members; n++) {
        const struct member *m = &g->rounds->member[n];
        size_t k = m->wait + 1;

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

void rounds_find(struct retime *g)
{
    struct rounds *s;

    if (!g->take || g->call)
        return;
    s = g->rounds = grow_zero(1, sizeof *s);
    s->comes = grow_zero(g->ops + 1, sizeof *s->comes);
    for (uint32_t n = 0; n < g->scene->threads; n++)
        find_calls(g, n);
    if (s->rounds)
        qsort(s->round, s->rounds, sizeof *s->round, by_object);
    for (size_t n = 0, end; n < s->rounds; n = end) {
        for (end = n; end < s->rounds &&
                      s->round[end].kind == s->round[n].kind &&
                      s->round[end].object == s->round[n].object;)
            end++;
        if (!are_rounds(g, &s->round[n], end - n))
            continue;
        for (size_t k = n; k < end; k++) {
            s->comes[s->round[k].begin] = (uint32_t)k + 1;
            for (size_t m = 0; m < s->round[k].count; m++)
                s->comes[s->member[s->round[k].first + m].comes] =
                    (uint32_t)k + 1;
        }
    }
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
    free(g->rounds);
}

/* ---- played -------------------------------------------------------------- */

struct rounds_state *rounds_open(const struct retime *g)
{
    struct rounds_state *s;

    if (!g->rounds || !g->rounds->rounds)
        return NULL;
    s = grow_zero(1, sizeof *s + g->rounds->rounds * sizeof *s->round);
    s->of = g->rounds;
    return s;
}

void rounds_close(struct rounds_state *s)
{
    free(s);
}

/* Not the last, though it was: it calls the system to wait for that. */
static bool waits(struct replay *p, uint32_t thread, struct rounds_progress *at)
{
    at->looks = ROUNDS_CALLS;
    at->who = thread;
    at->since = p->runner[thread].cycle;
    replay_expect(p, at->since + p->g->finds, EVENT_STEP, thread);
    return true;
}

/* The call has come to where it finds that the last has come, or sleeps. */
static bool sleeps(struct replay *p, uint32_t thread, const struct round *r,
                   struct rounds_progress *at)
{
    bool told = at->looks == ROUNDS_TOLD;

    p->runner[thread].at = r->end;
    at->looks = told ? ROUNDS_NONE : ROUNDS_SLEEPS;
    if (!told)
        cpus_leave(p, thread);
    return !told;
}

/* Behind a wait that it is about to begin, and what the system does then. */
static void pass(struct replay *p, struct runner *r, const struct member *m)
{
    const struct retime *g = p->g;
    size_t end = replay_end(p, r);
    uint64_t to;

    for (r->at = m->wait + 1; r->at < end && g->op[r->at].is == GRAPH_DISPATCH;)
        p->passed[r->at++] = true;
    if (r->at == end || g->op[r->at].is != GRAPH_RUN ||
        stay_of(g, r->at)->state != STATE_SYSTEM)
        return;
    for (to = stay_of(g, r->at)->to; r->at < end && g->op[r->at].from < to;)
        r->at++;
}

/* The last, though it was not: it wakes those that sleep, each as far in its
 * call as the recorded ones in theirs, and the others find it. */
static bool wakes(struct replay *p, uint32_t thread, const struct round *r,
                  struct rounds_progress *at)
{
    const struct rounds *s = p->rounds->of;
    const struct member *member = &s->member[r->first], *own = NULL;
    struct runner *runner = &p->runner[thread];
    uint64_t now = runner->cycle, takes;
    size_t woken = 0;

    for (size_t n = 0; n < r->count; n++)
        if (member[n].comes == runner->at)
            own = &member[n];
        else if (!replay_tells(p, member[n].wait, now))
            replay_wake(p, member[n].wait, now + member[woken++].after);
    if (at->looks == ROUNDS_CALLS) {
        at->looks = ROUNDS_TOLD;
    } else {
        at->looks = ROUNDS_NONE;
        latches_way(
            p, at->who,
            graph_most(now + member[woken++].after, at->since + s->front),
            s->behind);
    }
    takes = woken ? stay_of(p->g, r->begin)->to - p->g->op[r->begin].from -
                        (member[r->count - 1].after - member[woken - 1].after)
                  : member[0].after;
    pass(p, runner, own);
    replay_expect(p, now + takes, EVENT_STEP, thread);
    return true;
}

bool rounds_come(struct replay *p, uint32_t thread)
{
    struct runner *own = &p->runner[thread];
    uint32_t round = p->rounds->of->comes[own->at];
    const struct round *r;
    struct rounds_progress *at;
    bool last, woke;

    if (!round)
        return false;
    r = &p->rounds->of->round[round - 1];
    at = &p->rounds->round[round - 1];
    woke = own->at == r->begin;
    if (own->came == own->at + 1)
        return woke && at->looks != ROUNDS_NONE && at->who == thread &&
               sleeps(p, thread, r, at);
    own->came = own->at + 1;
    last = ++at->came == r->count + 1;
    if (woke && !last)
        return waits(p, thread, at);
    return !woke && last && at->looks != ROUNDS_NONE && wakes(p, thread, r, at);
}
