/* deferred_work.c - off-level work: what a handler or the scheduler leaves for
 * a moment when interrupts may come again. Items run in order, each once, on
 * the CPU that queued them: behind the interrupt handler, on the stack of
 * the interrupted thread, or in the idle thread when the scheduler queued
 * them. No thread is dispatched in between.
 */
#include "guest/kernel/defs.h"

void deferred_work_add(struct cpu *c,
                       void (*worker)(struct cpu *c, const void *data),
                       const void *data, size_t bytes)
{
    unsigned n = c->deferred_count;

    if (n == DEFERRED_SLOTS || bytes > DEFERRED_BYTES)
        panic("deferred work has no room");
    c->deferred[n].worker = worker;
    memcpy(c->deferred[n].data, data, bytes);
    c->deferred_count = n + 1;
    c->queued++;
}

static struct deferred_item next_item(struct cpu *c)
{
    struct deferred_item item = c->deferred[0];

    c->deferred_count--;
    for (unsigned i = 0; i < c->deferred_count; i++)
        c->deferred[i] = c->deferred[i + 1];
    return item;
}

void deferred_work_run(struct cpu *c)
{
    if (c->in_deferred_work)
        return;
    c->in_deferred_work = true;
    while (c->deferred_count) {
        struct deferred_item item = next_item(c);
        uint32_t msr = msr_read();

        irq_restore(msr | MSR_EE);
        item.worker(c, item.data);
        c->worked += msr_read() & MSR_EE ? 1 : 0;
        irq_restore(msr);
    }
    c->in_deferred_work = false;
}
