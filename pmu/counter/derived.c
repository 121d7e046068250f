/* derived.c - holds what happens until it is known to whom, and adds it to the
 * rows that want it. See derived.h.
 */
#include "pmu/counter/derived.h"

#include "lib/base/snap.h"
#include <assert.h>

#include "pmu/counter/control.h"
#include "include/mark_bits.h"
#include "pmu/counter/host_counters.h"

static const enum event defined[PREDICATE_MAX] = {
    EV_defined_0, EV_defined_1, EV_defined_2, EV_defined_3,
    EV_defined_4, EV_defined_5, EV_defined_6, EV_defined_7,
};

static const enum event filtered[PMU_PMCS] = {
    EV_filtered_1, EV_filtered_2, EV_filtered_3, EV_filtered_4,
    EV_filtered_5, EV_filtered_6, EV_filtered_7, EV_filtered_8,
};

_Static_assert(DERIVED_ROWS == PREDICATE_MAX + PMU_PMCS,
               "a place for every row");

enum event derived_defined(unsigned k)
{
    return defined[k];
}

/* ---- who is wanted ------------------------------------------------------- */

/* PMCn's field of PIFF. */
static unsigned code_of(const struct pmu *p, unsigned n)
{
    return p->pif ? p->piff >> (32 - 4 * n) & 15 : PIFF_ALL;
}

static bool code_known(unsigned code)
{
    return code == PIFF_MARKED || code == PIFF_WINDOW || code >= PIFF_RANGE;
}

int derived_event(const struct pmu *p, unsigned n, int event)
{
    unsigned code = code_of(p, n);

    if (event < 0 || event == EV_nothing || code == PIFF_ALL)
        return event;
    if (!code_known(code) || !event_owned((enum event)event))
        return EV_nothing;
    return (int)filtered[n - 1];
}

static const struct derived_row *row_of(const struct pmu *p, enum event id)
{
    unsigned k;

    for (k = 0; k < p->derived.rows; k++)
        if (p->derived.row[k].row == id)
            return &p->derived.row[k];
    return NULL;
}

enum event_kind derived_kind(const struct pmu *p, enum event id)
{
    const struct derived_row *r;

    while (event_kind(id) == KIND_DEFINED && (r = row_of(p, id)))
        id = r->base;
    return event_kind(id);
}

/* Does a PMC count definition k, filtered or not? */
static bool is_selected(const struct pmu *p, unsigned k)
{
    unsigned i;

    for (i = 0; i < p->pmcs; i++)
        if (p->pmc[i].selected == (int)defined[k])
            return true;
    return false;
}

static void add_row(struct pmu *p, const struct derived_row *row)
{
    struct derived *f = &p->derived;

    f->row[f->rows++] = *row;
    if (event_kind(row->base) != KIND_DEFINED)
        p->ev.tap[row->base] = true;
}

void derived_refresh(struct pmu *p)
{
    struct derived *f = &p->derived;
    unsigned k;

    for (k = 0; k < f->rows; k++) {
        p->ev.tap[f->row[k].base] = false;
        ev_arm(&p->ev, f->row[k].base);
    }
    f->rows = 0;
    f->refused = false;
    for (k = 0; k < f->defines; k++)
        if (f->counted >> k & 1 || is_selected(p, k))
            add_row(p, &(struct derived_row){.row = defined[k],
                                             .base = f->define[k].base,
                                             .define = &f->define[k]});
    for (k = 0; k < p->pmcs; k++) {
        const struct pmc *c = &p->pmc[k];

        if (c->event == (int)filtered[k])
            add_row(p, &(struct derived_row){.row = filtered[k],
                                             .base = (enum event)c->selected,
                                             .code = code_of(p, k + 1)});
        else if (c->event != c->selected)
            f->refused = true;
    }
    for (k = 0; k < f->rows; k++)
        ev_arm(&p->ev, f->row[k].base);
    f->active = f->rows > 0;
}

void derived_define(struct pmu *p, const struct predicate *d, unsigned n)
{
    p->derived.define = d;
    p->derived.defines = n;
    derived_refresh(p);
}

void derived_count(struct pmu *p, enum event id)
{
    unsigned k;

    for (k = 0; k < p->derived.defines; k++)
        if (id == defined[k])
            p->derived.counted |= 1u << k;
    derived_refresh(p);
}

