/* cpus.c - see cpus.h. */
#include "tools/analysis/retime/play/cpus.h"

#include "tools/analysis/retime/play/preempt.h"

static uint64_t allowed(const struct replay *p, const struct graph_op *o)
{
    const struct retime_change *c = p->change;
    unsigned had = p->g->scene->r->cpus;
    uint64_t all = had < 64 ? (UINT64_C(1) << had) - 1 : UINT64_MAX;
    uint64_t have = (UINT64_C(1) << p->cpus) - 1;
    uint64_t mask = (o->allowed & all) == all ? UINT64_MAX : o->allowed;

    for (unsigned n = 0; n < c->masks; n++)
        if (graph_mask_is_of(p->g, &c->mask[n], o->thread))
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

/* Is the CPU of a thread that becomes runnable as far from being left as it was
 * in the recording? */
static bool is_same(const struct replay *p, const struct runner *r,
                    const struct graph_op *o, unsigned cpu)
{
    return o != &r->way && o->cpu == cpu && o->left &&
           r->ready - p->free[cpu] == o->from - (o->left - 1);
}

/* Did it wait for that CPU when this was left? */
static bool is_near(const struct replay *p, const struct runner *r,
                    const struct graph_op *o, unsigned cpu)
{
    uint64_t left = p->free[cpu];

    if (is_same(p, r, o, cpu))
        return o->near;
    return p->used >> cpu & 1 && r->ready < left + (p->g->call > 0);
}

/* Cycles from a cycle on to the end of the system call by which a CPU was left,
 * and which is interrupted then. */
static uint64_t leaving(const struct replay *p, uint64_t left, uint64_t cycle)
{
    uint64_t over = left + p->g->call;

    return cycle > left && cycle < over ? over - cycle : 0;
}

/* The same when a thread becomes runnable that has not waited for the CPU. */
static uint64_t still_leaving(const struct replay *p, const struct runner *r,
                              unsigned cpu)
{
    return p->used >> cpu & 1 ? leaving(p, p->free[cpu], r->ready) : 0;
}

/* It takes more or fewer of these than in the recording. */
static void pay_leaving(const struct replay *p, struct runner *r,
                        const struct graph_op *o, unsigned cpu)
{
    uint64_t now = still_leaving(p, r, cpu);
    uint64_t before =
        o->left && !o->near ? leaving(p, o->left - 1, o->from) : 0;

    if (is_same(p, r, o, cpu))
        return;
    if (now > before)
        r->owes += now - before;
    else
        r->spared += before - now;
}

/* A runnable thread gets a CPU, free since p->free. */
static void dispatch(struct replay *p, uint32_t thread, unsigned cpu)
{
    struct runner *r = &p->runner[thread];
    const struct graph_op *o = way(p, r);
    bool near = is_near(p, r, o, cpu);
    uint64_t since = near ? p->free[cpu] : r->ready;
    int64_t lag = o == &r->way      ? p->g->typical[near] + o->lag
                  : near == o->near ? o->lag
                                    : p->g->typical[near];

    if (r->yields)
        lag = (int64_t)p->g->yield;
    else if (o == &r->way)
        lag += near ? 0 : (int64_t)p->g->trap;
    else if (near && !o->near && o->left)
        r->spared += p->g->trap;
    else if (!near && o->near)
        r->owes += p->g->trap;
    if (!near && o == &r->way)
        lag += (int64_t)still_leaving(p, r, cpu);
    else if (!near)
        pay_leaving(p, r, o, cpu);
    if (!r->barred)
        p->passed[r->at++] = true;
    r->barred = r->yields = false;
    p->running[cpu] = thread;
    r->waits = 0;
    r->cpu = cpu;
    r->on = true;
    replay_expect(p, replay_later(since, lag), EVENT_STEP, thread);
    if (p->latch && p->g->slice)
        preempt_later(p, cpu, replay_later(since, lag));
}

static bool is_free(const struct replay *p, unsigned cpu)
{
    return p->running[cpu] == GRAPH_NONE;
}

/* Is a thread on it, which has not left it? */
static bool is_taken(const struct replay *p, unsigned cpu)
{
    const struct runner *r = &p->runner[p->running[cpu]];

    return !is_free(p, cpu) && r->on && r->cpu == cpu;
}

/* The thread that had the CPU next in the recording; GRAPH_NONE: that one is
 * not runnable, or there is none. */
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
    thread = p->there[op];
    return p->runner[thread].waits && !p->runner[thread].barred &&
                   p->runner[thread].at == op &&
                   allowed(p, &g->op[op]) >> cpu & 1
               ? thread
               : GRAPH_NONE;
}

bool cpus_may_stay(const struct replay *p, uint32_t thread, size_t dispatch)
{
    const struct graph_op *o = &p->g->op[dispatch];

    return o->is != GRAPH_DISPATCH ||
           allowed(p, o) >> p->runner[thread].cpu & 1;
}

