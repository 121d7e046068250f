/* interpret.h - the loop over decoded records that interpreter.c and warm.c
 * share. Private to sim/core/fast.
 */
#ifndef SIM_CORE_FAST_INTERPRET_H
#define SIM_CORE_FAST_INTERPRET_H

#include "sim/core/fast/runs.h"

/* What else is done at each instruction, constants that the compiler inlines;
 * NULL: nothing. */
struct beside {
    /* i, at pc, physical pa, is about to be executed. */
    void (*before)(struct core *c, const struct insn *i, ea_t pc, pa_t pa);
    /* It has completed. */
    void (*after)(struct core *c, const struct insn *i, ea_t pc);
};

/* As engine.run; `stretch`: no further than the first branch that is taken. */
static inline __attribute__((always_inline)) enum exc
interpret(struct core *c, struct insn *page, pa_t page_pa, uint64_t n,
          bool stretch, struct beside beside)
{
    struct cpu *cpu = &c->cpu;
    uint64_t cpi = c->with.params->fast_cpi;
    struct fast *f = c->timing_state;
    ea_t base = cpu->pc & ~0xFFFu, pc = cpu->pc;
    enum exc exc = EXC_NONE;
    bool left = false; /* a branch was taken */
    bool scaled = f->k.set;
    unsigned ends = runs_end(f);

    f->start = pc;
    c->observed_cycle = c->clock;
    for (; n && (pc & ~0xFFFu) == base; n--) {
        struct insn *i = &page[(pc & 0xFFF) >> 2];

        if (!i->exec)
            i = decode_cache_at(c->with.decoded, page_pa | (pc & 0xFFC));
        if (beside.before)
            beside.before(c, i, pc, page_pa | (pc & 0xFFC));
        if (i->flags & INSN_OBSERVES)
            fast_catch_up(c);
        exc = isa_exec(cpu, i);
        if (exc) {
            if (scaled) /* its fraction of a cycle has passed */
                scale_cost(&f->rest, f->k, cpi);
            break;
        }
        if (beside.after)
            beside.after(c, i, pc);
        if (scaled) {
            c->observed_cycle += scaled_put(c, pc);
            c->insns++;
            f->last = pc;
            f->start = cpu->nia;
            left = cpu->nia != pc + 4;
        } else {
            c->observed_cycle += cpi;
        }
        if (!scaled && cpu->nia != pc + 4) {
            run_add(c, f->start, (pc + 4 - f->start) / 4);
            f->start = cpu->nia;
            left = true;
        }
        pc = cpu->pc = cpu->nia;
        if (stretch && left)
            break;
        if (c->yield || (i->flags & ends) || cpu->msr & MSR_POW ||
            pc == c->stop_pc || scaled_apart(f, pc))
            break;
    }
    run_add(c, f->start, (pc - f->start) / 4);
    c->clock = c->observed_cycle;
    return exc;
}

#endif
