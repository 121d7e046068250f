/* tprof.c - a profiler by time: every so often (the boot line's trigger=time:)
 * each CPU that is not idle notes in which function it was interrupted. It
 * sees what a timer interrupt can see: where interrupts are off, it is not.
 */
#include "guest/prof/idle/idle.h"

static volatile bool running;
static uint32_t *hits; /* a function each, those of assembly first */
static volatile uint32_t samples;
static tprof_tick *volatile also; /* is told of each tick */
static struct timer timers[MAX_CPUS];

static void begin_period(struct cpu *c)
{
    uint32_t n = trigger_period(c, idle_options()->period);

    timer_set(c, &timers[c->number], time_now() + n);
}

/* The time has come, in the middle of f. */
static void tick(struct cpu *c, const struct trap_frame *f)
{
    begin_period(c);
    if (c->current == c->idle)
        return;
    if (also)
        also(c, f);
    if (f->srr0 < (uint32_t)text_end) /* else it is no function of the kernel */
        atomic_add(&hits[function_index(f->srr0)], 1);
    atomic_add(&samples, 1);
}

/* This CPU starts or ends. Interrupts are off. */
static void follow(struct cpu *c)
{
    timers[c->number].fire = tick;
    if (running)
        begin_period(c);
    else
        timer_set(c, &timers[c->number], 0);
}

void tprof_start(tprof_tick *told)
{
    if (!hits)
        hits = kalloc((function_count() + 1) * 4);
    also = told;
    running = true;
    cpus_call(follow);
}

void tprof_stop(void)
{
    running = false;
    cpus_call(follow);
}

/* Of one function, and of all. */
uint32_t tprof_hits(uint32_t index)
{
    return hits ? hits[index] : 0;
}

uint32_t tprof_samples(void)
{
    return samples;
}
