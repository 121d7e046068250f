/* latches.c - see latches.h. */
#include "tools/analysis/retime/play/cpus.h"
#include "tools/analysis/retime/play/latches.h"

static const struct scene_hold *hold_of(const struct replay *p,
                                        const struct graph_op *o)
{
    return &p->g->scene->hold[o->hold];
}

static const struct graph_meet *meet(const struct replay *p, uint32_t lock)
{
    return &p->g->meet[p->g->scene->lock[lock].kind == OBJECT_USER];
}

/* When the thread that has a lock will give it back, as far as is known. */
static uint64_t expected(const struct replay *p, const struct latch *l)
{
    const struct runner *r = &p->runner[l->has - 1];
    const struct graph_op *o = &p->g->op[r->at - 1];
    uint64_t given = p->g->scene->hold[l->hold].given;

    if (!r->on || o->is != GRAPH_RUN || given < o->from)
        return r->on ? r->cycle : REPLAY_NEVER;
    return r->cycle + (given - o->from);
}

static void has(struct latch *l, uint32_t thread, uint32_t hold)
{
    l->has = thread + 1;
    l->hold = hold;
}

bool latches_take(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    uint32_t lock = hold_of(p, o)->lock;
    struct latch *l = p->latch ? &p->latch[lock] : NULL;

    if (!l)
        return false;
    if (!l->has || l->has == thread + 1 ||
        expected(p, l) <= r->cycle + REPLAY_TURN) {
        has(l, thread, o->hold);
        return false;
    }
    r->lock = lock + 1;
    cpus_leave(p, thread);
    return true;
}

/* ---- ways to a CPU ------------------------------------------------------- */

/* The CPUs that a thread may use: those of the ways to one in front of where it
 * is and behind that, since a mask is known from these alone. */
static uint64_t allowed(const struct replay *p, uint32_t thread)
{
    const struct graph_thread *t = &p->g->thread[p->runner[thread].part];
    size_t at = p->runner[thread].at, n = at;
    uint64_t before = UINT64_MAX, behind = UINT64_MAX;

    while (n > t->first && p->g->op[n].is != GRAPH_DISPATCH)
        n--;
    if (p->g->op[n].is == GRAPH_DISPATCH)
        before = p->g->op[n].allowed;
    for (n = at; n < t->first + t->ops && p->g->op[n].is != GRAPH_DISPATCH;)
        n++;
    if (n < t->first + t->ops)
        behind = p->g->op[n].allowed;
    return before & behind ? before & behind : behind;
}

void latches_way(struct replay *p, uint32_t thread, uint64_t cycle,
                 uint64_t takes)
{
    struct runner *r = &p->runner[thread];

    r->lock = 0;
    r->barred = true;
    r->way = (struct graph_op){.is = GRAPH_DISPATCH,
                               .thread = thread,
                               .cpu = r->cpu,
                               .lag = (int64_t)takes,
                               .allowed = allowed(p, thread)};
    r->ready = cycle > r->cycle ? cycle : r->cycle;
    replay_expect(p, r->ready, EVENT_READY, thread);
}

/* ---- given back ---------------------------------------------------------- */

/* Since when a thread waits for a lock. One that spins may have had other CPUs
 * meanwhile, and none. */
static uint64_t waits_since(const struct replay *p, uint32_t thread)
{
    const struct runner *r = &p->runner[thread];

    return p->g->spins[r->lock - 1] ? r->asked : r->cycle;
}

/* Of two threads that wait for a lock, which one is woken first? */
static bool comes_first(const struct replay *p, uint32_t a, uint32_t b)
{
    return graph_favours(p->g, a, b) || (!graph_favours(p->g, b, a) &&
                                         waits_since(p, a) < waits_since(p, b));
}

/* Since when a thread waits for a lock that was free in the recording. */
uint32_t latches_longest(const struct replay *p, uint32_t lock, bool shared)
{
    const struct scene_hold *hold = p->g->scene->hold;
    uint32_t first = GRAPH_NONE;

    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (p->runner[n].lock == lock + 1 &&
            (!shared || hold[p->g->op[p->runner[n].at].hold].shared) &&
            (first == GRAPH_NONE || comes_first(p, n, first)))
            first = n;
    return first;
}

/* Is a thread asleep for a lock, in the recorded wait? */
static bool sleeps(const struct replay *p, uint32_t thread, uint32_t lock)
{
    const struct runner *r = &p->runner[thread];
    const struct graph_op *o = &p->g->op[r->at];

    return r->asleep && o->is == GRAPH_WAIT &&
           p->g->scene->stay[o->stay].lock == lock;
}

#define AHEAD 8 /* operations of a function that takes a lock, at most */

/* The next lock that a thread takes, without doing anything else; NULL: none.
 */
static const struct graph_op *next_take(const struct replay *p, uint32_t thread)
{
    size_t end = replay_end(p, &p->runner[thread]);
    size_t at = p->runner[thread].at;

    for (size_t n = at; n < end && n < at + AHEAD; n++) {
        if (p->g->op[n].is == GRAPH_TAKE)
            return &p->g->op[n];
        if (p->g->op[n].is == GRAPH_GIVE)
            break;
    }
    return NULL;
}

