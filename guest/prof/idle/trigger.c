/* trigger.c - when the next sample interrupt comes, per CPU: after a time
 * (decrementer) or after a number of events (performance monitor). A seeded
 * dither of up to half a period either way keeps it from resonating with the
 * workload. Less is not enough: what a sample takes of a CPU moves the
 * workload, which then falls into step with the samples where its own round is
 * a part of the period.
 */
#include "guest/prof/idle/idle.h"
#include "guest/prof/idle/monitor.h"

#define TIME_MIN 1000      /* cycles */
#define TIME_DEFAULT 50000 /* cycles */
#define EVENT_MAX 0x7FFFFFFF
/* Two event interrupts closer than this leave no time for work: the period
 * is doubled for once, and that is counted. */
#define STORM_CYCLES 4000
#define BACKOFF_MAX 0x10000

#define MMCR0_ENINT 0x04000000u
#define MMCR0_PMC1INTCONTROL 0x00008000u
#define MMCR0_PMCINTCONTROL 0x00004000u

static const struct event_row {
    const char *name;
    int8_t select[4]; /* for PMC1-4; -1: cannot be counted there */
} events[] = {
#define EVENT(name, kind, owner, data, p1, p2, p3, p4, unit, text)             \
    {#name, {p1, p2, p3, p4}},
#include "pmu/events.def"
#undef EVENT
};

#define EVENTS (sizeof events / sizeof events[0])

static int counter_of(const struct event_row *e)
{
    for (int i = 0; i < 4; i++) {
        if (e->select[i] > 0)
            return i;
    }
    return -1;
}

static bool take_event(struct idle_options *o, char *name)
{
    char *number = text_split(name, ':');
    uint32_t n;

    if (!number || !text_number(number, &n) || n < 1 || n > EVENT_MAX / 2)
        return false;
    for (uint32_t i = 0; i < EVENTS; i++) {
        if (text_equal(events[i].name, name) && counter_of(&events[i]) >= 0) {
            o->trigger = TRIGGER_EVENT;
            o->event = i;
            o->period = n;
            return true;
        }
    }
    return false;
}

/* time:CYCLES or event:NAME:N */
static bool take_trigger(char *value)
{
    struct idle_options *o = idle_options_change();
    char *rest = text_split(value, ':');
    uint32_t n;

    if (rest && text_equal(value, "event"))
        return take_event(o, rest);
    if (!rest || !text_equal(value, "time") || !text_number(rest, &n) ||
        n < TIME_MIN)
        return false;
    o->trigger = TRIGGER_TIME;
    o->period = (uint32_t)cycles_to_ticks(n);
    return true;
}
BOOT_WORD(130, take_trigger, "trigger",
          "time:CYCLES (1000 or more)|event:NAME:COUNT");

static void settle_period(const struct options *o)
{
    struct idle_options *mine = idle_options_change();

    (void)o;
    if (!mine->period)
        mine->period = (uint32_t)cycles_to_ticks(TIME_DEFAULT);
}
HOOK(settle, 120, settle_period);

/* A stream of its own for each CPU. */
static void seed_dither(void)
{
    FOR_CPUS (c)
        idle_cpu(c)->random = random_seed(options()->seed, c->number);
}
HOOK(start, 110, seed_dither);

static void print_trigger(void)
{
    const struct idle_options *o = idle_options();

    if (o->trigger == TRIGGER_TIME)
        kprintf("guest: trigger every %u cycles (%u time-base ticks)\n",
                o->period * machine.tick_cycles, o->period);
    else
        kprintf("guest: trigger every %u of %s\n", o->period,
                events[o->event].name);
}
HOOK(opening, 110, print_trigger);

/* This time's period on c: n, or somewhere in [n/2, 3n/2]. */
uint32_t trigger_period(const struct cpu *c, uint32_t n)
{
    if (!idle_options()->dither || n < 2)
        return n;
    return n - n / 2 + random_below(&idle_cpu(c)->random, n / 2 * 2 + 1);
}

/* What is left, at a moment that has nothing to do with them, of periods that
 * began before: where the first one ends. A first period of full length would
 * have every CPU, with every seed, sample around the same moments after the
 * start, and in a short run none in between. A moment meets a period as often
 * as it is long, and any place in it as often as another. */
static uint32_t first_period(const struct cpu *c, uint32_t n)
{
    uint32_t *random = &idle_cpu(c)->random, period;

    if (!idle_options()->dither || n < 2)
        return n;
    do
        period = trigger_period(c, n);
    while (random_below(random, n + n / 2 + 1) > period);
    return 1 + random_below(random, period);
}

/* Select the event on its counter and let it interrupt. */
static void pmu_on(const struct event_row *e, int i)
{
    uint32_t mmcr0 = MMCR0_ENINT, mmcr1 = 0;
    uint32_t select = (uint32_t)e->select[i];

    mmcr0 |= i == 0 ? MMCR0_PMC1INTCONTROL : MMCR0_PMCINTCONTROL;
    if (i == 0)
        mmcr0 |= select << 6;
    else if (i == 1)
        mmcr0 |= select;
    else
        mmcr1 = select << (i == 2 ? 27 : 22);
    mtspr(SPR_MMCR1, mmcr1);
    mtspr(SPR_MMCR0, mmcr0);
}

static void storm_guard(struct idle_cpu *i)
{
    uint64_t now = time_now();

    if (now - i->last_sample >= cycles_to_ticks(STORM_CYCLES)) {
        i->backoff = 1;
    } else if (i->backoff < BACKOFF_MAX) {
        i->backoff *= 2;
        i->throttled++;
    }
    i->last_sample = now;
}

static void count_again(struct cpu *c, const struct idle_options *o)
{
    struct idle_cpu *i = idle_cpu(c);
    const struct event_row *e = &events[o->event];
    int counter = counter_of(e);
    uint32_t beyond = pmc_read(counter) & ~PMC_NEGATIVE;
    uint32_t n;

    storm_guard(i);
    n = trigger_period(c, o->period) * i->backoff;
    if (n > EVENT_MAX)
        n = EVENT_MAX;
    pmc_write(counter, PMC_NEGATIVE - n + (beyond < n ? beyond : 0));
    pmu_on(e, counter);
}

/* A period has passed; the next one began when it ended, not now. */
static void again(struct cpu *c)
{
    const struct idle_options *o = idle_options();
    struct timer *timer = &idle_cpu(c)->timer;
    uint64_t now = time_now();

    if (o->trigger == TRIGGER_TIME) {
        uint64_t due = timer->due + trigger_period(c, o->period);

        timer_set(c, timer, due <= now ? now + o->period : due);
    } else {
        count_again(c, o);
    }
}

static void time_is_up(struct cpu *c, const struct trap_frame *f)
{
    (void)f;
    again(c);
    irq_sample(c);
}

/* A full period from here on. Interrupts are off, and c is this CPU. */
void trigger_arm(struct cpu *c)
{
    const struct idle_options *o = idle_options();
    struct idle_cpu *i = idle_cpu(c);

    i->armed = true;
    i->timer.fire = time_is_up;
    if (o->trigger == TRIGGER_TIME) {
        timer_set(c, &i->timer, time_now() + first_period(c, o->period));
    } else {
        const struct event_row *e = &events[o->event];
        int counter = counter_of(e);

        i->backoff = 1;
        i->last_sample = time_now();
        pmc_write(counter, PMC_NEGATIVE - first_period(c, o->period));
        pmu_on(e, counter);
    }
}

/* None comes any more. Likewise. */
void trigger_disarm(struct cpu *c)
{
    idle_cpu(c)->armed = false;
    timer_set(c, &idle_cpu(c)->timer, 0);
    mtspr(SPR_MMCR0, 0);
}

/* The performance monitor interrupted. */
static void counter_is_up(struct cpu *c)
{
    if (!idle_cpu(c)->armed)
        return;
    again(c);
    irq_sample(c);
}
HOOK(perfmon, 110, counter_is_up);
