/* trigger.c - when the next sample interrupt comes, per CPU: after a time
 * (decrementer) or after a number of events (performance monitor). A seeded
 * dither of up to an eighth either way keeps the period from resonating with
 * the workload's loops.
 */
#include "guest/kernel/defs.h"

#define TIME_MIN 1000 /* cycles */
#define EVENT_MAX 0x7FFFFFFF
/* Two event interrupts closer than this leave no time for work: the period
 * is doubled for once, and that is counted. */
#define STORM_CYCLES 4000
#define BACKOFF_MAX 0x10000

#define MMCR0_ENINT 0x04000000u
#define MMCR0_PMC1INTCONTROL 0x00008000u
#define MMCR0_PMCINTCONTROL 0x00004000u
#define PMC_NEGATIVE 0x80000000u

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

const char *trigger_event_name(uint32_t row)
{
    return events[row].name;
}

static bool parse_event(struct options *o, char *name)
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
bool trigger_parse(struct options *o, char *value)
{
    char *rest = text_split(value, ':');
    uint32_t n;

    if (rest && text_equal(value, "event"))
        return parse_event(o, rest);
    if (!rest || !text_equal(value, "time") || !text_number(rest, &n) ||
        n < TIME_MIN)
        return false;
    o->trigger = TRIGGER_TIME;
    o->period = (uint32_t)cycles_to_ticks(n);
    return true;
}

/* This time's period: n, or somewhere in [7n/8, 9n/8]. */
static uint32_t period(struct cpu *c, uint32_t n)
{
    uint32_t span = n / 4;

    if (!options()->dither || !span)
        return n;
    return n - n / 8 + random_below(&c->random, span + 1);
}

static uint32_t pmc_read(int i)
{
    switch (i) {
    case 0:
        return mfspr(SPR_PMC1);
    case 1:
        return mfspr(SPR_PMC2);
    case 2:
        return mfspr(SPR_PMC3);
    default:
        return mfspr(SPR_PMC4);
    }
}

static void pmc_write(int i, uint32_t v)
{
    switch (i) {
    case 0:
        mtspr(SPR_PMC1, v);
        break;
    case 1:
        mtspr(SPR_PMC2, v);
        break;
    case 2:
        mtspr(SPR_PMC3, v);
        break;
    default:
        mtspr(SPR_PMC4, v);
    }
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

/* A full period from here on. Interrupts are off, and c is this CPU. */
void trigger_arm(struct cpu *c)
{
    const struct options *o = options();

    if (o->trigger == TRIGGER_TIME) {
        c->sample_due = time_now() + period(c, o->period);
        timer_program(c);
    } else {
        const struct event_row *e = &events[o->event];
        int i = counter_of(e);

        c->backoff = 1;
        c->last_sample = time_now();
        pmc_write(i, PMC_NEGATIVE - period(c, o->period));
        pmu_on(e, i);
    }
}

void trigger_disarm(struct cpu *c)
{
    c->sample_due = 0;
    mtspr(SPR_MMCR0, 0);
}

static void storm_guard(struct cpu *c)
{
    uint64_t now = time_now();

    if (now - c->last_sample >= cycles_to_ticks(STORM_CYCLES)) {
        c->backoff = 1;
    } else if (c->backoff < BACKOFF_MAX) {
        c->backoff *= 2;
        c->throttled++;
    }
    c->last_sample = now;
}

/* A period has passed; the next one began when it ended, not now. */
void trigger_again(struct cpu *c)
{
    const struct options *o = options();
    uint64_t now = time_now();

    if (o->trigger == TRIGGER_TIME) {
        c->sample_due += period(c, o->period);
        if (c->sample_due <= now)
            c->sample_due = now + o->period;
    } else {
        const struct event_row *e = &events[o->event];
        int i = counter_of(e);
        uint32_t beyond = pmc_read(i) & ~PMC_NEGATIVE;
        uint32_t n;

        storm_guard(c);
        n = period(c, o->period) * c->backoff;
        if (n > EVENT_MAX)
            n = EVENT_MAX;
        pmc_write(i, PMC_NEGATIVE - n + (beyond < n ? beyond : 0));
        pmu_on(e, i);
    }
}

/* The performance monitor interrupted. */
void trigger_interrupt(struct cpu *c)
{
    if (!c->armed)
        return;
    trigger_again(c);
    irq_sample(c);
}
