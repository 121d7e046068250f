/* trace_idle.c - records of samples, and of the idle interrupts without one. */
#include "guest/prof/idle/idle.h"

void trace_idle(const struct cpu *c, const struct sample *s, uint32_t number,
                const uint32_t *pcs, unsigned depth)
{
    uint32_t r[TRACE_HEAD + IDLE_WORDS + STACK_DEPTH], *w = r + TRACE_HEAD;

    record_put_idle_transition(w, s->kind);
    record_put_idle_by(w, s->by);
    record_put_idle_pid(w, s->pid);
    record_put_idle_number(w, number);
    record_put_idle_depth(w, depth);
    memcpy(record_tail_idle_stack(w), pcs, depth * 4);
    trace_put(c, r, REC_IDLE, s->tid, record_size_idle_stack(depth));
}

/* A sample interrupt found c idle and gave no sample: why, and whose it would
 * have been. */
void trace_unsampled(const struct cpu *c, uint32_t reason, uint32_t tid,
                     uint32_t pid)
{
    uint32_t r[TRACE_HEAD + UNSAMPLED_WORDS], *w = r + TRACE_HEAD;

    record_put_unsampled_reason(w, reason);
    record_put_unsampled_pid(w, pid);
    trace_put(c, r, REC_UNSAMPLED, tid, UNSAMPLED_WORDS);
}

void trace_precapture(const struct cpu *c, uint32_t event,
                      const struct thread *t, uint32_t round, unsigned depth)
{
    uint32_t r[TRACE_HEAD + PRECAPTURE_WORDS], *w = r + TRACE_HEAD;

    record_put_precapture_event(w, event);
    record_put_precapture_pid(w, t->pid);
    record_put_precapture_round(w, round);
    record_put_precapture_depth(w, depth);
    trace_put(c, r, REC_PRECAPTURE, t->tid, PRECAPTURE_WORDS);
}
