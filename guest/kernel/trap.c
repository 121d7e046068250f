/* trap.c - every exception ends here. Interrupts are served; anything else
 * is a fault of the kernel, there being no user mode yet.
 */
#include "guest/kernel/defs.h"

#define VEC_EXTERNAL 0x500
#define VEC_DECREMENTER 0x900
#define VEC_PERFMON 0xF00
#define VEC_INDICATOR 0x1500

/* Off-level work first, then whoever deserves the CPU. The interrupted
 * thread may continue much later, and on another CPU. */
static void trap_leave(void)
{
    struct cpu *c = this_cpu();

    while (!c->in_backend && (c->backend_count || c->need_resched)) {
        backend_run(c);
        if (c->need_resched)
            preempt();
        c = this_cpu();
    }
}

/* In and out: interrupts off. */
void trap(uint32_t vector, struct trap_frame *f)
{
    struct cpu *c = this_cpu();

    switch (vector) {
    case VEC_EXTERNAL:
        if (pic_ack()) {
            sample_control(c);
            pif_control(c);
        }
        break;
    case VEC_DECREMENTER:
        tprof_tick(c, f);
        timer_interrupt(c);
        break;
    case VEC_PERFMON:
        trigger_interrupt(c);
        break;
    case VEC_INDICATOR:
        if (mfspr(SPR_PIFX) == PIFX_SAMPLED)
            followed_interrupt(c, f);
        else
            hotcall_interrupt(c, f);
        break;
    default:
        panic("exception %x at %x, lr %x, msr %x", vector, f->srr0, f->lr,
              f->srr1);
    }
    branches_thaw();
    trap_leave();
}
