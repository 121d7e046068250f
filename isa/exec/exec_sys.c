/* exec_sys.c - special registers, MSR, segment registers, rfi, TLB (PEM
 * 4.2.5, 4.4). What has effects beyond struct cpu is told to the port.
 */
#include <stddef.h>

#include "isa/exec/body.h"
#include "isa/fp.h"
#include "isa/mmu.h"
#include "isa/table.h"

#define RS (GPR(d))

/* MSR bits that the 604e has, and those that rfi takes from SRR1 (POW goes
 * to 0, ILE stays). */
#define MSR_BITS 0x0005FF77u
#define XER_BITS 0xE000007Fu

BODY(illegal)
{
    (void)i;
    return program(c, SRR1_ILLEGAL);
}

static inline bool user_mode(const struct cpu *c)
{
    return c->msr & MSR_PR;
}

static void msr_set(struct cpu *c, uint32_t msr)
{
    uint32_t old = c->msr;

    c->msr = msr & MSR_BITS;
    c->port->msr_changed(c->port->world, old, c->msr);
}

/* FE0 or FE1 came on while FPSCR[FEX] was waiting: a program exception
 * whose SRR0 is the next instruction (PEM 6.4.7). */
static enum exc msr_done(struct cpu *c)
{
    if ((c->msr & (MSR_FE0 | MSR_FE1)) && (c->msr & MSR_FP) &&
        (c->fpscr & FPSCR_FEX))
        return program(c, SRR1_FP | SRR1_NEXT);
    return EXC_NONE;
}

BODY(mtmsr)
{
    if (user_mode(c))
        return program(c, SRR1_PRIVILEGED);
    msr_set(c, RS);
    return msr_done(c);
}

BODY(mfmsr)
{
    if (user_mode(c))
        return program(c, SRR1_PRIVILEGED);
    RS = c->msr;
    return EXC_NONE;
}

BODY(rfi)
{
    (void)i;
    if (user_mode(c))
        return program(c, SRR1_PRIVILEGED);
    c->nia = c->srr0 & ~3u;
    msr_set(c, (c->srr1 & SRR1_KEEP) | (c->msr & MSR_ILE));
    return msr_done(c);
}

/* The row of a special register that may be touched now; NULL: c->cause
 * says why not. */
static const struct spr *spr_allowed(struct cpu *c, unsigned n)
{
    const struct spr *s = spr_find(n);

    c->cause = (n & 0x10) && user_mode(c) ? SRR1_PRIVILEGED : SRR1_ILLEGAL;
    if (c->cause == SRR1_PRIVILEGED || !s || !spr_there(c, s))
        return NULL;
    return s;
}

static uint32_t *spr_field(struct cpu *c, const struct spr *s)
{
    return (uint32_t *)(void *)((char *)c + s->offset);
}

/* LR and CTR, which are there for everyone and have no effect. */
static inline uint32_t *flow_register(struct cpu *c, const struct insn *i)
{
    return i->spr == 8 ? &c->lr : i->spr == 9 ? &c->ctr : NULL;
}

BODY(mfspr)
{
    const uint32_t *flow = flow_register(c, i);
    const struct spr *s;

    if (flow) {
        RS = *flow;
        return EXC_NONE;
    }
    s = spr_allowed(c, i->spr);
    if (!s || !s->reads)
        return EXC_PROGRAM;
    RS = s->stored ? *spr_field(c, s)
                   : c->port->spr_read(c->port->world, i->spr);
    return EXC_NONE;
}

static void forget_all(struct cpu *c)
{
    if (c->port->tlb)
        tlb_clear(c->port->tlb);
}

BODY(mtspr)
{
    uint32_t *flow = flow_register(c, i), v = RS;
    const struct spr *s;

    if (flow) {
        *flow = v;
        return EXC_NONE;
    }
    s = spr_allowed(c, i->spr);
    if (!s || !s->writes)
        return EXC_PROGRAM;
    if (i->spr == 1)
        v &= XER_BITS;
    if (s->stored)
        *spr_field(c, s) = v;
    if (s->asked)
        c->port->spr_write(c->port->world, i->spr, v);
    c->hid0 &= ~(HID0_ICFI | HID0_DCFI); /* done at once */
    if (isa_translates(i->spr))
        forget_all(c);
    if (isa_is_sprg3(i->spr) && c->port->sprg3_written)
        c->port->sprg3_written(c->port->world);
    return EXC_NONE;
}

BODY(mftb)
{
    RS = c->port->spr_read(c->port->world, i->spr);
    return EXC_NONE;
}

BODY(mtcrf)
{
    uint32_t m = 0;

    for (unsigned n = 0; n < 8; n++)
        if (i->sh & 0x80u >> n)
            m |= 0xF0000000u >> 4 * n;
    c->cr = (c->cr & ~m) | (RS & m);
    return EXC_NONE;
}

BODY(mfcr)
{
    RS = c->cr;
    return EXC_NONE;
}

BODY(mcrxr)
{
    cr_set(c, i->d, c->xer >> 28);
    c->xer &= 0x0FFFFFFFu;
    return EXC_NONE;
}

static enum exc sr_write(struct cpu *c, unsigned n, uint32_t v)
{
    if (user_mode(c))
        return program(c, SRR1_PRIVILEGED);
    c->sr[n] = v;
    forget_all(c);
    return EXC_NONE;
}

static enum exc sr_read(struct cpu *c, unsigned n, uint32_t *v)
{
    if (user_mode(c))
        return program(c, SRR1_PRIVILEGED);
    *v = c->sr[n];
    return EXC_NONE;
}

BODY(mtsr)
{
    return sr_write(c, i->a, RS);
}

BODY(mtsrin)
{
    return sr_write(c, GPR(b) >> 28, RS);
}

BODY(mfsr)
{
    return sr_read(c, i->a, &RS);
}

BODY(mfsrin)
{
    return sr_read(c, GPR(b) >> 28, &RS);
}

BODY(tlbie)
{
    const struct port *p = c->port;

    if (user_mode(c))
        return program(c, SRR1_PRIVILEGED);
    if (p->tlb_invalidate)
        p->tlb_invalidate(p->world, GPR(b));
    else if (p->tlb)
        tlb_forget(p->tlb, GPR(b));
    return EXC_NONE;
}

BODY(tlbsync)
{
    (void)i;
    return user_mode(c) ? program(c, SRR1_PRIVILEGED) : EXC_NONE;
}
