/* replay.c - plays the graph through again. What happens next is the earliest
 * of what is known to come; of equal cycles what was known first.
 *
 * The thread that ends the run does not do so before those have ended that had
 * in the recording, by its last wait for one of them, or by its end.
 */
#include "tools/analysis/retime/play/replay.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/play/barriers.h"
#include "tools/analysis/retime/play/calls.h"
#include "tools/analysis/retime/play/cpus.h"
#include "tools/analysis/retime/play/deadlines.h"
#include "tools/analysis/retime/play/latches.h"
#include "tools/analysis/retime/play/mutex.h"
#include "tools/analysis/retime/play/pools.h"
#include "tools/analysis/retime/play/preempt.h"
#include "tools/analysis/retime/play/rounds.h"
#include "tools/analysis/retime/play/spins.h"
#include "tools/analysis/retime/play/tries.h"

#define HELD 60 /* as much as jitter=16 of simrun, 1 in 1,000 instructions */

/* ---- what comes next ----------------------------------------------------- */

static bool earlier(const struct event *a, const struct event *b)
{
    return a->at != b->at ? a->at < b->at : a->serial < b->serial;
}

void replay_expect(struct replay *p, uint64_t at, enum event_is is, uint32_t of)
{
    size_t n = p->events++;
    struct event e = {at, p->serial++, is, of};

    p->heap = grow(p->heap, &p->room, p->events, sizeof *p->heap);
    if (is == EVENT_STEP) {
        p->runner[of].step = e.serial + 1;
        p->runner[of].until = at;
    }
    for (; n && earlier(&e, &p->heap[(n - 1) / 2]); n = (n - 1) / 2)
        p->heap[n] = p->heap[(n - 1) / 2];
    p->heap[n] = e;
}

static struct event take(struct replay *p)
{
    struct event first = p->heap[0], e = p->heap[--p->events];
    size_t n = 0;

    for (size_t k = 1; k < p->events; k = 2 * n + 1) {
        k += k + 1 < p->events && earlier(&p->heap[k + 1], &p->heap[k]);
        if (!earlier(&p->heap[k], &e))
            break;
        p->heap[n] = p->heap[k];
        n = k;
    }
    p->heap[n] = e;
    return first;
}

/* ---- threads ------------------------------------------------------------- */

static void ready_at(struct replay *p, uint32_t thread, uint64_t cycle)
{
    p->runner[thread].ready = cycle;
    p->runner[thread].at++;
    replay_expect(p, cycle, EVENT_READY, thread);
}

/* Have those ended that had ended by a cycle of the recording? */
static bool all_ended(const struct replay *p, uint64_t by)
{
    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (n != p->g->last && graph_ends(p->g, n, by) && !p->ended[n])
            return false;
    return true;
}

/* A thread has ended: was it the last one that the last thread waits for? */
static void end_join(struct replay *p, uint64_t cycle)
{
    struct runner *r = &p->runner[p->joiner];
    const struct graph_op *o = &p->g->op[r->at];

    if (!p->joins || !all_ended(p, o->is == GRAPH_WAIT ? o->to : o->from))
        return;
    p->joins = false;
    if (o->is == GRAPH_WAIT)
        replay_expect(p, cycle, EVENT_STEP, p->joiner);
    else
        latches_way(p, p->joiner, cycle, 0);
}

/* Those that wait for its end go on. */
static void end_joins(struct replay *p, uint32_t thread, uint64_t cycle)
{
    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (p->runner[n].joins == thread + 1) {
            p->runner[n].joins = 0;
            latches_way(p, n, cycle > p->g->exits ? cycle - p->g->exits : 0,
                        p->g->mutex[GRAPH_LOCK_MUTEX].leave[0]);
        }
}

/* Has a thread nothing left to do but what it does behind waking those that
 * wait for its end? */
static bool exits(const struct replay *p, uint32_t thread)
{
    const struct runner *r = &p->runner[thread];
    size_t end = replay_end(p, r);

    return r->part == thread && r->at < end &&
           p->g->op[r->at].from + p->g->exits >= p->g->op[end - 1].from;
}

/* A thread does not go on before another one has ended, which it had in the
 * recording. */
static bool joins(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];

    r->at++;
    if (p->ended[o->joins] || o->joins == thread || exits(p, o->joins))
        return false;
    r->joins = o->joins + 1;
    cpus_leave(p, thread);
    return true;
}

