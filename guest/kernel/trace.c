/* trace.c - the way of records to the experiment: this CPU's trace window. What
 * is recorded is told by profilers (guest/prof/states/threads.c begins). The
 * port reads the record at the moment of the store, so it may lie on the stack.
 * Whether an experiment is written is not looked at: looking would change the
 * guest's time.
 */
#include "guest/kernel/defs.h"

void trace_put(const struct cpu *c, uint32_t *record, uint32_t kind,
               uint32_t thread, uint32_t words)
{
    record[TRACE_HEAD_KIND] = kind << 16 | words;
    record[TRACE_HEAD_THREAD] = thread;
    __asm__ volatile("" : : : "memory");
    io_write(BOARD_TRACE + c->number * BOARD_TRACE_STRIDE + TRACE_RECORD,
             (uint32_t)record);
}

void trace_context(const struct thread *t)
{
    io_write(BOARD_TRACE + this_cpu()->number * BOARD_TRACE_STRIDE +
                 TRACE_CONTEXT,
             t->tid);
}

/* Count something the workload finished, on the CPU that did it. */
void stat_add(uint32_t stat, uint32_t n)
{
    uint32_t msr = irq_save();

    this_cpu()->stat[stat] += n;
    irq_restore(msr);
}
