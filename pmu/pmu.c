/* pmu.c - what software and the core tell the monitor, and read from it.
 *
 * Knows MMCR0/1, PMC1-8, SIA, SDA and the MSR; knows no pipeline. When counters
 * run and interrupt is control.c, what one shows at a cycle counter.c. Sources:
 * 604 UM p.78-81, 368-375; where they are silent, the choice is:
 * a signalled interrupt stays pending until it is taken; DISCOUNT holds the
 * counters from the signal until a write of MMCR0 sets ENINT or clears
 * DISCOUNT; a write of MMCR0 with PMCTRIGGER arms the trigger anew; ENINT
 * set over a counter that is negative and enabled signals at once.
 */
#include "pmu/counter/control.h"

#include <string.h>

#include "lib/base/snap.h"
#include "include/mark_bits.h"

/* What selector s of PMCn selects; -1: nothing, which is remembered. */
static int event_by_selector(struct pmu *p, unsigned n, uint32_t s)
{
    int event = event_selected(n, s);

    if (event < 0 && s < 32)
        p->absent[n - 1] |= 1u << s;
    else if (event >= 0)
        p->asked[event] = true;
    return event;
}

/* What PIFEn selects: a selector of any PMC, or a definition; -1: nothing. */
static int event_by_pife(struct pmu *p, uint32_t value)
{
    uint32_t pmc = value >> 8, selector = value & 0xFF;

    if (pmc == PIFE_DEFINED)
        return selector < p->derived.defines ? (int)derived_defined(selector)
                                             : -1;
    return pmc >= 1 && pmc <= PMU_SELECTS ? event_by_selector(p, pmc, selector)
                                          : -1;
}

/* Which row of the table each counter is to count. */
static int event_of(struct pmu *p, unsigned i)
{
    if (p->pif && p->pife[i])
        return event_by_pife(p, p->pife[i]);
    switch (i) {
    case 0: /* both fields are wider than what the chip decodes */
        return event_by_selector(p, 1, p->mmcr0 >> MMCR0_PMC1SELECT_SHIFT & 31);
    case 1:
        return event_by_selector(p, 2, p->mmcr0 >> MMCR0_PMC2SELECT_SHIFT & 31);
    case 2:
        return event_by_selector(p, 3, p->mmcr1 >> MMCR1_PMC3SELECT_SHIFT & 31);
    case 3:
        return event_by_selector(p, 4, p->mmcr1 >> MMCR1_PMC4SELECT_SHIFT & 31);
    }
    return -1;
}

static void select_events(struct pmu *p, cycle_t now)
{
    unsigned i;

    for (i = 0; i < p->pmcs; i++) {
        struct pmc *k = &p->pmc[i];
        int selected = event_of(p, i);
        int event = derived_event(p, i + 1, selected);
        uint32_t value = counter_value(p, k, now);

        if (event == k->event && selected == k->selected)
            continue;
        if (k->row >= 0)
            ev_own(&p->ev, (enum event)k->row, UINT64_MAX);
        k->selected = selected;
        k->event = event;
        k->row = event < 0 ? -1 : event_row((enum event)event);
        counter_trace(k, false);
        counter_write(p, k, value, now);
    }
    derived_refresh(p);
    for (i = 0; i < p->pmcs; i++)
        if (p->pmc[i].row >= 0)
            p->pmc[i].point =
                derived_kind(p, (enum event)p->pmc[i].row) == KIND_POINT;
}

/* RTCSELECT: which bit of the time base, counted from its low end. */
static uint32_t tb_shift(const struct pmu *p)
{
    static const uint8_t shift[4] = {0, 8, 12, 16}; /* TB 63, 55, 51, 47 */
    unsigned select = p->mmcr0 >> MMCR0_RTCSELECT_SHIFT & 3;

    return shift[p->rtcselect_604 ? 3 - select : select];
}

/* Bring every counter up to now, so that its rules may change. */
static void settle(struct pmu *p, cycle_t now)
{
    unsigned i;

    for (i = 0; i < p->pmcs; i++)
        counter_settle(p, &p->pmc[i], now);
}