/* ---- what happens -------------------------------------------------------- */

void derived_hold(struct pmu *p, enum event id, uint64_t n, cycle_t at)
{
    struct derived *f = &p->derived;
    bool user = p->ev.host_counters && p->ev.host_counters->user;

    assert(f->held < DERIVED_HELD);
    f->hold[f->held++] = (struct held){
        id, user, f->exact, p->ev.data, n, at,
    };
}

/* The access that h is of, its instruction being through. */
static struct data_access data_of(const struct held *h,
                                  const struct insn_info *d)
{
    switch (event_data(h->id)) {
    case DATA_EACH:
        return h->data;
    case DATA_FIRST:
        return d->data;
    default:
        return (struct data_access){0};
    }
}

/* The host's counters see it in the mode in which it happened, which an
 * exception of its instruction may have left since. */
static void add(struct pmu *p, enum event row, const struct held *h,
                const struct insn_info *d)
{
    struct host_counters *f = p->ev.host_counters;
    bool left = f && f->user != h->user;

    if (left)
        host_counters_mode(f, h->user, h->at);
    p->ev.data = data_of(h, d);
    ev_add(&p->ev, row, h->n, h->at);
    p->ev.data.is = false;
    if (left)
        host_counters_mode(f, !h->user, h->at);
}

static bool allows(const struct derived_row *r, const struct insn_info *d)
{
    if (r->define)
        return predicate_holds(r->define, d);
    if (r->code >= PIFF_RANGE)
        return d->guest_ranges >> (r->code - PIFF_RANGE) & 1;
    return r->code == PIFF_MARKED ? d->guest_marked : d->guest_window;
}

/* Add to every row whose base is `id`, and to those whose base they are. */
static void pass(struct pmu *p, enum event id, const struct held *h,
                 const struct insn_info *d)
{
    unsigned k;

    for (k = 0; k < p->derived.rows; k++) {
        const struct derived_row *r = &p->derived.row[k];
        cycle_t before = p->signal;

        if (r->base != id || !allows(r, d))
            continue;
        add(p, r->row, h, d);
        if (h->exact)
            control_exact(p, r->row, before, d->pc, h->data.ea);
        pass(p, r->row, h, d);
    }
}

void derived_end(struct pmu *p, unsigned from, const struct insn_info *d)
{
    unsigned k;

    for (k = from; k < p->derived.held; k++) {
        struct held h = p->derived.hold[k];

        pass(p, h.id, &h, d);
    }
    p->derived.held = from;
}

/* ---- save and load --------------------------------------------------------
 */

static void held_state(struct snap *s, struct held *h)
{
    SNAP_BELOW(s, h->id, EV_COUNT);
    SNAP(s, h->user);
    SNAP(s, h->exact);
    data_access_state(s, &h->data);
    SNAP(s, h->n);
    SNAP(s, h->at);
}

static void row_state(struct snap *s, struct derived *f, struct derived_row *r)
{
    SNAP_BELOW(s, r->row, EV_COUNT);
    SNAP_BELOW(s, r->base, EV_COUNT);
    SNAP_BELOW(s, r->code, 16);
    SNAP_SKIP(s, r->define, "found again by its row");
    r->define = NULL;
    for (unsigned k = 0; k < f->defines; k++)
        if (r->row == defined[k])
            r->define = &f->define[k];
}

bool derived_state(struct snap *s, struct derived *f)
{
    snap_begin(s, "derived", 1);
    SNAP_SKIP(s, f->define, "of the command line");
    SNAP_SAME(s, f->defines);
    SNAP(s, f->counted);
    SNAP(s, f->active);
    SNAP(s, f->refused);
    SNAP_BELOW(s, f->rows, DERIVED_ROWS + 1);
    for (size_t k = 0; k < snap_used(s, f->rows, DERIVED_ROWS); k++)
        row_state(s, f, &f->row[k]);
    SNAP(s, f->exact);
    SNAP_BELOW(s, f->held, DERIVED_HELD);
    for (size_t k = 0; k < snap_used(s, f->held, DERIVED_HELD); k++)
        held_state(s, &f->hold[k]);
    return snap_end(s);
}