bool cpus_may_take(const struct replay *p, uint32_t thread, unsigned cpu)
{
    const struct runner *r = &p->runner[thread];
    const struct graph_op *o = way(p, r);

    return r->waits && allowed(p, o) >> cpu & 1 &&
           (!stays(p, r, o) || o->cpu == cpu);
}

unsigned cpus_to_queue(const struct replay *p, uint32_t thread, unsigned cpu)
{
    const struct runner *r = &p->runner[thread];
    unsigned own = r->cpu;

    if (p->g->call)
        return 0;
    /* One that has had none is in the first queue that it may be in. */
    if (own >= p->cpus)
        own = (unsigned)__builtin_ctzll(allowed(p, way(p, r)));
    return (own + p->cpus - cpu) % p->cpus;
}

/* Of two threads in one queue, which one has a CPU first? */
static bool is_ahead(const struct replay *p, uint32_t a, uint32_t b)
{
    return preempt_is_first(p, a, b) ||
           (!preempt_is_first(p, b, a) &&
            p->runner[a].waits < p->runner[b].waits);
}

/* The thread that has waited longest of those that may have a CPU, or preempts
 * these; GRAPH_NONE: there is none. */
static uint32_t first_waiting(const struct replay *p, unsigned cpu)
{
    uint32_t first = GRAPH_NONE;
    unsigned least = 0;

    for (uint32_t n = 0; n < p->g->scene->threads; n++) {
        unsigned far = cpus_to_queue(p, n, cpu);

        if (cpus_may_take(p, n, cpu) &&
            (first == GRAPH_NONE || far < least ||
             (far == least && is_ahead(p, n, first)))) {
            first = n;
            least = far;
        }
    }
    return first;
}

/* Who gets a free CPU: who waits longest, unless the recorded one has waited
 * less than that in the recording, too, and had a CPU first. */
static uint32_t next_on(struct replay *p, unsigned cpu)
{
    uint32_t recorded = recorded_next(p, cpu), first = first_waiting(p, cpu);
    const struct runner *r, *f;

    if (recorded == GRAPH_NONE || first == GRAPH_NONE)
        return first;
    r = &p->runner[recorded];
    f = &p->runner[first];
    if (preempt_is_first(p, first, recorded))
        return first;
    return f->waits > r->waits ||
                   (!f->barred && way(p, f)->from < way(p, r)->from &&
                    way(p, f)->to > way(p, r)->to)
               ? recorded
               : first;
}

bool cpus_wanted(const struct replay *p, unsigned cpu)
{
    return first_waiting(p, cpu) != GRAPH_NONE;
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
    /* It comes to the recorded one even if that is still being left, and no
     * other thread waits for it. */
    if (o->cpu < p->cpus && mask >> o->cpu & 1 &&
        (is_free(p, o->cpu) || (!r->barred && !is_taken(p, o->cpu) &&
                                first_waiting(p, o->cpu) == thread)))
        return o->cpu;
    if (r->cpu < p->cpus && mask >> r->cpu & 1 && is_free(p, r->cpu))
        return r->cpu;
    for (unsigned cpu = 0; cpu < p->cpus; cpu++)
        if (mask >> cpu & 1 && is_free(p, cpu))
            return cpu;
    return GRAPH_CPUS;
}

void cpus_ready(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    unsigned cpu;

    if (way(p, r)->is != GRAPH_DISPATCH) {
        replay_expect(p, r->ready, EVENT_STEP, thread);
        return;
    }
    r->waits = ++p->queued;
    if (!r->barred)
        p->there[r->at] = thread;
    r->tired = false;
    cpu = place_for(p, thread);
    if (cpu == GRAPH_CPUS)
        preempt_ask(p, thread);
    if (cpu < GRAPH_CPUS)
        dispatch(p, thread, cpu);
    else if (stays(p, r, way(p, r)))
        replay_expect(
            p, r->ready + (p->g->op[r->at].to - p->g->op[r->at].from) + 1,
            EVENT_TIRED, thread);
}

void cpus_tired(struct replay *p, uint32_t thread, uint64_t cycle)
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

void cpus_free(struct replay *p, unsigned cpu)
{
    uint32_t thread;

    if (is_taken(p, cpu))
        return;
    p->running[cpu] = GRAPH_NONE;
    thread = next_on(p, cpu);
    if (thread != GRAPH_NONE)
        dispatch(p, thread, cpu);
}

void cpus_leave(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];

    if (!r->on)
        return;
    r->preempted = false;
    r->on = false; /* the CPU is free with the event, behind what led to it */
    p->free[r->cpu] = r->cycle;
    p->used |= UINT64_C(1) << r->cpu;
    replay_expect(p,
                  r->cycle + (p->latch && p->g->call > REPLAY_TURN
                                  ? p->g->call - REPLAY_TURN
                                  : 0),
                  EVENT_FREE, r->cpu);
}
