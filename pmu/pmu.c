/* pmu.c - what makes the counters run, stop and interrupt.
 *
 * Knows MMCR0/1, PMC1-4, SIA, SDA and the MSR bits that filter; knows no
 * pipeline. What one counter shows at a cycle is view.c. Sources: 604 UM
 * p.78-81, 368-375; where it is silent, the choice is in docs/architecture.md:
 * a signalled interrupt stays pending until it is taken; DISCOUNT holds the
 * counters from the signal until a write of MMCR0 sets ENINT or clears
 * DISCOUNT; a write of MMCR0 with PMCTRIGGER arms the trigger anew; ENINT
 * set over a counter that is negative and enabled signals at once.
 */
#include "pmu/view.h"

#include <string.h>

/* Stamps of neighbouring instructions differ by less.
 * APPROX: an add that comes more than this out of order, and belongs before a
 * start or stop, is counted where it comes; no source; costs a count there. */
#define WINDOW 2048u
/* This many counts, or cycles, ahead of an overflow tracing begins. */
#define NEAR 64u

static bool int_enabled(const struct pmu *p, unsigned i)
{
    return p->mmcr0 & (i ? MMCR0_PMCINTCONTROL : MMCR0_PMC1INTCONTROL);
}

/* PMC2 to PMC4 wait for the trigger. */
static bool trigger_waits(const struct pmu *p)
{
    return (p->mmcr0 & MMCR0_PMCTRIGGER) && !p->triggered;
}

/* ENINT, or the signal that cleared it could still move forward. */
static bool armed(const struct pmu *p)
{
    return (p->mmcr0 & MMCR0_ENINT) || p->cleared;
}

/* A signal would stop counters, as DISCOUNT asks. */
static bool stops_at_signal(const struct pmu *p)
{
    return (p->mmcr0 & MMCR0_DISCOUNT) && !(p->mmcr0 & MMCR0_PMCTRIGGER);
}

static bool runs(const struct pmu *p, unsigned i)
{
    uint32_t m = p->mmcr0;

    if (m & MMCR0_DIS)
        return false;
    if (m & (p->pr ? MMCR0_DU : MMCR0_DP))
        return false;
    if (m & (p->pm ? MMCR0_DMS : MMCR0_DMR))
        return false;
    if (p->stopped && !(i && (m & MMCR0_PMCINTCONTROL)))
        return false;
    return !(i && trigger_waits(p));
}

/* Start and stop what the state at cycle c says. */
static void counters_update(struct pmu *p, cycle_t c)
{
    unsigned i;

    for (i = 0; i < PMU_PMCS; i++) {
        struct pmc *k = &p->pmc[i];
        bool run = runs(p, i);

        if (run && !k->counting)
            view_start(p, k, c);
        else if (!run && k->counting)
            view_stop(p, k, c);
    }
}

/* A condition that can interrupt came true at cycle c. */
static void signal_at(struct pmu *p, cycle_t c, int event)
{
    unsigned i;

    if (p->mmcr0 & MMCR0_ENINT) {
        p->mmcr0 &= ~MMCR0_ENINT;
        p->stopped = stops_at_signal(p);
        p->triggered = true;
        counters_update(p, c);
        if (p->signal != CYCLE_NEVER)
            return;
        p->cleared = true;
    } else if (p->cleared && c < p->signal) {
        for (i = 0; i < PMU_PMCS; i++)
            if (p->pmc[i].edge == p->signal)
                view_move(p, &p->pmc[i], c);
    } else {
        return;
    }
    p->signal = c;
    p->signal_event = event;
    p->exact = false;
    p->unsampled = true;
}

static void went_negative(struct pmu *p, unsigned i, cycle_t c)
{
    if (i == 0 && trigger_waits(p)) {
        p->triggered = true;
        counters_update(p, c);
    }
    if (int_enabled(p, i))
        signal_at(p, c, p->pmc[i].event);
}

/* Moved by adds of its own row, not by the clock. */
static bool is_added(const struct pmc *k)
{
    return k->row >= 0 && k->row == k->event;
}

