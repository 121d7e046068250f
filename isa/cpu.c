/* cpu.c - power-on and exception entry.
 * Vectors are rows of exc.def; what is saved and changed: 604 UM ch. 4, 604e
 * technical summary p.28-30.
 */
#include <stddef.h>
#include <string.h>

#include "isa/insn.h"
#include "lib/base/snap.h"

static const struct {
    const char *name;
    uint32_t vector;
} excs[EXC_COUNT] = {
    [EXC_NONE] = {"NONE", 0},
#define EXC(name, vector, priority, kind, text) [EXC_##name] = {#name, vector},
#include "isa/exc.def"
#undef EXC
};

const char *isa_exc_name(enum exc e)
{
    return e < EXC_COUNT ? excs[e].name : NULL;
}

uint32_t isa_exc_vector(enum exc e)
{
    return e < EXC_COUNT ? excs[e].vector : 0;
}

void isa_reset(struct cpu *c, unsigned n)
{
    const struct port *port = c->port;

    memset(c, 0, sizeof *c);
    c->port = port;
    c->msr = MSR_IP;
    c->pvr = 0x00090204;
    c->pir = n;
    c->pc = 0xFFF00100;
    c->nia = c->pc;
}

/* Does SRR0 get the instruction itself (it did not complete), or the next? */
static bool saves_cause(const struct cpu *c, enum exc e)
{
    switch (e) {
    case EXC_PROGRAM:
        return !(c->cause & SRR1_NEXT);
    case EXC_RESET:
    case EXC_SC:
    case EXC_TRACE:
    case EXC_EXTERNAL:
    case EXC_PERFMON:
    case EXC_INDICATOR:
    case EXC_DECREMENTER:
        return false;
    default:
        return true;
    }
}

/* Does c->cause hold SRR1 bits? DSI and ALIGNMENT: DSISR bits instead. */
static bool cause_in_srr1(enum exc e)
{
    return e == EXC_MCHECK || e == EXC_ISI || e == EXC_PROGRAM;
}

void isa_enter(struct cpu *c, enum exc e)
{
    uint32_t old = c->msr;
    uint32_t kept = MSR_ILE | MSR_IP | (e == EXC_MCHECK ? 0 : MSR_ME);

    c->srr0 = saves_cause(c, e) ? c->pc : c->nia;
    c->srr1 = (old & SRR1_KEEP) | (cause_in_srr1(e) ? c->cause : 0);
    if (e == EXC_DSI || e == EXC_ALIGNMENT)
        c->dsisr = c->cause;
    c->msr = (old & kept) | (old & MSR_ILE ? MSR_LE : 0);
    c->nia = (old & MSR_IP ? 0xFFF00000u : 0) | isa_exc_vector(e);
    c->port->msr_changed(c->port->world, old, c->msr);
}

/* ---- save and load -------------------------------------------------------
 */

bool cpu_state(struct snap *s, struct cpu *c)
{
    snap_begin(s, "cpu", 2);
    SNAP_ARRAY(s, c->gpr);
    SNAP(s, c->cr);
    SNAP(s, c->xer);
    SNAP(s, c->lr);
    SNAP(s, c->ctr);
    SNAP(s, c->pc);
    SNAP(s, c->nia);
    SNAP(s, c->msr);
    SNAP_ARRAY(s, c->fpr);
    SNAP(s, c->fpscr);
    SNAP(s, c->srr0);
    SNAP(s, c->srr1);
    SNAP_ARRAY(s, c->sprg);
    SNAP(s, c->dar);
    SNAP(s, c->dsisr);
    SNAP(s, c->ear);
    SNAP(s, c->hid0);
    SNAP(s, c->hid1);
    SNAP(s, c->iabr);
    SNAP(s, c->dabr);
    SNAP(s, c->pir);
    SNAP(s, c->pvr);
    SNAP(s, c->sdr1);
    SNAP_ARRAY(s, c->sr);
    SNAP_ARRAY(s, c->ibat);
    SNAP_ARRAY(s, c->dbat);
    SNAP_SKIP(s, c->step, "of the instruction at work: each clears it first");
    SNAP(s, c->cause);
    SNAP_SKIP(s, c->port, "plugged in by port_init");
    return snap_end(s);
}
