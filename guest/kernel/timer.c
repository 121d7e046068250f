/* timer.c - one decrementer, three customers: the end of a time slice, the
 * earliest deadline, and the timers that are set. It is set to the earliest of
 * them, or earlier; those that are due when it fires are served. Time is the
 * time base, in ticks.
 */
#include "guest/kernel/defs.h"
#include "include/guest.h"

#define FAR_AWAY 0x7FFFFFFF

static uint64_t slice_due(const struct cpu *c)
{
    if (c->current == c->idle || c->slice_over)
        return UINT64_MAX;
    return c->slice_end;
}

static void arm(struct cpu *c, uint64_t due, uint64_t now)
{
    c->armed = due;
    /* It fires a tick after it has reached 0. */
    if (due <= now + 1)
        mtspr(SPR_DEC, 0);
    else
        mtspr(SPR_DEC, due - now > FAR_AWAY ? FAR_AWAY : due - now - 1);
}

/* For the earliest need of all; sched_lock is held. */
static void arm_all(struct cpu *c, uint64_t now)
{
    uint64_t due = slice_due(c);

    if (c->deadlines && c->deadlines->due < due)
        due = c->deadlines->due;
    for (const struct timer *t = c->timers; t; t = t->next) {
        if (t->due < due)
            due = t->due;
    }
    arm(c, due, now);
}

/* What is taken back leaves an interrupt that finds nothing. */
static void arm_earlier(struct cpu *c, uint64_t due)
{
    if (due < c->armed)
        arm(c, due, time_now());
}

void timer_set(struct cpu *c, struct timer *t, uint64_t due)
{
    struct timer **place = &c->timers;

    if (t->due) {
        while (*place != t)
            place = &(*place)->next;
        *place = t->next;
    }
    t->due = due;
    if (!due)
        return;
    t->next = c->timers;
    c->timers = t;
    arm_earlier(c, due);
}

void timer_slice(struct cpu *c)
{
    uint64_t now = time_now();

    c->slice_over = false;
    c->slice_end = now + cycles_to_ticks(GUEST_SLICE_CYCLES);
    arm_all(c, now);
}

/* sched_lock is held for these two. */
static void serve_slice(struct cpu *c, uint64_t now)
{
    if (c->current == c->idle || c->slice_over || now < c->slice_end)
        return;
    if (c->runq.bits >> c->current->prio)
        c->slice_over = c->need_resched = true;
    else
        c->slice_end = now + cycles_to_ticks(GUEST_SLICE_CYCLES);
}

static void serve_deadlines(struct cpu *c, uint64_t now)
{
    struct deadline *d;

    while ((d = c->deadlines) && d->due <= now) {
        c->deadlines = d->next;
        d->due = 0;
        d->pass(d);
    }
}

static void serve_timers(struct cpu *c, const struct trap_frame *f,
                         uint64_t now)
{
    struct timer *next;

    for (struct timer *t = c->timers; t; t = next) {
        next = t->next;
        if (t->due <= now)
            t->fire(c, f);
    }
}

void timer_interrupt(struct cpu *c, const struct trap_frame *f)
{
    uint64_t now = time_now();
    uint32_t msr;

    serve_timers(c, f, now);
    msr = sched_lock();
    serve_deadlines(c, now);
    serve_slice(c, now);
    arm_all(c, time_now());
    sched_unlock(msr);
}

void deadline_set(struct deadline *d, uint64_t due)
{
    struct cpu *c = this_cpu();
    struct deadline **place = &c->deadlines;

    if (d->due) {
        struct deadline **old = &d->cpu->deadlines;

        while (*old != d)
            old = &(*old)->next;
        *old = d->next;
    }
    d->due = due;
    d->cpu = c;
    if (!due)
        return;
    while (*place && (*place)->due <= due)
        place = &(*place)->next;
    d->next = *place;
    *place = d;
    arm_earlier(c, due);
}

static void wake_sleeper(struct deadline *d)
{
    sched_ready(HOLDER(struct thread, deadline, d));
}

__attribute__((noinline)) void thread_sleep(uint32_t cycles)
{
    uint32_t msr = sched_lock();

    current->deadline.pass = wake_sleeper;
    deadline_set(&current->deadline, time_now() + cycles_to_ticks(cycles) + 1);
    current->state = STATE_SLEEPING;
    sched();
    sched_unlock(msr);
}
