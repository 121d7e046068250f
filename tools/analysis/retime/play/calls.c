/* calls.c - see calls.h. */
#include "tools/analysis/retime/play/calls.h"

#include "tools/analysis/retime/play/latches.h"
#include "tools/analysis/retime/play/mutex.h"
#include "tools/analysis/retime/play/pools.h"

/* Who waits makes itself known as it gives a lock back for a condition, or as
 * its system call begins: where that is, among its operations. */
static size_t made_known(const struct retime *g, size_t wait)
{
    const struct scene *s = g->scene;
    const struct graph_op *o = &g->op[wait];
    const struct scene_stay *t = o->stay ? &s->stay[o->stay - 1] : NULL;
    size_t n = wait, first = g->thread[o->thread].first;
    bool system = t && t->thread == o->thread && t->state == STATE_SYSTEM;

    while (system && n > first && g->op[n - 1].from >= t->from)
        n--;
    for (size_t k = n; k > first && g->op[k - 1].is == GRAPH_RUN; k--)
        if (k - 1 > first && g->op[k - 2].is == GRAPH_GIVE &&
            s->hold[g->op[k - 2].hold].done == s->hold[g->op[k - 2].hold].given)
            return k - 2;
    return n;
}

bool calls_known(const struct replay *p, uint32_t target)
{
    size_t at = p->runner[p->there[target]].at;

    return at <= target && at > made_known(p->g, target);
}

/* Is a thread asleep in a wait, or has nothing left to do in front of it? */
static bool falls_asleep(const struct replay *p, uint32_t target)
{
    size_t n = p->runner[p->there[target]].at;

    while (n < target && p->g->op[n].is == GRAPH_RUN)
        n++;
    return n == target;
}

/* Is a wait for a condition, behind which a lock is taken again? Who waits
 * elsewhere, as at a barrier, may do so for another thread instead. */
static bool for_condition(const struct retime *g, size_t wait)
{
    const struct graph_thread *t = &g->thread[g->op[wait].thread];
    size_t n = wait + 1, end = t->first + t->ops;

    while (n < end &&
           (g->op[n].is == GRAPH_RUN || g->op[n].is == GRAPH_DISPATCH ||
            g->op[n].is == GRAPH_ASK))
        n++;
    return n < end && g->op[n].is == GRAPH_TAKE && g->op[n].again;
}

/* How long is a thread in the system call at the end of which it falls asleep?
 * NEVER: it has slept, or is not in it. */
static uint64_t in_call(const struct replay *p, uint32_t target, uint64_t cycle)
{
    const struct runner *r = &p->runner[p->there[target]];
    const struct graph_op *o = r->at ? &p->g->op[r->at - 1] : NULL;
    const struct scene_stay *t;

    if (!r->on || !o || o->is != GRAPH_RUN || o->stay == GRAPH_NONE)
        return REPLAY_NEVER;
    t = &p->g->scene->stay[o->stay];
    return t->state == STATE_SYSTEM
               ? o->from - t->from + (cycle > r->cycle ? cycle - r->cycle : 0)
               : 0;
}

/* The word that it looks at has another value by then, which a program gives it
 * in front of the system call that wakes. */
bool calls_tell(struct replay *p, uint32_t target, uint64_t cycle)
{
    if (p->anew || replay_plays(p, &p->g->op[target]) ||
        p->woken[target] != REPLAY_NEVER || !calls_known(p, target) ||
        in_call(p, target, cycle) > graph_looks_at_call(p->g))
        return false;
    p->woken[target] = cycle;
    p->known[target] = p->told[target] = true;
    return true;
}

void calls_find(struct replay *p, struct runner *r)
{
    const struct retime *g = p->g;
    size_t n = r->at;

    while (n < replay_end(p, r) && g->op[n].is == GRAPH_RUN &&
           g->scene->stay[g->op[n].stay].state == STATE_SYSTEM)
        n++;
    if (n == replay_end(p, r) || n == r->at || g->op[n].is != GRAPH_WAIT ||
        !p->told[n] || p->found[n])
        return;
    p->found[n] = true;
    r->spared += latches_cost(p, &g->op[n]) / 2;
}

/* A call that wakes begins in a cycle, with the thread that it has told in the
 * one in which it would sleep: by how many cycles is it later? */
