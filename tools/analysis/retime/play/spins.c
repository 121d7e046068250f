/* spins.c - see spins.h. */
#include "tools/analysis/retime/play/spins.h"

#include "tools/analysis/retime/play/cpus.h"

/* Without locks threads make room as they did in the recording. */
static uint64_t until_left(const struct replay *p, const struct graph_op *o)
{
    const struct scene_poll *poll = &p->g->scene->poll[o->poll];
    uint64_t left = graph_poll_left(p->g, o->poll);

    if (poll->works)
        return 0;
    return p->latch             ? p->g->calls[o->poll]
           : left > poll->since ? left - poll->since
                                : 0;
}

bool spins_begin(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];
    const struct scene_poll *poll =
        o->poll == GRAPH_NONE ? NULL : &p->g->scene->poll[o->poll];
    uint64_t cycles;

    /* Without slices it might keep a CPU for ever; and with fewer CPUs it may
     * call the system sooner, as libraries do that count these. */
    if (!poll || !poll->runs || poll->yields || !r->on || !p->g->slice ||
        (!poll->works && (p->change->cpus < 0 || p->change->masks)))
        return false;
    cycles = until_left(p, o);
    r->calls = cycles ? r->cycle + cycles : 0;
    if (r->calls)
        replay_expect(p, r->calls, EVENT_CALL, thread);
    return true;
}

void spins_end(struct replay *p, uint32_t thread, uint64_t cycle)
{
    struct runner *r = &p->runner[thread];

    r->at++;
    if (p->g->op[r->at].is == GRAPH_DISPATCH)
        p->passed[r->at++] = true;
    replay_expect(p, cycle, EVENT_STEP, thread);
}

void spins_call(struct replay *p, uint32_t thread, uint64_t cycle)
{
    struct runner *r = &p->runner[thread];

    if (!spins_on(r) || r->calls != cycle)
        return;
    r->cycle = cycle;
    cpus_leave(p, thread);
}
