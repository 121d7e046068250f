/* exec_pif.c - the instructions of the instrumentation facility, which the
 * 604e does not have (docs/pif.md 9).
 */
#include "isa/mem.h"

/* The address of a count: translated as a load of the word. */
static enum exc count_read(struct cpu *c, const struct insn *i, bool data,
                           bool clear)
{
    ea_t ea = ((i->a ? c->gpr[i->a] : 0) + c->gpr[i->b]) & ~3u;
    pa_t pa;
    enum exc e;

    if (!(c->hid0 & HID0_PIFE))
        return program(c, SRR1_ILLEGAL);
    if (clear && c->msr & MSR_PR)
        return program(c, SRR1_PRIVILEGED);
    e = mem_address(c, ea, 4, false, &pa);
    if (e)
        return e;
    c->gpr[i->d] = c->port->pif_count(c->port->world, pa, data, clear);
    return EXC_NONE;
}

BODY(rdac)
{
    return count_read(c, i, true, false);
}

BODY(rdacz)
{
    return count_read(c, i, true, true);
}

BODY(rdic)
{
    return count_read(c, i, false, false);
}

BODY(rdicz)
{
    return count_read(c, i, false, true);
}

BODY(pifsync)
{
    (void)i;
    if (!(c->hid0 & HID0_PIFE))
        return program(c, SRR1_ILLEGAL);
    if (c->msr & MSR_PR)
        return program(c, SRR1_PRIVILEGED);
    c->port->pif_sync(c->port->world);
    return EXC_NONE;
}

BODY(pmark)
{
    if (!c->port->pif_marker ||
        !c->port->pif_marker(c->port->world, c->pc, i->d, (uint32_t)i->imm))
        return program(c, SRR1_ILLEGAL);
    return EXC_NONE;
}