/* A condition that lies ahead has not come true when software steps in. */
static void cancel_signal(struct pmu *p, cycle_t now)
{
    if (p->fired != CYCLE_NEVER && p->fired > now) {
        if (p->signal == p->fired) {
            p->signal = CYCLE_NEVER;
            p->unsampled = false;
        }
        p->stopped = false;
    }
    p->fired = CYCLE_NEVER;
}

/* The counters are settled, and what selects has changed. */
static void reselect(struct pmu *p, cycle_t now)
{
    unsigned i;

    p->released = CYCLE_NEVER;
    select_events(p, now);
    p->tb_shift = tb_shift(p);
    for (i = 0; i < p->pmcs; i++)
        if (p->pmc[i].event == EV_tb_transition)
            p->pmc[i].origin = counter_rises(p, now);
    control_update(p, now);
}

static void write_mmcr(struct pmu *p, uint32_t mmcr0, uint32_t mmcr1,
                       cycle_t now)
{
    settle(p, now);
    p->mmcr0 = mmcr0;
    p->mmcr1 = mmcr1 & MMCR1_BITS;
    reselect(p, now);
}

/* PIFF, or PIFEn. */
static void write_filter(struct pmu *p, unsigned spr, uint32_t value,
                         cycle_t now)
{
    settle(p, now);
    if (spr == PMU_PIFF)
        p->piff = value;
    else
        p->pife[spr - PMU_PIFE1] = value;
    reselect(p, now);
}

static void write_mmcr0(struct pmu *p, uint32_t value, cycle_t now)
{
    cancel_signal(p, now);
    if ((value & MMCR0_ENINT) || !(value & MMCR0_DISCOUNT))
        p->stopped = false;
    p->triggered = false;
    write_mmcr(p, value, p->mmcr1, now);
}

/* MMCR0 as it stood at cycle now: ENINT falls when the signal comes. */
static uint32_t read_mmcr0(const struct pmu *p, cycle_t now)
{
    return p->mmcr0 |
           (p->fired != CYCLE_NEVER && now < p->fired ? MMCR0_ENINT : 0);
}

/* Number of the PMC, from 1; 0: it is another register. */
static unsigned pmc_number(unsigned spr)
{
    static const uint16_t sprs[PMU_PMCS] = {PMU_PMC1, PMU_PMC2, PMU_PMC3,
                                            PMU_PMC4, PMU_PMC5, PMU_PMC6,
                                            PMU_PMC7, PMU_PMC8};
    unsigned n;

    for (n = PMU_PMCS; n; n--)
        if (sprs[n - 1] == spr)
            break;
    return n;
}

static bool is_filter(unsigned spr)
{
    return spr == PMU_PIFF || (spr >= PMU_PIFE1 && spr <= PMU_PIFE8);
}

bool pmu_has(unsigned spr)
{
    return spr == PMU_PMIX || spr == PMU_PMDX ||
           (spr >= PMU_MMCR0 && spr <= PMU_SDA) || is_filter(spr) ||
           pmc_number(spr);
}

bool pmu_there(const struct pmu *p, unsigned spr)
{
    if (spr >= PMU_PIFE1 && spr <= PMU_PIFE8)
        return spr - PMU_PIFE1 < p->pmcs;
    return (spr == PMU_MMCR1 ? 3 : pmc_number(spr)) <= p->pmcs;
}

bool pmu_numbered(const struct pmu *p, unsigned spr)
{
    return spr != PMU_PMIX && spr != PMU_PMDX && pmu_has(spr) &&
           pmu_there(p, spr);
}

/* PMDX is the register whose number is in PMIX; 0: that is none. */
static unsigned direct(const struct pmu *p, unsigned spr)
{
    if (spr != PMU_PMDX)
        return spr;
    return pmu_numbered(p, p->pmix) ? p->pmix : 0;
}

