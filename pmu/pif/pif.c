/* pif.c - what marks do: docs/pif.md, sections 5, 7 and 10. Registers are in
 * pif_registers.c, shadow traffic and what is read of counts in pif_count.c.
 */
#include "pmu/pif/carrier.h"

#include <assert.h>
#include <string.h>

static const uint32_t threshold_bit[] = {IND_TH0, IND_TH1, IND_TH2, IND_TH3};

/* ---- life ---------------------------------------------------------------- */

bool pif_init(struct pif *p, unsigned cpu, const struct pif_knobs *k,
              struct pif *const *peer, unsigned n, uint8_t *ram,
              uint32_t ram_size, struct widened *wide, unsigned iframes,
              unsigned dframes)
{
    memset(p, 0, sizeof *p);
    p->with = *k;
    p->cpu = cpu;
    p->peer = peer;
    p->peers = n;
    for (unsigned u = 0; u < PIF_UNITS; u++) {
        struct pif_unit *unit = &p->unit[u];

        unit->threshold[0] = 10;
        unit->threshold[1] = 50;
        unit->threshold[2] = 100;
        unit->threshold[3] = 200;
        for (unsigned b = 0; b < (k->th_bits ? k->th_bits : 3); b++)
            unit->bits |= threshold_bit[b];
        unit->source.ram = ram;
        unit->source.ram_size = ram_size;
        unit->source.block = k->line_bytes;
        unit->source.counter = UINT32_MAX >> (k->counter ? 32 - k->counter : 0);
        unit->pool.frames = k->frames;
        unit->pool.side = unit->side;
        unit->side[0].frames = iframes;
        unit->side[1].frames = dframes;
        for (unsigned a = 0; a < PIF_AREAS; a++)
            unit->areas.area[a].granule = unit->areas.area[a].unit = 1;
    }
    p->unit[PIF_GUEST].wide = p->unit[PIF_GUEST].wide_data = wide;
    sampled_init(&p->sampled, k->seed);
    return true;
}

void pif_free(struct pif *p)
{
    for (unsigned u = 0; u < PIF_UNITS; u++) {
        shadow_free(&p->unit[u].side[0]);
        shadow_free(&p->unit[u].side[1]);
    }
}

/* What is looked up in the present state, and whether there are lookups at all.
 */
static void refresh(struct pif *p)
{
    uint32_t state =
        (p->user ? PIFM_US : PIFM_SU) | (p->pm ? PIFM_P1 : PIFM_P0);

    p->active = p->resume;
    p->widened = false;
    for (unsigned u = 0; u < PIF_UNITS; u++) {
        struct pif_unit *unit = &p->unit[u];
        bool now = unit->on && (unit->mode & state) == state;

        unit->insns = now && unit->mode & PIFM_IE;
        unit->data = now && unit->mode & PIFM_DE;
        if (unit->on && unit->mode & (PIFM_IE | PIFM_DE))
            p->active = true;
        if (unit->on && pif_carrier(unit) == PIF_CARRIER_WIDE)
            p->widened = p->active = true;
    }
}

void pif_msr(struct pif *p, bool user, bool pm, bool open)
{
    p->open = open;
    p->masked = p->masked && !open;
    if (user == p->user && pm == p->pm)
        return;
    p->user = user;
    p->pm = pm;
    refresh(p);
}

/* Frames exist from the first time that a unit is on. */
static bool make_frames(struct pif_unit *unit)
{
    for (unsigned s = 0; s < 2; s++)
        if (!unit->side[s].frame &&
            !shadow_init(&unit->side[s], &unit->source, s, unit->side[s].frames,
                         &unit->pool))
            return false;
    return true;
}

void pif_mode(struct pif *p, unsigned unit, bool on, uint32_t mode)
{
    struct pif_unit *u = &p->unit[unit];

    if (u->on && !on) {
        shadow_gather(&u->side[0]);
        shadow_gather(&u->side[1]);
    }
    u->mode = mode & PIFM_BITS;
    u->on = on && make_frames(u);
    pif_disturbed(p);
    refresh(p);
}

void pif_enable(struct pif *p, bool on)
{
    on = on && p->with.built_in;
    if (on != p->unit[PIF_GUEST].on)
        pif_mode(p, PIF_GUEST, on, p->unit[PIF_GUEST].mode);
    sampled_enable(&p->sampled, on);
    branches_enable(&p->branches, on);
    pif_told(p);
}

void pif_told(struct pif *p)
{
    p->listening = p->sampled.active || p->branches.on;
}

void pif_host(struct pif *p, struct host_marks *marks, struct widened wide[2],
              uint32_t mode)
{
    p->unit[PIF_HOST].source.marks = marks;
    p->unit[PIF_HOST].wide = &wide[0];
    p->unit[PIF_HOST].wide_data = &wide[1];
    pif_mode(p, PIF_HOST, true, mode);
}

