/* deferred_work.c - off-level work: what a handler or the scheduler leaves for
 * a moment when interrupts may come again. Items run in order, each once, on
 * the CPU that queued them: behind the interrupt handler, on the stack of
 * whoever was interrupted, or in the idle thread when the scheduler queued
 * them. Nobody is dispatched in between.
 */
#include "guest/kernel/defs.h"

/* Interrupts are off. */
void backend_queue(struct cpu *c,
                   void (*worker)(struct cpu *, const struct sample *),
                   const struct sample *data)
{
    unsigned n = c->backend_count;

    if (n == BACKEND_SLOTS)
        panic("back-end queue is full");
    c->backend[n].worker = worker;
    c->backend[n].data = *data;
    c->backend_count = n + 1;
    c->queued++;
}

static struct backend_item backend_next(struct cpu *c)
{
    struct backend_item item = c->backend[0];

    c->backend_count--;
    for (unsigned i = 0; i < c->backend_count; i++)
        c->backend[i] = c->backend[i + 1];
    return item;
}

/* In and out: interrupts off. Workers run with interrupts on. */
void backend_run(struct cpu *c)
{
    if (c->in_backend)
        return;
    c->in_backend = true;
    while (c->backend_count) {
        struct backend_item item = backend_next(c);
        uint32_t msr = msr_read();

        irq_restore(msr | MSR_EE);
        item.worker(c, &item.data);
        c->worked += msr_read() & MSR_EE ? 1 : 0;
        irq_restore(msr);
    }
    c->in_backend = false;
}
