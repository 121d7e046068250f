/* branch.h - what is believed of a branch before it executes. */
#ifndef SIM_CORE_DETAILED_BRANCH_H
#define SIM_CORE_DETAILED_BRANCH_H

#include "sim/core/detailed/pipe.h"

/* Where it goes if taken, with LR and CTR as they are. */
static inline ea_t branch_target(const struct core *c, const struct slot *s)
{
    const struct insn *i = s->i;

    if (!(i->flags & INSN_INDIRECT))
        return (i->word & 2 ? 0 : s->pc) + (uint32_t)i->imm;
    if ((i->word >> 1 & 0x3FF) == 528) /* bcctr */
        return c->cpu.ctr & ~3u;
    return c->cpu.lr & ~3u;
}

static inline bool branch_direction(const struct core *c, const struct slot *s)
{
    if (!(s->i->flags & INSN_COND))
        return true;
    /* APPROX: with the BHT off every conditional branch is guessed not taken;
     * no source at hand; only between reset and HID0[BHTE]. */
    return (pipe_of(c)->hid0 & HID0_BHTE) &&
           predict_taken(&pipe_of(c)->predict, s->pc);
}

/* What fetch and decode believe. Needs no register values. */
static inline void branch_guess(struct core *c, struct slot *s)
{
    struct prediction *g = &s->guess;
    ea_t sequential = s->pc + 4, target = 0;

    g->btac = !(pipe_of(c)->hid0 & HID0_BTCD) &&
              predict_target(&pipe_of(c)->predict, s->group, s->pc, &target);
    g->at_fetch = g->btac ? target : sequential;
    g->at_decode = sequential;
    g->taken = branch_direction(c, s);
    if (g->taken)
        g->at_decode =
            s->i->flags & INSN_INDIRECT ? g->at_fetch : branch_target(c, s);
}

#endif