/* No earlier than this will k, moved by the clock, be negative. */
static cycle_t due(const struct pmu *p, const struct pmc *k)
{
    cycle_t c = k->edge > p->clock ? k->edge : p->clock;
    uint64_t left = view_left(p, k, c);

    switch (k->event) {
    case -1:
    case EV_nothing:
        return CYCLE_NEVER;
    case EV_cycles:
        return c + left;
    case EV_tb_transition:
        return view_rise_after(p, c, left);
    case EV_ee_off_cycles:
        return p->ee || p->napping ? CYCLE_NEVER : c + left;
    }
    return p->napping ? CYCLE_NEVER : c + left;
}

/* When the clock next has a say; marks the counters that are watched. */
static cycle_t clock_due(struct pmu *p)
{
    cycle_t at = CYCLE_NEVER;
    unsigned i;

    if ((p->mmcr0 & MMCR0_INTONBITTRANS) && armed(p))
        at = view_rise_after(p, p->clock, 1);
    for (i = 0; i < PMU_PMCS; i++) {
        struct pmc *k = &p->pmc[i];
        bool cares = (armed(p) && int_enabled(p, i)) ||
                     (i == 0 && trigger_waits(p));

        k->watch = cares && k->counting && view_left(p, k, p->clock);
        if (k->watch && !is_added(k)) {
            cycle_t d = due(p, k);
            at = d < at ? d : at;
        }
    }
    /* Without ENINT only what comes before the pending signal matters. */
    if (!(p->mmcr0 & MMCR0_ENINT) && !trigger_waits(p) && at >= p->signal)
        return CYCLE_NEVER;
    return at;
}

static bool is_near(const struct pmu *p, cycle_t at)
{
    unsigned i;

    if (at != CYCLE_NEVER && at - p->clock <= NEAR)
        return true;
    for (i = 0; i < PMU_PMCS; i++) {
        const struct pmc *k = &p->pmc[i];
        if (k->watch && is_added(k) && view_left(p, k, 0) <= NEAR)
            return true;
    }
    return false;
}

/* Must every add of k's row come by? */
static bool needs_trace(const struct pmu *p, const struct pmc *k, bool edges)
{
    if (k->open || edges || (k->row != k->event && k->counting))
        return true;
    if (p->cleared && int_enabled(p, (unsigned)(k - p->pmc)))
        return true;
    return k->watch && view_left(p, k, 0) <= NEAR;
}

/* Set deadline and limits after anything changed. */
static void refresh(struct pmu *p)
{
    cycle_t at = clock_due(p);
    bool movable = trigger_waits(p) ||
                   ((p->mmcr0 & MMCR0_ENINT) && stops_at_signal(p));
    bool edges = movable && is_near(p, at);
    unsigned i;

    p->deadline = at;
    p->news = true;
    if (movable && !edges && at != CYCLE_NEVER)
        p->deadline = at - NEAR;
    for (i = 0; i < PMU_PMCS; i++)
        if (p->pmc[i].row >= 0)
            p->ev.limit[p->pmc[i].row] = UINT64_MAX;
    for (i = 0; i < PMU_PMCS; i++) {
        struct pmc *k = &p->pmc[i];
        uint64_t limit = UINT64_MAX;

        if (k->row < 0)
            continue;
        view_trace(k, needs_trace(p, k, edges));
        if (k->traced)
            limit = p->ev.total[k->row] + 1;
        else if (k->watch)
            limit = p->ev.total[k->row] + view_left(p, k, 0) - NEAR;
        if (limit < p->ev.limit[k->row])
            p->ev.limit[k->row] = limit;
    }
}

/* Counter i went negative by an add; what the clock did before goes first. */
static void cross(struct pmu *p, unsigned i)
{
    cycle_t c = view_crossing(p, &p->pmc[i]);

    if (stops_at_signal(p) && p->deadline < c)
        pmu_tick(p, c - 1);
    went_negative(p, i, c);
}

