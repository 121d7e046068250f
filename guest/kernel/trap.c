/* trap.c - every exception ends here. Interrupts are served; anything else
 * is a fault of the kernel: what user mode does goes to guest/process/user.c.
 */
#include "guest/kernel/hook.h"

/* Off-level work first, then the thread of the highest priority. The
 * interrupted thread may continue much later, and on another CPU. */
static void trap_leave(void)
{
    struct cpu *c = this_cpu();

    while (!c->in_deferred_work && (c->deferred_count || c->need_resched)) {
        deferred_work_run(c);
        if (c->need_resched)
            preempt();
        c = this_cpu();
    }
}

void trap(uint32_t vector, struct trap_frame *f)
{
    struct cpu *c = this_cpu();
    uint32_t before = c->serving;

    c->serving = vector;
    switch (vector) {
    case VEC_EXTERNAL:
        if (pic_ack())
            cpu_answer(c);
        break;
    case VEC_DECREMENTER:
        timer_interrupt(c, f);
        break;
    case VEC_PERFMON:
        FOR_TABLE (hook, perfmon)
            (*hook)(c);
        break;
    case VEC_INDICATOR:
        FOR_TABLE (hook, marker)
            (*hook)(c, f);
        break;
    default:
        panic("exception %x at %x, lr %x, msr %x", vector, f->srr0, f->lr,
              f->srr1);
    }
    hooks_call(&trap_hooks, c, current);
    c->serving = before;
    trap_leave();
}