/* Frames of these programs may hold another one's marks from now on. */
static void drop_seen(struct pif_unit *u, const struct host_view *v)
{
    for (size_t k = 0; k < v->count; k++)
        for (unsigned data = 0; data < 2; data++)
            shadow_drop_seen(&u->side[data], v->stretch[k].start,
                             v->stretch[k].size);
}

void pif_host_view(struct pif *p, const struct host_view *v)
{
    struct pif_unit *u = &p->unit[PIF_HOST];
    struct host_view *now = &u->source.view;

    if (now->stretch == v->stretch && now->count == v->count)
        return;
    drop_seen(u, now);
    drop_seen(u, v);
    *now = *v;
    pif_disturbed(p);
}

/* ---- exceptions ---------------------------------------------------------- */

static void tell(struct pif *p, const struct pif_report *r)
{
    if (p->report)
        p->report(p->arg, r);
}

bool pif_signal(struct pif *p, unsigned cause, uint32_t ia, uint32_t da,
                cycle_t at)
{
    if (!(p->unit[PIF_GUEST].mode & PIFM_XE))
        return true;
    if (p->latch.full || p->masked) {
        p->lost++;
        return false;
    }
    p->latch.full = true;
    p->latch.cause = cause;
    p->latch.ia = ia;
    p->latch.da = da;
    p->latch.at = at;
    return true;
}

/* The guest's wait for their turn, the host's are written down. Of several
 * of one instruction the lowest is signalled, the others are lost. */
static void signal(struct pif *p, unsigned unit, unsigned cause, uint32_t ia,
                   uint32_t da, uint64_t count, cycle_t at, uint32_t context)
{
    if (unit == PIF_HOST) {
        tell(p, &(struct pif_report){PIF_REPORT_TRAP, p->cpu, unit, cause, ia,
                                     da, count, context, at});
        return;
    }
    if (p->unit[PIF_GUEST].mode & PIFM_XE &&
        (!p->wants++ || cause < p->wanted.cause)) {
        p->wanted.cause = cause;
        p->wanted.ia = ia;
        p->wanted.da = da;
    }
}

void pif_excepted(struct pif *p, uint32_t pc)
{
    p->masked = true;
    p->cause = PIFX_INSN;
    p->ia = pc;
    p->da = 0;
}

void pif_taken(struct pif *p)
{
    p->masked = true;
    p->latch.full = false;
    p->cause = p->latch.cause;
    p->ia = p->latch.ia;
    p->da = p->latch.da;
}

uint32_t pif_entered(struct pif *p)
{
    uint32_t bit = p->resume ? SRR1_RESUME : 0;

    p->resume = false;
    return bit;
}

void pif_returned(struct pif *p, uint32_t srr1)
{
    if (p->unit[PIF_GUEST].on)
        p->resume = srr1 & SRR1_RESUME;
    refresh(p);
}

/* ---- what one mark does -------------------------------------------------- */

/* A thing that a mark is on happened: an execution, or an access. */
struct happening {
    unsigned unit;
    bool data;
    uint32_t pc, ea, context;
    cycle_t at;      /* when it was complete */
    uint32_t cycles; /* what thresholds compare */
    unsigned slot;
};

/* How many of its thresholds were exceeded. */
static unsigned exceeded(const struct pif_unit *u, uint32_t indicator,
                         uint32_t cycles)
{
    uint64_t sum = 0;
    unsigned n = 0;

    indicator &= u->bits;
    for (unsigned b = 0; b < 4; b++) {
        if (!(indicator & threshold_bit[b]))
            continue;
        sum += u->threshold[b];
        n += cycles > u->threshold[b];
    }
    return u->mode & PIFM_TB ? n : indicator & IND_TH && cycles > sum;
}

/* PIFM[TQ] and PIFM[CO] have their say. */
static bool exceedance_counts(struct pif_unit *u, const struct happening *h)
{
    unsigned slot = (u->mode & PIFM_TQ) >> PIFM_TQ_SHIFT;
    cycle_t begin = h->at - h->cycles;
    bool counts = begin >= u->exceeding || !(u->mode & PIFM_CO);

    if (slot && slot != h->slot)
        return false;
    if (h->at > u->exceeding)
        u->exceeding = h->at;
    return counts;
}

static void check_limit(struct pif *p, struct pif_place *k,
                        const struct happening *h, uint32_t count)
{
    struct pif_unit *u = &p->unit[h->unit];

    if (count + (u->mode & PIFM_GE ? 1 : 0) <= k->limit)
        return;
    if (u->mode & PIFM_AC || h->unit == PIF_HOST)
        count = carrier_clear(p, u, k);
    signal(p, h->unit, h->data ? PIFX_DATA_LIMIT : PIFX_INSN_LIMIT, h->pc,
           h->ea, count, h->at, h->context);
}