uint32_t pmu_peek(const struct pmu *p, unsigned spr, cycle_t now)
{
    unsigned n = pmc_number(spr = direct(p, spr));

    if (n)
        return counter_value(p, &p->pmc[n - 1], now);
    if (is_filter(spr))
        return spr == PMU_PIFF ? p->piff : p->pife[spr - PMU_PIFE1];
    switch (spr) {
    case PMU_PMIX:
        return p->pmix;
    case PMU_MMCR0:
        return read_mmcr0(p, now);
    case PMU_MMCR1:
        return p->mmcr1;
    case PMU_SIA:
        return p->sia;
    case PMU_SDA:
        return p->sda;
    }
    return 0;
}

uint32_t pmu_read(struct pmu *p, unsigned spr, cycle_t now)
{
    pmu_tick(p, now);
    return pmu_peek(p, spr, now);
}

void pmu_write(struct pmu *p, unsigned spr, uint32_t value, cycle_t now)
{
    unsigned n = pmc_number(spr = direct(p, spr));

    pmu_tick(p, now);
    p->written = now;
    if (n == 1)
        p->released = CYCLE_NEVER;
    if (n)
        counter_write(p, &p->pmc[n - 1], value, now);
    else if (spr == PMU_MMCR0)
        write_mmcr0(p, value, now);
    else if (spr == PMU_MMCR1)
        write_mmcr(p, p->mmcr0, value, now);
    else if (is_filter(spr))
        write_filter(p, spr, value, now);
    else if (spr == PMU_PMIX)
        p->pmix = value & 0x3FF;
    else if (spr == PMU_SIA)
        p->sia = value;
    else if (spr == PMU_SDA)
        p->sda = value;
    control_levels(p, now);
    control_refresh(p);
}

void pmu_pif(struct pmu *p, bool on, cycle_t now)
{
    if (on == p->pif)
        return;
    pmu_tick(p, now);
    p->written = now;
    settle(p, now);
    p->pif = on;
    reselect(p, now);
    control_levels(p, now);
    control_refresh(p);
}

uint32_t pmu_count(const struct pmu *p, unsigned n, cycle_t now)
{
    return counter_value(p, &p->pmc[n - 1], now);
}

static bool counts_ee_off(const struct pmu *p)
{
    unsigned i;

    for (i = 0; i < p->pmcs; i++)
        if (p->pmc[i].event == EV_ee_off_cycles)
            return true;
    return false;
}

/* EE or nap is about to change. */
static void fold_ee(struct pmu *p, cycle_t now)
{
    p->ee_off_total = counter_ee_off(p, now);
    p->ee_off_since = now;
}

void pmu_msr(struct pmu *p, bool pr, bool pm, bool ee, cycle_t now)
{
    pmu_tick(p, now);
    if (ee != p->ee)
        fold_ee(p, now);
    p->ee = ee;
    if (pr != p->pr || pm != p->pm) {
        p->pr = pr;
        p->pm = pm;
        control_update(p, now);
        control_refresh(p);
    } else if (counts_ee_off(p)) {
        control_refresh(p);
    }
}

void pmu_nap(struct pmu *p, bool napping, cycle_t now)
{
    pmu_tick(p, now);
    if (napping == p->napping)
        return;
    fold_ee(p, now);
    if (napping)
        p->nap_since = now;
    else
        p->nap_total += now - p->nap_since;
    p->napping = napping;
    control_refresh(p);
}

void pmu_timebase(struct pmu *p, uint64_t offset, cycle_t now)
{
    uint64_t rises, old, new;

    pmu_tick(p, now);
    p->written = now;
    rises = counter_rises(p, now);
    old = p->tb_offset + now / p->tb_ratio;
    new = offset + now / p->tb_ratio;
    p->tb_offset = offset;
    p->tb_extra += rises - counter_rises(p, now);
    if (~old & new &(uint64_t)1 << p->tb_shift) {
        p->tb_extra++;
        if (p->mmcr0 & MMCR0_INTONBITTRANS)
            control_signal(p, now, EV_tb_transition);
    }
    control_levels(p, now);
    control_refresh(p);
}

void pmu_sample(struct pmu *p, uint32_t sia, uint32_t sda)
{
    if (!p->unsampled)
        return;
    p->unsampled = false;
    p->sia = sia;
    p->sda = sda;
}