/* The last thread waits until others have ended. */
static bool join(struct replay *p, uint32_t thread, uint64_t by)
{
    if (all_ended(p, by))
        return false;
    cpus_leave(p, thread);
    p->joins = true;
    p->joiner = thread;
    return true;
}

/* It does not wait, if it `waited` in the recording. What it would wait for was
 * there before it asked the system, which it does not then; or came meanwhile.
 *
 * APPROX: a system call that finds it there takes half of what one does that
 * waits. Source: the guest, 733 of 1,493 cycles. Cost: where most calls are of
 * that kind, their difference from it. */
static void pass_wait(struct replay *p, struct runner *r,
                      const struct graph_op *o, bool waited)
{
    bool spins = o->poll != GRAPH_NONE && p->g->scene->poll[o->poll].runs;
    uint64_t cost = waited && !spins ? latches_cost(p, o) : 0;

    r->spared += !p->known[r->at]                ? cost
                 : p->g->call || p->found[r->at] ? 0
                                                 : cost / 2;
    r->at++;
    if (p->g->op[r->at].is == GRAPH_DISPATCH)
        p->passed[r->at++] = true;
}

/* Under --user the end of each sleep interrupts CPU 0. graph_interrupted takes
 * it that there are fewer by as much as it runs less: here by so many fewer. */
static void spare_timers(struct replay *p, uint64_t recorded, uint64_t sleeps)
{
    struct runner *r =
        p->running[0] == GRAPH_NONE ? NULL : &p->runner[p->running[0]];
    uint64_t taken = p->ran ? recorded * p->runs / p->ran : recorded;

    if (r && taken > sleeps)
        r->spared += (taken - sleeps) * p->g->trap;
    else if (r)
        r->owes += (sleeps - taken) * p->g->trap;
}

/* When a thread that sleeps again and again since `from` sees a word that is
 * written at `written`: behind the sleep that is over then, which may be none.
 * Behind those that are recorded come more like the last. */
static uint64_t seen(struct replay *p, const struct graph_op *o, uint64_t from,
                     uint64_t written)
{
    const struct scene *s = p->g->scene;
    const struct scene_poll *poll = &s->poll[o->poll];
    const struct scene_stay *last = &s->stay[poll->stay + poll->stays - 1];
    uint64_t at = from, cycles = 0, over = 0, more;
    uint64_t recorded = 0, sleeps = 0;

    written = replay_later(written, o->lag);
    if (poll->runs)
        return written > from ? written : from;
    for (const struct scene_stay *t = &s->stay[o->stay]; t <= last; t++) {
        if (t->state != STATE_TIMER)
            continue;
        cycles = (over ? t->from - over : 0) + spend_stay(p->spend, t);
        over = t->to;
        recorded++;
        if (at < written) {
            at += cycles;
            sleeps++;
        }
    }
    cycles += !cycles;
    more = at < written ? (written - at + cycles - 1) / cycles : 0;
    spare_timers(p, recorded, sleeps + more);
    return at + more * cycles;
}

/* False: it has passed. One that had in the recording has no way to a CPU
 * behind it there. */
static bool await_deadline(struct replay *p, uint32_t thread,
                           const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    uint64_t cycles = deadlines_sleep(p, thread, o);

    if (!cycles) {
        pass_wait(p, r, o, !deadlines_passed(p, o));
        return false;
    }
    cpus_leave(p, thread);
    if (p->g->op[r->at + 1].is == GRAPH_DISPATCH) {
        ready_at(p, thread, r->cycle + cycles);
    } else {
        r->at++;
        latches_way(p, thread, r->cycle + cycles, 0);
    }
    return true;
}

/* A wait; false: what it would wait for was there before. */
static bool wait(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    uint64_t woken = p->woken[r->at], ready;

    if (r->at == p->g->join && join(p, thread, o->to))
        return true;
    if (tries_at_once(p, thread, o))
        return false;
    if (deadlines_is(p, o))
        return await_deadline(p, thread, o);
    if (o->target == GRAPH_NONE) {
        uint64_t cycles =
            tries_is(o) ? tries_sleep(p, thread, o) : spend_wait(p->spend, o);

        cpus_leave(p, thread);
        ready_at(p, thread, r->cycle + cycles);
        return true;
    }
    if (woken == REPLAY_NEVER && latches_pass(p, thread, o)) {
        pass_wait(p, r, o, true);
        return false;
    }
    if (woken == REPLAY_NEVER) {
        if (!spins_begin(p, thread, o))
            cpus_leave(p, thread);
        r->asleep = true;
        p->there[r->at] = thread;
        return true;
    }
    if (o->poll != GRAPH_NONE)
        ready = seen(p, o, r->cycle, woken);
    else
        ready = replay_later(woken, o->lag);
    if ((o->poll == GRAPH_NONE ? ready >= r->cycle : ready > r->cycle) ||
        !r->on) {
        cpus_leave(p, thread);
        ready_at(p, thread, ready > r->cycle ? ready : r->cycle);
        return true;
    }
    pass_wait(p, r, o, true);
    return false;
}

