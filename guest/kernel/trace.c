/* trace.c - records for the experiment, through this CPU's trace window.
 * The port reads the record at the moment of the store, so it may lie on the
 * stack. Whether anybody listens is nobody's business here: looking would
 * change the guest's time.
 */
#include "guest/kernel/defs.h"

/* Words before the payload. */
enum { HEAD_KIND, HEAD_THREAD, HEAD };

static void put(uint32_t window, uint32_t *record, uint32_t kind,
                uint32_t thread, uint32_t words)
{
    record[HEAD_KIND] = kind << 16 | words;
    record[HEAD_THREAD] = thread;
    __asm__ volatile("" : : : "memory");
    io_write(BOARD_TRACE + window * BOARD_TRACE_STRIDE + TRACE_RECORD,
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
    uint32_t r[HEAD + THREAD_WORDS + NAME_SIZE / 4], *w = r + HEAD;

    record_put_thread_pid(w, t->pid);
    record_put_thread_role(w, t->kind);
    memcpy(record_tail_thread_name(w), t->name, NAME_SIZE);
    put(this_cpu()->number, r, REC_THREAD, t->tid,
        record_size_thread_name(NAME_SIZE / 4));
}

void trace_switch(const struct cpu *c, const struct thread *out,
                  const struct thread *in)
{
    uint32_t r[HEAD + SWITCH_LEAST], *w = r + HEAD;
    bool there = out->kind == THREAD_IS_IDLE;

    record_put_switch_pid(w, in->pid);
    record_put_switch_out_pid(w, out->pid);
    record_put_switch_out_thread(w, out->tid);
    record_put_switch_out_state(w, there ? STATE_READY : out->state);
    record_put_switch_left(w, (uint32_t)__builtin_return_address(0));
    put(c->number, r, REC_SWITCH, in->tid, SWITCH_LEAST);
}

void trace_idle(const struct cpu *c, const struct sample *s, uint32_t number,
                const uint32_t *pcs, unsigned depth)
{
    uint32_t r[HEAD + IDLE_WORDS + STACK_DEPTH], *w = r + HEAD;

    record_put_idle_transition(w, s->kind);
    record_put_idle_by(w, s->by);
    record_put_idle_pid(w, s->pid);
    record_put_idle_number(w, number);
    record_put_idle_depth(w, depth);
    memcpy(record_tail_idle_stack(w), pcs, depth * 4);
    put(c->number, r, REC_IDLE, s->tid, record_size_idle_stack(depth));
}

/* A sample interrupt found c idle and gave no sample: why, and whose it would
 * have been. */
void trace_unsampled(const struct cpu *c, uint32_t reason, uint32_t tid,
                     uint32_t pid)
{
    uint32_t r[HEAD + UNSAMPLED_WORDS], *w = r + HEAD;

    record_put_unsampled_reason(w, reason);
    record_put_unsampled_pid(w, pid);
    put(c->number, r, REC_UNSAMPLED, tid, UNSAMPLED_WORDS);
}

/* An interrupting mark was met: where, how far it had counted, and the stack,
 * the next instruction first. */
void trace_trap(const struct cpu *c, uint32_t cause, uint32_t at, uint32_t data,
                uint32_t count, const uint32_t *pcs, unsigned depth)
{
    uint32_t r[HEAD + TRAP_WORDS + STACK_DEPTH], *w = r + HEAD;

    record_put_trap_cause(w, cause | TRAP_GUEST);
    record_put_trap_pc(w, at);
    record_put_trap_address(w, data);
    record_put_trap_count(w, count);
    record_put_trap_depth(w, depth);
    memcpy(record_tail_trap_stack(w), pcs, depth * 4);
    put(c->number, r, REC_TRAP, current->tid, record_size_trap_stack(depth));
}

/* An instruction that was followed; w has SAMPLED_WORDS, with the depth. */
void trace_sampled(const struct cpu *c, const uint32_t *w, const uint32_t *pcs)
{
    uint32_t r[HEAD + SAMPLED_WORDS + STACK_DEPTH];
    uint32_t depth = record_count_sampled_stack(w);

    memcpy(r + HEAD, w, SAMPLED_WORDS * 4);
    memcpy(record_tail_sampled_stack(r + HEAD), pcs, depth * 4);
    put(c->number, r, REC_SAMPLED, current->tid,
        record_size_sampled_stack(depth));
}

/* The latest n branches when the thread was at pc; each from and to. */
void trace_branches(const struct cpu *c, uint32_t pc, uint32_t n,
                    const uint32_t *pairs)
{
    uint32_t r[HEAD + BRANCHES_WORDS + 16], *w = r + HEAD;

    record_put_branches_pc(w, pc);
    record_put_branches_count(w, n);
    memcpy(record_tail_branches_pair(w), pairs, 2 * n * 4);
    put(c->number, r, REC_BRANCHES, current->tid, record_size_branches_pair(n));
}

/* All counters of c, in c's window. */
void trace_stats(const struct cpu *c)
{
    uint32_t r[HEAD + STAT_WORDS], *w = r + HEAD;

    for (uint32_t i = 1; i < STATS; i++) {
        record_put_stat_counter(w, i);
        record_put_stat_value(w, c->stat[i]);
        put(c->number, r, REC_STAT, 0, STAT_WORDS);
    }
}

/* Count something the workload finished, on the CPU that did it. */
void stat_add(uint32_t stat, uint32_t n)
{
    uint32_t msr = irq_save();

    this_cpu()->stat[stat] += n;
    irq_restore(msr);
}
