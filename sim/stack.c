/* stack.c - walking up. See stack.h.
 *
 * What gcc writes for a function is known: stwu r1 makes the frame, mflr and
 * a store into the caller's frame keep LR, the epilogue undoes both. Scanning
 * from the function's start to the stop tells how far it got; behind a blr in
 * the middle the state is that of the body again.
 * APPROX: the scan follows addresses, not branches, and knows nothing of the
 * out-of-line register saves of -Os. Source: SysV ABI PowerPC supplement, ch.
 * 3. Cost: none at -O0 to -O2 of tests/sim/stack_test.c; a caller missed or
 * doubled at a fifth of its instructions at -Os.
 */
#include "sim/stack.h"

#include "isa/mmu.h"
#include "sim/user/abi.h"

#define SCAN 4096u /* instructions looked at, at most */

struct leaf {
    bool framed;  /* r1 is this function's own */
    bool saved;   /* the way back is in the caller's frame */
    unsigned reg; /* ... or not yet: in this GPR; LR_REG: in LR */
};

#define LR_REG 32u

static bool word_at(const struct core *c, ea_t ea, enum tlb_kind kind,
                    uint32_t *value)
{
    const struct ram *r = c->with.ram;
    pa_t pa;

    if (ea % 4 || !mmu_peek(&c->cpu, ea, kind, &pa) || pa > r->size - 4)
        return false;
    *value = (uint32_t)r->bytes[pa] << 24 | (uint32_t)r->bytes[pa + 1] << 16 |
             (uint32_t)r->bytes[pa + 2] << 8 | r->bytes[pa + 3];
    return true;
}

/* What one instruction of a prologue or epilogue does to l. A second mflr, as
 * position-independent code has it, does not fetch the way back. */
static void follow(struct leaf *l, uint32_t w)
{
    unsigned d = w >> 21 & 31, a = w >> 16 & 31;

    if (w >> 16 == 0x9421 || (w & 0xFFFF07FF) == 0x7C21016E) {
        l->framed = true;                        /* stwu r1, stwux r1,r1 */
    } else if ((w & 0xFC1FFFFF) == 0x7C0802A6) { /* mflr */
        if (!l->saved && l->reg == LR_REG)
            l->reg = d;
    } else if (w >> 26 == 36 && d == l->reg && (a == 1 || a == 11)) {
        l->saved = true;
    } else if ((w & 0xFC1FFFFF) == 0x7C0803A6) { /* mtlr */
        l->saved = false;
        l->reg = LR_REG;
    } else if ((w >> 16 == 0x3821 && !(w & 0x8000)) || /* addi r1,r1,+n */
               w >> 16 == 0x8021 ||                    /* lwz r1,0(r1) */
               w >> 16 == 0x382B || w == 0x7D615B78) { /* or from r11 */
        l->framed = false;
    }
}

static struct leaf look(const struct core *c, const struct names *names,
                        ea_t pc)
{
    struct leaf now = {false, false, LR_REG}, body = now;
    uint32_t start, w;

    pc = markers_home(&names->markers, pc);
    if (!names_start(names, pc, &start) || pc - start > 4 * SCAN)
        return (struct leaf){true, true, LR_REG};
    for (; start < pc; start += 4) {
        if (!word_at(c, start, TLB_FETCH, &w))
            break;
        w = names_word(names, start, w);
        follow(&now, w);
        if (now.framed >= body.framed && now.saved >= body.saved)
            body = now;
        if (w == 0x4E800020) /* blr: what follows was branched to */
            now = body;
    }
    return now;
}

/* Registers where something stopped: the processor's own, or those that a
 * signal's frame keeps of what it interrupted. */
struct stop {
    uint32_t pc, lr, sp;
    ea_t saved; /* r0 and the others of a signal's frame; 0: the processor's */
};

struct climber {
    const struct core *c;
    const struct names *names;
    uint32_t *pc;
    unsigned n, max;
};

static uint32_t gpr(const struct climber *w, const struct stop *s, unsigned n)
{
    uint32_t value;

    if (!s->saved)
        return w->c->cpu.gpr[n];
    return word_at(w->c, s->saved + 4 * n, TLB_LOAD, &value) ? value : 0;
}

