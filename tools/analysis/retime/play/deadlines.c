/* deadlines.c - see deadlines.h. */
#include "tools/analysis/retime/play/deadlines.h"

void deadlines_run(struct replay *p, uint32_t thread, const struct graph_op *o)
{
    struct runner *r = &p->runner[thread];

    if (r->based || o->to <= p->g->thread[r->part].base)
        return;
    r->based = true;
    r->later = (int64_t)(r->cycle - o->from);
}

static const struct scene_stay *stay_of(const struct replay *p,
                                        const struct graph_op *o)
{
    return &p->g->scene->stay[o->stay];
}

bool deadlines_is(const struct replay *p, const struct graph_op *o)
{
    return o->is == GRAPH_WAIT && o->poll == GRAPH_NONE &&
           graph_is_deadline(stay_of(p, o));
}

bool deadlines_passed(const struct replay *p, const struct graph_op *o)
{
    return graph_deadline_passed(stay_of(p, o));
}

uint64_t deadlines_sleep(const struct replay *p, uint32_t thread,
                         const struct graph_op *o)
{
    const struct scene_stay *t = stay_of(p, o);
    const struct runner *r = &p->runner[thread];
    uint64_t deadline = replay_later(graph_deadline(p->g, t), r->later),
             short_ = deadlines_passed(p, o) ? t->to - t->from : 0;

    return deadline > r->cycle
               ? spend_sleep(p->spend, o->stay, deadline - r->cycle)
               : short_;
}