static uint64_t meets(const struct replay *p, uint32_t target, uint64_t cycle)
{
    const struct graph_word *w = &p->g->word[GRAPH_WORD_WAITS];
    uint64_t in = in_call(p, target, cycle);
    struct graph_word met = {cycle + w->from, cycle + w->to};

    if (in > w->to)
        return 0;
    met.from -= in;
    met.to -= in;
    return in ? mutex_meets(p->g, &met, cycle, GRAPH_WORD_FINDS) : 0;
}

/* ... each that a call wakes, up to an operation. */
static void tell(struct replay *p, struct runner *r, size_t end)
{
    for (size_t n = r->at; n < end; n++) {
        const struct graph_op *o = &p->g->op[n];

        if (o->is != GRAPH_WAKE || o->target == GRAPH_NONE)
            continue;
        pools_tell(p, r, o->target);
        if (calls_tell(p, o->target, r->cycle))
            r->owes += meets(p, o->target, r->cycle);
    }
}

/* Is an operation where a system call begins that wakes threads, and none of
 * them waits, so that it is not made? *end: the operation behind the call. */
static bool is_needless(const struct replay *p, const struct runner *r,
                        size_t at, size_t *end)
{
    const struct retime *g = p->g;
    const struct graph_op *run = &g->op[at];
    const struct scene_stay *t = &g->scene->stay[run->stay];
    bool wakes = false, waits, needed = false;
    size_t n = *end = at;

    if (g->call || !p->locks || t->state != STATE_SYSTEM ||
        run->from != t->from)
        return false;
    for (; n < replay_end(p, r) && g->op[n].from < t->to; n++) {
        const struct graph_op *o = &g->op[n];

        if (o->is == GRAPH_WAIT || o->is == GRAPH_YIELD || o->is == GRAPH_END)
            needed = true;
        if (o->is != GRAPH_WAKE || o->target == GRAPH_NONE)
            continue;
        if (!pools_waits(p, o->target, &waits)) {
            if (replay_plays(p, &g->op[o->target]))
                continue;
            waits = !(g->op[o->target].counts || for_condition(g, o->target)) ||
                    falls_asleep(p, o->target) || calls_known(p, o->target);
        }
        needed |= waits || !o->needed;
        wakes = true;
    }
    *end = n;
    return wakes && !needed;
}

bool calls_skip(struct replay *p, struct runner *r)
{
    size_t end, next = r->at + 1;

    if (is_needless(p, r, r->at, &end)) {
        replay_pass(p, r, end);
        r->spared += r->lean ? 0 : pools_beside(p);
        r->lean = false;
        return true;
    }
    if (end > r->at) {
        tell(p, r, end);
        r->owes += r->lean ? pools_beside(p) : 0;
        r->lean = false;
    } else if (next < replay_end(p, r) && p->g->op[next].is == GRAPH_RUN &&
               is_needless(p, r, next, &end)) {
        r->spared += pools_beside(p);
        r->lean = true;
    }
    return false;
}

void calls_spare_wake(const struct replay *p, struct runner *r)
{
    const struct retime *g = p->g;
    const struct graph_op *o = &g->op[r->at];
    const struct scene_stay *t;
    size_t n = r->at;

    if (!n || o[-1].is != GRAPH_RUN)
        return;
    t = &g->scene->stay[o[-1].stay];
    while (n > 0 && g->op[n - 1].from >= t->from &&
           g->op[n - 1].thread == o->thread && g->op[n - 1].is != GRAPH_WAKE)
        n--;
    if (n > 0 && g->op[n - 1].is == GRAPH_WAKE &&
        g->op[n - 1].from >= t->from && g->op[n - 1].thread == o->thread) {
        r->spared += o->from - g->op[n - 1].from;
        return;
    }
    for (n = r->at + 1; n < replay_end(p, r) && g->op[n].from < t->to; n++)
        if (g->op[n].is == GRAPH_WAKE)
            break;
    if (n < replay_end(p, r) && g->op[n].from < t->to)
        r->spared += g->op[n].from - o->from;
    else
        r->spared += g->needless && t->to - t->from > g->needless
                         ? t->to - t->from - g->needless
                         : t->to - o->from;
}
