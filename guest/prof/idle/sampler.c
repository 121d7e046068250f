/* sampler.c - the profiler: one sampler thread per CPU, pinned, of the
 * highest priority, and the life of one sample.
 *
 *   notified   irq_sample.c or the switch hook below
 *   begun      sample_begin: outstanding, target confined here, sampler woken
 *              (strategy.c: or not confined, to compare)
 *   captured   the sampler walks the target's stack
 *   released   the target may go anywhere it could before
 *   recorded   trace record, call-stack tree
 *   complete   not outstanding any more, interrupt re-armed
 *
 * With fromidle=precapture only to-idle samples have such a life; those from
 * idle are told in precapture.c.
 */
#include "guest/prof/idle/idle.h"

#define TREE_NODES 4096

static struct schedmon monitor;
static struct stack_tree tree;
static struct spinlock tree_lock;
static volatile bool registered; /* there is a profiler to notify */
static struct idle_cpu idle_cpus[MAX_CPUS];
static stack_join *join; /* NULL: there is nothing beyond the kernel */

void sampler_join(stack_join *f)
{
    join = f;
}

struct idle_cpu *idle_cpu(const struct cpu *c)
{
    return &idle_cpus[c->number];
}

struct schedmon *sampler_monitor(void)
{
    return &monitor;
}

struct stack_tree *sampler_tree(void)
{
    return &tree;
}

bool sampler_registered(void)
{
    return registered;
}

/* Nothing became of a notification: the thread is free again. */
static void drop(struct cpu *c, struct thread *t, const struct sample *s)
{
    if (s->kind == IDLE_KIND_FROM && t)
        t->held = false;
    if (c->current == c->idle)
        c->need_resched = true;
}

/* A to-idle target must still be blocked where it left this CPU. It may have
 * been woken since, have run elsewhere, blocked again or not, or be another
 * CPU's target by now; it may have run elsewhere when it was chosen already.
 * The reason why the sample is stale, or 0. */
static uint32_t sample_stale(const struct thread *t, const struct sample *s)
{
    if (s->kind == IDLE_KIND_FROM && t)
        return 0;
    if (!t || t->state == STATE_DEAD)
        return UNSAMPLED_ENDED;
    if (t->held || t->dispatches != s->dispatches || t->cpu->number != s->cpu)
        return UNSAMPLED_MOVED;
    return t->state == STATE_BLOCKED || t->state == STATE_SLEEPING
               ? 0
               : UNSAMPLED_RUNNABLE;
}

static void count_overlap(struct cpu *c)
{
    for (unsigned i = 0; i < machine_cpus(); i++) {
        if (i != c->number && monitor.cpu[i].outstanding) {
            idle_cpu(c)->overlaps++;
            return;
        }
    }
}

/* Mark, confine, wake. The lock is held. */
void sample_begin_locked(struct cpu *c, const struct sample *s)
{
    struct thread *t = thread_by_tid(s->tid);
    uint32_t stale = sample_stale(t, s);

    if (stale) {
        c->stat[STAT_STALE]++;
        trace_unsampled(c, stale, s->tid, s->pid);
        return;
    }
    if (!registered || !schedmon_begin(&monitor, c->number)) {
        c->stat[STAT_SUPPRESSED]++;
        if (s->kind == IDLE_KIND_TO)
            trace_unsampled(c, UNSAMPLED_OUTSTANDING, s->tid, s->pid);
        drop(c, t, s);
        return;
    }
    count_overlap(c);
    strategy_begin(c, t);
    sampler_wake(c, s);
}

void sampler_wake(struct cpu *c, const struct sample *s)
{
    struct idle_cpu *i = idle_cpu(c);

    i->area = *s;
    i->signalled = true;
    i->expect_sampler = true;
    thread_wake(&i->sampler_wait);
}

/* The deferred work's worker. */
void sample_begin(struct cpu *c, const void *sample)
{
    uint32_t msr = sched_lock();

    sample_begin_locked(c, sample);
    sched_unlock(msr);
}

static enum schedmon_role thread_role(const struct thread *t)
{
    if (t->kind == THREAD_IS_IDLE)
        return ROLE_IDLE;
    return t->kind == THREAD_IS_SAMPLER ? ROLE_SAMPLER : ROLE_THREAD;
}

/* The schedule monitor's seat in the scheduler. True: `in` must wait. */
static bool switch_veto(struct cpu *c, const struct thread *out,
                        struct thread *in)
{
    struct schedmon_who leaves = {out->tid, out->pid, thread_role(out),
                                  thread_filter_wants(out)};
    struct schedmon_who comes = {in->tid, in->pid, thread_role(in),
                                 thread_filter_wants(in)};

    if (!schedmon_switch(&monitor, c->number, &leaves, &comes))
        return false;
    if (idle_options()->precapture) {
        precapture_use(c, in);
        return false;
    }
    if (!sample_notify(c, IDLE_KIND_FROM, in))
        return false;
    in->held = strategy() == STRATEGY_AFFINITY;
    return true;
}

/* Self-check: a sampler that was woken is what its CPU runs next. */
static void switch_check(struct cpu *c, const struct thread *out)
{
    struct idle_cpu *i = idle_cpu(c);

    (void)out;
    if (i->expect_sampler && c->current != i->sampler)
        i->late_sampler++;
}

static struct hook check = {.call = switch_check};

bool sample_wait(struct cpu *c)
{
    struct idle_cpu *i = idle_cpu(c);
    uint32_t msr = sched_lock();

    while (!i->signalled)
        thread_block(&i->sampler_wait);
    i->signalled = i->expect_sampler = false;
    sched_unlock(msr);
    return i->area.kind;
}

