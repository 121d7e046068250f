/* insn_info.c - what filters and marks are told of an instruction: who it was,
 * how far it came and how long that took (pmu/predicate/insn_info.h). Called
 * only while somebody asks; changes no time.
 */
#include <string.h>

#include "include/mark_bits.h"
#include "include/record.h"
#include "sim/core/mark_feed.h"
#include "sim/core/detailed/pipe.h"

static void who(struct core *c, struct insn_info *d, ea_t pc,
                const struct from *f)
{
    memset(d, 0, sizeof *d);
    d->pc = pc;
    d->cpu = (uint8_t)c->number;
    d->context = f->context;
    d->user = f->msr & MSR_PR;
    d->pm = f->msr & MSR_PM;
}

static void what(struct insn_info *d, const struct insn *i)
{
    d->op = i->op;
    d->class = i->class;
    d->load = i->flags & INSN_LOAD;
    d->store = i->flags & INSN_STORE;
    d->branch = i->flags & INSN_BRANCH;
}

/* What its execution left behind. */
static void did(struct insn_info *d, const struct step *step)
{
    d->completed = true;
    d->taken = d->branch && step->taken;
    d->data = step_first(step);
}

static void fetched(struct core *c, struct insn_info *d, const struct slot *s,
                    const struct from *f)
{
    who(c, d, s->pc, f);
    what(d, s->i);
    d->fetch = s->fetch;
    d->slot = s->position;
    d->dispatched = s->position;
    d->dispatch = s->position ? s->dispatch : 0;
    d->imiss = s->imiss;
    d->itlb = s->itlb;
}

/* Filters alone ask about marks of what does not complete: a lookup more. */
static void passing(struct core *c, pa_t pa, struct insn_info *d)
{
    if (c->pif.active && c->pmu.derived.active)
        mark_feed_passing(c, pa, d);
}

/* Its sampled-instruction record, if it is one to be followed. */
static void sample(struct core *c, const struct insn_info *d)
{
    if (!c->pif.sampled.active || !sampled_end(&c->pif.sampled, d))
        return;
    if (!pif_signal(&c->pif, PIFX_SAMPLED, d->pc, d->data.ea, d->complete))
        sampled_lost(&c->pif.sampled);
    if (pif_pending(&c->pif))
        c->attention = 0;
}

void doing_branch(struct core *c, const struct insn *i, ea_t pc, uint32_t msr,
                  bool mispredicted)
{
    bool link = i->word & 1, to_lr = (i->word >> 1 & 0x3FF) == 16;
    enum branch_kind kind = BRANCH_JUMP;

    if (i->class == CLASS_RFI)
        kind = BRANCH_EXCEPTION;
    else if (!(i->flags & INSN_BRANCH) || !c->cpu.step.taken)
        return;
    else if (link)
        kind = BRANCH_CALL;
    else if (i->flags & INSN_INDIRECT && to_lr)
        kind = BRANCH_RETURN;
    branches_taken(&c->pif.branches, kind, msr & MSR_PR, pc, c->cpu.nia,
                   mispredicted);
}

void doing_end(struct core *c, const struct slot *s, const struct from *f,
               bool completed)
{
    struct insn_info *d = &c->insn_info;

    fetched(c, d, s, f);
    d->issue = s->issue;
    d->complete = s->complete;
    if (completed) {
        did(d, &c->cpu.step);
        d->finish = s->finish;
        d->latency = (uint32_t)(s->complete - s->issue);
        d->data_latency = s->data_latency;
        d->mispredicted = s->mispredicted;
        d->dtlb = s->dtlb;
        d->level = s->level;
        d->oldest = s->oldest;
    }
    if (completed && c->pif.active)
        mark_feed_say(c, d);
    else if (!completed)
        passing(c, s->pa, d);
    sample(c, d);
    derived_end(&c->pmu, 0, d);
}

void doing_abandon(struct core *c, const struct slot *s, const struct from *f)
{
    fetched(c, &c->insn_info, s, f);
    passing(c, s->pa, &c->insn_info);
    derived_end(&c->pmu, 0, &c->insn_info);
}

void doing_wrong(struct core *c, const struct slot *s, const struct from *f,
                 cycle_t until, unsigned held)
{
    struct insn_info d;

    fetched(c, &d, s, f);
    d.wrong = true;
    d.issue = d.dispatched && s->issue <= until ? s->issue : 0;
    d.finish = d.issue && s->finish <= until ? s->finish : 0;
    d.complete = until;
    passing(c, s->pa, &d);
    sample(c, &d);
    derived_end(&c->pmu, held, &d);
}

void doing_fast(struct core *c, ea_t pc, const struct insn *i,
                const struct from *f, bool completed)
{
    struct insn_info *d = &c->insn_info;

    who(c, d, pc, f);
    what(d, i);
    d->dispatched = true;
    d->fetch = d->dispatch = d->issue = f->at;
    d->complete = c->clock;
    if (completed) {
        did(d, &c->cpu.step);
        d->finish = c->clock;
        d->latency = c->with.params->fast_cpi;
        d->data_latency = c->cpu.step.accesses > 0;
        d->oldest = d->latency;
        d->level = c->cpu.step.accesses ? LEVEL_CACHE : LEVEL_NONE;
        if (c->pif.active)
            mark_feed_say(c, d);
    }
    sample(c, d);
    derived_end(&c->pmu, 0, d);
}
