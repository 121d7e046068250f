/* replay.c - plays the graph through again. What happens next is the earliest
 * of what is known to come; of equal cycles what was known first.
 *
 * A thread that is runnable takes the CPU that it was on in the recording, if
 * that is free; else any free one that it may use, unless it stayed in the
 * queue of its CPU while others were free. A CPU that becomes free takes who
 * had it next in the recording, if that is runnable; else who has waited
 * longest.
 *
 * The thread that ends the run does not do so before those have ended that had
 * in the recording, by its last wait for one of them, or by its end.
 */
#include "tools/analysis/retime/replay.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/retime/latches.h"

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

static uint64_t later(uint64_t cycle, int64_t by)
{
    return by < 0 && (uint64_t)-by > cycle ? 0 : cycle + (uint64_t)by;
}

/* ---- CPUs ---------------------------------------------------------------- */

static uint64_t allowed(const struct replay *p, const struct graph_op *o)
{
    const struct retime_change *c = p->change;
    unsigned had = p->g->scene->r->cpus;
    uint64_t all = had < 64 ? (UINT64_C(1) << had) - 1 : UINT64_MAX;
    uint64_t have = (UINT64_C(1) << p->cpus) - 1;
    uint64_t mask = (o->allowed & all) == all ? UINT64_MAX : o->allowed;

    for (unsigned n = 0; n < c->masks; n++)
        if (!c->mask[n].thread ||
            c->mask[n].thread == p->g->scene->thread[o->thread].id)
            mask = c->mask[n].cpus;
    return mask & have ? mask & have : have;
}

/* The way to a CPU that a thread is on: the next operation, but where it waited
 * for a lock that was free in the recording. */
static const struct graph_op *way(const struct replay *p,
                                  const struct runner *r)
{
    return r->barred ? &r->way : &p->g->op[r->at];
}

/* Does it wait for its recorded CPU, and its turn there? */
static bool stays(const struct replay *p, const struct runner *r,
                  const struct graph_op *o)
{
    return o->stays && !r->tired && !p->change->cpus && !p->change->masks;
}

/* A runnable thread gets a CPU, free since p->free. */
static void dispatch(struct replay *p, uint32_t thread, unsigned cpu)
{
    struct runner *r = &p->runner[thread];
    const struct graph_op *o = way(p, r);
    bool queued = p->free[cpu] > r->ready;
    uint64_t since = queued ? p->free[cpu] : r->ready;

    if (!r->barred)
        p->passed[r->at++] = true;
    r->barred = false;
    p->running[cpu] = thread;
    r->waits = 0;
    r->cpu = cpu;
    r->on = true;
    replay_expect(
        p, later(since, queued == o->queued ? o->lag : p->g->typical[queued]),
        EVENT_STEP, thread);
}

static bool is_free(const struct replay *p, unsigned cpu)
{
    return p->running[cpu] == GRAPH_NONE;
}

/* Who had that CPU next in the recording; none: who that was is not runnable,
 * or no thread had it. */
static uint32_t recorded_next(struct replay *p, unsigned cpu)
{
    const struct retime *g = p->g;
    uint32_t op, thread;

    while (p->next[cpu] < g->first[cpu + 1] &&
           p->passed[g->order[p->next[cpu]]])
        p->next[cpu]++;
    if (p->next[cpu] == g->first[cpu + 1])
        return GRAPH_NONE;
    op = g->order[p->next[cpu]];
    thread = g->op[op].thread;
    return p->runner[thread].waits && !p->runner[thread].barred &&
                   p->runner[thread].at == op &&
                   allowed(p, &g->op[op]) >> cpu & 1
               ? thread
               : GRAPH_NONE;
}

/* A free CPU for a thread; GRAPH_CPUS: none. */
static unsigned place_for(struct replay *p, uint32_t thread)
{
    const struct runner *r = &p->runner[thread];
    const struct graph_op *o = way(p, r);
    uint64_t mask = allowed(p, o);

    if (stays(p, r, o))
        return is_free(p, o->cpu) && recorded_next(p, o->cpu) == thread
                   ? o->cpu
                   : GRAPH_CPUS;
    if (o->cpu < p->cpus && mask >> o->cpu & 1 && is_free(p, o->cpu))
        return o->cpu;
    if (r->cpu < p->cpus && mask >> r->cpu & 1 && is_free(p, r->cpu))
        return r->cpu;
    for (unsigned cpu = 0; cpu < p->cpus; cpu++)
        if (mask >> cpu & 1 && is_free(p, cpu))
            return cpu;
    return GRAPH_CPUS;
}

