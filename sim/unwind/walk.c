/* walk.c - walking up. See walk.h.
 */
#include "sim/unwind/walk.h"

#include <string.h>

#include "isa/insn.h"
#include "include/board.h"
#include "sim/unwind/exception_frame.h"
#include "sim/unwind/unknown_code.h"
#include "sim/unwind/frame_flow.h"
#include "sim/user/abi.h"

struct climber {
    const struct core *c; /* whose addresses are followed */
    struct core *user;    /* the same in the user mode that it came from */
    const struct names *names;
    uint32_t *pc;
    unsigned n, max;
};

/* A handler returns to two instructions that make a call of the kernel; above
 * it on the stack, from sp on, is a frame that points to the registers of the
 * interrupted function (sim/user/frame.c). */
static bool is_signal(const struct climber *w, uint32_t up, ea_t sp,
                      struct stop *s)
{
    uint32_t call, sc, saved;
    ea_t at = sp + FRAME_CALLER;

    if (!frame_flow_word(w->c, up, TLB_FETCH, &call) ||
        (call != (0x38000000 | 119) && call != (0x38000000 | 172)) ||
        !frame_flow_word(w->c, up + 4, TLB_FETCH, &sc) || sc != 0x44000002)
        return false;
    at += call & 1 ? 28 : 16 + ABI_SIGINFO + UCONTEXT_REGS;
    if (!frame_flow_word(w->c, at, TLB_LOAD, &saved) ||
        !frame_flow_word(w->c, saved + 4 * GREG_NIP, TLB_LOAD, &s->pc) ||
        !frame_flow_word(w->c, saved + 4 * GREG_LR, TLB_LOAD, &s->lr))
        return false;
    s->known = 0;
    for (unsigned n = 0; n < 32; n++)
        if (frame_flow_word(w->c, saved + 4 * n, TLB_LOAD, &s->gpr[n]))
            s->known |= 1u << n;
    s->sp = s->gpr[1];
    return s->known & 2;
}

#define ENTRY 128 /* instructions of an interrupt's entry, at most */
#define RFI 0x4C000064u

/* Assembly that interrupts enter, or leave by: around address at, no longer
 * than that, and without a blr; or where their vectors are. */
static bool is_entry(const struct climber *w, ea_t at)
{
    const struct core *c = w->c;
    uint32_t i, from[2], end[2];

    if (c->with.supervisor.enter || c->cpu.msr & MSR_PR)
        return false;
    if (exception_frame_vector(c, at))
        return true;
    if (!frame_flow_function(c, w->names, at, from, end) ||
        end[0] - from[0] > 4 * ENTRY)
        return false;
    for (at = end[0]; at > from[0]; at -= 4) /* most functions end in one */
        if (!frame_flow_word(c, at - 4, TLB_FETCH, &i) || i == 0x4E800020)
            return false;
    return true;
}

/* What was interrupted ran in user mode: from there on addresses are those of
 * its translation, which the processor still has. */
static void cross(struct climber *w, const struct stop *s)
{
    if (!s->user || !w->user)
        return;
    *w->user = *w->c;
    w->user->cpu.msr = s->msr;
    w->c = w->user;
}

/* Does the code that `up` returns to handle interrupts? Then what it has kept
 * is the interrupted function's. */
static bool is_trap(struct climber *w, uint32_t up, ea_t sp, struct stop *s)
{
    if (!is_entry(w, up - 4) ||
        !exception_frame_interrupted(w->c, w->names, up, sp, false, s))
        return false;
    cross(w, s);
    return true;
}

/* One more caller, whose frame is at sp. What a signal or an interrupt found
 * at work stands by the address behind the next instruction there, as a call
 * would leave it: a signal's frame stands for that alone, an interrupt's entry
 * is a function, too. False: that is where to go on from, in *s. */
static bool add(struct climber *w, uint32_t up, ea_t sp, struct stop *s)
{
    struct stop at;

    if (w->n == w->max)
        return true;
    if (!is_signal(w, up, sp, &at)) {
        w->pc[w->n++] = up;
        if (w->n == w->max || !is_trap(w, up, sp, &at))
            return true;
    }
    w->pc[w->n++] = at.pc + 4;
    *s = at;
    return false;
}

/* Is the stop *s itself in an interrupt's entry, or in its way back? Then what
 * was interrupted, in its place. */
static bool in_trap(struct climber *w, bool behind, struct stop *s)
{
    struct stop at;
    uint32_t i;

    if (behind && frame_flow_word(w->c, w->c->cpu.pc, TLB_FETCH, &i) &&
        i == RFI) {
        s->pc = w->c->cpu.srr0; /* all else is back already */
        s->msr = w->c->cpu.srr1;
        s->user = s->msr & MSR_PR;
        cross(w, s);
        return true;
    }
    if (!is_entry(w, s->pc) ||
        !exception_frame_interrupted(w->c, w->names, s->pc, s->sp, true, &at))
        return false;
    *s = at;
    cross(w, s);
    return true;
}

enum climbed { ON, ROOT, SIGNAL, LOST };

/* What began the program, or a processor, had no caller: there is none, or the
 * word that powers off. */
