/* proc.c - threads: making, starting, blocking, ending.
 * A tid means one thread for the whole run. Its slot of the table is
 * (tid - 1) % MAX_THREADS; a slot that threads_reap has freed is used again,
 * with the next such number.
 */
#include "guest/kernel/hook.h"

#define THREAD_FRAME 16 /* outermost frame: no chain, no return address */

static struct thread threads[MAX_THREADS];

/* The first free slot, with its thread's number. */
static struct thread *slot_take(void)
{
    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        struct thread *t = &threads[slot];
        uint32_t tid = t->before * MAX_THREADS + slot + 1;

        if (!t->tid && !atomic_swap_if(&t->tid, 0, tid))
            return t;
    }
    panic("more than %u threads", MAX_THREADS);
}

static struct thread *thread_new(const char *name, uint32_t pid, uint8_t kind,
                                 uint8_t prio)
{
    struct thread *t = slot_take();

    t->pid = pid;
    t->kind = kind;
    t->prio = prio;
    text_copy(t->name, name, NAME_SIZE);
    FOR_TABLE (hook, thread)
        (*hook)(t);
    return t;
}

static void stack_give(struct thread *t, uint32_t stack)
{
    t->stack = stack;
    t->stack_top = stack + STACK_SIZE;
    *(uint32_t *)stack = STACK_MARK;
}

struct thread *thread_make(const char *name, uint32_t pid, uint8_t kind,
                           uint8_t prio, uint32_t mask, void (*run)(uint32_t),
                           uint32_t arg)
{
    struct thread *t = thread_new(name, pid, kind, prio);
    uint32_t *outermost, *frame;

    stack_give(t, kalloc_stack());
    outermost = (uint32_t *)(t->stack_top - THREAD_FRAME);
    outermost[0] = 0;
    outermost[1] = (uint32_t)thread_entry; /* swtch returns there */
    frame = outermost - SWTCH_SIZE / 4;
    frame[0] = (uint32_t)outermost;
    t->sp = (uint32_t)frame;
    t->pc = (uint32_t)thread_entry;
    t->mask = t->made_mask = mask & ((1u << machine_cpus()) - 1);
    t->run = run;
    t->arg = arg;
    return t;
}

void thread_start(struct thread *t)
{
    uint32_t msr = sched_lock();

    sched_ready(t);
    sched_unlock(msr);
}

struct thread *thread_create(const char *name, uint32_t pid, uint8_t kind,
                             uint8_t prio, uint32_t mask, void (*run)(uint32_t),
                             uint32_t arg)
{
    struct thread *t = thread_make(name, pid, kind, prio, mask, run, arg);

    thread_start(t);
    return t;
}

/* A new thread's first C function, entered from swtch with the lock held. */
void thread_begin(void)
{
    sched_unlock(MSR_RUN | MSR_EE);
    current->run(current->arg);

    sched_lock();
    current->state = STATE_DEAD;
    while (thread_wake(&current->joiners))
        continue;
    sched();
    panic("%s: dead and running", current->name);
}

void thread_join(struct thread *t)
{
    uint32_t msr = sched_lock();

    while (t->state != STATE_DEAD) {
        will_wait(STATE_BARRIER, OBJECT_THREAD, t->tid, t->tid);
        thread_block(&t->joiners);
    }
    sched_unlock(msr);
}

/* A narrower mask of a hook stays on top of it until the hook takes it away. */
void thread_set_mask(struct thread *t, uint32_t mask)
{
    uint32_t msr = sched_lock();

    t->mask = t->made_mask = mask & ((1u << machine_cpus()) - 1);
    sched_replace(t);
    sched_unlock(msr);
}

struct thread *thread_by_tid(uint32_t tid)
{
    struct thread *t = &threads[(tid - 1) % MAX_THREADS];

    return tid && t->tid == tid ? t : NULL;
}

struct thread *thread_at(unsigned slot)
{
    return threads[slot].tid ? &threads[slot] : NULL;
}

/* One that a hook still holds or confines stays. */
void threads_reap(void)
{
    uint32_t msr = sched_lock();

    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        struct thread *t = thread_at(slot);

        if (!t || t->kind != THREAD_IS_APP || t->state != STATE_DEAD ||
            t->narrow || t->held || t->mask != t->made_mask)
            continue;
        kfree_stack(t->stack);
        memset(&t->pid, 0, sizeof *t - offsetof(struct thread, pid));
        t->before++;
        t->tid = 0;
    }
    sched_unlock(msr);
}

__attribute__((noinline)) void thread_block(struct waitq *q)
{
    if (!current->waiting.state)
        will_wait(STATE_QUEUE, OBJECT_KERNEL, (uint32_t)q, 0);
    current->state = STATE_BLOCKED;
    waitq_push(q, current);
    sched();
    current->waiting.state = 0;
}

struct thread *thread_wake(struct waitq *q)
{
    struct thread *t = waitq_pop(q);

    if (t)
        sched_ready(t);
    return t;
}

void thread_yield(void)
{
    uint32_t msr = sched_lock();

    if (current != this_cpu()->idle)
        sched_requeue(true);
    sched();
    sched_unlock(msr);
}

__attribute__((noinline)) void preempt(void)
{
    uint32_t msr = sched_lock();
    struct cpu *c = this_cpu();

    if (current != c->idle)
        sched_requeue(c->slice_over);
    sched();
    sched_unlock(msr);
}

void idle_loop(void)
{
    struct cpu *c = this_cpu();

    for (;;) {
        irq_save();
        deferred_work_run(c);
        if (c->need_resched) {
            preempt();
        } else if (options()->spin) {
            irq_restore(MSR_RUN | MSR_EE);
            while (!c->need_resched && !c->deferred_count)
                continue;
        } else if (!c->deferred_count) {
            cpu_nap();
        }
    }
}

static void idle_main(uint32_t unused)
{
    (void)unused;
    idle_loop();
}

/* The stack that CPU `c` runs on becomes the thread t. */
static void adopt(struct cpu *c, struct thread *t, uint32_t stack)
{
    stack_give(t, stack);
    t->state = STATE_RUNNING;
    t->cpu = c;
    t->dispatches = 1;
    c->current = t;
    current = t;
    trace_context(t);
    c->online = true;
}

void thread_init(void)
{
    struct thread *t =
        thread_new("main", PID_KERNEL, THREAD_IS_DAEMON, PRIO_MAIN);
    char name[] = "idle.0";

    t->mask = t->made_mask = (1u << machine_cpus()) - 1;
    adopt(this_cpu(), t, (uint32_t)boot_stacks);
    FOR_CPUS (c) {
        name[5] = (char)('0' + (c - cpu_at(0)));
        if (c == this_cpu())
            c->idle = thread_make(name, PID_KERNEL, THREAD_IS_IDLE, PRIO_IDLE,
                                  1, idle_main, 0);
        else
            c->idle = thread_new(name, PID_KERNEL, THREAD_IS_IDLE, PRIO_IDLE);
        c->idle->mask = c->idle->made_mask = 1u << (c - cpu_at(0));
    }
}

void thread_run_idle(struct cpu *c)
{
    adopt(c, c->idle, (uint32_t)boot_stacks + c->number * STACK_SIZE);
}
