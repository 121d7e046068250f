/* sampler.c - the profiler: one sampler thread per CPU, pinned, of the
 * highest priority, and the life of one sample.
 *
 *   notified   irq_sample.c or the switch hook below
 *   begun      sample_begin: outstanding, target confined here, sampler woken
 *   captured   the sampler walks the target's stack
 *   released   the target may go anywhere it could before
 *   recorded   trace record, call-stack tree
 *   complete   not outstanding any more, interrupt re-armed
 */
#include "guest/kernel/defs.h"

#define TREE_NODES 4096

static struct schedmon monitor;
static struct tree tree;
static struct spinlock tree_lock;
static volatile bool registered; /* there is a profiler to notify */
static uint64_t started, sampled;

struct schedmon *sampler_monitor(void)
{
    return &monitor;
}

struct tree *sampler_tree(void)
{
    return &tree;
}

bool sampler_registered(void)
{
    return registered;
}

/* Time-base ticks for which samples were taken. */
uint64_t sampling_ticks(void)
{
    return sampled;
}

/* Nothing became of a notification: the thread is free again. */
static void drop(struct cpu *c, struct thread *t, const struct sample *s)
{
    if (s->kind == IDLE_KIND_FROM)
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
            c->overlaps++;
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
    t->held = true;
    t->narrow = 1u << c->number;
    c->stat[STAT_AFFINITY]++;
    c->area = *s;
    c->signalled = true;
    c->expect_sampler = true;
    thread_wake(&c->sampler_wait);
}

/* The back-end's worker. */
void sample_begin(struct cpu *c, const struct sample *s)
{
    uint32_t msr = sched_lock();

    sample_begin_locked(c, s);
    sched_unlock(msr);
}

/* The schedule monitor's seat in the scheduler. True: `in` must wait. */
static bool switch_hook(struct cpu *c, const struct thread *out,
                        struct thread *in)
{
    struct schedmon_who leaves = {out->tid, out->pid, thread_role(out),
                                  out->interest};
    struct schedmon_who comes = {in->tid, in->pid, thread_role(in),
                                 in->interest};

    if (!schedmon_switch(&monitor, c->number, &leaves, &comes))
        return false;
    in->held = sample_notify(c, IDLE_KIND_FROM, in);
    return in->held;
}

/* 602-606: wait for a signal, take the description of the sample. */
static struct sample sample_wait(struct cpu *c)
{
    uint32_t msr = sched_lock();
    struct sample s;

    while (!c->signalled)
        thread_block(&c->sampler_wait);
    c->signalled = false;
    s = c->area;
    sched_unlock(msr);
    return s;
}

/* What must hold of every sample: the target has not moved since it was
 * chosen, and the stack begins where it left the processor. */
static void sample_verify(struct cpu *c, const struct sample *s,
                          const struct thread *t, const uint32_t *pcs)
{
    uint32_t latency = (uint32_t)(time_now() - s->at);

    if (latency > c->latency_max)
        c->latency_max = latency;
    if (s->kind == IDLE_KIND_TO && s->interrupted != c->idle->tid)
        c->not_idle++;
    if (t->dispatches != s->dispatches || t->state == STATE_RUNNING)
        c->moved++;
    if (pcs[0] != t->pc)
        c->wrong_leaf++;
    if (this_cpu() != c || t->narrow != 1u << c->number)
        c->misplaced++;
}

/* 610: the target may run wherever it could before. */
static void sample_release(struct cpu *c, struct thread *t)
{
    uint32_t msr = sched_lock();

    t->narrow = 0;
    t->held = false;
    c->stat[STAT_AFFINITY]++;
    sched_replace(t);
    sched_unlock(msr);
}

/* 612: keep the stack. */
static void sample_record(struct cpu *c, const struct sample *s,
                          const struct thread *t, const uint32_t *pcs,
                          unsigned depth)
{
    struct tree_node *leaf;
    uint32_t msr;

    if (t->narrow == 1u << c->number)
        c->late_restore++; /* still confined by us */
    trace_idle(c, s, ++c->samples, pcs, depth);
    msr = spin_lock(&tree_lock);
    leaf = tree_insert(&tree, pcs, depth);
    if (leaf && s->kind == IDLE_KIND_TO)
        leaf->to_idle++;
    else if (leaf)
        leaf->from_idle++;
    spin_unlock(&tree_lock, msr);
}

/* 614, 702-706: tell the system. Interrupts go on at their rate; with
 * rearm=complete the next is a full period away, and idle periods shorter than
 * that are met too rarely. */
static void sample_complete(struct cpu *c, const struct sample *s)
{
    uint32_t msr = sched_lock();

    c->stat[s->kind == IDLE_KIND_TO ? STAT_TO_IDLE : STAT_FROM_IDLE]++;
    schedmon_complete(&monitor, c->number);
    if (c->armed && !options()->steady)
        trigger_arm(c);
    sched_unlock(msr);
}

static void sampler_main(uint32_t number)
{
    struct cpu *c = cpu_at(number);
    uint32_t pcs[STACK_DEPTH];

    for (;;) {
        struct sample s = sample_wait(c);
        struct thread *t = thread_by_tid(s.tid);
        unsigned depth = stack_walk(t, pcs, STACK_DEPTH);

        sample_verify(c, &s, t, pcs);
        sample_release(c, t);
        sample_record(c, &s, t, pcs, depth);
        sample_complete(c, &s);
    }
}

void sampler_init(void)
{
    const struct options *o = options();
    char name[] = "sampler.0";

    if (!o->to_idle && !o->from_idle)
        return;
    schedmon_init(&monitor, machine_cpus(), o->to_idle, o->from_idle, o->once);
    tree_init(&tree, kalloc(TREE_NODES * sizeof(struct tree_node)), TREE_NODES);
    FOR_CPUS (c) {
        name[8] = (char)('0' + c->number);
        c->random = random_seed(o->seed, c->number);
        c->sampler =
            thread_create(name, PID_PROFILER, THREAD_IS_SAMPLER, PRIO_SAMPLER,
                          1u << c->number, sampler_main, c->number);
    }
}

/* Every CPU sets up its own trigger when it hears of it. */
static void arm_all(bool on)
{
    uint32_t msr = sched_lock();

    FOR_CPUS (c) {
        c->armed = on;
        c->arm_change = true;
        if (c != this_cpu())
            pic_ipi(c->number);
    }
    sample_control(this_cpu());
    sched_unlock(msr);
}

void sampling_start(void)
{
    if (!options()->to_idle && !options()->from_idle)
        return;
    started = time_now();
    registered = true;
    sched_register(switch_hook);
    arm_all(true);
}

static bool samples_pending(void)
{
    FOR_CPUS (c) {
        if (monitor.cpu[c->number].outstanding || c->backend_count ||
            c->in_backend)
            return true;
    }
    return false;
}

/* No sample begins any more; those begun are awaited. */
void sampling_stop(void)
{
    if (!registered)
        return;
    arm_all(false);
    sched_register(NULL);
    registered = false;
    sampled += time_now() - started;
    while (samples_pending())
        thread_sleep(20000);
}