void pmu_threshold(struct pmu *p, bool store, bool lateral, uint32_t pc,
                   uint32_t ea, uint64_t cycles, cycle_t at)
{
    static const enum event ids[2][2] = {
        {EV_load_miss_threshold, EV_load_lat_threshold},
        {EV_store_miss_threshold, EV_store_lat_threshold}};
    enum event id = ids[store][lateral];
    uint32_t limit = (p->mmcr0 >> MMCR0_THRESHOLD_SHIFT & 63);
    cycle_t before = p->signal;

    if (cycles <= (uint64_t)limit * p->threshold_scale)
        return;
    p->derived.exact = true;
    p->ev.data.ea = ea;
    ev_add(&p->ev, id, 1, at);
    p->derived.exact = false;
    control_exact(p, id, before, pc, ea);
}

void pmu_taken(struct pmu *p)
{
    p->signal = CYCLE_NEVER;
    p->fired = CYCLE_NEVER;
    p->unsampled = false;
    control_refresh(p);
}

void pmu_reset(struct pmu *p, unsigned tb_ratio)
{
    unsigned i;

    memset(p, 0, sizeof *p);
    for (i = 0; i < EV_COUNT; i++)
        p->ev.limit[i] = p->ev.own[i] = p->ev.host[i] = UINT64_MAX;
    for (i = 0; i < PMU_PMCS; i++) {
        p->pmc[i].selected = p->pmc[i].event = EV_nothing;
        p->pmc[i].row = -1;
        p->pmc[i].counting = true; /* MMCR0 is zero: nothing stops them */
    }
    p->signal = CYCLE_NEVER;
    p->signal_event = -1;
    p->released = CYCLE_NEVER;
    p->deadline = CYCLE_NEVER;
    p->fired = CYCLE_NEVER;
    p->tb_ratio = tb_ratio;
    p->threshold_scale = 4;
    p->pmcs = PMU_SELECTS;
}

/* ---- save and load --------------------------------------------------------
 */

static void registers_state(struct snap *s, struct pmu *p)
{
    SNAP(s, p->mmcr0);
    SNAP(s, p->mmcr1);
    SNAP(s, p->sia);
    SNAP(s, p->sda);
    for (unsigned n = 0; n < PMU_PMCS; n++)
        pmc_state(s, &p->pmc[n]);
    derived_state(s, &p->derived);
    SNAP_ARRAY(s, p->asked);
    SNAP_ARRAY(s, p->absent);
    SNAP(s, p->pif);
    SNAP(s, p->pmix);
    SNAP(s, p->piff);
    SNAP_ARRAY(s, p->pife);
    SNAP(s, p->pr);
    SNAP(s, p->pm);
    SNAP(s, p->ee);
}

static void signal_state(struct snap *s, struct pmu *p)
{
    SNAP(s, p->signal);
    SNAP(s, p->signal_event);
    if (p->signal_event < -1 || p->signal_event >= EV_COUNT)
        snap_refuse_value(s, "event", (unsigned)p->signal_event, EV_COUNT);
    data_access_state(s, &p->signal_data);
    SNAP(s, p->exact);
    SNAP(s, p->unsampled);
    SNAP(s, p->deadline);
    SNAP(s, p->news);
    SNAP(s, p->clock);
    SNAP(s, p->fired);
    SNAP(s, p->stopped);
    SNAP(s, p->triggered);
    SNAP(s, p->released);
    SNAP(s, p->written);
}

bool pmu_state(struct snap *s, struct pmu *p)
{
    snap_begin(s, "pmu", 1);
    ev_state(s, &p->ev);
    registers_state(s, p);
    signal_state(s, p);
    SNAP_SAME(s, p->pmcs);
    SNAP_SAME(s, p->threshold_scale);
    SNAP_SAME(s, p->rtcselect_604);
    SNAP(s, p->napping);
    SNAP(s, p->nap_since);
    SNAP(s, p->nap_total);
    SNAP(s, p->ee_off_total);
    SNAP(s, p->ee_off_since);
    SNAP_BELOW(s, p->tb_shift, 32);
    SNAP_SAME(s, p->tb_ratio);
    SNAP(s, p->tb_offset);
    SNAP(s, p->tb_extra);
    return snap_end(s);
}