/* A handler returns to two instructions that make a call of the kernel; above
 * it on the stack, from sp on, is a frame that points to the registers of the
 * interrupted function (sim/user/frame.c). */
static bool is_signal(const struct climber *w, uint32_t up, ea_t sp,
                      struct stop *s)
{
    uint32_t call, sc;
    ea_t at = sp + FRAME_CALLER;

    if (!word_at(w->c, up, TLB_FETCH, &call) ||
        !word_at(w->c, up + 4, TLB_FETCH, &sc) || sc != 0x44000002 ||
        (call != (0x38000000 | 119) && call != (0x38000000 | 172)))
        return false;
    at += call & 1 ? 28 : 16 + ABI_SIGINFO + UCONTEXT_REGS;
    return word_at(w->c, at, TLB_LOAD, &s->saved) &&
           word_at(w->c, s->saved + 4 * GREG_NIP, TLB_LOAD, &s->pc) &&
           word_at(w->c, s->saved + 4 * GREG_LR, TLB_LOAD, &s->lr) &&
           word_at(w->c, s->saved + 4, TLB_LOAD, &s->sp);
}

/* One more caller, whose frame is at sp. A signal's frame stands for what it
 * interrupted, by the address behind the next instruction there, as a call
 * would leave it. False: that is where to go on from, in *s. */
static bool add(struct climber *w, uint32_t up, ea_t sp, struct stop *s)
{
    struct stop at;

    if (w->n == w->max)
        return true;
    if (!is_signal(w, up, sp, &at)) {
        w->pc[w->n++] = up;
        return true;
    }
    w->pc[w->n++] = at.pc + 4;
    *s = at;
    return false;
}

enum climbed { ROOT, SIGNAL, LOST };

/* Up from a stop, whose own pc is there already. SIGNAL: from *s again. */
static enum climbed climb(struct climber *w, struct stop *s)
{
    struct leaf l = look(w->c, w->names, s->pc);
    uint32_t link = l.reg == LR_REG ? s->lr : gpr(w, s, l.reg);
    ea_t sp = s->sp, back, up;

    /* A function that has kept LR but made no frame kept it at 4(r1). */
    if (!l.saved && link) {
        if (!l.framed || !word_at(w->c, sp, TLB_LOAD, &back))
            back = sp;
        if (!add(w, link, back, s))
            return SIGNAL;
    } else if (!l.framed && word_at(w->c, sp + 4, TLB_LOAD, &up)) {
        if (!add(w, up, sp, s))
            return SIGNAL;
    }
    if (l.framed) { /* its own frame lies between */
        if (!word_at(w->c, sp, TLB_LOAD, &back))
            return LOST;
        if (l.saved && back && word_at(w->c, back + 4, TLB_LOAD, &up) &&
            !add(w, up, back, s))
            return SIGNAL;
        sp = back;
    }
    while (sp && w->n < w->max) {
        if (!word_at(w->c, sp, TLB_LOAD, &back) || (back && back <= sp))
            return LOST;
        if (!back || !word_at(w->c, back + 4, TLB_LOAD, &up) || !up)
            return ROOT;
        if (!add(w, up, back, s))
            return SIGNAL;
        sp = back;
    }
    return w->n == w->max ? LOST : ROOT;
}

unsigned stack_walk(const struct core *c, const struct names *names,
                    uint32_t *pc, unsigned max, bool *truncated)
{
    struct climber w = {.c = c, .names = names, .pc = pc, .max = max};
    struct stop s = {.pc = c->cpu.pc, .lr = c->cpu.lr, .sp = c->cpu.gpr[1]};
    struct stop at;
    enum climbed end;

    pc[w.n++] = c->cpu.pc;
    /* On the way back from a handler: in one of those two instructions. */
    if (max > 1 && (is_signal(&w, c->cpu.pc, s.sp, &at) ||
                    is_signal(&w, c->cpu.pc - 4, s.sp, &at))) {
        pc[w.n++] = at.pc + 4;
        s = at;
    }
    while ((end = climb(&w, &s)) == SIGNAL)
        continue;
    *truncated = end == LOST;
    return w.n;
}