/* Several are woken by one system call; it is none if none of them waits. */
static void spare(struct runner *waker, const struct graph_op *wake, bool waits)
{
    if (waits)
        waker->called = true;
    waker->spared = waker->called ? 0 : wake->call;
}

/* ---- whose turn it is ---------------------------------------------------- */

/* Who has waited longest for what a thread would be woken for: that one, if
 * the recording has them in this order, too. */
static uint32_t waits_longest(const struct replay *p, uint32_t target)
{
    const struct graph_op *o = &p->g->op[target];
    uint32_t own = p->there[target];
    const struct runner *r = &p->runner[own];
    bool there = r->asleep && r->at == target;
    uint64_t since = there ? r->cycle : REPLAY_NEVER;
    uint32_t first = target;

    for (uint32_t n = 0; n < p->g->scene->threads; n++) {
        const struct runner *q = &p->runner[n];
        const struct graph_op *x = &p->g->op[q->at];

        if (n == own || !q->asleep || q->cycle >= since ||
            !turns_same_object(p->g, o, x) || (there && x->from <= o->from))
            continue;
        first = (uint32_t)q->at;
        since = q->cycle;
    }
    return first;
}

/* Behind those that a thread wakes by one call, as a broadcast does, of which
 * it is at one. */
static size_t end_of_call(const struct replay *p, const struct runner *r)
{
    const struct retime *g = p->g;
    const struct graph_op *o = &g->op[r->at];
    size_t n = r->at + 1, end = replay_end(p, r);

    if (g->call || o[-1].is != GRAPH_RUN)
        while (n < end && g->op[n].is == GRAPH_WAKE && g->op[n].from == o->from)
            n++;
    else
        while (n < end && g->op[n].from < g->scene->stay[o[-1].stay].to)
            n++;
    return n;
}

/* Does simrun wake those that an operation is one of in the order of their
 * numbers: all that wait for files under --user? Others queue. */
static bool is_by_number(const struct replay *p, uint32_t op)
{
    const struct scene_stay *t = &p->g->scene->stay[p->g->op[op].stay];

    return p->g->call && t->state == STATE_QUEUE && t->kind == OBJECT_NONE;
}

/* ... who waits longest of them. */
static uint32_t first_of_call(const struct replay *p, const struct runner *r,
                              uint32_t now)
{
    const struct runner *q = &p->runner[p->there[now]];
    uint64_t since = q->cycle;
    uint32_t first = now;
    bool by_number = is_by_number(p, now);

    if (!q->asleep || q->at != now)
        return now;
    for (size_t n = r->at + 1, end = end_of_call(p, r); n < end; n++) {
        uint32_t other = p->g->op[n].target;

        if (p->g->op[n].is != GRAPH_WAKE || other == GRAPH_NONE)
            continue;
        other = p->turns->gets[other];
        q = &p->runner[p->there[other]];
        if (!q->asleep || q->at != other ||
            (by_number ? p->there[other] >= p->there[first]
                       : q->cycle >= since) ||
            !turns_same_object(p->g, &p->g->op[now], &p->g->op[other]))
            continue;
        since = q->cycle;
        first = other;
    }
    return first;
}

/* Who is woken by the wake-up that was for `target`. Two change places, but for
 * one that would have to be woken by itself. */
static uint32_t turn_of(struct replay *p, const struct runner *waker,
                        uint32_t target)
{
    struct turns *t = p->turns;
    uint32_t now = t->gets[target];
    uint32_t first =
        p->anew ? waits_longest(p, now) : first_of_call(p, waker, now);

    if (first == now || t->giver[t->from[first]] == p->g->op[now].thread)
        return now;
    turns_change(t, target, first);
    return first;
}

