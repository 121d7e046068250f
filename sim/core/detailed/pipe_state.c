/* pipe_state.c - the detailed pipeline as saved state: lib/base/snap.h. It is
 * saved between two instructions: one may be fetched, with its dispatch cycle
 * known, and none is under way.
 */
#include "lib/base/snap.h"
#include "sim/core/detailed/pipe.h"

/* ---- window --------------------------------------------------------------
 */

static void ring_state(struct snap *s, struct ring *r)
{
    SNAP_SAME(s, r->n);
    SNAP_BELOW(s, r->at, r->n);
    SNAP_ARRAY(s, r->t);
}

static void dispatch_state(struct snap *s, struct window *w)
{
    SNAP(s, w->dispatched);
    SNAP(s, w->width);
    SNAP(s, w->units);
    SNAP(s, w->reads);
    SNAP(s, w->closed);
    SNAP(s, w->hold);
    SNAP(s, w->lock_lr);
    SNAP(s, w->lock_ctr);
    SNAP(s, w->lock_cr);
    ring_state(s, &w->rob);
    ring_state(s, &w->gpr);
    ring_state(s, &w->fpr);
    ring_state(s, &w->cr);
    ring_state(s, &w->blocks);
    for (unsigned n = 0; n < UNIT_COUNT; n++)
        ring_state(s, &w->station[n]);
}

static bool window_state(struct snap *s, struct window *w)
{
    snap_begin(s, "window", 2);
    SNAP(s, w->group);
    SNAP(s, w->grouped);
    SNAP(s, w->group_pc);
    SNAP(s, w->group_line);
    SNAP(s, w->line_full);
    SNAP(s, w->fetch_next);
    ring_state(s, &w->queue);
    dispatch_state(s, w);
    SNAP_ARRAY(s, w->next);
    SNAP_ARRAY(s, w->began);
    for (unsigned n = 0; n < UNIT_COUNT; n++) {
        SNAP(s, w->busy[n].base);
        SNAP(s, w->busy[n].bits);
        SNAP(s, w->busy[n].end);
    }
    SNAP_ARRAY(s, w->ready);
    SNAP_SKIP(s, w->recent, "those of ready that are not 0");
    for (unsigned r = 0; snap_loading(s) && r < REG_COUNT; r++)
        if (w->ready[r])
            window_ready(w, r, w->ready[r]);
    SNAP(s, w->completed);
    return snap_end(s);
}

/* ---- the instruction that is fetched -------------------------------------
 */

/* Its record lies in memory at its address; what its class costs, in the chip's
 * table. Neither need be of what stands there now: another processor may have
 * stored over it. */
static void slot_names(struct snap *s, struct core *c, struct slot *k)
{
    const struct chip *rows = c->with.chip->row;
    bool fetched = k->i;
    uint32_t row = k->chip ? (uint32_t)(k->chip - rows) : 0;

    SNAP_SKIP(s, k->i, "where the host has the record");
    SNAP_SKIP(s, k->chip, "where the host has the row");
    SNAP(s, fetched);
    SNAP(s, k->pa);
    SNAP_BELOW(s, row, CLASS_COUNT);
    if (fetched && k->pa / 4 >= c->with.ram->size / 4)
        snap_refuse_value(s, "pa", k->pa, c->with.ram->size);
    if (!snap_loading(s))
        return;
    k->i = fetched ? decode_cache_place(c->with.decoded, k->pa) : NULL;
    k->chip = fetched ? &rows[row] : NULL;
}

static void slot_waits(struct snap *s, struct slot *k)
{
    SNAP_BELOW(s, k->spans, CORE_WAITS + 1);
    for (size_t n = 0; n < snap_used(s, k->spans, CORE_WAITS); n++) {
        SNAP(s, k->span[n].begin);
        SNAP(s, k->span[n].end);
        SNAP_BELOW(s, k->span[n].reason, REASON_COUNT);
    }
    SNAP_BELOW(s, k->stalls, sizeof k->stall / sizeof *k->stall + 1);
    for (size_t n = 0; n < snap_used(s, k->stalls, 8); n++) {
        SNAP_BELOW(s, k->stall[n].event, EV_COUNT);
        SNAP(s, k->stall[n].cycles);
        SNAP(s, k->stall[n].at);
    }
}

static void slot_guess(struct snap *s, struct slot *k)
{
    SNAP(s, k->guess.at_fetch);
    SNAP(s, k->guess.at_decode);
    SNAP(s, k->guess.at_dispatch);
    SNAP(s, k->guess.btac);
    SNAP(s, k->guess.taken);
    SNAP(s, k->guess.known);
    SNAP(s, k->target);
    SNAP(s, k->mispredicted);
}

