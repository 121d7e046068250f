/* counter.c - one counter as a function of the cycle.
 * Knows totals, the clock and the spans of a traced counter. Does not know
 * what starts, stops or interrupts: that is pmu.c.
 */
#include "pmu/counter/counter.h"

#include "lib/base/snap.h"
static cycle_t max_cycle(cycle_t a, cycle_t b)
{
    return a > b ? a : b;
}

/* How much of the span happened after cycle c. */
static uint64_t span_after(const struct span *s, cycle_t c)
{
    if (c <= s->from)
        return s->n;
    return c >= s->to ? 0 : s->n * (s->to - c) / (s->to - s->from);
}

static unsigned spans_kept(const struct pmc *k)
{
    return k->spans < PMU_SPANS ? k->spans : PMU_SPANS;
}

/* Moved by adds of its own row, not by the clock; what selects no event is
 * moved by nothing. */
bool counter_is_added(const struct pmc *k)
{
    return k->row >= 0 && k->row == k->event;
}

/* What of the total was stamped after cycle c. */
static uint64_t added_after(const struct pmc *k, cycle_t c)
{
    unsigned i, n = spans_kept(k);
    uint64_t sum = 0;

    for (i = 0; i < n; i++)
        sum += span_after(&k->span[i], c);
    return sum;
}

/* A bit of value 2^s goes 0 -> 1 when the base reaches an odd multiple. */
static uint64_t rises_of(uint64_t tb, unsigned shift)
{
    return (tb >> shift >> 1) + (tb >> shift & 1);
}

static uint64_t tb_at(const struct pmu *p, cycle_t c)
{
    return p->tb_offset + c / p->tb_ratio;
}

uint64_t counter_rises(const struct pmu *p, cycle_t c)
{
    return p->tb_extra + rises_of(tb_at(p, c), p->tb_shift);
}

cycle_t counter_rise_after(const struct pmu *p, cycle_t c, uint64_t k)
{
    uint64_t tb = tb_at(p, c), s = p->tb_shift;
    uint64_t next = ((tb >> s) + 1 + (tb >> s & 1)) << s;
    uint64_t ticks = next - tb + ((k - 1) << s << 1);

    return (c / p->tb_ratio + ticks) * p->tb_ratio;
}

/* Cycles that were not slept away, and those of them with MSR[EE] off. */
static uint64_t awake(const struct pmu *p, cycle_t c)
{
    uint64_t nap = p->nap_total;

    if (p->napping && c > p->nap_since)
        nap += c - p->nap_since;
    return c - nap;
}

uint64_t counter_ee_off(const struct pmu *p, cycle_t c)
{
    uint64_t off = p->ee_off_total;

    if (!p->ee && !p->napping && c > p->ee_off_since)
        off += c - p->ee_off_since;
    return off;
}

/* The derived total of k's event at cycle c. Exact while k is traced or all
 * adds are older than c. */
static uint64_t counter_total(const struct pmu *p, const struct pmc *k,
                              cycle_t c)
{
    uint64_t added;

    switch (k->event) {
    case -1:
    case EV_nothing:
        return 0;
    case EV_cycles:
        return c;
    case EV_tb_transition:
        return counter_rises(p, c);
    case EV_ee_off_cycles:
        return counter_ee_off(p, c);
    }
    added = p->ev.total[k->row] - added_after(k, c);
    return k->row == k->event ? added : awake(p, c) - added;
}

/* Counted by cycle c since the last settlement; k counts. */
static uint64_t gone_by(const struct pmu *p, const struct pmc *k, cycle_t c)
{
    return counter_total(p, k, c) - k->origin;
}

uint32_t counter_value(const struct pmu *p, const struct pmc *k, cycle_t c)
{
    if (k->counting)
        return k->value + (c < k->edge ? 0 : (uint32_t)gone_by(p, k, c));
    if (c < k->past_to)
        return k->value - (uint32_t)(counter_total(p, k, k->past_to) -
                                     counter_total(p, k, c));
    return k->value;
}

uint64_t counter_left(const struct pmu *p, const struct pmc *k, cycle_t c)
{
    uint64_t left, gone;

    if (k->value >= PMC_NEGATIVE)
        return 0;
    left = PMC_NEGATIVE - k->value;
    if (!k->counting)
        return left;
    gone = counter_is_added(k) ? p->ev.total[k->row] - k->origin
                               : gone_by(p, k, c);
    if ((int64_t)gone < 0) /* an edge ahead of c, or busy ahead of it */
        return left;
    return gone >= left ? 0 : left - gone;
}

