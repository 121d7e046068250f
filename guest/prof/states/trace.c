/* trace.c - the way of records to the experiment: this CPU's trace window. What
 * is recorded is told by profilers (guest/prof/states/threads.c begins). The
 * port reads the record at the moment of the store, so it may lie on the stack.
 * Whether an experiment is written is not looked at: looking would change the
 * guest's time.
 */
#include "guest/prof/states/trace.h"

void trace_put(const struct cpu *c, uint32_t *record, uint32_t kind,
               uint32_t thread, uint32_t words)
{
    record[TRACE_HEAD_KIND] = kind << 16 | words;
    record[TRACE_HEAD_THREAD] = thread;
    __asm__ volatile("" : : : "memory");
    io_write(BOARD_TRACE + c->number * BOARD_TRACE_STRIDE + TRACE_RECORD,
             (uint32_t)record);
}
