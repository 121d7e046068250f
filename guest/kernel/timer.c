/* timer.c - one decrementer, three customers: the end of a time slice, the
 * earliest sleeper, and the timers that are set. It is always set to the
 * earliest of them; those that are due when it fires are served. Time is the
 * time base, in ticks.
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

static void program(struct cpu *c, uint64_t now)
{
    uint64_t due = slice_due(c);

    if (c->sleepers && c->sleepers->wake_at < due)
        due = c->sleepers->wake_at;
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

void timer_program(struct cpu *c)
{
    program(c, time_now());
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
    timer_program(c);
}

void timer_slice(struct cpu *c)
{
    uint64_t now = time_now();

    c->slice_over = false;
    c->slice_end = now + cycles_to_ticks(SLICE_CYCLES);
    program(c, now);
}

/* Wake the sleepers that are due; the slice's end. The lock is held. */
static void serve_threads(struct cpu *c, uint64_t now)
{
    while (c->sleepers && c->sleepers->wake_at <= now) {
        struct thread *t = c->sleepers;

        c->sleepers = t->next;
        sched_ready(t);
    }
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
    uint32_t msr = sched_lock();

    serve_threads(c, now);
    sched_unlock(msr);
    serve_timers(c, f, now);
    timer_program(c);
}

__attribute__((noinline)) void thread_sleep(uint32_t cycles)
{
    uint32_t msr = sched_lock();
    struct cpu *c = this_cpu();
    struct thread **place = &c->sleepers;

    current->wake_at = time_now() + cycles_to_ticks(cycles) + 1;
    while (*place && (*place)->wake_at <= current->wake_at)
        place = &(*place)->next;
    current->next = *place;
    *place = current;
    current->state = STATE_SLEEPING;
    sched();
    sched_unlock(msr);
}
