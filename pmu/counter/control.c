/* control.c - what makes the counters run, stop and interrupt.
 *
 * Knows MMCR0, the MSR bits that filter, and when a counter will be negative;
 * what one counter shows at a cycle is counter.c, what software reads and
 * writes is pmu.c. Sources: 604 UM p.78-81, 368-375. A signal that turns out to
 * have come earlier, because an add of that cycle is told later, moves there
 * with everything it started and stopped.
 */
#include "pmu/counter/control.h"

#include "pmu/counter/host_counters.h"

/* Stamps of neighbouring instructions differ by less.
 * APPROX: an add that comes more than this out of order, and belongs before a
 * start or stop, is counted where it comes; no source; costs a count there. */
#define WINDOW 2048u
/* So many counts, or cycles, ahead of an overflow tracing begins: enough for
 * all that is in flight by then. One add of a row that lasts may be large. */
#define NEAR 64u
#define NEAR_LONG 1024u

static bool int_enabled(const struct pmu *p, unsigned i)
{
    return p->mmcr0 & (i ? MMCR0_PMCINTCONTROL : MMCR0_PMC1INTCONTROL);
}

/* All but PMC1 wait for the trigger. */
static bool trigger_waits(const struct pmu *p)
{
    return (p->mmcr0 & MMCR0_PMCTRIGGER) && !p->triggered;
}

