/* stack.c - walk the back chain of a thread that is not running.
 *
 * Every frame begins with the address of the caller's frame, and a function
 * keeps its return address in the caller's frame (r1 back chain, LR save
 * word). The leaf is where the thread left the processor; of each caller the
 * address of the calling instruction is given.
 *
 * An exception's frame lies between trap and the interrupted function. That
 * one goes on from SRR0; if it has not saved its LR yet, its caller is still
 * in LR only.
 * APPROX: within the last instructions of an interrupted function (frame gone,
 * LR restored) its caller is missed; no unwind tables are kept. Cost: one
 * name in stacks of threads that were preempted just there.
 */
#include "guest/kernel/defs.h"

#define INSN 4
#define STW_R0_R1 0x90010000u /* stw r0,d(r1): the prologue saves LR */

struct walk {
    const struct thread *t;
    uint32_t *pcs;
    unsigned depth, max;
};

static void add(struct walk *w, uint32_t pc)
{
    if (w->depth < w->max)
        w->pcs[w->depth++] = pc;
}

static bool on_stack(const struct thread *t, uint32_t frame)
{
    return frame >= t->stack && frame <= t->stack_top - 8 && frame % 8 == 0;
}

static uint32_t word(uint32_t address)
{
    return *(const uint32_t *)address;
}

/* Where the function begins that pc is in, after the table that the compiler
 * made (one address a function, ascending). */
static uint32_t function_of(uint32_t pc)
{
    const uint32_t *low = functions, *high = functions_end;

    while (high - low > 1) {
        const uint32_t *middle = low + (high - low) / 2;

        if (*middle <= pc)
            low = middle;
        else
            high = middle;
    }
    return *low;
}

static bool lr_saved(uint32_t pc)
{
    for (uint32_t at = function_of(pc); at < pc; at += INSN) {
        if ((word(at) & 0xFFFF0000u) == STW_R0_R1)
            return true;
    }
    return false;
}

/* Past an exception's frame: what was interrupted. */
static void add_interrupted(struct walk *w, const struct trap_frame *f)
{
    add(w, f->srr0);
    if (!lr_saved(f->srr0))
        add(w, f->lr - INSN);
}

/* Leaf first; returns the number of addresses. t must not run meanwhile. */
unsigned stack_walk(const struct thread *t, uint32_t *pcs, unsigned max)
{
    struct walk w = {.t = t, .pcs = pcs, .max = max};
    uint32_t frame = t->sp;

    add(&w, t->pc);
    if (!t->dispatches)
        return w.depth; /* never ran: it is at its first instruction */
    while (w.depth < max && on_stack(t, frame)) {
        uint32_t lr;

        frame = word(frame);
        if (!on_stack(t, frame))
            break;
        lr = word(frame + 4);
        if (!lr)
            break;
        if (lr == (uint32_t)trap_return)
            add_interrupted(&w, (const struct trap_frame *)frame);
        else
            add(&w, lr - INSN);
    }
    return w.depth;
}
