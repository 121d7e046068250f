/* sched.c - who runs where.
 *
 * Every CPU has a queue per priority; the highest runs, equals take turns.
 * A thread that wakes goes to the CPU it ran on last if that one is free,
 * else to any free CPU that it may use, else it queues where it was. A CPU
 * that would go idle first looks into the queues of the busy ones. All of it
 * happens under one lock (defs.h says what it covers).
 *
 * Hooks may watch every switch; one may veto the scheduler's choice: something
 * else runs first then, and the thread stays at the head of its queue (hook.h).
 */
#include "guest/kernel/hook.h"

static struct spinlock lock;
static veto_hook *veto;

void sched_veto(veto_hook *hook)
{
    uint32_t msr = sched_lock();

    veto = hook;
    sched_unlock(msr);
}

uint32_t sched_lock(void)
{
    return spin_lock(&lock);
}

/* Also the place where a thread notices that a better one waits. */
void sched_unlock(uint32_t msr)
{
    struct cpu *c = this_cpu();

    spin_unlock(&lock, msr);
    if ((msr & MSR_EE) && c->need_resched && !c->in_deferred_work)
        preempt();
}

void waitq_push(struct waitq *q, struct thread *t)
{
    t->next = NULL;
    if (q->head)
        q->tail->next = t;
    else
        q->head = t;
    q->tail = t;
}

struct thread *waitq_pop(struct waitq *q)
{
    struct thread *t = q->head;

    if (t)
        q->head = t->next;
    return t;
}

void waitq_remove(struct waitq *q, const struct thread *t)
{
    struct thread *before = NULL;

    for (struct thread *at = q->head; at != t; at = at->next)
        before = at;
    if (before)
        before->next = t->next;
    else
        q->head = t->next;
    if (q->tail == t)
        q->tail = before;
}

static bool allowed(const struct thread *t, const struct cpu *c)
{
    return (t->narrow ? t->narrow : t->mask) >> c->number & 1;
}

static void runq_put(struct cpu *c, struct thread *t, bool first)
{
    struct waitq *q = &c->runq.prio[t->prio];

    t->state = STATE_READY;
    t->cpu = c;
    if (first && q->head) {
        t->next = q->head;
        q->head = t;
    } else {
        waitq_push(q, t);
    }
    c->runq.bits |= 1u << t->prio;
    c->runq.ready++;
}

static void runq_remove(struct cpu *c, const struct thread *t)
{
    waitq_remove(&c->runq.prio[t->prio], t);
    if (!c->runq.prio[t->prio].head)
        c->runq.bits &= ~(1u << t->prio);
    c->runq.ready--;
}

/* The best thread queued at `from` that may run on c now, taken out. */
static struct thread *runq_take(struct cpu *from, const struct cpu *c)
{
    for (uint32_t bits = from->runq.bits; bits;) {
        unsigned p = 31 - (unsigned)__builtin_clz(bits);

        bits &= ~(1u << p);
        for (struct thread *t = from->runq.prio[p].head; t; t = t->next) {
            if (!t->held && allowed(t, c)) {
                runq_remove(from, t);
                return t;
            }
        }
    }
    return NULL;
}

/* How many of its queue a CPU takes up in a moment: an idle one is on its way
 * to all it has been given, a brief thread lets one thread go on. */
static unsigned soon(const struct cpu *c)
{
    if (c->current == c->idle)
        return c->runq.ready;
    return c->current->prio == PRIO_BRIEF ? 1 : 0;
}

/* Nothing to do here: is there something to do elsewhere? */
static struct thread *steal(const struct cpu *c)
{
    for (unsigned i = 1; i < machine_cpus(); i++) {
        struct cpu *from = cpu_at((c->number + i) % machine_cpus());
        struct thread *t;

        if (from->runq.ready <= soon(from))
            continue;
        t = runq_take(from, c);
        if (t)
            return t;
    }
    return NULL;
}

/* Free: would run a new thread at once. A brief thread is gone in a moment. */
static bool cpu_free(const struct cpu *c)
{
    return c->online && !c->runq.ready && !c->deferred_count &&
           (c->current == c->idle || c->current->prio == PRIO_BRIEF);
}

static struct cpu *choose_cpu(const struct thread *t)
{
    unsigned n = t->cpu ? t->cpu->number : 0;

    for (unsigned i = 0; i < machine_cpus(); i++) {
        struct cpu *c = cpu_at((n + i) % machine_cpus());

        if (allowed(t, c) && cpu_free(c))
            return c;
    }
    for (unsigned i = 0; i < machine_cpus(); i++) {
        struct cpu *c = cpu_at((n + i) % machine_cpus());

        if (allowed(t, c) && c->online)
            return c;
    }
    panic("%s may run nowhere", t->name);
}

static void kick(struct cpu *c)
{
    c->need_resched = true;
    if (c != this_cpu())
        pic_ipi(c->number);
}

void sched_ready(struct thread *t)
{
    struct cpu *c = choose_cpu(t);

    hooks_call(&wake_hooks, c, t);
    runq_put(c, t, false);
    if (t->prio > c->current->prio)
        kick(c);
}

void sched_replace(struct thread *t)
{
    if (t->state == STATE_RUNNING && !allowed(t, t->cpu))
        kick(t->cpu);
    if (t->state != STATE_READY || allowed(t, t->cpu))
        return;
    runq_remove(t->cpu, t);
    sched_ready(t);
}

/* The thread that runs after `out`. Off-level work goes before any thread: it
 * runs in the idle thread. */
static struct thread *next_thread(struct cpu *c, const struct thread *out)
{
    for (;;) {
        struct thread *in;

        if (c->deferred_count)
            return c->idle;
        in = runq_take(c, c);
        if (!in)
            in = steal(c);
        if (!in)
            in = c->idle;
        if (in == out || !veto || !veto(c, out, in))
            return in;
        runq_put(c, in, true);
    }
}

/* A CPU with nothing to do may want it. */
void sched_requeue(bool behind)
{
    struct cpu *c = this_cpu();

    if (!allowed(current, c)) {
        sched_ready(current);
        return;
    }
    runq_put(c, current, !behind);
    FOR_CPUS (other) {
        if (other != c && allowed(current, other) && cpu_free(other)) {
            kick(other);
            return;
        }
    }
}

static void account(struct cpu *c, const struct thread *in)
{
    if (in == c->idle) {
        if (!c->in_period && !c->deferred_count) {
            c->in_period = true;
            c->stat[STAT_IDLE_PERIODS]++;
        }
    } else if (in->prio != PRIO_BRIEF) {
        c->in_period = false;
    }
    if (!allowed(in, c))
        c->misplaced++;
    c->stat[STAT_SWITCHES]++;
}

__attribute__((noinline)) void sched(void)
{
    struct cpu *c = this_cpu();
    struct thread *out = current;
    struct thread *in = next_thread(c, out);

    c->need_resched = false;
    in->state = STATE_RUNNING;
    in->cpu = c;
    c->current = in;
    timer_slice(c);
    if (in == out)
        return;
    in->dispatches++;
    account(c, in);
    FOR_TABLE (hook, switched)
        (*hook)(c, out, in);
    hooks_call(&switch_hooks, c, out);
    if (*(uint32_t *)out->stack != STACK_MARK)
        panic("%s: stack overflow", out->name);
    swtch(out, in);
}