static bool slot_state(struct snap *s, struct core *c, struct slot *k)
{
    snap_begin(s, "slot", 4);
    slot_names(s, c, k);
    SNAP(s, k->pc);
    SNAP(s, k->group);
    SNAP_BELOW(s, k->unit, UNIT_COUNT);
    SNAP(s, k->fetch);
    SNAP(s, k->dispatch);
    SNAP(s, k->issue);
    SNAP(s, k->finish);
    SNAP(s, k->complete);
    SNAP(s, k->operands);
    SNAP(s, k->heads);
    SNAP(s, k->imiss);
    SNAP(s, k->itlb);
    SNAP(s, k->dtlb);
    SNAP(s, k->level);
    SNAP(s, k->oldest);
    slot_waits(s, k);
    slot_guess(s, k);
    SNAP(s, k->position);
    SNAP(s, k->data_latency);
    SNAP_BELOW(s, k->slow, STEP_ACCESSES);
    SNAP(s, k->slow_cycles);
    SNAP(s, k->grouped);
    SNAP(s, k->fetched);
    SNAP(s, k->io);
    SNAP(s, k->early);
    SNAP(s, k->searched);
    SNAP(s, k->collided);
    SNAP(s, k->filled);
    SNAP(s, k->counted);
    SNAP(s, k->queued);
    SNAP(s, k->brought);
    SNAP(s, k->shifted);
    return snap_end(s);
}

/* ---- the rest ------------------------------------------------------------
 */

static void fetch_state(struct snap *s, struct core *c)
{
    struct pipe *p = pipe_of(c);

    SNAP(s, p->page_ea);
    SNAP(s, p->page_pa);
    SNAP(s, p->page_inhibited);
    SNAP_SKIP(s, p->page, "where the host has its records");
    if (p->page_ea != 1 &&
        (p->page_pa & 0xFFF || p->page_pa >= c->with.ram->size))
        snap_refuse_value(s, "page_pa", p->page_pa, c->with.ram->size);
    if (snap_loading(s))
        p->page = p->page_ea == 1
                      ? NULL
                      : decode_cache_place(c->with.decoded, p->page_pa);
    SNAP(s, p->have);
    slot_state(s, c, &p->next);
    if (p->have && !p->next.i)
        snap_refuse(s, "no instruction is fetched: damaged");
    SNAP(s, p->from.msr);
    SNAP(s, p->from.context);
    SNAP(s, p->from.at);
}

static void lsu_state(struct snap *s, struct pipe *p)
{
    ring_state(s, &p->loads);
    ring_state(s, &p->stores);
    for (unsigned n = 0; n < STORES; n++) {
        SNAP(s, p->pending[n].low);
        SNAP(s, p->pending[n].size);
        SNAP(s, p->pending[n].commit);
    }
    SNAP_BELOW(s, p->pending_at, STORES);
    SNAP(s, p->committed);
    SNAP(s, p->store_request);
    SNAP_ARRAY(s, p->miss);
    SNAP_ARRAY(s, p->castout);
    SNAP(s, p->miss_until);
}

static void completion_state(struct snap *s, struct pipe *p)
{
    SNAP(s, p->completing);
    SNAP(s, p->store_completed);
    SNAP_ARRAY(s, p->wb_cycle);
    SNAP_ARRAY(s, p->wb_used);
    SNAP_ARRAY(s, p->busy_until);
    for (unsigned n = 0; n < sizeof p->share / sizeof *p->share; n++) {
        SNAP(s, p->share[n].pc);
        SNAP(s, p->share[n].context);
    }
    SNAP_BELOW(s, p->shares, sizeof p->share / sizeof *p->share + 1);
    SNAP(s, p->accounted);
    SNAP(s, p->flush_pc);
    SNAP(s, p->flush_context);
    SNAP_BELOW(s, p->flush_reason, REASON_COUNT);
    SNAP(s, p->flush_until);
    for (unsigned n = 0; n < HISTORY; n++) {
        SNAP(s, p->history[n].pc);
        SNAP(s, p->history[n].at);
        SNAP_SKIP(s, p->history[n].n, "each is one completion");
        SNAP_SKIP(s, p->history[n].step, "each is one completion");
    }
    SNAP_BELOW(s, p->history_at, HISTORY);
    SNAP_SKIP(s, p->history_more, "each is one completion");
}

static bool tags_state(struct snap *s, struct tags *t)
{
    snap_begin(s, "tags", 1);
    cache_state(s, &t->icache);
    cache_state(s, &t->dcache);
    tlb_tags_state(s, &t->itlb);
    tlb_tags_state(s, &t->dtlb);
    SNAP(s, t->fetch_page);
    SNAP(s, t->marked);
    return snap_end(s);
}

bool pipe_state(struct snap *s, struct core *c)
{
    struct pipe *p = pipe_of(c);

    snap_begin(s, "pipeline", 2);
    SNAP_OWNS(s, struct pipe, p, 1);
    SNAP_SKIP(s, p->memo, "changes no result");
    window_state(s, &p->w);
    predict_state(s, &p->predict);
    tags_state(s, &p->tags);
    SNAP_SKIP(s, p->outcome, "of the step at work, found by access_data");
    SNAP(s, p->hid0);
    fetch_state(s, c);
    lsu_state(s, p);
    completion_state(s, p);
    return snap_end(s);
}