/* What must hold of every sample of a target that is confined: it has not moved
 * since it was chosen, and the stack begins where it left the processor. */
static void sample_verify(struct cpu *c, const struct thread *t)
{
    struct idle_cpu *i = idle_cpu(c);
    const struct sample *s = &i->area;
    uint32_t latency = (uint32_t)(time_now() - s->at);

    if (latency > i->latency_max)
        i->latency_max = latency;
    if (s->kind == IDLE_KIND_TO && s->interrupted != c->idle->tid)
        i->not_idle++;
    if (t->dispatches != s->dispatches || t->state == STATE_RUNNING)
        i->moved++;
    if (i->pcs[0] != s->pc)
        i->wrong_leaf++;
    if (this_cpu() != c ||
        (strategy() == STRATEGY_AFFINITY && t->narrow != 1u << c->number))
        i->misplaced++;
}

unsigned sampler_walk(const struct thread *t, uint32_t *pcs, bool *broken)
{
    unsigned depth = stack_walk(t, pcs, STACK_DEPTH);

    *broken = depth < 2 && t->dispatches;
    return join ? join(t, pcs, depth, STACK_DEPTH, broken) : depth;
}

void sample_capture(struct cpu *c)
{
    struct idle_cpu *i = idle_cpu(c);
    const struct thread *t;
    bool broken;

    strategy_capture(c);
    t = thread_by_tid(i->area.tid);
    i->depth = t ? sampler_walk(t, i->pcs, &broken) : 0;
    i->captures++;
    if (t)
        sample_verify(c, t);
    else
        i->gone++;
    strategy_captured();
}

void sample_release(struct cpu *c)
{
    uint32_t msr = sched_lock();
    struct thread *t = thread_by_tid(idle_cpu(c)->area.tid);

    strategy_end(c, t);
    sched_unlock(msr);
}

void sampler_count(uint32_t kind, const uint32_t *pcs, unsigned depth)
{
    uint32_t msr = spin_lock(&tree_lock);
    struct stack_tree_node *leaf = stack_tree_insert(&tree, pcs, depth);

    if (kind == IDLE_KIND_TO)
        leaf->to_idle++;
    else
        leaf->from_idle++;
    spin_unlock(&tree_lock, msr);
}

void sample_record(struct cpu *c)
{
    struct idle_cpu *i = idle_cpu(c);
    const struct sample *s = &i->area;
    const struct thread *t = thread_by_tid(s->tid);

    if (!i->depth) { /* its thread had ended */
        trace_unsampled(c, UNSAMPLED_ENDED, s->tid, s->pid);
        return;
    }
    if (t && t->narrow == 1u << c->number)
        i->late_restore++; /* still confined by us */
    trace_idle(c, s, ++i->samples, i->pcs, i->depth);
    sampler_count(s->kind, i->pcs, i->depth);
}

/* Interrupts go on at their rate; with rearm=complete the next is a full period
 * away, and idle periods shorter than that are met too rarely. */
void sample_complete(struct cpu *c)
{
    uint32_t msr = sched_lock();
    uint32_t kind = idle_cpu(c)->area.kind;

    if (kind && idle_cpu(c)->depth)
        c->stat[kind == IDLE_KIND_TO ? STAT_TO_IDLE : STAT_FROM_IDLE]++;
    else if (kind)
        c->stat[STAT_STALE]++;
    schedmon_complete(&monitor, c->number);
    if (idle_cpu(c)->armed && idle_options()->complete)
        trigger_arm(c);
    sched_unlock(msr);
}

static void sampler_main(uint32_t number)
{
    struct cpu *c = cpu_at(number);

    for (;;) {
        if (sample_wait(c)) {
            sample_capture(c);
            sample_release(c);
            sample_record(c);
        }
        while (precapture_step(c))
            continue;
        sample_complete(c);
    }
}

static void samplers_start(void)
{
    const struct idle_options *o = idle_options();
    char name[] = "sampler.0";

    if (!o->to_idle && !o->from_idle)
        return;
    schedmon_init(&monitor, machine_cpus(), o->to_idle, o->from_idle, o->once);
    stack_tree_init(&tree, kalloc(TREE_NODES * sizeof(struct stack_tree_node)),
                    TREE_NODES);
    if (options()->program)
        return; /* its sampler is a process, too */
    FOR_CPUS (c) {
        name[8] = (char)('0' + c->number);
        idle_cpu(c)->sampler =
            thread_create(name, PID_PROFILER, THREAD_IS_SAMPLER, PRIO_BRIEF,
                          1u << c->number, sampler_main, c->number);
    }
}
HOOK(start, 120, samplers_start);

static bool samples_pending(void)
{
    FOR_CPUS (c) {
        if (monitor.cpu[c->number].outstanding || c->deferred_count ||
            c->in_deferred_work)
            return true;
    }
    return false;
}

static void sampling_start(void)
{
    registered = true;
    strategy_window(true);
    sched_veto(switch_veto);
    hook_add(&switch_hooks, &check);
    cpus_call(trigger_arm);
}

/* No sample begins any more; those begun are awaited. */
static void sampling_stop(void)
{
    cpus_call(trigger_disarm);
    sched_veto(NULL);
    registered = false;
    while (samples_pending())
        thread_sleep(20000);
    hook_remove(&switch_hooks, &check);
    strategy_window(false);
}

static void sampling_window(bool open)
{
    const struct idle_options *o = idle_options();

    if (open == registered || (!o->to_idle && !o->from_idle))
        return;
    if (open)
        sampling_start();
    else
        sampling_stop();
}
HOOK(window, 110, sampling_window);