static void become_ready(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    unsigned cpu;

    if (way(p, r)->is != GRAPH_DISPATCH) {
        replay_expect(p, r->ready, EVENT_STEP, thread);
        return;
    }
    r->waits = ++p->queued;
    r->tired = false;
    cpu = place_for(p, thread);
    if (cpu < GRAPH_CPUS)
        dispatch(p, thread, cpu);
    else if (stays(p, r, way(p, r)))
        replay_expect(
            p, r->ready + (p->g->op[r->at].to - p->g->op[r->at].from) + 1,
            EVENT_TIRED, thread);
}

/* It takes any CPU from now on: that what it stayed for does not come. */
static void become_tired(struct replay *p, uint32_t thread, uint64_t cycle)
{
    struct runner *r = &p->runner[thread];
    const struct graph_op *o = way(p, r);
    unsigned cpu;

    if (!r->waits || cycle != r->ready + (o->to - o->from) + 1)
        return;
    r->tired = true;
    cpu = place_for(p, thread);
    if (cpu == GRAPH_CPUS)
        return;
    if (p->free[cpu] < cycle)
        p->free[cpu] = cycle;
    dispatch(p, thread, cpu);
}

/* May a thread have that CPU out of its turn? */
static bool may_take(const struct replay *p, uint32_t thread, unsigned cpu)
{
    const struct runner *r = &p->runner[thread];
    const struct graph_op *o = way(p, r);

    return r->waits && allowed(p, o) >> cpu & 1 &&
           (!stays(p, r, o) || o->cpu == cpu);
}

/* Who has waited longest of those that may have a CPU; none: none does. */
static uint32_t first_waiting(const struct replay *p, unsigned cpu)
{
    uint32_t first = GRAPH_NONE;

    for (uint32_t n = 0; n < p->g->scene->threads; n++)
        if (may_take(p, n, cpu) &&
            (first == GRAPH_NONE ||
             p->runner[n].waits < p->runner[first].waits))
            first = n;
    return first;
}

/* A CPU has become free. */
static void find_work(struct replay *p, unsigned cpu)
{
    uint32_t thread;

    p->running[cpu] = GRAPH_NONE;
    thread = recorded_next(p, cpu);
    if (thread == GRAPH_NONE)
        thread = first_waiting(p, cpu);
    if (thread != GRAPH_NONE)
        dispatch(p, thread, cpu);
}

void replay_leave(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];

    if (!r->on)
        return;
    r->on = false; /* the CPU is free with the event, behind what led to it */
    p->free[r->cpu] = r->cycle;
    replay_expect(p, r->cycle, EVENT_FREE, r->cpu);
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
        if (n != p->g->last && graph_ends(p->g, n, by) &&
            p->runner[n].at < p->g->thread[n].first + p->g->thread[n].ops)
            return false;
    return true;
}

/* A thread has ended: was it the last one that the last thread waits for? */
static void end_join(struct replay *p, uint64_t cycle)
{
    if (!p->joins || !all_ended(p, p->g->op[p->g->join].to))
        return;
    p->joins = false;
    replay_expect(p, cycle, EVENT_STEP, p->g->last);
}

/* It does not wait, and makes no system call for it. */
static void pass_wait(struct replay *p, struct runner *r,
                      const struct graph_op *o)
{
    r->spared += latches_cost(p, o);
    r->at++;
    if (p->g->op[r->at].is == GRAPH_DISPATCH)
        p->passed[r->at++] = true;
}

/* A wait; false: what it would wait for was there before. */
static bool wait(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    uint64_t woken = p->woken[r->at], ready;

    if (r->at == p->g->join && !all_ended(p, o->to)) {
        replay_leave(p, thread);
        p->joins = true;
        return true;
    }
    if (o->target == GRAPH_NONE) {
        replay_leave(p, thread);
        ready_at(p, thread, r->cycle + spend_wait(p->spend, o));
        return true;
    }
    if (woken == REPLAY_NEVER && latches_pass(p, thread, o)) {
        pass_wait(p, r, o);
        return false;
    }
    if (woken == REPLAY_NEVER) {
        replay_leave(p, thread);
        r->asleep = true;
        return true;
    }
    ready = later(woken, o->lag);
    if (ready >= r->cycle || !r->on) {
        replay_leave(p, thread);
        ready_at(p, thread, ready > r->cycle ? ready : r->cycle);
        return true;
    }
    pass_wait(p, r, o);
    return false;
}