void replay_wake(struct replay *p, uint32_t target, uint64_t cycle)
{
    const struct graph_op *o = &p->g->op[target];
    uint32_t thread = p->there[target];
    struct runner *r = &p->runner[thread];
    uint64_t ready;

    p->woken[target] = cycle;
    if (!r->asleep || r->at != target) {
        p->known[target] = calls_known(p, target);
        return;
    }
    r->asleep = false;
    ready = o->poll != GRAPH_NONE ? seen(p, o, r->cycle, cycle)
                                  : replay_later(cycle, o->lag);
    ready = ready > r->cycle ? ready : r->cycle;
    if (r->on)
        spins_end(p, thread, ready);
    else
        ready_at(p, thread, ready);
}

void replay_pass(struct replay *p, struct runner *r, size_t op)
{
    for (; r->at < op; r->at++) {
        const struct graph_op *o = &p->g->op[r->at];

        if (o->is == GRAPH_DISPATCH)
            p->passed[r->at] = true;
        else if (o->is == GRAPH_WAKE && o->target != GRAPH_NONE &&
                 !replay_plays(p, &p->g->op[o->target]))
            replay_wake(p, o->target, r->cycle);
    }
}

static void wake_up(struct replay *p, struct runner *waker,
                    const struct graph_op *o)
{
    uint32_t target = o->target;
    const struct runner *r;
    bool waits;

    if (target == GRAPH_NONE || (p->rounds && rounds_woke(p, target)))
        return;
    r = &p->runner[p->there[target]];
    if (o->needed && pools_waits(p, target, &waits))
        spare(waker, o, waits || waker->puts);
    pools_wake(p, waker, target);
    if (replay_plays(p, &p->g->op[target]))
        return;
    if (p->told[target]) {
        calls_spare_wake(p, waker);
        return;
    }
    if (o->needed)
        spare(waker, o,
              (r->asleep && r->at == target) || calls_known(p, target));
    replay_wake(p, turn_of(p, waker, target), waker->cycle);
}

/* It made room in the recording: does it now? */
static bool yields(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    bool preempted = r->on && (o->preempted || o->sliced) && p->latch;
    bool stays = cpus_may_stay(p, thread, r->at + 1);

    if (stays &&
        (preempted || (r->on && o->queued && !cpus_wanted(p, r->cpu)))) {
        if (preempted)
            r->spared += o->preempted ? o->preempted : p->g->late;
        if (p->g->op[++r->at].is == GRAPH_DISPATCH)
            p->passed[r->at++] = true;
        return false;
    }
    cpus_leave(p, thread);
    ready_at(p, thread, r->cycle);
    return true;
}

/* What a thread runs is held a little where that is asked for: up to a part in
 * HELD, of which each play has others (xorshift). */
static uint64_t held(struct replay *p, uint64_t cycles)
{
    if (!p->held)
        return 0;
    p->held ^= p->held << 13;
    p->held ^= p->held >> 7;
    p->held ^= p->held << 17;
    return cycles * (p->held >> 48) / HELD >> 16;
}

/* What running takes, without the system call that was not needed. */
static uint64_t run(struct replay *p, struct runner *r,
                    const struct graph_op *o)
{
    uint64_t cycles = spend_run(p->spend, o), spared;

    if (graph_interrupts(p->g, o)) {
        cycles = graph_interrupted(p->g, o, cycles);
        p->ran = o->to - o->from;
        p->runs = cycles;
    }
    cycles += held(p, cycles) + r->owes;
    spared = r->spared < cycles ? r->spared : cycles;
    r->spared -= spared;
    r->owes = 0;
    r->called = false;
    return cycles - spared;
}

/* It asks for a lock, takes it, or gives it back. True: the thread goes on
 * later, with the operation that it is at then. */
static bool lock(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    const struct scene *s = p->g->scene;
    bool played = mutex_plays(p, o);

    if (!played && s->lock[s->hold[o->hold].lock].counted)
        return false;
    if (o->is == GRAPH_ASK) {
        if (played)
            mutex_ask(p, thread, o);
        return played;
    }
    if (o->is == GRAPH_TAKE)
        return played ? mutex_take(p, thread, o) : latches_take(p, thread, o);
    if (played)
        mutex_give(p, thread, o);
    else
        latches_give(p, thread, o);
    return false;
}

/* An operation on a lock, and what comes of it. True: the thread goes on later,
 * with the operation that it is at then. */
static bool comes_to_lock(struct replay *p, uint32_t thread,
                          const struct graph_op *o)
{
    bool gives = p->pools && o->is == GRAPH_GIVE;

    if (tries_again(p, thread, o))
        return false;
    if (tries_later(p, thread, o) || (gives && pools_calls(p, thread)) ||
        lock(p, thread, o) ||
        (p->pools && o->is == GRAPH_TAKE && pools_missing(p, thread)) ||
        (p->barriers && o->is == GRAPH_TAKE && barriers_come(p, thread)))
        return true;
    if (gives)
        pools_given(p, thread);
    p->runner[thread].at++;
    return false;
}