/* An add brought k over the edge, or shows that it had gone over earlier. */
static bool check_crossing(struct pmu *p, unsigned i, cycle_t at)
{
    struct pmc *k = &p->pmc[i];

    if (!is_added(k) || view_left(p, k, 0))
        return false;
    if (k->watch)
        cross(p, i);
    else if (p->cleared && at < p->signal && int_enabled(p, i))
        signal_at(p, view_crossing(p, k), k->event);
    else
        return false;
    return true;
}

void ev_limit(struct ev *ev, enum event id, uint64_t n, cycle_t at)
{
    struct pmu *p = (struct pmu *)ev;
    bool changed = false;
    unsigned i;

    for (i = 0; i < PMU_PMCS; i++) {
        struct pmc *k = &p->pmc[i];

        if (k->row != (int)id)
            continue;
        if (!k->traced) {
            view_trace(k, true);
            changed = true;
        }
        view_add(k, n, at);
        if (k->open && at > k->edge + n + WINDOW) {
            k->open = false;
            changed = true;
        }
    }
    for (i = 0; i < PMU_PMCS; i++)
        if (p->pmc[i].row == (int)id)
            changed |= check_crossing(p, i, at);
    if (changed)
        refresh(p);
    else
        ev->limit[id] = ev->total[id] + 1;
}

static bool rises_at(const struct pmu *p, cycle_t c)
{
    return view_rises(p, c) != view_rises(p, c - 1);
}

/* The clock stands at c, a deadline: who went negative? */
static void fire(struct pmu *p, cycle_t c)
{
    unsigned i;

    for (i = 0; i < PMU_PMCS; i++) {
        struct pmc *k = &p->pmc[i];
        if (k->watch && !is_added(k) && !view_left(p, k, c))
            went_negative(p, i, c);
    }
    if ((p->mmcr0 & MMCR0_INTONBITTRANS) && rises_at(p, c))
        signal_at(p, c, EV_tb_transition);
}

void pmu_tick(struct pmu *p, cycle_t now)
{
    while (p->deadline <= now) {
        p->clock = p->deadline;
        fire(p, p->clock);
        refresh(p);
    }
    if (now > p->clock)
        p->clock = now;
}

/* Which row of the table each counter is to count. */
static int event_of(const struct pmu *p, unsigned i)
{
    switch (i) {
    case 0: /* both fields are wider than what the chip decodes */
        return event_selected(1, p->mmcr0 >> MMCR0_PMC1SELECT_SHIFT & 31);
    case 1:
        return event_selected(2, p->mmcr0 >> MMCR0_PMC2SELECT_SHIFT & 31);
    case 2:
        return event_selected(3, p->mmcr1 >> MMCR1_PMC3SELECT_SHIFT & 31);
    }
    return event_selected(4, p->mmcr1 >> MMCR1_PMC4SELECT_SHIFT & 31);
}

static void select_events(struct pmu *p, cycle_t now)
{
    unsigned i;

    for (i = 0; i < PMU_PMCS; i++) {
        struct pmc *k = &p->pmc[i];
        int event = event_of(p, i);
        uint32_t value = view_value(p, k, now);

        if (event == k->event)
            continue;
        if (k->row >= 0)
            p->ev.limit[k->row] = UINT64_MAX;
        k->event = event;
        k->row = event < 0 ? -1 : event_row((enum event)event);
        view_trace(k, false);
        view_write(p, k, value, now);
    }
}

/* Conditions are levels: what is negative and enabled counts at once. */
static void check_levels(struct pmu *p, cycle_t now)
{
    unsigned i;

    for (i = 0; i < PMU_PMCS; i++)
        if (view_value(p, &p->pmc[i], now) >= PMC_NEGATIVE)
            went_negative(p, i, now);
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

    for (i = 0; i < PMU_PMCS; i++)
        view_settle(p, &p->pmc[i], now);
}

/* A signal that lies ahead has not happened when software steps in. */
static void cancel_signal(struct pmu *p, cycle_t now)
{
    if (p->cleared && p->signal > now) {
        p->signal = CYCLE_NEVER;
        p->stopped = false;
        p->unsampled = false;
    }
    p->cleared = false;
}

