/* wait.c - waiting that a signal or a time can end. What is waited for is an
 * event, a number that goes up: one reads it, looks at what one needs under its
 * own lock, lets go of the lock and waits for the number to change.
 *
 * Those with a time are also in a list of the CPU they began to wait on, whose
 * timer (timer.c) stands at the earliest. sched_lock guards all of it.
 */
#include "guest/process/process.h"

static struct {
    struct timer timer;
    struct task *first; /* in no order */
} timed[MAX_CPUS];

static void timed_remove(struct task *t)
{
    struct task **place = &timed[t->timed_on].first;

    while (*place && *place != t)
        place = &(*place)->next_timed;
    if (*place)
        *place = t->next_timed;
}

/* t waits: end that. */
static void wake(struct task *t, enum waking why)
{
    waitq_remove(&t->waits_for->waiters, t->thread);
    t->waits_for = NULL;
    t->woken = why;
    sched_ready(t->thread);
}

static uint64_t earliest(unsigned cpu)
{
    uint64_t due = 0;

    for (const struct task *t = timed[cpu].first; t; t = t->next_timed) {
        if (!due || t->until < due)
            due = t->until;
    }
    return due;
}

static void timer_fire(struct cpu *c, const struct trap_frame *f)
{
    uint32_t msr = sched_lock();
    uint64_t now = time_now();
    struct task *next;

    (void)f;
    for (struct task *t = timed[c->number].first; t; t = next) {
        next = t->next_timed;
        if (t->until > now)
            continue;
        timed_remove(t);
        if (t->waits_for)
            wake(t, WAKE_TIME);
    }
    timer_set(c, &timed[c->number].timer, earliest(c->number));
    sched_unlock(msr);
}

static void timed_add(struct task *t, uint64_t until)
{
    struct cpu *c = this_cpu();

    t->until = until;
    t->timed_on = c->number;
    t->next_timed = timed[c->number].first;
    timed[c->number].first = t;
    timed[c->number].timer.fire = timer_fire;
    timer_set(c, &timed[c->number].timer, earliest(c->number));
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
        if (until != FOR_EVER)
            timed_add(t, until);
        thread_block(&e->waiters);
        if (until != FOR_EVER)
            timed_remove(t);
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

void event_happen(struct event *e)
{
    uint32_t msr = sched_lock();

    e->count++;
    while (e->waiters.head)
        wake(task_of(e->waiters.head), WOKEN);
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
