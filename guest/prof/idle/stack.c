/* stack.c - walk the back chain of a thread that is not running.
 *
 * Every frame begins with the address of the caller's frame, and a function
 * keeps its return address in the caller's frame (r1 back chain, LR save
 * word). The leaf is where the thread will go on; of each caller the address
 * it is returned to is given, one instruction behind the call.
 *
 * An exception's frame lies between trap and the interrupted function. That
 * one goes on from SRR0; how far its prologue or epilogue had come tells
 * whether it has a frame, and whether its return address is in memory or
 * still, or again, in LR. The compiler is told to put prologues first
 * (guest/flags.mk), and undoes them last.
 */
#include "guest/prof/idle/stack.h"

#define INSN 4
#define OPERANDS 0xFFFF0000u
#define STWU_R1_R1 0x94210000u /* stwu r1,d(r1): the prologue makes a frame */
#define STW_R0_R1 0x90010000u  /* stw r0,d(r1): ... and saves LR */
#define ADDI_R1_R1 0x38210000u /* addi r1,r1,d: it drops the frame */
#define MTLR_R0 0x7C0803A6u
#define BLR 0x4E800020u

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
static const uint32_t *entry_of(uint32_t pc)
{
    const uint32_t *low = functions, *high = functions_end;

    while (high - low > 1) {
        const uint32_t *middle = low + (high - low) / 2;

        if (*middle <= pc)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static uint32_t function_of(uint32_t pc)
{
    return *entry_of(pc);
}

/* Functions are numbered from 1, by address; assembly before the first: 0. What
 * is assembly between two counts to the one before. */
uint32_t function_index(uint32_t pc)
{
    return pc < *functions ? 0 : (uint32_t)(entry_of(pc) - functions) + 1;
}

/* Its first instruction: the table has the word in front of it. */
uint32_t function_start(uint32_t index)
{
    return index ? functions[index - 1] + INSN : 0;
}

/* What is behind its last instruction, and how many there are. */
uint32_t function_end(uint32_t index)
{
    return index < function_count() ? functions[index] : (uint32_t)text_end;
}

uint32_t function_count(void)
{
    return (uint32_t)(functions_end - functions);
}

/* Has the function that pc is in executed such an instruction? With only its
 * return left to do, it has undone it. */
static bool has_done(uint32_t pc, uint32_t insn)
{
    if (word(pc) == BLR)
        return false;
    for (uint32_t at = function_of(pc); at < pc; at += INSN) {
        if ((word(at) & OPERANDS) == insn)
            return true;
    }
    return false;
}

/* Is an exception's frame there, and whole? Of a thread that runs meanwhile it
 * may be half written. */
static bool is_interrupted(const struct walk *w, uint32_t frame)
{
    const struct trap_frame *f = (const struct trap_frame *)frame;

    return frame + sizeof *f <= w->t->stack_top && on_stack(w->t, f->chain) &&
           f->srr0 >= (uint32_t)_start && f->srr0 < (uint32_t)text_end;
}

/* Past an exception's frame: what was interrupted. Returns the innermost
 * frame of a function whose return address is in memory. */
static uint32_t add_interrupted(struct walk *w, const struct trap_frame *f)
{
    uint32_t frame = f->chain;

    add(w, f->srr0 + INSN); /* as if it returned there */
    if (word(f->srr0) == MTLR_R0 &&
        (word(f->srr0 - INSN) & OPERANDS) == ADDI_R1_R1) {
        add(w, word(frame + 4)); /* no frame left, LR on its way */
        return frame;
    }
    if (has_done(f->srr0, STW_R0_R1))
        return frame;
    add(w, f->lr);
    return has_done(f->srr0, STWU_R1_R1) ? word(frame) : frame;
}

/* From a frame of a function whose return address is in memory. */
static void climb(struct walk *w, uint32_t frame)
{
    while (w->depth < w->max && on_stack(w->t, frame)) {
        uint32_t lr;

        frame = word(frame);
        if (!on_stack(w->t, frame))
            break;
        lr = word(frame + 4);
        if (!lr)
            break;
        if (lr == (uint32_t)trap_return && !is_interrupted(w, frame))
            break;
        if (lr == (uint32_t)trap_return)
            frame = add_interrupted(w, (const struct trap_frame *)frame);
        else
            add(w, lr);
    }
}

/* Leaf first; returns the number of addresses. t must not run meanwhile. */
unsigned stack_walk(const struct thread *t, uint32_t *pcs, unsigned max)
{
    struct walk w = {.t = t, .pcs = pcs, .max = max};

    add(&w, t->pc);
    if (t->dispatches) /* else it is at its first instruction */
        climb(&w, t->sp);
    return w.depth;
}

/* The same of the thread that runs here, where f interrupted it: pcs[0] is the
 * next instruction there. */
unsigned stack_walk_trap(const struct trap_frame *f, uint32_t *pcs,
                         unsigned max)
{
    struct walk w = {.t = current, .pcs = pcs, .max = max};

    climb(&w, add_interrupted(&w, f));
    pcs[0] = f->srr0;
    return w.depth;
}