/* Operations up to the next that takes time. */
static void step(struct replay *p, uint32_t thread, uint64_t cycle)
{
    struct runner *r = &p->runner[thread];

    r->cycle = cycle;
    if (preempt_rest(p, thread))
        return;
    while (r->at < replay_end(p, r)) {
        const struct graph_op *o;

        if ((p->pools && pools_claim(p, thread)) ||
            (p->rounds && rounds_come(p, thread)) ||
            (p->barriers && barriers_wait(p, thread)))
            return;
        o = &p->g->op[r->at];

        switch (o->is) {
        case GRAPH_RUN:
            if (r->at == p->g->close && join(p, thread, o->from))
                return;
            if (calls_skip(p, r))
                break;
            if (preempt_now(p, thread))
                return;
            calls_find(p, r);
            deadlines_run(p, thread, o);
            r->at++;
            replay_expect(p, cycle + run(p, r, o), EVENT_STEP, thread);
            return;
        case GRAPH_WAKE:
            wake_up(p, r, o);
            r->at++;
            break;
        case GRAPH_WAIT:
            if (wait(p, thread, o))
                return;
            break;
        case GRAPH_YIELD:
            if (yields(p, thread, o))
                return;
            break;
        case GRAPH_ASK:
        case GRAPH_TAKE:
        case GRAPH_GIVE:
            if (comes_to_lock(p, thread, o))
                return;
            break;
        case GRAPH_END:
            r->at++;
            p->ended[r->part] = true;
            cpus_leave(p, thread);
            end_join(p, cycle);
            end_joins(p, r->part, cycle);
            return;
        case GRAPH_JOIN:
            if (joins(p, thread, o))
                return;
            break;
        default:
            r->at++;
            break;
        }
    }
    p->ended[r->part] = true;
    cpus_leave(p, thread);
    end_joins(p, r->part, r->cycle);
}

/* ---- all of it ----------------------------------------------------------- */

static void begin(struct replay *p)
{
    const struct retime *g = p->g;

    for (unsigned n = 0; n < GRAPH_CPUS; n++) {
        p->running[n] = GRAPH_NONE;
        p->next[n] = g->first[n];
    }
    for (size_t n = 0; n < g->ops; n++) {
        p->woken[n] = REPLAY_NEVER;
        p->there[n] = g->op[n].thread;
    }
    for (uint32_t n = 0; n < g->scene->threads; n++) {
        struct runner *r = &p->runner[n];
        const struct graph_op *o = &g->op[g->thread[n].first];

        r->at = g->thread[n].first;
        r->part = n;
        r->cpu = GRAPH_CPUS;
        p->ended[n] = !g->thread[n].ops;
        if (p->ended[n])
            continue;
        r->asleep = o->target != GRAPH_NONE;
        if (!r->asleep)
            ready_at(p, n, o->to);
    }
}

/* No thread goes on. Clocks of two CPUs differ by a turn, so those who spin
 * for a word may seem to wait for each other: the one that went on first in the
 * recording does. False: there is none. */
static bool break_circle(struct replay *p, uint64_t cycle)
{
    const struct graph_op *first = NULL;

    for (uint32_t n = 0; n < p->g->scene->threads; n++) {
        const struct runner *r = &p->runner[n];
        const struct graph_op *o = &p->g->op[r->at];

        if (r->asleep && o->poll != GRAPH_NONE && p->there[r->at] == n &&
            (!first || o->to < first->to))
            first = o;
    }
    if (!first)
        return false;
    if (p->circle)
        p->circle[first - p->g->op] = true;
    replay_wake(p, (uint32_t)(first - p->g->op), cycle);
    return true;
}

/* By operation, the cycles that its thread runs from there on, up to when the
 * recording ended; 0 if it sleeps by time in between, as one does that works
 * now and then, and would have done less. */