/* Is a thread by a cycle in the function that takes a lock, and awake? */
static bool asks(const struct replay *p, uint32_t thread, uint32_t lock,
                 uint64_t cycle)
{
    const struct runner *r = &p->runner[thread];
    const struct graph_op *take = next_take(p, thread), *o;
    uint64_t at;

    if (!take || hold_of(p, take)->lock != lock || r->asleep || r->lock)
        return false;
    o = &p->g->op[r->at];
    at = o->from;
    if (r->on && r->at && o[-1].is == GRAPH_RUN)
        at = o[-1].from + (cycle > r->cycle ? cycle - r->cycle : 0);
    return at >= hold_of(p, take)->asked;
}

/* Has the thread that ended a wait not come to the lock by a cycle? */
static bool is_late(const struct replay *p, const struct graph_op *wait,
                    uint64_t cycle)
{
    const struct scene_hold *h;
    const struct runner *r;
    uint32_t take;

    if (!p->latch || wait->hold == GRAPH_NONE)
        return false;
    h = hold_of(p, wait);
    if (p->g->scene->lock[h->lock].counted)
        return false;
    r = &p->runner[h->thread];
    take = p->g->take[wait->hold];
    return take != GRAPH_NONE && r->at <= take && r->lock != h->lock + 1 &&
           !sleeps(p, h->thread, h->lock) &&
           !asks(p, h->thread, h->lock, cycle);
}

/* Who sleeps longest for a thread that has not come to the lock by a cycle. */
static uint32_t longest_asleep(const struct replay *p, uint32_t lock,
                               uint64_t cycle)
{
    uint32_t first = GRAPH_NONE;

    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (sleeps(p, n, lock) &&
            is_late(p, &p->g->op[p->runner[n].at], cycle) &&
            (first == GRAPH_NONE ||
             p->runner[n].cycle < p->runner[first].cycle))
            first = n;
    return first;
}

static uint64_t since(const struct replay *p, uint32_t thread)
{
    return thread == GRAPH_NONE ? REPLAY_NEVER : p->runner[thread].cycle;
}

/* It goes on from when it has a CPU, with the lock: behind its GRAPH_TAKE. */
static void let_go(struct replay *p, uint32_t thread, uint64_t cycle)
{
    struct runner *r = &p->runner[thread];
    uint32_t lock = r->lock - 1;

    has(&p->latch[lock], thread, p->g->op[r->at].hold);
    r->owes += meet(p, lock)->wait;
    latches_way(p, thread, cycle, 0);
    r->at++;
}

/* It is that of a thread which is about to wake up. */
static void hand_over(struct replay *p, uint32_t lock, uint32_t thread)
{
    const struct graph_op *take = next_take(p, thread);

    if (take && hold_of(p, take)->lock == lock)
        has(&p->latch[lock], thread, take->hold);
}

void latches_give(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    uint32_t lock = hold_of(p, o)->lock, barred, asleep;
    struct latch *l = p->latch ? &p->latch[lock] : NULL;
    bool recorded, wakes;

    if (!l || l->has != thread + 1)
        return;
    l->has = 0;
    l->given = r->cycle + 1;
    barred = latches_longest(p, lock, false);
    asleep = longest_asleep(p, lock, r->cycle);
    recorded = o->target != GRAPH_NONE &&
               sleeps(p, p->g->op[o->target].thread, lock) &&
               p->runner[p->g->op[o->target].thread].at == o->target;
    wakes = barred != GRAPH_NONE || (asleep != GRAPH_NONE && !recorded);
    /* The wake-up behind this operation ends the recorded wait. */
    if (recorded && since(p, p->g->op[o->target].thread) <= since(p, barred)) {
        wakes = false;
        hand_over(p, lock, p->g->op[o->target].thread);
    }
    if (wakes && !recorded)
        r->owes += meet(p, lock)->wake;
    if (!wakes)
        return;
    if (since(p, barred) <= since(p, asleep)) {
        let_go(p, barred, r->cycle);
    } else {
        hand_over(p, lock, asleep);
        replay_wake(p, (uint32_t)p->runner[asleep].at, r->cycle);
    }
}

/* ---- waits that need not be ---------------------------------------------- */

bool latches_pass(const struct replay *p, uint32_t thread,
                  const struct graph_op *o)
{
    uint64_t cycle = p->runner[thread].cycle;
    const struct latch *l;
    uint32_t lock;

    if (!is_late(p, o, cycle))
        return false;
    lock = hold_of(p, o)->lock;
    l = &p->latch[lock];
    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (n != thread && asks(p, n, lock, cycle))
            return false;
    return !l->has && l->given + REPLAY_TURN <= cycle;
}

uint64_t latches_cost(const struct replay *p, const struct graph_op *o)
{
    uint32_t lock = p->g->scene->stay[o->stay].lock;

    return p->latch && lock != SCENE_NONE ? meet(p, lock)->wait : o->call;
}
