/* pif_state.c - the facility of one processor as saved state: lib/base/snap.h.
 * It is saved between two instructions, so that nothing is kept of where the
 * marks of the one at work are carried.
 */
#include "pmu/pif/carrier.h"

#include <stdlib.h>

#include "lib/base/snap.h"

static void ranges_state(struct snap *s, struct pif_unit *u)
{
    for (unsigned n = 0; n < 2 * PIF_RANGES; n++) {
        struct pif_range *r = &u->range[n];

        SNAP(s, r->on);
        SNAP(s, r->inside);
        SNAP(s, r->low);
        SNAP(s, r->high);
        SNAP(s, r->executed);
        SNAP(s, r->entries);
    }
}

static void run_state(struct snap *s, struct pif_unit *u)
{
    SNAP(s, u->run.pc);
    SNAP(s, u->run.length);
    SNAP(s, u->run.context);
    SNAP(s, u->run.begin);
}

/* The frames of a unit that was on when it was saved, on a machine that has
 * not run. */
static void make_frames(struct snap *s, struct pif_unit *u)
{
    bool made = u->side[0].frame;

    SNAP(s, made);
    for (unsigned n = 0; made && snap_loading(s) && n < 2; n++)
        if (!u->side[n].frame && !shadow_init(&u->side[n], &u->source, n,
                                              u->side[n].frames, &u->pool))
            snap_refuse(s, "the host has no memory for it");
}

static bool unit_state(struct snap *s, struct pif_unit *u)
{
    snap_begin(s, "unit", 1);
    SNAP(s, u->on);
    SNAP(s, u->mode);
    SNAP(s, u->insns);
    SNAP(s, u->data);
    SNAP(s, u->insns_at);
    SNAP(s, u->data_at);
    SNAP_ARRAY(s, u->threshold);
    SNAP_SAME(s, u->bits);
    ranges_state(s, u);
    areas_state(s, &u->areas);
    SNAP(s, u->window);
    SNAP(s, u->tracing);
    SNAP(s, u->windowed);
    SNAP(s, u->traced);
    SNAP(s, u->exceeded);
    SNAP(s, u->exceeding);
    shadow_source_state(s, &u->source);
    make_frames(s, u);
    shadow_state(s, &u->side[0]);
    shadow_state(s, &u->side[1]);
    shadow_pool_state(s, &u->pool);
    SNAP_SKIP(s, u->wide, "plugged in by pif_init, pif_host");
    SNAP_SKIP(s, u->wide_data, "plugged in by pif_init, pif_host");
    SNAP_SKIP(s, u->at, "of the instruction at work, found by pif_before");
    run_state(s, u);
    if (u->on && !u->side[0].frame && s->way != SNAP_COVER)
        snap_refuse(s, "it is on without frames: damaged");
    return snap_end(s);
}

static void registers_state(struct snap *s, struct pif *p)
{
    SNAP(s, p->user);
    SNAP(s, p->pm);
    SNAP(s, p->open);
    SNAP(s, p->cause);
    SNAP(s, p->ia);
    SNAP(s, p->da);
    SNAP(s, p->lost);
    SNAP(s, p->segment);
    SNAP(s, p->range);
    SNAP(s, p->area);
    SNAP(s, p->marker_table);
    SNAP(s, p->marker);
    SNAP(s, p->marker_at);
    SNAP(s, p->wide_at);
    SNAP(s, p->gates);
    SNAP(s, p->added);
    SNAP(s, p->refused);
}

static void exceptions_state(struct snap *s, struct pif *p)
{
    SNAP(s, p->resume);
    SNAP(s, p->begun);
    SNAP(s, p->masked);
    SNAP(s, p->masked_at);
    SNAP(s, p->owed);
    SNAP(s, p->latch.full);
    SNAP(s, p->latch.cause);
    SNAP(s, p->latch.ia);
    SNAP(s, p->latch.da);
    SNAP(s, p->latch.at);
    SNAP(s, p->wanted.full);
    SNAP(s, p->wanted.cause);
    SNAP(s, p->wanted.ia);
    SNAP(s, p->wanted.da);
    SNAP(s, p->wanted.at);
    SNAP(s, p->wants);
}

static void seen_state(struct snap *s, struct pif *p)
{
    for (unsigned n = 0; n < PIF_UNITS; n++) {
        SNAP(s, p->seen[n].marked);
        SNAP(s, p->seen[n].window);
        SNAP(s, p->seen[n].ranges);
        SNAP(s, p->seen[n].data_ranges);
    }
    for (unsigned n = 0; n < PIF_PAGES; n++) {
        SNAP(s, p->page[n].page);
        SNAP(s, p->page[n].frame);
        SNAP(s, p->page[n].looked);
        SNAP(s, p->page[n].known);
        SNAP(s, p->page[n].quiet);
    }
}

bool pif_state(struct snap *s, struct pif *p)
{
    snap_begin(s, "pif", 1);
    SNAP_SKIP(s, p->with, "knobs");
    SNAP_SKIP(s, p->cpu, "whose it is");
    SNAP(s, p->widened);
    SNAP(s, p->active);
    SNAP(s, p->listening);
    sampled_state(s, &p->sampled);
    branches_state(s, &p->branches);
    for (unsigned n = 0; n < PIF_UNITS; n++)
        unit_state(s, &p->unit[n]);
    SNAP_SKIP(s, p->peer, "plugged in by pif_init");
    SNAP_SKIP(s, p->peers, "plugged in by pif_init");
    registers_state(s, p);
    SNAP_SKIP(s, p->markers, "plugged in by pif_island");
    exceptions_state(s, p);
    seen_state(s, p);
    SNAP_SKIP(s, p->report, "plugged in by host_unit_start");
    SNAP_SKIP(s, p->arg, "plugged in by host_unit_start");
    SNAP_SKIP(s, p->areas, "plugged in by mark_feed_init");
    return snap_end(s);
}