static bool began_here(uint32_t up)
{
    return !up || up == BOARD_RETURN;
}

/* From the stop in a function that runs, whose own pc is there already, to
 * its caller. *sp is then the caller's stack pointer. */
static enum climbed first(struct climber *w, struct stop *s, ea_t pc, ea_t *sp)
{
    struct frame_flow u = {FRAME_FLOW_CHAIN, 0, FRAME_FLOW_SAVED, 0, 4};
    uint32_t up = 0;

    if (!frame_flow_at(w->c, w->names, pc, s->sp, &u) && pc == s->pc)
        unknown_code_caller(w->c, w->names, s, &u);
    *sp = s->sp + (ea_t)u.offset;
    if (*sp != s->sp || u.sp == FRAME_FLOW_CHAIN) {
        ea_t chain;

        if (!frame_flow_word(w->c, s->sp, TLB_LOAD, &chain))
            return LOST;
        if (u.sp == FRAME_FLOW_CHAIN)
            *sp = chain;
        if (!chain || (u.back == FRAME_FLOW_NONE && chain <= s->sp))
            return ROOT;
    }
    /* A function that never returns: who called it is lost, but not who called
     * that. */
    if (u.back == FRAME_FLOW_NONE)
        return ON;
    if (u.back == FRAME_FLOW_LR)
        up = s->lr;
    else if (u.back == FRAME_FLOW_GPR && !(s->known >> u.gpr & 1))
        return LOST;
    else if (u.back == FRAME_FLOW_GPR)
        up = s->gpr[u.gpr];
    else if (u.back == FRAME_FLOW_SAVED &&
             !frame_flow_word(w->c, *sp + (ea_t)u.slot, TLB_LOAD, &up))
        return LOST;
    if (began_here(up))
        return ROOT;
    return add(w, up, *sp, s) ? ON : SIGNAL;
}

/* Up from a stop. SIGNAL: from *s again. */
static enum climbed climb(struct climber *w, struct stop *s)
{
    ea_t sp, back;
    uint32_t up;
    enum climbed to = first(w, s, s->pc, &sp);

    /* A routine that saves registers for a function has not changed those it
     * keeps the way back in. */
    if (to == ON && frame_flow_saves(w->c, w->names, s->pc) && w->n < w->max) {
        s->sp = sp;
        to = first(w, s, w->pc[w->n - 1], &sp);
    }
    if (to != ON)
        return to;
    while (sp && w->n < w->max) {
        if (!frame_flow_word(w->c, sp, TLB_LOAD, &back) || (back && back <= sp))
            return LOST;
        if (!back || !frame_flow_word(w->c, back + 4, TLB_LOAD, &up) ||
            began_here(up))
            return ROOT;
        if (!add(w, up, back, s))
            return SIGNAL;
        sp = back;
    }
    return w->n == w->max ? LOST : ROOT;
}

/* Where a function stands that has executed the instruction at pc: in front of
 * the next, unless it went elsewhere, which leaves all as it is. */
static ea_t behind_it(const struct core *c, const struct names *names, ea_t pc)
{
    ea_t home = markers_home(&names->markers, pc);
    struct insn i;
    uint32_t word;

    if (!frame_flow_word(c, home, TLB_FETCH, &word))
        return pc;
    isa_decode(&i, names_word(names, home, word));
    return i.flags & INSN_BRANCH && !(i.flags & INSN_LINK) ? pc : home + 4;
}

/* Linux searches its page tables without translation of data, and with r1 as
 * it was: the stack is where that says. */
static bool hides_stack(const struct core *c, const struct names *names)
{
    return names->real && c->cpu.msr & MSR_IR && !(c->cpu.msr & MSR_DR) &&
           c->cpu.gpr[1] >= names->real;
}

unsigned stack_walk(const struct core *c, const struct names *names,
                    bool behind, uint32_t *pc, unsigned max, bool *truncated)
{
    struct core user, mapped;
    struct climber w = {
        .c = c, .user = &user, .names = names, .pc = pc, .max = max};
    struct stop s = {.pc = behind ? behind_it(c, names, c->cpu.pc) : c->cpu.pc,
                     .lr = c->cpu.lr,
                     .sp = c->cpu.gpr[1],
                     .known = ~0u};
    struct stop at;
    enum climbed end;

    if (hides_stack(c, names)) {
        mapped = *c;
        mapped.cpu.msr |= MSR_DR;
        w.c = c = &mapped;
    }
    memcpy(s.gpr, c->cpu.gpr, sizeof s.gpr);
    pc[w.n++] = c->cpu.pc;
    /* On the way back from a handler: in one of those two instructions. Or on
     * the way to or from the handler of an interrupt. */
    if (max > 1 && (is_signal(&w, c->cpu.pc, s.sp, &at) ||
                    is_signal(&w, c->cpu.pc - 4, s.sp, &at))) {
        s = at;
        pc[w.n++] = s.pc + 4;
    } else if (max > 1 && in_trap(&w, behind, &s)) {
        pc[w.n++] = s.pc + 4;
    }
    while ((end = climb(&w, &s)) == SIGNAL)
        continue;
    *truncated = end == LOST;
    return w.n;
}