static void apply(struct pif *p, struct pif_place *k, const struct happening *h)
{
    struct pif_unit *u = &p->unit[h->unit];
    uint32_t what = k->indicator, count = 0;
    unsigned n;

    if (what & IND_PMU)
        p->seen[h->unit].marked = true;
    if (what & (IND_COUNT | IND_LIMIT))
        count = carrier_count(p, u, k, h->at);
    if (what & IND_LIMIT && carrier_has_counter(k))
        check_limit(p, k, h, count);
    n = exceeded(u, what, h->cycles);
    if (n && exceedance_counts(u, h)) {
        carrier_hit(u, k, n);
        u->exceeded += n;
        if (what & IND_THEXC)
            signal(p, h->unit,
                   h->data ? PIFX_DATA_THRESHOLD : PIFX_INSN_THRESHOLD, h->pc,
                   h->ea, count, h->at, h->context);
    }
}

/* Bits of a window's start and stop: is it open afterwards? */
static bool switched(bool open, bool start, bool stop)
{
    if (start && stop)
        return !open;
    return start || (open && !stop);
}

static bool window_after(bool open, uint32_t what)
{
    return switched(open, what & IND_START, what & IND_STOP);
}

static bool trace_after(bool open, uint32_t what)
{
    return switched(open, what & IND_TSTART, what & IND_TSTOP);
}

/* ---- trace --------------------------------------------------------------- */

static void end_run(struct pif *p, unsigned unit)
{
    struct pif_unit *u = &p->unit[unit];

    if (u->run.length)
        tell(p,
             &(struct pif_report){PIF_REPORT_RUN, p->cpu, unit, 0, u->run.pc, 0,
                                  u->run.length, u->run.context, u->run.begin});
    u->run.length = 0;
}

static void trace_insn(struct pif *p, unsigned unit, const struct pif_insn *i)
{
    struct pif_unit *u = &p->unit[unit];

    u->traced++;
    if (u->run.length && i->pc == u->run.pc + 4 * u->run.length &&
        i->context == u->run.context) {
        u->run.length++;
        return;
    }
    end_run(p, unit);
    u->run.pc = i->pc;
    u->run.context = i->context;
    u->run.length = 1;
    u->run.begin = i->complete;
}

/* ---- ranges -------------------------------------------------------------- */

static bool range_has(const struct pif_range *r, uint32_t from, uint32_t last)
{
    return r->on && r->low < r->high && from < r->high && last >= r->low;
}

/* One executed instruction, or one accessed word of which the bytes `from` to
 * `last` were: which of the eight ranges from `first` on it is in. */
static uint8_t range_step(struct pif_unit *u, unsigned first, uint32_t from,
                          uint32_t last)
{
    uint8_t mask = 0;

    if (!(u->mode & PIFM_RE))
        return 0;
    for (unsigned n = 0; n < PIF_RANGES; n++) {
        struct pif_range *r = &u->range[first + n];
        bool inside = range_has(r, from, last);

        if (inside) {
            r->executed++;
            r->entries += !r->inside;
            mask |= (uint8_t)(1u << n);
        }
        r->inside = inside;
    }
    return mask;
}

/* ---- one instruction ----------------------------------------------------- */

bool pif_before(struct pif *p, const struct pif_insn *i)
{
    struct pif_unit *guest = &p->unit[PIF_GUEST];

    memset(p->seen, 0, sizeof p->seen);
    p->begun = true;
    p->masked_at = p->masked;
    p->owed = false;
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        struct pif_unit *u = &p->unit[n];

        u->insns_at = u->insns;
        u->data_at = u->data;
        if (u->insns)
            carrier_insn(p, n, i);
        else
            u->at = (struct pif_place){0};
    }
    if (!(guest->at.indicator & IND_EXC) || p->resume ||
        !(guest->mode & PIFM_XE))
        return false;
    p->owed = !p->open;
    return p->open;
}

void pif_passing(struct pif *p, const struct pif_insn *i,
                 struct pif_seen seen[PIF_UNITS])
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        const struct pif_unit *u = &p->unit[n];

        carrier_insn(p, n, i);
        seen[n] = (struct pif_seen){.marked = u->at.indicator & IND_PMU};
        if (!u->insns)
            continue;
        seen[n].window = u->window;
        for (unsigned r = 0; u->mode & PIFM_RE && r < PIF_RANGES; r++)
            if (range_has(&u->range[r], i->pc, i->pc))
                seen[n].ranges |= (uint8_t)(1u << r);
    }
}

