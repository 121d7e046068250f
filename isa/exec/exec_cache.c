/* exec_cache.c - ordering, cache control, external control (PEM 4.3, 4.4.3).
 * Caches hold no data in this house: these bodies check the address and note
 * the line; which line is where is the machine's business.
 */
#include "isa/mem.h"

#define X_FORM ea_x(c, i)

/* The first byte of the line of an address. */
static uint32_t line_of(const struct cpu *c, uint32_t address)
{
    return address & ~(c->port->line_bytes - 1);
}

/* Ordering: one instruction is over before the next begins here, so that
 * these three have nothing to do but be seen by timing. */
BODY(sync)
{
    (void)c, (void)i;
    return EXC_NONE;
}

BODY(eieio)
{
    (void)c, (void)i;
    return EXC_NONE;
}

BODY(isync)
{
    (void)c, (void)i;
    return EXC_NONE;
}

/* Cache control names the line of ea. The data breakpoint watches dcbz
 * alone. */
static enum exc line_op(struct cpu *c, ea_t ea, bool store,
                        enum access_kind kind)
{
    uint32_t bytes = c->port->line_bytes;
    pa_t pa = ea;
    enum exc e = EXC_NONE;

    if (mmu_direct_store(c, ea))
        return EXC_NONE; /* PEM 7.7.4: a no-op */
    if (c->msr & MSR_DR)
        e = mmu_data(c, ea, store, &pa);
    if (e)
        return e;
    pa = line_of(c, pa);
    mem_note(c, line_of(c, ea), pa, bytes, kind, !phys_is_ram(c, pa, bytes));
    return EXC_NONE;
}

/* A touch that would fault does nothing. */
static enum exc touch(struct cpu *c, ea_t ea, enum access_kind kind)
{
    uint32_t dar = c->dar;

    if (line_op(c, ea, false, kind))
        c->dar = dar;
    return EXC_NONE;
}

BODY(dcbt)
{
    return touch(c, X_FORM, ACCESS_TOUCH);
}

BODY(dcbtst)
{
    return touch(c, X_FORM, ACCESS_TOUCHST);
}

BODY(dcbst)
{
    return line_op(c, X_FORM, false, ACCESS_DCBST);
}

BODY(dcbf)
{
    return line_op(c, X_FORM, false, ACCESS_DCBF);
}

/* APPROX: caches hold no data here, so that dcbi cannot bring back what
 * memory held before; it changes tags only. Source: PEM ch. 8. Cost: none to
 * programs that do not rely on losing their stores. */
BODY(dcbi)
{
    if (c->msr & MSR_PR)
        return program(c, SRR1_PRIVILEGED);
    return line_op(c, X_FORM, true, ACCESS_DCBI);
}

BODY(dcbz)
{
    uint32_t bytes = c->port->line_bytes;
    ea_t ea = X_FORM, line = line_of(c, ea);
    pa_t pa;
    enum exc e;

    if (mmu_direct_store(c, ea))
        return EXC_NONE;
    e = mem_address(c, line, bytes, true, &pa);
    if (e) {
        c->dar = ea;
        return e;
    }
    if ((c->hid0 & (HID0_DCE | HID0_DLOCK)) != HID0_DCE ||
        !phys_is_ram(c, pa, bytes))
        return mem_misaligned(c, i, ea);
    if (mmu_wimg(c, ea, TLB_STORE) & (WIMG_W | WIMG_I))
        return mem_misaligned(c, i, line);
    mem_note(c, line, pa, bytes, ACCESS_DCBZ, false);
    memset(c->port->ram + pa, 0, bytes);
    phys_stored(c, pa, bytes);
    return EXC_NONE;
}

/* APPROX: fetch never sees stale instructions: records are dropped by the
 * store itself. Source: PEM ch. 5 (software must use dcbst, sync, icbi,
 * isync). Cost: a program that forgets them works here. */
BODY(icbi)
{
    const struct access *a;
    enum exc e = line_op(c, X_FORM, false, ACCESS_ICBI);

    if (e)
        return e;
    if (!c->step.accesses)
        return EXC_NONE;
    a = &c->step.access[0];
    if (!a->io && c->port->code_page[a->pa >> 12])
        c->port->code_written(c->port->world, a->pa, a->size);
    return EXC_NONE;
}

/* No device of the board knows external control: with EAR[E] on, the bus ends
 * the transfer with TEA, as bridges of the time do (MPC106 user's manual,
 * 9.2.2.2).
 *
 * APPROX: EAR comes before alignment, alignment before translation, when an
 * external access has more than one fault. Source: a choice. Cost: none. */
static enum exc external_control(struct cpu *c, const struct insn *i,
                                 bool is_store)
{
    ea_t ea = X_FORM;
    pa_t pa;
    enum exc e;

    if (!(c->ear & 0x80000000u)) {
        c->cause = 0x00100000u | (is_store ? 0x02000000u : 0);
        c->dar = ea;
        return EXC_DSI;
    }
    if (ea & 3)
        return mem_misaligned(c, i, ea);
    e = mmu_reserved(c, ea, is_store, true);
    if (!e)
        e = mem_address(c, ea, 4, is_store, &pa);
    if (e)
        return e;
    mem_note(c, ea, pa, 4, is_store ? ACCESS_STORE : ACCESS_LOAD, true);
    c->cause = SRR1_TEA;
    return EXC_MCHECK;
}

BODY(eciwx)
{
    return external_control(c, i, false);
}

BODY(ecowx)
{
    return external_control(c, i, true);
}
