/* trace.c - records for the experiment, through this CPU's trace window.
 * The port reads the record at the moment of the store, so it may lie on the
 * stack. Whether anybody listens is nobody's business here: looking would
 * change the guest's time.
 */
#include "guest/kernel/defs.h"

#define HEAD 2 /* words before the payload */

static void put(uint32_t window, uint32_t *record, uint32_t kind,
                uint32_t thread, uint32_t words)
{
    record[0] = kind << 16 | words;
    record[1] = thread;
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
    uint32_t r[HEAD + 2 + NAME_SIZE / 4];

    r[HEAD] = t->pid;
    r[HEAD + 1] = t->kind;
    memcpy(&r[HEAD + 2], t->name, NAME_SIZE);
    put(this_cpu()->number, r, REC_THREAD, t->tid, 2 + NAME_SIZE / 4);
}

void trace_switch(const struct cpu *c, const struct thread *out,
                  const struct thread *in)
{
    uint32_t r[HEAD + SWITCH_WORDS];
    bool there = out->kind == THREAD_IS_IDLE;

    r[HEAD] = in->pid;
    r[HEAD + 1] = out->pid;
    r[HEAD + 2] = out->tid;
    r[HEAD + 3] = there ? STATE_READY : out->state;
    r[HEAD + 4] = (uint32_t)__builtin_return_address(0);
    put(c->number, r, REC_SWITCH, in->tid, SWITCH_WORDS);
}

void trace_idle(const struct cpu *c, const struct sample *s, uint32_t number,
                const uint32_t *pcs, unsigned depth)
{
    uint32_t r[HEAD + IDLE_WORDS + STACK_DEPTH];

    r[HEAD] = s->kind;
    r[HEAD + 1] = s->by;
    r[HEAD + 2] = s->pid;
    r[HEAD + 3] = number;
    r[HEAD + 4] = depth;
    memcpy(&r[HEAD + IDLE_WORDS], pcs, depth * 4);
    put(c->number, r, REC_IDLE, s->tid, IDLE_WORDS + depth);
}

/* A sample interrupt found c idle and gave no sample: why, and whose it would
 * have been. */
void trace_unsampled(const struct cpu *c, uint32_t reason, uint32_t tid,
                     uint32_t pid)
{
    uint32_t r[HEAD + UNSAMPLED_WORDS];

    r[HEAD] = reason;
    r[HEAD + 1] = pid;
    put(c->number, r, REC_UNSAMPLED, tid, UNSAMPLED_WORDS);
}

/* An interrupting mark was met: where, how far it had counted, and the stack,
 * the next instruction first. */
void trace_trap(const struct cpu *c, uint32_t cause, uint32_t at, uint32_t data,
                uint32_t count, const uint32_t *pcs, unsigned depth)
{
    uint32_t r[HEAD + TRAP_WORDS + STACK_DEPTH];

    r[HEAD] = cause | TRAP_GUEST;
    r[HEAD + 1] = at;
    r[HEAD + 2] = data;
    r[HEAD + 3] = 0;
    r[HEAD + 4] = count;
    r[HEAD + 5] = depth;
    memcpy(&r[HEAD + TRAP_WORDS], pcs, depth * 4);
    put(c->number, r, REC_TRAP, current->tid, TRAP_WORDS + depth);
}

/* An instruction that was followed; w has SAMPLED_WORDS, the depth last. */
void trace_sampled(const struct cpu *c, const uint32_t *w, const uint32_t *pcs)
{
    uint32_t r[HEAD + SAMPLED_WORDS + STACK_DEPTH];
    uint32_t depth = w[SAMPLED_WORDS - 1];

    memcpy(&r[HEAD], w, SAMPLED_WORDS * 4);
    memcpy(&r[HEAD + SAMPLED_WORDS], pcs, depth * 4);
    put(c->number, r, REC_SAMPLED, current->tid, SAMPLED_WORDS + depth);
}

/* The latest n branches when the thread was at pc; each from and to. */
void trace_branches(const struct cpu *c, uint32_t pc, uint32_t n,
                    const uint32_t *pairs)
{
    uint32_t r[HEAD + BRANCHES_WORDS + 16];

    r[HEAD] = pc;
    r[HEAD + 1] = n;
    memcpy(&r[HEAD + BRANCHES_WORDS], pairs, 2 * n * 4);
    put(c->number, r, REC_BRANCHES, current->tid, BRANCHES_WORDS + 2 * n);
}

/* All counters of c, in c's window. */
void trace_stats(const struct cpu *c)
{
    uint32_t r[HEAD + 3];

    for (uint32_t i = 1; i < STATS; i++) {
        r[HEAD] = i;
        r[HEAD + 1] = 0;
        r[HEAD + 2] = c->stat[i];
        put(c->number, r, REC_STAT, 0, 3);
    }
}

/* Count something the workload finished, on the CPU that did it. */
void stat_add(uint32_t stat, uint32_t n)
{
    uint32_t msr = irq_save();

    this_cpu()->stat[stat] += n;
    irq_restore(msr);
}