/* Several are woken by one system call; it is none if none of them waits. */
static void spare(struct replay *p, struct runner *waker, bool waits)
{
    if (waits)
        waker->called = true;
    waker->spared = waker->called ? 0 : p->g->call;
}

/* ---- whose turn it is ---------------------------------------------------- */

/* Who has waited longest for what a thread would be woken for: that one, if
 * the recording has them in this order, too. */
static uint32_t waits_longest(const struct replay *p, uint32_t target)
{
    const struct graph_op *o = &p->g->op[target];
    const struct runner *r = &p->runner[o->thread];
    bool there = r->asleep && r->at == target;
    uint64_t since = there ? r->cycle : REPLAY_NEVER;
    uint32_t first = target;

    for (uint32_t n = 0; n < p->g->scene->threads; n++) {
        const struct runner *q = &p->runner[n];
        const struct graph_op *x = &p->g->op[q->at];

        if (n == o->thread || !q->asleep || q->cycle >= since ||
            !turns_same_object(p->g, o, x) || (there && x->from <= o->from))
            continue;
        first = (uint32_t)q->at;
        since = q->cycle;
    }
    return first;
}

/* Who is woken by the wake-up that was for `target`. Two change places, but for
 * one that would have to be woken by itself. */
static uint32_t turn_of(struct replay *p, uint32_t target)
{
    struct turns *t = p->turns;
    uint32_t now = t->gets[target], first = waits_longest(p, now);

    if (first == now || t->giver[t->from[first]] == p->g->op[now].thread)
        return now;
    turns_change(t, target, first);
    return first;
}

void replay_wake(struct replay *p, uint32_t target, uint64_t cycle)
{
    const struct graph_op *o = &p->g->op[target];
    struct runner *r = &p->runner[o->thread];
    uint64_t ready;

    p->woken[target] = cycle;
    if (!r->asleep || r->at != target)
        return;
    r->asleep = false;
    ready = later(cycle, o->lag);
    ready_at(p, o->thread, ready > r->cycle ? ready : r->cycle);
}

static void wake(struct replay *p, uint32_t target, uint64_t cycle)
{
    if (target != GRAPH_NONE)
        replay_wake(p, p->turns ? turn_of(p, target) : target, cycle);
}

/* It made room in the recording: does it now? */
static bool yields(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];

    if (r->on && o->queued && first_waiting(p, r->cpu) == GRAPH_NONE) {
        if (p->g->op[++r->at].is == GRAPH_DISPATCH)
            p->passed[r->at++] = true;
        return false;
    }
    replay_leave(p, thread);
    ready_at(p, thread, r->cycle);
    return true;
}

/* What running takes, without the system call that was not needed. */
static uint64_t run(const struct replay *p, struct runner *r,
                    const struct graph_op *o)
{
    uint64_t cycles = spend_run(p->spend, o) + r->owes;
    uint64_t spared = r->spared < cycles ? r->spared : cycles;

    r->spared -= spared;
    r->owes = 0;
    r->called = false;
    return cycles - spared;
}

/* Operations up to the next that takes time. */
static void step(struct replay *p, uint32_t thread, uint64_t cycle)
{
    const struct graph_thread *t = &p->g->thread[thread];
    struct runner *r = &p->runner[thread];

    r->cycle = cycle;
    while (r->at < t->first + t->ops) {
        const struct graph_op *o = &p->g->op[r->at];

        switch (o->is) {
        case GRAPH_RUN:
            r->at++;
            replay_expect(p, cycle + run(p, r, o), EVENT_STEP, thread);
            return;
        case GRAPH_WAKE:
            if (o->needed)
                spare(p, r,
                      p->runner[p->g->op[o->target].thread].asleep &&
                          p->runner[p->g->op[o->target].thread].at ==
                              o->target);
            wake(p, o->target, cycle);
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
        case GRAPH_TAKE:
            if (latches_take(p, thread, o))
                return;
            r->at++;
            break;
        case GRAPH_GIVE:
            latches_give(p, thread, o);
            r->at++;
            break;
        case GRAPH_END:
            r->at++;
            replay_leave(p, thread);
            end_join(p, cycle);
            return;
        default:
            r->at++;
            break;
        }
    }
    replay_leave(p, thread);
}

