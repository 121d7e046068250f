/* irq_sample.c - the sample interrupt, and telling the profiler.
 * The handler decides and latches; it allocates nothing and looks at no
 * stack. Everything else is left to the back-end.
 */
#include "guest/prof/idle/idle.h"

/* "Idle" is: no thread runs here, and the idle thread is not lending its
 * stack to off-level work. */
static bool cpu_rests(const struct cpu *c)
{
    return c->current == c->idle && !c->in_deferred_work && !c->deferred_count;
}

/* Latch what is to be sampled and leave the rest for later. False: there is no
 * profiler to tell. The lock is held; interrupts are off. */
bool sample_notify(struct cpu *c, uint32_t kind, const struct thread *target)
{
    struct sample s = {.kind = kind,
                       .by = IDLE_BY_BACKEND,
                       .tid = target->tid,
                       .pid = target->pid,
                       .cpu = c->number,
                       .at = time_now(),
                       .interrupted = c->current->tid,
                       .dispatches = target->dispatches,
                       .pc = target->pc};
    const struct idle_options *o = idle_options();
    bool direct = kind == IDLE_KIND_TO ? o->direct_to : o->direct_from;

    if (!sampler_registered())
        return false;
    if (!direct) {
        deferred_work_add(c, sample_begin, &s, sizeof s);
        return true;
    }
    s.by = kind == IDLE_KIND_TO ? IDLE_BY_IRQ : IDLE_BY_SCHED;
    sample_begin_locked(c, &s);
    return true;
}

/* Which idle interrupts give no to-idle sample is for the record: shares are
 * of all of them. */
static void record_unsampled(const struct cpu *c,
                             const struct schedmon_found *f)
{
    const struct sample *s = &idle_cpu(c)->area;

    if (!idle_options()->to_idle)
        return;
    if (f->seen == SEEN_NONE)
        trace_unsampled(c, UNSAMPLED_NONE, 0, 0);
    else if (f->seen == SEEN_SUPPRESSED)
        trace_unsampled(c, UNSAMPLED_OUTSTANDING, s->tid, s->pid);
    else if (f->seen == SEEN_IDLE)
        trace_unsampled(c, UNSAMPLED_AGAIN, 0, 0);
}

static void count(struct cpu *c, const struct schedmon_found *f)
{
    c->stat[STAT_INTERRUPTS]++;
    c->stat[STAT_BUSY] += f->seen == SEEN_BUSY;
    c->stat[STAT_SUPPRESSED] += f->seen == SEEN_SUPPRESSED;
    c->stat[STAT_NONE] += f->seen == SEEN_NONE;
    c->stat[STAT_SAMPLED_PERIODS] += f->first;
    idle_cpu(c)->flags_set += f->flag_set;
}

/* In handler context: interrupts off, the interrupted thread is `current`. */
void irq_sample(struct cpu *c)
{
    uint32_t msr = sched_lock();
    struct schedmon_found f =
        schedmon_interrupt(sampler_monitor(), c->number, cpu_rests(c));

    count(c, &f);
    record_unsampled(c, &f);
    if (f.seen == SEEN_TO_IDLE) {
        const struct thread *t = thread_by_tid(f.tid);

        if (t) {
            sample_notify(c, IDLE_KIND_TO, t);
        } else { /* dead and forgotten */
            c->stat[STAT_STALE]++;
            trace_unsampled(c, UNSAMPLED_ENDED, f.tid, f.pid);
        }
    }
    if (f.seen != SEEN_BUSY && f.seen != SEEN_SUPPRESSED)
        precapture_due(c);
    sched_unlock(msr);
}