static void write_mmcr(struct pmu *p, uint32_t mmcr0, uint32_t mmcr1,
                       cycle_t now)
{
    unsigned i;

    settle(p, now);
    p->mmcr0 = mmcr0;
    p->mmcr1 = mmcr1 & MMCR1_BITS;
    select_events(p, now);
    p->tb_shift = tb_shift(p);
    for (i = 0; i < PMU_PMCS; i++)
        if (p->pmc[i].event == EV_tb_transition)
            p->pmc[i].origin = view_rises(p, now);
    counters_update(p, now);
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
    return p->mmcr0 | (p->cleared && now < p->signal ? MMCR0_ENINT : 0);
}

static struct pmc *pmc_of(struct pmu *p, unsigned spr)
{
    switch (spr) {
    case PMU_PMC1:
        return &p->pmc[0];
    case PMU_PMC2:
        return &p->pmc[1];
    case PMU_PMC3:
        return &p->pmc[2];
    case PMU_PMC4:
        return &p->pmc[3];
    }
    return NULL;
}

uint32_t pmu_read(struct pmu *p, unsigned spr, cycle_t now)
{
    const struct pmc *k = pmc_of(p, spr);

    pmu_tick(p, now);
    if (k)
        return view_value(p, k, now);
    switch (spr) {
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

void pmu_write(struct pmu *p, unsigned spr, uint32_t value, cycle_t now)
{
    struct pmc *k = pmc_of(p, spr);

    pmu_tick(p, now);
    if (k)
        view_write(p, k, value, now);
    else if (spr == PMU_MMCR0)
        write_mmcr0(p, value, now);
    else if (spr == PMU_MMCR1)
        write_mmcr(p, p->mmcr0, value, now);
    else if (spr == PMU_SIA)
        p->sia = value;
    else if (spr == PMU_SDA)
        p->sda = value;
    check_levels(p, now);
    refresh(p);
}

uint32_t pmu_count(const struct pmu *p, unsigned n, cycle_t now)
{
    return view_value(p, &p->pmc[n - 1], now);
}

/* EE or nap is about to change. */
static void fold_ee(struct pmu *p, cycle_t now)
{
    p->ee_off_total = view_ee_off(p, now);
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
        counters_update(p, now);
        refresh(p);
    } else if (p->pmc[1].event == EV_ee_off_cycles) {
        refresh(p);
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
    refresh(p);
}

void pmu_timebase(struct pmu *p, uint64_t offset, cycle_t now)
{
    uint64_t rises, old, new;

    pmu_tick(p, now);
    rises = view_rises(p, now);
    old = p->tb_offset + now / p->tb_ratio;
    new = offset + now / p->tb_ratio;
    p->tb_offset = offset;
    p->tb_extra += rises - view_rises(p, now);
    if (~old & new & (uint64_t)1 << p->tb_shift) {
        p->tb_extra++;
        if (p->mmcr0 & MMCR0_INTONBITTRANS)
            signal_at(p, now, EV_tb_transition);
    }
    check_levels(p, now);
    refresh(p);
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
    ev_add(&p->ev, id, 1, at);
    if (p->signal != before && p->signal_event == (int)id) {
        p->exact = true;
        p->unsampled = false;
        p->sia = pc;
        p->sda = ea;
    }
}

void pmu_taken(struct pmu *p)
{
    p->signal = CYCLE_NEVER;
    p->cleared = false;
    refresh(p);
}

void pmu_reset(struct pmu *p, unsigned tb_ratio)
{
    unsigned i;

    memset(p, 0, sizeof *p);
    for (i = 0; i < EV_COUNT; i++)
        p->ev.limit[i] = UINT64_MAX;
    for (i = 0; i < PMU_PMCS; i++) {
        p->pmc[i].event = EV_nothing;
        p->pmc[i].row = -1;
        p->pmc[i].counting = true; /* MMCR0 is zero: nothing stops them */
    }
    p->signal = CYCLE_NEVER;
    p->signal_event = -1;
    p->deadline = CYCLE_NEVER;
    p->tb_ratio = tb_ratio;
    p->threshold_scale = 4;
}
