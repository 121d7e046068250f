/* wait.c - waiting that a signal or a time can end. What is waited for is an
 * event, a number that goes up: one reads it, looks at what one needs under its
 * own lock, and waits for the number to change. sched_lock guards all of it.
 */
#include "guest/process/process.h"

/* t waits: end that. */
static void wake(struct task *t, enum waking why)
{
    waitq_remove(&t->waits_for->waiters, t->thread);
    t->waits_for = NULL;
    t->woken = why;
    sched_ready(t->thread);
}

static void time_up(struct deadline *d)
{
    struct task *t = task_of(HOLDER(struct thread, deadline, d));

    if (t->waits_for)
        wake(t, WAKE_TIME);
}

enum waking event_wait(struct event *e, uint32_t seen, uint64_t until)
{
    struct task *t = task_current();
    uint32_t msr = sched_lock();

    t->woken = WOKEN;
    if (e->count == seen && t->poked) {
        t->woken = WAKE_SIGNAL;
    } else if (e->count == seen) {
        t->waits_for = e;
        t->thread->deadline.pass = time_up;
        if (until != FOR_EVER)
            deadline_set(&t->thread->deadline, until);
        thread_block(&e->waiters);
        deadline_set(&t->thread->deadline, 0);
    }
    current->waiting.state = 0;
    sched_unlock(msr);
    return t->woken;
}

enum waking task_sleep(uint64_t until)
{
    static struct event never;

    if (!current->waiting.state)
        will_wait(until == FOR_EVER ? STATE_STOPPED : STATE_TIMER, OBJECT_NONE,
                  0, 0);
    return event_wait(&never, 0, until);
}

void event_happen_locked(struct event *e)
{
    e->count++;
    while (e->waiters.head)
        wake(task_of(e->waiters.head), WOKEN);
}

void event_happen(struct event *e)
{
    uint32_t msr = sched_lock();

    event_happen_locked(e);
    sched_unlock(msr);
}

void task_poke_locked(struct task *t)
{
    t->poked = true;
    if (t->waits_for)
        wake(t, WAKE_SIGNAL);
    else if (t->thread->state == STATE_RUNNING && t->thread->cpu != this_cpu())
        pic_ipi(t->thread->cpu->number);
}

void task_poke(struct task *t)
{
    uint32_t msr = sched_lock();

    task_poke_locked(t);
    sched_unlock(msr);
}
