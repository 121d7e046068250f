/* trace.c - records for the experiment, through this CPU's trace window.
 * The port reads the record at the moment of the store, so it may lie on the
 * stack. Whether an experiment is written is not looked at: looking would
 * change the guest's time.
 */
#include "guest/kernel/defs.h"

/* A record about `thread`, in c's window: TRACE_HEAD words that are filled in
 * here, then `words` of payload. */
void trace_put(const struct cpu *c, uint32_t *record, uint32_t kind,
               uint32_t thread, uint32_t words)
{
    record[TRACE_HEAD_KIND] = kind << 16 | words;
    record[TRACE_HEAD_THREAD] = thread;
    __asm__ volatile("" : : : "memory");
    io_write(BOARD_TRACE + c->number * BOARD_TRACE_STRIDE + TRACE_RECORD,
             (uint32_t)record);
}

/* From here on the oracle charges t. */
void trace_context(const struct thread *t)
{
    io_write(BOARD_TRACE + this_cpu()->number * BOARD_TRACE_STRIDE +
                 TRACE_CONTEXT,
             t->tid);
}

void trace_thread(const struct thread *t)
{
    uint32_t r[TRACE_HEAD + THREAD_WORDS + NAME_SIZE / 4], *w = r + TRACE_HEAD;

    record_put_thread_pid(w, t->pid);
    record_put_thread_role(w, t->kind);
    memcpy(record_tail_thread_name(w), t->name, NAME_SIZE);
    trace_put(this_cpu(), r, REC_THREAD, t->tid,
              record_size_thread_name(NAME_SIZE / 4));
}

void trace_switch(const struct cpu *c, const struct thread *out,
                  const struct thread *in)
{
    uint32_t r[TRACE_HEAD + SWITCH_LEAST], *w = r + TRACE_HEAD;
    bool there = out->kind == THREAD_IS_IDLE;

    record_put_switch_pid(w, in->pid);
    record_put_switch_out_pid(w, out->pid);
    record_put_switch_out_thread(w, out->tid);
    record_put_switch_out_state(w, there ? STATE_READY : out->state);
    record_put_switch_left(w, (uint32_t)__builtin_return_address(0));
    trace_put(c, r, REC_SWITCH, in->tid, SWITCH_LEAST);
}

/* All counters of c, in c's window. */
void trace_stats(const struct cpu *c)
{
    uint32_t r[TRACE_HEAD + STAT_WORDS], *w = r + TRACE_HEAD;

    for (uint32_t i = 1; i < STATS; i++) {
        record_put_stat_counter(w, i);
        record_put_stat_value(w, c->stat[i]);
        trace_put(c, r, REC_STAT, 0, STAT_WORDS);
    }
}

/* Count something the workload finished, on the CPU that did it. */
void stat_add(uint32_t stat, uint32_t n)
{
    uint32_t msr = irq_save();

    this_cpu()->stat[stat] += n;
    irq_restore(msr);
}
