/* insn_info.c - what filters and marks are told of an instruction: who it was,
 * how far it came and how long that took (pmu/predicate/insn_info.h). Called
 * only while that is asked; changes no time. The cycles come from the timing
 * model.
 */
#include <string.h>

#include "include/mark_bits.h"
#include "sim/core/core_private.h"
#include "sim/core/mark_feed.h"

void insn_info_begin(const struct core *c, struct insn_info *d, ea_t pc,
                     const struct insn *i, const struct from *f)
{
    memset(d, 0, sizeof *d);
    d->pc = pc;
    d->cpu = (uint8_t)c->number;
    d->context = f->context;
    d->user = f->msr & MSR_PR;
    d->pm = f->msr & MSR_PM;
    d->op = i->op;
    d->class = i->class;
    d->load = i->flags & INSN_LOAD;
    d->store = i->flags & INSN_STORE;
    d->branch = i->flags & INSN_BRANCH;
}

void insn_info_completed(const struct core *c, struct insn_info *d)
{
    const struct step *step = &c->cpu.step;

    d->completed = true;
    d->taken = d->branch && step->taken;
    d->data = step_first(step);
    if (c->pif.active)
        mark_feed_say(c, d);
}

/* Filters alone ask about marks of what does not complete: a lookup more. */
void insn_info_passing(struct core *c, struct insn_info *d, pa_t pa)
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

void insn_info_end(struct core *c, unsigned held, const struct insn_info *d)
{
    sample(c, d);
    derived_end(&c->pmu, held, d);
}

void insn_info_branch(struct core *c, const struct insn *i, ea_t pc,
                      uint32_t msr, bool mispredicted)
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
