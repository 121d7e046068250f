/* preempt.c - see preempt.h. */
#include "tools/analysis/retime/play/preempt.h"

#include "tools/analysis/retime/play/cpus.h"
#include "tools/analysis/retime/play/latches.h"
#include "tools/analysis/retime/play/spins.h"

bool preempt_is_first(const struct replay *p, uint32_t a, uint32_t b)
{
    return p->latch && graph_preempts(p->g, a, b, p->runner[a].at);
}

/* The thread that a CPU has and that is preempted by one that waits for it. */
static uint32_t victim(const struct replay *p, unsigned cpu, uint32_t thread)
{
    uint32_t runs = p->running[cpu];

    return runs != GRAPH_NONE && p->runner[runs].on &&
                   p->runner[runs].cpu == cpu &&
                   cpus_may_take(p, thread, cpu) &&
                   preempt_is_first(p, thread, runs)
               ? runs
               : GRAPH_NONE;
}

static void leave(struct replay *p, uint32_t thread, uint64_t cycle)
{
    p->runner[thread].cycle = cycle;
    cpus_leave(p, thread);
    latches_way(p, thread, cycle, 0);
}

/* It leaves its CPU in a cycle, from which on it has done nothing since one, or
 * at the end of what it does. */
static void leave_since(struct replay *p, uint32_t thread, uint64_t since,
                        uint64_t cycle)
{
    struct runner *r = &p->runner[thread];

    if (spins_on(r) || spins_for(p, r)) {
        r->asleep = false; /* it looks again when it has a CPU */
        leave(p, thread, cycle);
        return;
    }
    if (!r->at || p->g->op[r->at - 1].is != GRAPH_RUN || !r->step ||
        r->until <= since) {
        r->preempted = true;
        return;
    }
    r->step = 0;
    r->rest = r->until - since;
    leave(p, thread, cycle);
}

/* It has done nothing since the other thread was runnable. */
void preempt_at(struct replay *p, unsigned cpu, uint64_t cycle)
{
    uint32_t runs = GRAPH_NONE;

    for (uint32_t n = 0; n < p->g->scene->threads && runs == GRAPH_NONE; n++)
        runs = victim(p, cpu, n);
    if (runs != GRAPH_NONE)
        leave_since(p, runs, cycle - p->g->preempted, cycle);
}

void preempt_later(struct replay *p, unsigned cpu, uint64_t cycle)
{
    p->over &= ~(UINT64_C(1) << cpu);
    p->slice[cpu] = cycle + p->g->slice;
    p->slices++;
    replay_expect(p, p->slice[cpu], EVENT_SLICE, cpu);
}

/* It does nothing from a cycle on, and leaves its CPU behind the interrupt.
 * Under --user who waits has that at once, as behind a system call that blocks.
 */
static void end_slice(struct replay *p, uint32_t runs, uint64_t cycle)
{
    uint64_t late = p->g->late, call = p->g->call;

    leave_since(p, runs, cycle, late > call ? cycle + late - call : cycle);
}

/* Does a thread run on a CPU whose time slice is over? */
static bool is_over(const struct replay *p, unsigned cpu)
{
    uint32_t runs = p->running[cpu];

    return p->over >> cpu & 1 && runs != GRAPH_NONE && p->runner[runs].on &&
           p->runner[runs].cpu == cpu && !p->runner[runs].preempted;
}

/* Does one try to take a lock, and would let others run? */
static bool makes_room(const struct replay *p, unsigned cpu)
{
    uint32_t runs = p->running[cpu];
    const struct runner *r = &p->runner[runs];

    return runs != GRAPH_NONE && r->cpu == cpu && spins_for(p, r) &&
           p->g->yields[r->lock - 1];
}

/* A runnable thread has found no free CPU: it has one whose thread had its
 * slice while no other one waited, or makes room. */
static bool end_one(struct replay *p, uint32_t thread)
{
    for (unsigned cpu = 0; cpu < p->cpus; cpu++)
        if ((is_over(p, cpu) || makes_room(p, cpu)) &&
            cpus_may_take(p, thread, cpu) &&
            !preempt_is_first(p, p->running[cpu], thread)) {
            end_slice(p, p->running[cpu], p->runner[thread].ready);
            return true;
        }
    return false;
}

void preempt_ask(struct replay *p, uint32_t thread)
{
    const struct runner *r = &p->runner[thread];
    unsigned own = r->barred ? r->way.cpu : p->g->op[r->at].cpu;

    if (!p->latch || end_one(p, thread) || !p->g->preempts.used)
        return;
    for (unsigned n = 0; n < p->cpus; n++) {
        unsigned cpu = (own + n) % p->cpus;

        if (victim(p, cpu, thread) == GRAPH_NONE)
            continue;
        replay_expect(p, r->ready + p->g->preempted, EVENT_ROOM, cpu);
        return;
    }
}

void preempt_slice(struct replay *p, unsigned cpu, uint64_t cycle)
{
    uint32_t runs = p->running[cpu];
    bool wanted = false;

    p->slices--;
    if (p->slice[cpu] != cycle || runs == GRAPH_NONE || !p->runner[runs].on ||
        p->runner[runs].cpu != cpu)
        return;
    for (uint32_t n = 0; n < p->g->scene->threads && !wanted; n++)
        wanted = cpus_may_take(p, n, cpu) && !cpus_to_queue(p, n, cpu) &&
                 !preempt_is_first(p, runs, n);
    if (wanted)
        end_slice(p, runs, cycle);
    else if (p->g->call) /* its end is behind it: the next that waits ends it */
        p->over |= UINT64_C(1) << cpu;
    else if (p->events > p->slices) /* else nothing more will happen */
        preempt_later(p, cpu, cycle);
}

bool preempt_now(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];

    if (!r->preempted)
        return false;
    leave(p, thread, r->cycle);
    return true;
}

bool preempt_delays(struct replay *p, uint32_t thread, uint32_t lock,
                    uint64_t cycle)
{
    struct runner *r = &p->runner[thread];

    if (r->on || !r->rest || r->wakes || r->cycle >= cycle)
        return false;
    r->wakes = lock + 1;
    r->after = cycle - r->cycle;
    return true;
}

bool preempt_rest(struct replay *p, uint32_t thread)
{
    struct runner *r = &p->runner[thread];
    uint64_t rest = r->rest;

    r->rest = 0;
    if (r->wakes)
        replay_expect(p, r->cycle + r->after, EVENT_WAKE, r->wakes - 1);
    r->wakes = 0;
    if (rest)
        replay_expect(p, r->cycle + rest, EVENT_STEP, thread);
    return rest;
}