void counter_add(struct pmc *k, uint64_t n, cycle_t at)
{
    struct span *s = &k->span[k->spans++ % PMU_SPANS];
    uint64_t length = k->point ? 1 : n, counted;

    s->from = length < at ? at - length : 0;
    s->to = max_cycle(at, s->from + 1);
    s->n = n;
    if (!k->open)
        return;
    counted = span_after(s, k->past_from) - span_after(s, k->past_to);
    if (k->counting)
        counted += span_after(s, k->edge) - n; /* the total has all of n */
    if (k->row != k->event)
        counted = -counted; /* a busy cycle is one idle cycle less */
    if (k->counting)
        k->origin -= counted;
    else
        k->value += (uint32_t)counted;
}

cycle_t counter_crossing(const struct pmu *p, const struct pmc *k)
{
    cycle_t low = CYCLE_NEVER, high = 0, middle;
    uint64_t over, late = 0;
    unsigned i, n = spans_kept(k);

    if (k->counting && k->value >= PMC_NEGATIVE)
        return CYCLE_NEVER; /* settled since: it is not asked for any more */
    if (k->counting) {
        over = p->ev.total[k->row] - k->origin - (PMC_NEGATIVE - k->value);
    } else {
        over = k->value - PMC_NEGATIVE;
        late = added_after(k, k->past_to);
    }
    for (i = 0; i < n; i++) {
        low = k->span[i].from < low ? k->span[i].from : low;
        high = max_cycle(high, k->span[i].to);
    }
    while (low + 1 < high) {
        middle = low + (high - low) / 2;
        if (added_after(k, middle) <= over + late)
            high = middle;
        else
            low = middle;
    }
    return high;
}

void counter_settle(const struct pmu *p, struct pmc *k, cycle_t c)
{
    k->value = counter_value(p, k, c);
    if (k->counting)
        k->origin = counter_total(p, k, c);
    else if (k->past_to > c)
        k->past_to = k->edge = c;
}

static void edge_set(struct pmc *k, cycle_t c)
{
    k->edge = c;
    k->open = k->row >= 0;
}

void counter_start(const struct pmu *p, struct pmc *k, cycle_t c)
{
    k->origin = counter_total(p, k, c);
    k->counting = true;
    edge_set(k, c);
}

void counter_stop(const struct pmu *p, struct pmc *k, cycle_t c)
{
    counter_settle(p, k, c);
    k->counting = false;
    k->past_from = k->edge;
    k->past_to = c;
    edge_set(k, c);
}

void counter_write(const struct pmu *p, struct pmc *k, uint32_t value,
                   cycle_t c)
{
    k->value = value;
    k->origin = counter_total(p, k, c);
    k->past_from = k->past_to = c;
    edge_set(k, c);
}

void counter_move(const struct pmu *p, struct pmc *k, cycle_t c)
{
    uint64_t shift = counter_total(p, k, k->edge) - counter_total(p, k, c);

    if (k->counting) {
        k->origin -= shift;
    } else {
        k->value -= (uint32_t)shift;
        k->past_to = c;
    }
    k->edge = c;
}

void counter_trace(struct pmc *k, bool on)
{
    if (k->traced != on)
        k->spans = 0;
    k->traced = on;
}

/* ---- save and load --------------------------------------------------------
 */

/* A row of events.def, or none. */
static void row_check(struct snap *s, int row)
{
    if (row < -1 || row >= EV_COUNT)
        snap_refuse_value(s, "event", (unsigned)row, EV_COUNT);
}

bool pmc_state(struct snap *s, struct pmc *k)
{
    snap_begin(s, "counter", 1);
    SNAP(s, k->selected);
    row_check(s, k->selected);
    SNAP(s, k->event);
    row_check(s, k->event);
    SNAP(s, k->counting);
    SNAP(s, k->value);
    SNAP(s, k->origin);
    SNAP(s, k->row);
    row_check(s, k->row);
    SNAP(s, k->point);
    SNAP(s, k->watch);
    SNAP(s, k->open);
    SNAP(s, k->before);
    SNAP(s, k->traced);
    SNAP(s, k->edge);
    SNAP(s, k->past_from);
    SNAP(s, k->past_to);
    SNAP(s, k->spans);
    for (unsigned n = 0; n < PMU_SPANS; n++) {
        SNAP(s, k->span[n].from);
        SNAP(s, k->span[n].to);
        SNAP(s, k->span[n].n);
    }
    return snap_end(s);
}
