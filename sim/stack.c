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

    if (!names_start(names, pc, &start) || pc - start > 4 * SCAN)
        return (struct leaf){true, true, LR_REG};
    for (; start < pc; start += 4) {
        if (!word_at(c, start, TLB_FETCH, &w))
            break;
        follow(&now, w);
        if (now.framed >= body.framed && now.saved >= body.saved)
            body = now;
        if (w == 0x4E800020) /* blr: what follows was branched to */
            now = body;
    }
    return now;
}

unsigned stack_walk(const struct core *c, const struct names *names,
                    uint32_t *pc, unsigned max, bool *truncated)
{
    struct leaf l = look(c, names, c->cpu.pc);
    uint32_t link = l.reg == LR_REG ? c->cpu.lr : c->cpu.gpr[l.reg];
    ea_t sp = c->cpu.gpr[1], back, up;
    unsigned n = 0;

    *truncated = false;
    pc[n++] = c->cpu.pc;
    /* A function that has kept LR but made no frame kept it at 4(r1). */
    if (!l.saved && n < max && link)
        pc[n++] = link;
    else if (!l.framed && n < max && word_at(c, sp + 4, TLB_LOAD, &up))
        pc[n++] = up;
    if (l.framed) { /* its own frame lies between */
        if (!word_at(c, sp, TLB_LOAD, &back)) {
            *truncated = true;
            return n;
        }
        if (l.saved && n < max && back && word_at(c, back + 4, TLB_LOAD, &up))
            pc[n++] = up;
        sp = back;
    }
    while (sp && n < max) {
        if (!word_at(c, sp, TLB_LOAD, &back) || (back && back <= sp)) {
            *truncated = true;
            return n;
        }
        if (!back || !word_at(c, back + 4, TLB_LOAD, &up) || !up)
            return n;
        pc[n++] = up;
        sp = back;
    }
    *truncated = n == max;
    return n;
}