/* ENINT, or it could still prove to have been cleared earlier. */
static bool armed(const struct pmu *p)
{
    return (p->mmcr0 & MMCR0_ENINT) || p->fired != CYCLE_NEVER;
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
void control_update(struct pmu *p, cycle_t c)
{
    unsigned i;

    for (i = 0; i < p->pmcs; i++) {
        struct pmc *k = &p->pmc[i];
        bool run = runs(p, i);

        if (run && !k->counting)
            counter_start(p, k, c);
        else if (!run && k->counting)
            counter_stop(p, k, c);
    }
}

/* A condition that can interrupt came true at cycle c. If ENINT has been
 * cleared by one that came later, this was the first: ENINT fell then, and
 * what that did happened then. */
void control_signal(struct pmu *p, cycle_t c, int event)
{
    cycle_t late = p->fired;
    unsigned i;

    if (p->mmcr0 & MMCR0_ENINT) {
        p->mmcr0 &= ~MMCR0_ENINT;
        p->stopped = stops_at_signal(p);
        p->triggered = true;
        control_update(p, c);
    } else if (late != CYCLE_NEVER && c < late && c > p->written) {
        for (i = 0; i < p->pmcs; i++)
            if (p->pmc[i].edge == late)
                counter_move(p, &p->pmc[i], c);
        if (p->released == late)
            p->released = c;
        if (p->signal == late)
            p->signal = CYCLE_NEVER;
    } else {
        return;
    }
    p->fired = c;
    if (p->signal != CYCLE_NEVER)
        return; /* joins the one that is pending */
    p->signal = c;
    p->signal_event = event;
    p->signal_data = p->ev.data;
    p->exact = false;
    p->unsampled = true;
}

void control_exact(struct pmu *p, enum event event, cycle_t before,
                   uint32_t sia, uint32_t sda)
{
    if (p->signal == before || p->signal_event != (int)event)
        return;
    p->exact = true;
    p->unsampled = false;
    p->sia = sia;
    p->sda = sda;
}

static void went_negative(struct pmu *p, unsigned i, cycle_t c)
{
    if (i == 0 && trigger_waits(p)) {
        p->triggered = true;
        p->released = c;
        p->clock = c < p->clock ? c : p->clock;
        control_update(p, c);
    }
    if (int_enabled(p, i))
        control_signal(p, c, p->pmc[i].event);
}

/* No earlier than this will k, moved by the clock, be negative. */
static cycle_t due(const struct pmu *p, const struct pmc *k)
{
    cycle_t c = k->edge > p->clock ? k->edge : p->clock;
    uint64_t left = counter_left(p, k, c);

    switch (k->event) {
    case -1:
    case EV_nothing:
        return CYCLE_NEVER;
    case EV_cycles:
        return c + left;
    case EV_tb_transition:
        return counter_rise_after(p, c, left);
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
        at = counter_rise_after(p, p->clock, 1);
    for (i = 0; i < p->pmcs; i++) {
        struct pmc *k = &p->pmc[i];
        bool cares =
            (armed(p) && int_enabled(p, i)) || (i == 0 && trigger_waits(p));

        k->watch = cares && k->counting && counter_left(p, k, p->clock);
        if (k->watch && !counter_is_added(k)) {
            cycle_t d = due(p, k);
            at = d < at ? d : at;
        }
    }
    /* Without ENINT only what comes before the pending signal matters. */
    if (!(p->mmcr0 & MMCR0_ENINT) && !trigger_waits(p) && at >= p->fired)
        return CYCLE_NEVER;
    return at;
}

static uint64_t near(const struct pmc *k)
{
    return k->point ? NEAR : NEAR_LONG;
}

static bool is_near(const struct pmu *p, cycle_t at)
{
    unsigned i;

    if (at != CYCLE_NEVER && at - p->clock <= NEAR)
        return true;
    for (i = 0; i < p->pmcs; i++) {
        const struct pmc *k = &p->pmc[i];
        if (k->watch && counter_is_added(k) && counter_left(p, k, 0) <= near(k))
            return true;
    }
    return false;
}

/* Must every add of k's row come by? */
static bool needs_trace(const struct pmu *p, const struct pmc *k, bool edges)
{
    if (k->open || edges)
        return true;
    if (!counter_is_added(k) && (k->counting || trigger_waits(p)))
        return true; /* idle rows: it takes all of what was busy to tell */
    if (k == p->pmc && p->released != CYCLE_NEVER)
        return true;
    if (p->fired != CYCLE_NEVER && int_enabled(p, (unsigned)(k - p->pmc)))
        return true;
    return k->watch && counter_left(p, k, 0) <= near(k);
}

/* Set deadline and limits after anything changed. */
void control_refresh(struct pmu *p)
{
    cycle_t at = clock_due(p);
    bool movable =
        trigger_waits(p) || ((p->mmcr0 & MMCR0_ENINT) && stops_at_signal(p));
    bool edges = movable && is_near(p, at);
    unsigned i;

    p->deadline = at;
    p->news = true;
    if (movable && !edges && at != CYCLE_NEVER)
        p->deadline = at - NEAR;
    for (i = 0; i < p->pmcs; i++)
        if (p->pmc[i].row >= 0)
            ev_own(&p->ev, (enum event)p->pmc[i].row, UINT64_MAX);
    for (i = 0; i < p->pmcs; i++) {
        struct pmc *k = &p->pmc[i];
        uint64_t limit = UINT64_MAX;

        if (k->row < 0)
            continue;
        counter_trace(k, needs_trace(p, k, edges));
        if (k->traced)
            limit = p->ev.total[k->row] + 1;
        else if (k->watch)
            limit = p->ev.total[k->row] + counter_left(p, k, 0) - near(k);
        if (limit < p->ev.own[k->row])
            ev_own(&p->ev, (enum event)k->row, limit);
    }
}

/* Counter i went negative by an add; what the clock did before goes first. */
static void cross(struct pmu *p, unsigned i)
{
    cycle_t c = counter_crossing(p, &p->pmc[i]);

    if (stops_at_signal(p) && p->deadline < c)
        pmu_tick(p, c - 1);
    went_negative(p, i, c);
}

/* A counter that just started may already be negative, by adds that were told
 * before. */
static bool check_started(struct pmu *p)
{
    unsigned i;
    bool any = false;

    for (i = 0; i < p->pmcs; i++) {
        struct pmc *k = &p->pmc[i];

        if (int_enabled(p, i) && (p->mmcr0 & MMCR0_ENINT) && k->counting &&
            counter_is_added(k) && k->value < PMC_NEGATIVE &&
            !counter_left(p, k, 0)) {
            cross(p, i);
            any = true;
        }
    }
    return any;
}

/* An add of n brought k over the edge, or shows that it went earlier. */
static bool check_crossing(struct pmu *p, unsigned i, uint64_t n, cycle_t at)
{
    struct pmc *k = &p->pmc[i];

    if (!counter_is_added(k) || counter_left(p, k, 0))
        return false;
    if (k->watch)
        cross(p, i);
    else if (p->fired != CYCLE_NEVER && at < p->fired + n && int_enabled(p, i))
        control_signal(p, counter_crossing(p, k), k->event);
    else
        return false;
    return true;
}

/* PMC1 went negative earlier than it seemed, and so did what it released. */
static bool move_release(struct pmu *p)
{
    cycle_t c = counter_crossing(p, &p->pmc[0]);
    unsigned i;

    if (c >= p->released || c <= p->written)
        return false;
    for (i = 1; i < p->pmcs; i++)
        if (p->pmc[i].edge == p->released)
            counter_move(p, &p->pmc[i], c);
    p->released = c;
    p->clock = c < p->clock ? c : p->clock;
    for (i = 1; i < p->pmcs; i++)
        check_crossing(p, i, 1, c);
    return true;
}

/* An add to PMC1, which has released the others. */
static bool check_release(struct pmu *p, uint64_t n, cycle_t at)
{
    if (at > p->released + n + WINDOW) {
        p->released = CYCLE_NEVER;
        return true;
    }
    return at < p->released + n && move_release(p);
}

void ev_limit(struct ev *ev, enum event id, uint64_t n, cycle_t at)
{
    struct pmu *p = (struct pmu *)ev;
    bool changed = false;
    unsigned i;

    if (ev->tap[id])
        derived_hold(p, id, n, at);
    if (ev->total[id] >= ev->host[id]) {
        host_counter_row(ev->host_counters, id, at);
        p->news = true;
    }
    if (ev->total[id] < ev->own[id])
        return;
    for (i = 0; i < p->pmcs; i++) {
        struct pmc *k = &p->pmc[i];

        if (k->row != (int)id)
            continue;
        if (!k->traced) {
            counter_trace(k, true);
            changed = true;
        }
        counter_add(k, n, at);
        if (k->open && at > k->edge + n + WINDOW) {
            k->open = false;
            changed = true;
        }
    }
    for (i = 0; i < p->pmcs; i++)
        if (p->pmc[i].row == (int)id)
            changed |= check_crossing(p, i, n, at);
    if (p->released != CYCLE_NEVER && p->pmc[0].row == (int)id &&
        counter_is_added(&p->pmc[0]))
        changed |= check_release(p, n, at);
    if (changed) {
        check_started(p);
        control_refresh(p);
    } else {
        ev_own(ev, id, ev->total[id] + 1);
    }
}

static bool rises_at(const struct pmu *p, cycle_t c)
{
    return counter_rises(p, c) != counter_rises(p, c - 1);
}

/* The clock stands at c, a deadline: who went negative? */
static void fire(struct pmu *p, cycle_t c)
{
    unsigned i;

    for (i = 0; i < p->pmcs; i++) {
        struct pmc *k = &p->pmc[i];
        if (k->watch && !counter_is_added(k) && !counter_left(p, k, c))
            went_negative(p, i, c);
    }
    if ((p->mmcr0 & MMCR0_INTONBITTRANS) && rises_at(p, c))
        control_signal(p, c, EV_tb_transition);
}

void pmu_tick(struct pmu *p, cycle_t now)
{
    while (p->deadline <= now) {
        p->clock = p->deadline;
        fire(p, p->clock);
        control_refresh(p);
        if (check_started(p))
            control_refresh(p);
    }
    if (now > p->clock)
        p->clock = now;
}

/* Conditions are levels: what is negative and enabled counts at once. */
void control_levels(struct pmu *p, cycle_t now)
{
    unsigned i;

    for (i = 0; i < p->pmcs; i++)
        if (counter_value(p, &p->pmc[i], now) >= PMC_NEGATIVE)
            went_negative(p, i, now);
}
