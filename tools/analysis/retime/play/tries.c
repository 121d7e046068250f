/* tries.c - see tries.h. */
#include "tools/analysis/retime/play/tries.h"

#include "tools/analysis/retime/play/cpus.h"
#include "tools/analysis/retime/play/latches.h"

#define MOST 10000 /* sleeps: whose lock it is waits for this thread */

bool tries_is(const struct graph_op *o)
{
    return o->is == GRAPH_WAIT && o->tries != GRAPH_NONE;
}

static uint32_t lock_of(const struct replay *p, const struct graph_op *o)
{
    return p->g->scene->hold[o->hold].lock;
}

/* The n-th of a poll's sleeps, from 0, of those from `first` on; or its last
 * one, and false. */
static bool nth(const struct scene *s, uint32_t poll, uint32_t first,
                unsigned n, const struct scene_stay **stay)
{
    const struct scene_poll *p = &s->poll[poll];
    const struct scene_stay *last = &s->stay[p->stay + p->stays - 1];
    const struct scene_stay *t = &s->stay[first];

    for (; t < last; t++) {
        if (t->state != STATE_TIMER)
            continue;
        if (!n)
            break;
        n--;
    }
    *stay = t;
    return !n;
}

/* One sleep: its own next, or behind these the one that came there in the
 * longest series of this lock. */
static uint64_t sleep_once(struct replay *p, struct runner *r, uint32_t lock,
                           const struct graph_op *wait)
{
    const struct scene *s = p->g->scene;
    uint32_t longest = p->g->tries[lock];
    unsigned before = r->tries++;
    uint32_t poll = wait ? wait->poll : longest;
    const struct scene_stay *t;

    if (!nth(s, poll, wait ? wait->stay : s->poll[poll].stay, before, &t) &&
        longest != GRAPH_NONE)
        nth(s, longest, s->poll[longest].stay, before, &t);
    return spend_stay(p->spend, t) + (wait && !before ? 0 : p->g->asleep);
}

uint64_t tries_sleep(struct replay *p, uint32_t thread,
                     const struct graph_op *o)
{
    const struct scene *s = p->g->scene;
    const struct scene_poll *poll = &s->poll[o->poll];
    const struct scene_stay *t = &s->stay[o->stay];
    const struct scene_stay *end = &s->stay[poll->stay + poll->stays];
    uint64_t cycles = 0;

    if (p->latch)
        return sleep_once(p, &p->runner[thread],
                          lock_of(p, &p->g->op[o->tries]), o);
    for (; t < end; t++)
        cycles +=
            t->state == STATE_TIMER ? spend_stay(p->spend, t) : t->to - t->from;
    return cycles;
}

/* Is a lock another thread's for one that has come to take it by a cycle? It
 * looks in the middle of its function, and the lock is given back in the middle
 * of that. */
static bool is_taken(const struct replay *p, uint32_t thread, uint32_t lock,
                     uint64_t cycle)
{
    const struct latch *l = &p->latch[lock];
    const struct graph_mutex *m = &p->g->mutex[graph_lock_is(p->g, lock)];

    if (l->has || l->shares)
        return l->has != thread + 1;
    return l->given && l->giver != thread &&
           cycle < l->given - 1 + (m->take + m->give) / 2;
}

bool tries_at_once(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    uint64_t asleep = p->g->asleep;

    if (!tries_is(o) || !p->latch || r->tries ||
        is_taken(p, thread, lock_of(p, &p->g->op[o->tries]),
                 r->cycle > asleep ? r->cycle - asleep : 0))
        return false;
    r->spared += asleep;
    replay_pass(p, r, o->tries);
    return true;
}

/* Does it have to try again to take it? */
static bool must_try(const struct replay *p, uint32_t thread,
                     const struct graph_op *o)
{
    const struct runner *r = &p->runner[thread];

    return o->is == GRAPH_TAKE && p->g->tries && p->latch && r->tries <= MOST &&
           is_taken(p, thread, lock_of(p, o), r->cycle);
}

bool tries_again(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];

    if (!must_try(p, thread, o) || o->tries == GRAPH_NONE)
        return false;
    r->at = o->tries;
    return true;
}

bool tries_later(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];

    if (!must_try(p, thread, o) || p->g->tries[lock_of(p, o)] == GRAPH_NONE) {
        if (o->is == GRAPH_TAKE)
            r->tries = 0;
        return false;
    }
    cpus_leave(p, thread);
    latches_way(p, thread, r->cycle + sleep_once(p, r, lock_of(p, o), NULL),
                p->g->awake);
    return true;
}
