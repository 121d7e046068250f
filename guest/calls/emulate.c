/* emulate.c - instructions that a program may not execute, or that the
 * processor leaves to the system, and that Linux carries out: mfpvr, which C
 * libraries ask; accesses that are not aligned, of floating point and of lmw
 * and stmw (604e user's manual, 4.5.6). The access's address is in DAR.
 */
#include <asm/siginfo.h>

#include "guest/kernel/hook.h"

#include "guest/calls/calls.h"

#define MFPVR 0x7C1F42A6u
#define SPR_PVR 287

#define VEC_ALIGNMENT 0x600

#define OP_EXTENDED 31u
#define OP_LMW 46u
#define OP_STMW 47u
#define OP_FLOAT 48u      /* to 55: lfs, lfsu, lfd, lfdu, stfs, ... */
#define X_FLOAT 535u      /* lfsx; the others have these */
#define X_FLOAT_BITS 224u /* bits beside it */
#define X_STFIWX 983u

/* What an access moves, by the lower three bits of the opcode. */
#define UPDATE 1u
#define DOUBLE 2u
#define STORE 4u
#define WORD 8u  /* stfiwx: as it is in the register */
#define MANY 16u /* lmw, stmw */

/* Of what is left to the system; 0: of nothing. It is 32 of lfs. */
static uint32_t access_of(uint32_t insn)
{
    uint32_t op = insn >> 26, extended = insn >> 1 & 0x3FF;

    if (op == OP_LMW || op == OP_STMW)
        return MANY | (op == OP_STMW ? STORE : 0);
    if (op >= OP_FLOAT && op < OP_FLOAT + 8)
        return 32 | (op - OP_FLOAT);
    if (op == OP_EXTENDED && (extended & ~X_FLOAT_BITS) == X_FLOAT)
        return 32 | ((extended & X_FLOAT_BITS) >> 5);
    return op == OP_EXTENDED && extended == X_STFIWX ? WORD | STORE : 0;
}

/* A single from a register's bits, and back. The processor does it, whose
 * floating point is of no task here. */
static uint32_t single_of(const uint64_t *value)
{
    uint32_t msr = irq_save(), bits;

    msr_write((msr & ~(uint32_t)MSR_EE) | MSR_FP);
    __asm__ volatile("lfd 0,0(%1)\n\tstfs 0,0(%2)"
                     :
                     : "m"(*value), "b"(value), "b"(&bits)
                     : "memory");
    irq_restore(msr);
    return bits;
}

static void single_to(uint64_t *value, const uint32_t *bits)
{
    uint32_t msr = irq_save();

    msr_write((msr & ~(uint32_t)MSR_EE) | MSR_FP);
    __asm__ volatile("lfs 0,0(%0)\n\tstfd 0,0(%1)"
                     :
                     : "b"(bits), "b"(value)
                     : "memory");
    irq_restore(msr);
}

static bool store(struct task *t, struct user_frame *f, uint32_t what,
                  uint32_t d)
{
    uint64_t *value = &t->fp[d];
    uint32_t w[32], n = 0;

    if (what & MANY) {
        for (; d < 32; d++)
            w[n++] = *user_register(f, d);
    } else {
        w[n++] = what & DOUBLE ? (uint32_t)(*value >> 32)
                 : what & WORD ? (uint32_t)*value
                               : single_of(value);
        if (what & DOUBLE)
            w[n++] = (uint32_t)*value;
    }
    return copy_out(t->process->space, f->dar, w, 4 * n);
}

static bool load(struct task *t, struct user_frame *f, uint32_t what,
                 uint32_t d)
{
    uint32_t w[32], n = what & MANY ? 32 - d : what & DOUBLE ? 2 : 1;

    if (!copy_in(t->process->space, w, f->dar, 4 * n))
        return false;
    if (what & MANY) {
        for (n = 0; d < 32; d++)
            *user_register(f, d) = w[n++];
    } else if (what & DOUBLE) {
        t->fp[d] = (uint64_t)w[0] << 32 | w[1];
    } else {
        single_to(&t->fp[d], w);
    }
    return true;
}

/* The next one is next, also where a mark had interrupted this one. */
static void pass(struct user_frame *f)
{
    f->trap.srr0 += 4;
    f->trap.srr1 &= ~(uint32_t)SRR1_RESUME;
}

static bool misaligned(struct task *t, struct user_frame *f, uint32_t insn)
{
    uint32_t what = access_of(insn), d = insn >> 21 & 31;

    if (!what)
        return false;
    task_fp_settle(t);
    if (what & STORE ? !store(t, f, what, d) : !load(t, f, what, d)) {
        signal_fault(t, SIGSEGV, SEGV_MAPERR, f->dar);
        return true;
    }
    if (what & UPDATE)
        *user_register(f, insn >> 16 & 31) = f->dar;
    pass(f);
    return true;
}

static bool carry_out(struct task *t, struct user_frame *f)
{
    uint32_t insn;

    if (!copy_in(t->process->space, &insn, f->trap.srr0, 4))
        return false;
    if (f->vector == VEC_ALIGNMENT)
        return misaligned(t, f, insn);
    if ((insn & 0xFC1FFFFF) != MFPVR)
        return false;
    *user_register(f, insn >> 21 & 31) = mfspr(SPR_PVR);
    pass(f);
    return true;
}
HOOK(refused, 100, carry_out);