static void done_insn(struct pif *p, unsigned unit, const struct pif_insn *i)
{
    struct pif_unit *u = &p->unit[unit];
    struct happening h = {
        .unit = unit,
        .pc = i->pc,
        .context = i->context,
        .at = i->complete,
        .cycles = u->mode & PIFM_TA ? i->data_cycles
                                    : (uint32_t)(i->complete - i->issue),
        .slot = i->slot,
    };

    carrier_again(p, unit, i);
    p->seen[unit].ranges = range_step(u, 0, i->pc, i->pc);
    u->window = window_after(u->window, u->at.indicator);
    u->tracing = trace_after(u->tracing, u->at.indicator);
    if (u->window)
        u->windowed++;
    p->seen[unit].window = u->window;
    if (u->tracing)
        trace_insn(p, unit, i);
    else
        end_run(p, unit);
    if (unit == PIF_HOST && u->at.indicator & IND_EXC)
        signal(p, unit, PIFX_INSN, i->pc, 0, 0, i->complete, i->context);
    else if (unit == PIF_GUEST && p->owed)
        signal(p, unit, PIFX_INSN, i->pc, 0, 0, i->complete, i->context);
    if (u->at.indicator)
        apply(p, &u->at, &h);
    if (u->at.armed)
        u->at.armed->armed--;
}

static bool for_this(uint32_t indicator, bool store)
{
    uint32_t kinds = indicator & (IND_LOADS | IND_STORES);

    return !kinds || kinds & (store ? IND_STORES : IND_LOADS);
}

static void done_word(struct pif *p, unsigned unit, const struct pif_insn *i,
                      const struct pif_access *a, uint32_t ahead)
{
    struct pif_unit *u = &p->unit[unit];
    struct pif_place k;
    struct happening h = {
        .unit = unit,
        .data = true,
        .pc = i->pc,
        .ea = (a->ea + ahead) & ~3u,
        .context = i->context,
        .at = a->at,
        .cycles = a->cycles,
        .slot = i->slot,
    };

    p->seen[unit].data_ranges |=
        range_step(u, PIF_RANGES, h.ea > a->ea ? h.ea : a->ea,
                   a->ea + a->size - h.ea < 4 ? a->ea + a->size - 1 : h.ea + 3);
    carrier_data(p, unit, &k, a, ahead, i->context);
    if (!k.indicator || !for_this(k.indicator, a->store))
        return;
    if (k.indicator & IND_EXC)
        signal(p, unit, PIFX_DATA, i->pc, h.ea, 0, a->at, i->context);
    apply(p, &k, &h);
    u->window = window_after(u->window, k.indicator);
    u->tracing = trace_after(u->tracing, k.indicator);
}

/* Every word that was touched, once. */
static void done_data(struct pif *p, unsigned unit, const struct pif_insn *i,
                      const struct pif_access *a, unsigned n)
{
    uint32_t last = 1;

    for (; n; n--, a++) {
        uint32_t first = a->ea & ~3u, end = a->ea + a->size;

        for (uint32_t w = first; w - first < end - first; w += 4) {
            if (w != last)
                done_word(p, unit, i, a, w - a->ea);
            last = w;
        }
    }
}

void pif_done(struct pif *p, const struct pif_insn *i,
              const struct pif_access *a, unsigned n)
{
    assert(p->begun);
    p->begun = false;
    for (unsigned unit = 0; unit < PIF_UNITS; unit++) {
        struct pif_unit *u = &p->unit[unit];

        if (u->on && u->insns_at)
            done_insn(p, unit, i);
        if (u->on && u->data_at)
            done_data(p, unit, i, a, n);
        if (u->on && u->data_at)
            areas_count(&u->areas, &p->areas, unit, a, n);
        if (u->on && u->wide && pif_carrier(u) == PIF_CARRIER_WIDE)
            widened_move(u->wide, p->cpu, &i->move[unit]);
    }
    if (p->markers && host_markers_added(p->markers, i->pc))
        p->added++;
    if (p->wants) {
        if (p->masked_at)
            p->lost++;
        else
            pif_signal(p, p->wanted.cause, p->wanted.ia, p->wanted.da,
                       i->complete);
        p->lost += p->wants - 1;
        p->wants = 0;
    }
    if (i->pc == p->marker_at && p->marker >> MARKER_WORDS) {
        p->marker -= 1u << MARKER_WORDS;
        p->marker++;
        p->marker_at += 4;
    }
    if (p->resume) {
        p->resume = false;
        refresh(p);
    }
}

void pif_flush(struct pif *p)
{
    for (unsigned n = 0; n < PIF_UNITS; n++)
        end_run(p, n);
}
