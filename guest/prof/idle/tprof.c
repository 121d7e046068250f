/* tprof.c - a profiler by time: every so often (the boot line's trigger=time:)
 * each CPU that is not idle notes in which function it was interrupted. It
 * sees what a timer interrupt can see: where interrupts are off, it is not.
 */
#include "guest/kernel/defs.h"

static volatile bool running;
static uint32_t *hits; /* a function each, those of assembly first */
static volatile uint32_t samples;

static void begin_period(struct cpu *c)
{
    uint32_t n = options()->period;

    c->tprof_due = time_now() + n;
    if (options()->dither && n >= 8)
        c->tprof_due = c->tprof_due - n / 8 + random_below(&c->random, n / 4);
}

/* This CPU starts or ends. Interrupts are off. */
void tprof_control(struct cpu *c)
{
    if (running && !c->random)
        c->random = random_seed(options()->seed, c->number);
    if (running)
        begin_period(c);
    else
        c->tprof_due = 0;
    timer_program(c);
}

void tprof_run(bool on)
{
    if (!hits)
        hits = kalloc((function_count() + 1) * 4);
    running = on;
    pif_tell();
}

/* The decrementer fired, in the middle of f. */
void tprof_tick(struct cpu *c, const struct trap_frame *f)
{
    if (!c->tprof_due || c->tprof_due > time_now())
        return;
    begin_period(c);
    if (c->current == c->idle)
        return;
    branches_tick(c, f->srr0);
    atomic_add(&hits[function_index(f->srr0)], 1);
    atomic_add(&samples, 1);
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