/* ---- all of it ----------------------------------------------------------- */

static void begin(struct replay *p)
{
    const struct retime *g = p->g;

    for (unsigned n = 0; n < GRAPH_CPUS; n++) {
        p->running[n] = GRAPH_NONE;
        p->next[n] = g->first[n];
    }
    for (size_t n = 0; n < g->ops; n++)
        p->woken[n] = REPLAY_NEVER;
    for (uint32_t n = 0; n < g->scene->threads; n++) {
        struct runner *r = &p->runner[n];
        const struct graph_op *o = &g->op[g->thread[n].first];

        r->at = g->thread[n].first;
        r->cpu = GRAPH_CPUS;
        if (!g->thread[n].ops)
            continue;
        r->asleep = o->target != GRAPH_NONE;
        if (!r->asleep)
            ready_at(p, n, o->to);
    }
}

/* Has the last thread done all that is recorded of it? */
static bool is_done(const struct replay *p)
{
    const struct graph_thread *t = &p->g->thread[p->g->last];
    const struct runner *last = &p->runner[p->g->last];

    return last->at == t->first + t->ops && !last->on;
}

static bool play(struct replay *p, uint64_t *cycle)
{
    bool done = false;

    while (p->events && !(done && all_ended(p, p->g->last_at))) {
        struct event e = take(p);

        if (e.is == EVENT_STEP)
            step(p, e.of, e.at);
        else if (e.is == EVENT_READY)
            become_ready(p, e.of);
        else if (e.is == EVENT_TIRED)
            become_tired(p, e.of, e.at);
        else
            find_work(p, e.of);
        if (e.is != EVENT_STEP || (e.of != p->g->last && !done))
            continue;
        done = is_done(p);
        *cycle = e.at;
    }
    return done;
}

static bool play_with(const struct retime *g,
                      const struct retime_change *change, const struct spend *s,
                      enum graph_order order, bool locks, uint64_t *elapsed)
{
    struct replay *p = grow_zero(1, sizeof *p);
    struct turns turns = {NULL, NULL, NULL};
    uint64_t cycle = 0;
    bool ended;

    *p = (struct replay){.g = g, .change = change, .spend = s};
    if (order == GRAPH_ANEW) {
        turns_open(&turns, g);
        p->turns = &turns;
    }
    p->cpus = (unsigned)((int)g->scene->r->cpus + change->cpus);
    p->runner = grow_zero(g->scene->threads + 1, sizeof *p->runner);
    p->woken = grow_zero(g->ops + 1, sizeof *p->woken);
    p->passed = grow_zero(g->ops + 1, sizeof *p->passed);
    if (locks)
        p->latch = grow_zero(g->scene->locks + 1, sizeof *p->latch);
    begin(p);
    ended = play(p, &cycle);
    *elapsed = cycle + (g->scene->r->end - g->last_at);
    turns_free(&turns);
    free(p->heap);
    free(p->runner);
    free(p->woken);
    free(p->passed);
    free(p->latch);
    free(p);
    return ended;
}

static bool changes(const struct retime_change *c)
{
    for (unsigned n = 0; n < c->count; n++)
        if (c->scaled[n].millionths != RETIME_UNIT)
            return true;
    return c->cpus || c->masks ||
           (c->device != RETIME_NO_FACTOR && c->device != RETIME_UNIT);
}

/* With nothing changed every event has its recorded cycle, also where cycles of
 * two CPUs are a turn apart, which tells of no lock who had it first.
 * Where locks that are waited for anew lead to nowhere, since who had to let
 * others go on waits in an order that is not the recorded one, they are left
 * out. */
bool graph_replay(const struct retime *g, const struct retime_change *change,
                  const struct spend *s, enum graph_order order,
                  uint64_t *elapsed)
{
    return (order == GRAPH_LOCKS && g->take && changes(change) &&
            play_with(g, change, s, order, true, elapsed)) ||
           play_with(g, change, s, order, false, elapsed);
}
