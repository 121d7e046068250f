/* timer.c - one decrementer, two customers: the end of a time slice, and the
 * timers that are set. It is always set to the earliest of them; those that are
 * due when it fires are served. One timer of a CPU is for all its deadlines.
 * Time is the time base, in ticks.
 */
#include "guest/kernel/defs.h"

#define SLICE_CYCLES 200000 /* 1 ms at 200 MHz */
#define FAR_AWAY 0x7FFFFFFF

static uint64_t slice_due(const struct cpu *c)
{
    if (c->current == c->idle || c->slice_over)
        return UINT64_MAX;
    return c->slice_end;
}

/* Set the decrementer for the earliest need. */
static void program(struct cpu *c, uint64_t now)
{
    uint64_t due = slice_due(c);

    for (const struct timer *t = c->timers; t; t = t->next) {
        if (t->due < due)
            due = t->due;
    }
    /* It fires a tick after it has reached 0. */
    if (due <= now + 1)
        mtspr(SPR_DEC, 0);
    else
        mtspr(SPR_DEC, due - now > FAR_AWAY ? FAR_AWAY : due - now - 1);
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
    if (due) {
        t->next = c->timers;
        c->timers = t;
    }
    program(c, time_now());
}

void timer_slice(struct cpu *c)
{
    uint64_t now = time_now();

    c->slice_over = false;
    c->slice_end = now + cycles_to_ticks(SLICE_CYCLES);
    program(c, now);
}

/* sched_lock is held. */
static void serve_slice(struct cpu *c, uint64_t now)
{
    if (c->current == c->idle || c->slice_over || now < c->slice_end)
        return;
    if (c->runq.bits >> c->current->prio)
        c->slice_over = c->need_resched = true;
    else
        c->slice_end = now + cycles_to_ticks(SLICE_CYCLES);
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
    serve_slice(c, now);
    sched_unlock(msr);
    program(c, time_now());
}

static void deadlines_pass(struct cpu *c, const struct trap_frame *f)
{
    uint32_t msr = sched_lock();
    uint64_t now = time_now();
    struct deadline *d;

    (void)f;
    while ((d = c->deadlines) && d->due <= now) {
        deadline_set(d, 0);
        d->pass(d);
    }
    timer_set(c, &c->deadline_timer, d ? d->due : 0);
    sched_unlock(msr);
}

/* A CPU whose earliest is taken back by another is interrupted in vain. */
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
    c->deadline_timer.fire = deadlines_pass;
    timer_set(c, &c->deadline_timer, c->deadlines->due);
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