static uint64_t *find_left(const struct replay *p)
{
    const struct retime *g = p->g;
    uint64_t *left = grow_zero(g->ops + 1, sizeof *left);

    for (uint32_t t = 0; t < g->scene->threads; t++) {
        uint64_t cycles = 0;
        bool sleeps = false;

        for (size_t n = g->thread[t].ops; n-- > 0;) {
            size_t at = g->thread[t].first + n;
            const struct graph_op *o = &g->op[at];

            if (o->from >= g->last_at)
                continue;
            sleeps |= o->is == GRAPH_WAIT && o->target == GRAPH_NONE &&
                      !replay_plays(p, o);
            cycles += o->is == GRAPH_RUN ? o->to - o->from : 0;
            left[at] = sleeps ? 0 : cycles;
        }
    }
    return left;
}

#define LEFT 20 /* a part in so many of the run */

/* The last thread has ended. Have the others done what they had by then? If who
 * does what has changed it may be first at a barrier, which it does not wait
 * for as it was the last one there. */
static bool all_have_run(struct replay *p)
{
    uint64_t cycles = 0;

    if (!p->g->take)
        return true;
    if (!p->left)
        p->left = find_left(p);
    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (n != p->g->last && p->runner[n].at < replay_end(p, &p->runner[n]))
            cycles += p->left[p->runner[n].at];
    return cycles <= p->g->scene->r->end / LEFT;
}

static bool play(struct replay *p, uint64_t *cycle)
{
    bool done = false;
    uint64_t last = 0;

    while (!(done && all_ended(p, p->g->last_at) && all_have_run(p)) &&
           (p->events || break_circle(p, last))) {
        struct event e = take(p);

        last = e.is == EVENT_SLICE ? last : e.at;
        if (e.is == EVENT_STEP && p->runner[e.of].step == e.serial + 1)
            step(p, e.of, e.at);
        else if (e.is == EVENT_READY)
            cpus_ready(p, e.of);
        else if (e.is == EVENT_WAKE)
            mutex_wake(p, e.of, e.at);
        else if (e.is == EVENT_SPUN)
            mutex_spun(p, e.of, e.at);
        else if (e.is == EVENT_ROOM)
            preempt_at(p, e.of, e.at);
        else if (e.is == EVENT_SLICE)
            preempt_slice(p, e.of, e.at);
        else if (e.is == EVENT_CALL)
            spins_call(p, e.of, e.at);
        else if (e.is == EVENT_TIRED)
            cpus_tired(p, e.of, e.at);
        else
            cpus_free(p, e.of);
        if (e.is != EVENT_STEP || (p->runner[e.of].part != p->g->last && !done))
            continue;
        done = p->ended[p->g->last];
        *cycle = e.at;
    }
    return done;
}

bool replay_play(const struct retime *g, const struct retime_change *change,
                 const struct spend *s, struct replay_how how,
                 uint64_t *elapsed)
{
    struct replay *p = grow_zero(1, sizeof *p);
    struct turns turns;
    uint64_t cycle = 0;
    bool ended;

    *p = (struct replay){.g = g,
                         .change = change,
                         .spend = s,
                         .turns = &turns,
                         .anew = how.order == GRAPH_ANEW,
                         .locks = how.locks,
                         .circle = how.circle,
                         .held = how.seed};
    turns_open(&turns, g);
    p->cpus = (unsigned)((int)g->scene->r->cpus + change->cpus);
    p->runner = grow_zero(g->scene->threads + 1, sizeof *p->runner);
    p->woken = grow_zero(g->ops + 1, sizeof *p->woken);
    p->known = grow_zero(g->ops + 1, sizeof *p->known);
    p->told = grow_zero(g->ops + 1, sizeof *p->told);
    p->found = grow_zero(g->ops + 1, sizeof *p->found);
    p->passed = grow_zero(g->ops + 1, sizeof *p->passed);
    p->there = grow_zero(g->ops + 1, sizeof *p->there);
    p->ended = grow_zero(g->scene->threads + 1, sizeof *p->ended);
    if (how.locks) {
        p->latch = grow_zero(g->scene->locks + 1, sizeof *p->latch);
        p->pools = pools_open(g);
        p->rounds = rounds_open(g);
        p->barriers = barriers_open(g);
    }
    begin(p);
    ended = play(p, &cycle);
    *elapsed = cycle + (g->scene->r->end - g->last_at);
    if (how.woken)
        *how.woken = p->tries;
    turns_free(&turns);
    free(p->heap);
    free(p->runner);
    free(p->woken);
    free(p->known);
    free(p->told);
    free(p->found);
    free(p->passed);
    free(p->latch);
    free(p->there);
    free(p->ended);
    free(p->left);
    pools_close(p->pools);
    rounds_close(p->rounds);
    barriers_close(p->barriers);
    free(p);
    return ended;
}
