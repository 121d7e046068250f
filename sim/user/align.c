/* align.c - accesses that the 604e leaves to the system because they are not
 * aligned: floating-point words and double words, lmw and stmw (604e
 * technical summary p.30). Reservations are not for the system to make.
 */
#include "sim/user/process.h"

#include "isa/single.h"
#include "lib/base/big_endian.h"

/* Bytes that one instruction moves. */
static unsigned size_of(const struct insn *i)
{
    switch (i->op) {
    case OP_LFD:
    case OP_LFDU:
    case OP_LFDX:
    case OP_LFDUX:
    case OP_STFD:
    case OP_STFDU:
    case OP_STFDX:
    case OP_STFDUX:
        return 8;
    case OP_LMW:
    case OP_STMW:
        return 4 * (32u - i->d);
    case OP_LFS:
    case OP_LFSU:
    case OP_LFSX:
    case OP_LFSUX:
    case OP_STFS:
    case OP_STFSU:
    case OP_STFSX:
    case OP_STFSUX:
    case OP_STFIWX:
        return 4;
    default:
        return 0;
    }
}

static void take(struct cpu *c, const struct insn *i, const uint8_t *b)
{
    if (i->op == OP_LMW)
        for (unsigned r = i->d; r < 32; r++, b += 4)
            c->gpr[r] = be_get32(b);
    else if (size_of(i) == 8)
        c->fpr[i->d] = be_get64(b);
    else
        c->fpr[i->d] = fp_widen(be_get32(b));
}

static void give(const struct cpu *c, const struct insn *i, uint8_t *b)
{
    if (i->op == OP_STMW)
        for (unsigned r = i->d; r < 32; r++, b += 4)
            be_put32(b, c->gpr[r]);
    else if (size_of(i) == 8)
        be_put64(b, c->fpr[i->d]);
    else if (i->op == OP_STFIWX)
        be_put32(b, (uint32_t)c->fpr[i->d]);
    else
        be_put32(b, fp_store_single(c->fpr[i->d]));
}

bool align_emulate(struct call *k, bool *bad)
{
    struct cpu *c = &k->core->cpu;
    struct space *s = &k->u->space;
    uint8_t b[128];
    struct insn i;
    uint32_t word;
    unsigned size;

    if (!space_read32(s, c->pc, &word))
        return false;
    isa_decode(&i, word);
    size = size_of(&i);
    if (!size)
        return false;
    if (i.flags & INSN_STORE)
        give(c, &i, b);
    if (i.flags & INSN_STORE ? !space_write(s, c->dar, b, size)
                             : !space_read(s, c->dar, b, size)) {
        *bad = true;
        return false;
    }
    if (!(i.flags & INSN_STORE))
        take(c, &i, b);
    if (i.flags & INSN_UPDATE)
        c->gpr[i.a] = c->dar;
    c->pc += 4;
    return true;
}
