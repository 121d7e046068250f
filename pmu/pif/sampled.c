/* sampled.c - who is sampled, and what is kept of it. See sampled.h. */
#include "pmu/pif/sampled.h"

#include "lib/base/snap.h"

#include <string.h>

#include "include/mark_bits.h"
#include "pmu/pmu.h"
#include "include/record.h"

/* ---- who ----------------------------------------------------------------- */

/* Half a period either way, each as likely as any other. */
static uint32_t interval(struct sampler *k)
{
    uint64_t half = k->period / 2;

    if (!k->dither)
        return k->period ? k->period : 1;
    k->random = k->random * 1664525u + 1013904223u;
    half = k->period - half + (k->random >> 7) % (2 * half + 1);
    return half ? (uint32_t)half : 1;
}

static void refresh(struct sampled *s)
{
    s->guest.on = s->there && s->control & SIC_ON;
    s->guest.dither = s->control & SIC_DI;
    s->active = s->guest.on || s->host.on;
}

void sampled_init(struct sampled *s, uint32_t seed)
{
    memset(s, 0, sizeof *s);
    s->guest.random = seed * 2654435761u;
    s->host.random = ~seed * 2654435761u;
}

void sampled_host(struct sampled *s, uint32_t period, unsigned states,
                  sampled_report *report, void *arg)
{
    s->report = report;
    s->arg = arg;
    s->host.on = s->host.dither = true;
    s->host.states = states ? states : SAMPLED_IN_USER | SAMPLED_IN_KERNEL;
    s->host.period = period;
    s->host.left = interval(&s->host);
    refresh(s);
}

void sampled_enable(struct sampled *s, bool on)
{
    s->there = on;
    refresh(s);
}

/* One more was dispatched. True: this is the one. */
static bool chosen(struct sampler *k)
{
    k->passed++;
    if (k->left > 1) {
        k->left--;
        return false;
    }
    k->left = interval(k);
    return true;
}

/* ---- what ---------------------------------------------------------------- */

uint32_t sampled_flags(const struct insn_info *d)
{
    return (d->completed ? SAMPLED_COMPLETED : 0) |
           (d->wrong ? SAMPLED_WRONG : 0) | (d->issue ? SAMPLED_ISSUED : 0) |
           (d->finish ? SAMPLED_FINISHED : 0) | (d->imiss ? SAMPLED_IMISS : 0) |
           (d->itlb ? SAMPLED_ITLB : 0) | (d->dtlb ? SAMPLED_DTLB : 0) |
           (d->mispredicted ? SAMPLED_MISPREDICTED : 0) |
           (d->taken ? SAMPLED_TAKEN : 0) | (d->branch ? SAMPLED_BRANCH : 0) |
           (d->load ? SAMPLED_LOAD : 0) | (d->store ? SAMPLED_STORE : 0) |
           (d->user ? SAMPLED_USER : 0) |
           (uint32_t)d->level << SAMPLED_LEVEL_SHIFT;
}

static uint32_t half_word(uint64_t n)
{
    return n < 0xFFFF ? (uint32_t)n : 0xFFFF;
}

/* Cycles from one stage to the next, 0 where it did not come to that. */
static uint32_t between(cycle_t from, cycle_t to)
{
    return from && to > from ? half_word(to - from) : 0;
}

static void keep(struct sampled *s, const struct insn_info *d)
{
    cycle_t reached = d->finish ? d->finish : d->issue ? d->issue : d->dispatch;

    s->pc = d->pc;
    s->ea = d->data.ea;
    s->flags = SIF_VALID | sampled_flags(d);
    s->early =
        between(d->fetch, d->dispatch) << 16 | between(d->dispatch, d->issue);
    s->late =
        between(d->issue, d->finish) << 16 | between(reached, d->complete);
    s->data = half_word(d->data_latency) << 16 | half_word(d->oldest);
}

bool sampled_end(struct sampled *s, const struct insn_info *d)
{
    uint32_t state = d->user ? SIC_US : SIC_SU;

    if (!d->dispatched)
        return false;
    if (s->host.on &&
        s->host.states & (d->user ? SAMPLED_IN_USER : SAMPLED_IN_KERNEL) &&
        chosen(&s->host)) {
        s->report(s->arg, d, s->host.passed);
        s->host.passed = 0;
    }
    if (!s->guest.on || !(s->control & state) || s->flags & SIF_VALID ||
        !chosen(&s->guest))
        return false;
    keep(s, d);
    s->guest.passed = 0;
    return s->control & SIC_XE;
}

void sampled_lost(struct sampled *s)
{
    s->flags &= ~SIF_VALID;
}

/* ---- registers ----------------------------------------------------------- */

uint32_t sampled_read(const struct sampled *s, unsigned spr)
{
    switch (spr) {
    case PMU_SIC:
        return s->control;
    case PMU_SIP:
        return s->guest.period;
    case PMU_SIN:
        return s->guest.left;
    case PMU_SIPC:
        return s->pc;
    case PMU_SIEA:
        return s->ea;
    case PMU_SIF:
        return s->flags;
    case PMU_SISA:
        return s->early;
    case PMU_SISB:
        return s->late;
    }
    return s->data;
}

void sampled_write(struct sampled *s, unsigned spr, uint32_t value)
{
    switch (spr) {
    case PMU_SIC:
        s->control = value & SIC_BITS;
        refresh(s);
        break;
    case PMU_SIP:
        s->guest.period = value;
        s->guest.left = interval(&s->guest);
        break;
    case PMU_SIN:
        s->guest.left = value;
        break;
    case PMU_SIPC:
        s->pc = value;
        break;
    case PMU_SIEA:
        s->ea = value;
        break;
    case PMU_SIF:
        s->flags = value & SIF_BITS;
        break;
    case PMU_SISA:
        s->early = value;
        break;
    case PMU_SISB:
        s->late = value;
        break;
    default:
        s->data = value;
    }
}

static void sampler_state(struct snap *s, struct sampler *k)
{
    SNAP(s, k->on);
    SNAP(s, k->dither);
    SNAP(s, k->states);
    SNAP(s, k->period);
    SNAP(s, k->left);
    SNAP(s, k->passed);
    SNAP(s, k->random);
}

bool sampled_state(struct snap *s, struct sampled *k)
{
    snap_begin(s, "sampled", 1);
    SNAP(s, k->active);
    SNAP(s, k->there);
    sampler_state(s, &k->guest);
    sampler_state(s, &k->host);
    SNAP(s, k->control);
    SNAP(s, k->pc);
    SNAP(s, k->ea);
    SNAP(s, k->flags);
    SNAP(s, k->early);
    SNAP(s, k->late);
    SNAP(s, k->data);
    SNAP_SKIP(s, k->report, "plugged in by sampled_host");
    SNAP_SKIP(s, k->arg, "plugged in by sampled_host");
    return snap_end(s);
}
