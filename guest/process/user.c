/* user.c - in and out of user mode: what an exception there means, and what a
 * CPU needs when it goes from one process to another.
 */
#include "guest/process/user.h"

#include <asm/siginfo.h>

#include "guest/kernel/hook.h"
#include "guest/process/process.h"

#define VEC_DATA 0x300
#define VEC_INSN 0x400
#define VEC_ALIGNMENT 0x600
#define VEC_PROGRAM 0x700
#define VEC_FP 0x800
#define VEC_SYSCALL 0xC00

#define DSISR_STORE 0x02000000u
#define DSISR_NO_ENTRY 0x40000000u
#define DSISR_FORBIDDEN 0x08000000u
#define SRR1_FP 0x100000u
#define SRR1_PRIVILEGED 0x40000u
#define SRR1_TRAP 0x20000u

_Static_assert(sizeof(struct trap_frame) == TRAP_SIZE, "user.h");
_Static_assert(offsetof(struct user_frame, r1) == USER_R1, "user.h");
_Static_assert(offsetof(struct user_frame, dar) == USER_DAR, "user.h");
_Static_assert(offsetof(struct user_frame, asked_r3) == USER_ASKED_R3,
               "user.h");
_Static_assert(sizeof(struct user_frame) == USER_SIZE, "user.h");
_Static_assert(offsetof(struct cpu, current) == CPU_CURRENT, "user.h");

static uint32_t loaded[MAX_CPUS]; /* the space that a CPU's segments name */

/* ---- going from one to the other ----------------------------------------- */

/* Its floating point leaves the CPU's registers. Interrupts are off. */
static void fp_leave(struct task *t)
{
    if (!t->fp_here)
        return;
    fp_save(t->fp);
    t->fp_here = false;
    t->frame->trap.srr1 &= ~(uint32_t)MSR_FP;
}

void task_fp_settle(struct task *t)
{
    uint32_t msr = irq_save();

    fp_leave(t);
    irq_restore(msr);
}

void task_space_load(const struct task *t)
{
    uint32_t msr = irq_save();
    struct cpu *c = this_cpu();

    loaded[c->number] = t->process->space->number;
    space_load(t->process->space);
    irq_restore(msr);
}

static void on_switch(struct cpu *c, const struct thread *out)
{
    struct task *from = task_of(out), *to = task_of(c->current);

    if (from)
        fp_leave(from);
    if (!to || !to->process->space)
        return;
    mtspr(SPR_FRAME, to->frame);
    if (loaded[c->number] == to->process->space->number)
        return;
    loaded[c->number] = to->process->space->number;
    space_load(to->process->space);
}

static struct hook switch_hook = {.call = on_switch};

/* The kernel's own threads need no vectors that ask; processes do. */
void user_init(void)
{
    uint32_t bytes = (uint32_t)(process_vectors_end - process_vectors);
    char *to = (char *)vectors + 0x100;

    memcpy(to, process_vectors, bytes);
    insns_publish((uint32_t)to, bytes);
    hook_add(&switch_hooks, &switch_hook);
}

/* ---- exceptions ---------------------------------------------------------- */

/* An access that the translation refused. Interrupts are on. */
static void memory_fault(struct task *t, uint32_t at, uint32_t doing)
{
    static const struct {
        uint32_t signal, code;
    } of[] = {[FAULT_UNMAPPED] = {SIGSEGV, SEGV_MAPERR},
              [FAULT_FORBIDDEN] = {SIGSEGV, SEGV_ACCERR},
              [FAULT_BEYOND] = {SIGBUS, BUS_ADRERR}};
    enum fault fault = page_fault(t->process->space, at, doing);

    /* Without memory it asks again, unless its process ends. */
    if (fault != FAULT_NONE && fault != FAULT_MEMORY)
        signal_fault(t, of[fault].signal, of[fault].code, at);
}

uint32_t *user_register(struct user_frame *f, uint32_t n)
{
    return n == 0    ? &f->trap.r0
           : n == 1  ? &f->r1
           : n == 2  ? &f->r2
           : n <= 12 ? &f->trap.r3_r12[n - 3]
                     : &f->r13_r31[n - 13];
}

/* What Linux carries out for programs. */
static bool emulated(struct task *t, struct user_frame *f)
{
    FOR_TABLE (hook, refused) {
        if ((*hook)(t, f))
            return true;
    }
    return false;
}

static void program_fault(struct task *t, struct user_frame *f)
{
    if (f->trap.srr1 & SRR1_TRAP)
        signal_fault(t, SIGTRAP, TRAP_BRKPT, f->trap.srr0);
    else if (f->trap.srr1 & SRR1_FP)
        signal_fault(t, SIGFPE, FPE_FLTINV, f->trap.srr0);
    else
        signal_fault(t, SIGILL,
                     f->trap.srr1 & SRR1_PRIVILEGED ? ILL_PRVOPC : ILL_ILLOPC,
                     f->trap.srr0);
}

/* Served with interrupts on: it may wait. */
static void serve(uint32_t vector, struct task *t, struct user_frame *f)
{
    switch (vector) {
    case VEC_SYSCALL:
        call_serve(t, f);
        break;
    case VEC_DATA:
        if (f->dsisr & (DSISR_NO_ENTRY | DSISR_FORBIDDEN))
            memory_fault(t, f->dar,
                         f->dsisr & DSISR_STORE ? MAY_WRITE : MAY_READ);
        else
            signal_fault(t, SIGBUS, BUS_ADRALN, f->dar);
        break;
    case VEC_INSN:
        memory_fault(t, f->trap.srr0, MAY_RUN);
        break;
    case VEC_ALIGNMENT:
        if (!emulated(t, f))
            signal_fault(t, SIGBUS, BUS_ADRALN, f->dar);
        break;
    case VEC_PROGRAM:
        if (!emulated(t, f))
            program_fault(t, f);
        break;
    default: /* 604e: no other is left to a program */
        signal_fault(t, SIGTRAP, TRAP_BRKPT, f->trap.srr0);
    }
}

static void fp_arrive(struct task *t, struct user_frame *f)
{
    fp_load(t->fp);
    t->fp_here = true;
    f->trap.srr1 |= MSR_FP;
}

/* False: the task is to leave for good. Interrupts are off. */
static bool may_return(struct task *t)
{
    while (t->poked && !t->leaving && !t->process->ending) {
        irq_restore(MSR_RUN | MSR_EE);
        signals_serve(t);
        irq_save();
    }
    return !t->leaving && !t->process->ending;
}

bool user_trap(uint32_t vector, struct user_frame *f)
{
    struct task *t = task_current();

    t->vector = vector;
    hooks_call(&system_hooks, this_cpu(), current);
    switch (vector) {
    case VEC_EXTERNAL:
    case VEC_DECREMENTER:
    case VEC_PERFMON:
    case VEC_INDICATOR:
        trap(vector, &f->trap);
        break;
    case VEC_FP:
        fp_arrive(t, f);
        break;
    default:
        irq_restore(MSR_RUN | MSR_EE);
        serve(vector, t, f);
        irq_save();
    }
    if (!may_return(t))
        return false;
    hooks_call(&user_hooks, this_cpu(), current);
    return true;
}
