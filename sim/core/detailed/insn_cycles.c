/* insn_cycles.c - what filters and marks are told of an instruction that went
 * through the pipeline, or a part of it: the cycles of its stages. Called only
 * while that is asked; changes no time.
 */
#include "sim/core/detailed/pipe.h"

static void fetched(struct core *c, struct insn_info *d, const struct slot *s,
                    const struct from *f)
{
    insn_info_begin(c, d, s->pc, s->i, f);
    d->fetch = s->fetch;
    d->slot = s->position;
    d->dispatched = s->position;
    d->dispatch = s->position ? s->dispatch : 0;
    d->imiss = s->imiss;
    d->itlb = s->itlb;
}

void insn_cycles_end(struct core *c, const struct slot *s, const struct from *f,
                     bool completed)
{
    struct insn_info *d = &c->insn_info;

    fetched(c, d, s, f);
    d->issue = s->issue;
    d->complete = s->complete;
    if (completed) {
        insn_info_completed(c, d);
        d->finish = s->finish;
        d->latency = (uint32_t)(s->complete - s->issue);
        d->data_latency = s->data_latency;
        d->mispredicted = s->mispredicted;
        d->dtlb = s->dtlb;
        d->level = s->level;
        d->oldest = s->oldest;
    } else {
        insn_info_passing(c, d, s->pa);
    }
    insn_info_end(c, 0, d);
}

void insn_cycles_abandoned(struct core *c, const struct slot *s,
                           const struct from *f)
{
    fetched(c, &c->insn_info, s, f);
    insn_info_passing(c, &c->insn_info, s->pa);
    derived_end(&c->pmu, 0, &c->insn_info);
}

void insn_cycles_wrong(struct core *c, const struct slot *s,
                       const struct from *f, cycle_t until, unsigned held)
{
    struct insn_info d;

    fetched(c, &d, s, f);
    d.wrong = true;
    d.issue = d.dispatched && s->issue <= until ? s->issue : 0;
    d.finish = d.issue && s->finish <= until ? s->finish : 0;
    d.complete = until;
    insn_info_passing(c, &d, s->pa);
    insn_info_end(c, held, &d);
}
