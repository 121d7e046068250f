/* doing.c - what filters and marks are told of an instruction: who it was,
 * how far it came and how long that took (pmu/doing.h). Called only while
 * somebody asks; changes no time.
 */
#include <string.h>

#include "sim/core/marks.h"
#include "sim/core/pipe.h"

static void who(struct core *c, struct doing *d, ea_t pc, const struct from *f)
{
    memset(d, 0, sizeof *d);
    d->pc = pc;
    d->cpu = (uint8_t)c->number;
    d->context = f->context;
    d->user = f->msr & MSR_PR;
    d->pm = f->msr & MSR_PM;
}

static void what(struct doing *d, const struct insn *i)
{
    d->op = i->op;
    d->class = i->class;
    d->load = i->flags & INSN_LOAD;
    d->store = i->flags & INSN_STORE;
    d->branch = i->flags & INSN_BRANCH;
}

/* What its execution left behind. */
static void did(struct doing *d, const struct step *step)
{
    d->completed = true;
    d->taken = d->branch && step->taken;
    d->ea = step->accesses ? step->access[0].ea : 0;
}

static void fetched(struct core *c, struct doing *d, const struct slot *s,
                    const struct from *f)
{
    who(c, d, s->pc, f);
    what(d, s->i);
    d->fetch = s->fetch;
    d->slot = s->position;
    d->dispatch = s->position ? s->dispatch : 0;
}

void doing_end(struct core *c, const struct slot *s, const struct from *f,
               bool completed)
{
    struct doing *d = &c->doing;

    fetched(c, d, s, f);
    d->issue = s->issue;
    d->complete = s->complete;
    if (completed) {
        did(d, &c->cpu.step);
        d->finish = s->finish;
        d->latency = (uint32_t)(s->complete - s->issue);
        d->data_latency = s->data_latency;
        d->mispredicted = s->mispredicted;
    }
    if (completed && c->pif.active)
        marks_say(c, d);
    else if (c->pif.active)
        marks_passing(c, s->pa, d);
    filter_end(&c->pmu, 0, d);
}

void doing_abandon(struct core *c, const struct slot *s, const struct from *f)
{
    fetched(c, &c->doing, s, f);
    if (c->pif.active)
        marks_passing(c, s->pa, &c->doing);
    filter_end(&c->pmu, 0, &c->doing);
}

void doing_wrong(struct core *c, const struct slot *s, const struct from *f,
                 unsigned held)
{
    struct doing d;

    fetched(c, &d, s, f);
    d.wrong = true;
    if (c->pif.active)
        marks_passing(c, s->pa, &d);
    filter_end(&c->pmu, held, &d);
}

void doing_fast(struct core *c, ea_t pc, const struct insn *i,
                const struct from *f, bool completed)
{
    struct doing *d = &c->doing;

    who(c, d, pc, f);
    what(d, i);
    d->fetch = d->dispatch = d->issue = f->at;
    d->complete = c->clock;
    if (completed) {
        did(d, &c->cpu.step);
        d->finish = c->clock;
        d->latency = c->with.params->fast_cpi;
        d->data_latency = c->cpu.step.accesses > 0;
        if (c->pif.active)
            marks_say(c, d);
    }
    filter_end(&c->pmu, 0, d);
}
