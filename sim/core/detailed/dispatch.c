/* dispatch.c - when does an instruction dispatch.
 * In order, up to dispatch_width a cycle, one per unit (two simple integer
 * units; branch and CR unit share a path), when it has a completion buffer
 * entry, rename buffers and a reservation station entry (604e technical
 * summary p.9, 604 UM p.36, 256-258). The first thing missing is what it is
 * said to wait for.
 */
#include "lib/base/mix.h"
#include "sim/core/detailed/pipe.h"

/* Is something that only the CTR, LR or CR interlock releases in the way? */
static cycle_t interlock(const struct window *w, const struct insn *i)
{
    cycle_t at = 0;

    if (i->class == CLASS_CRLOGIC)
        return w->lock_cr;
    if (!(i->flags & INSN_BRANCH))
        return 0;
    if (i->flags & INSN_COND)
        at = cycle_max(w->lock_cr, w->lock_ctr);
    if (i->flags & INSN_INDIRECT)
        at = cycle_max(at, cycle_max(w->lock_lr, w->lock_ctr));
    return at;
}

static cycle_t ring_nth(const struct ring *r, unsigned n)
{
    unsigned at;

    if (!n)
        return 0;
    n = n > r->n ? r->n : n;
    at = r->at + n - 1;
    return r->t[at >= r->n ? at - r->n : at];
}

/* First cycle >= t at which `unit` takes it. */
static cycle_t unit_at(const struct window *w, unsigned unit, cycle_t t)
{
    t = cycle_max(t, ring_oldest(&w->station[unit]));
    if (t == w->dispatched && (w->units & unit_rows[unit].path))
        t++;
    return t;
}

static cycle_t choose_unit(const struct window *w, struct slot *s, cycle_t t)
{
    unsigned unit = s->chip->unit;
    cycle_t at;

    s->unit = (uint8_t)unit;
    if (unit == UNIT_NONE)
        return t;
    at = unit_at(w, unit, t);
    if (unit == UNIT_SCIU && at > t) {
        cycle_t other = unit_at(w, UNIT_SCIU1, t);
        if (other < at) {
            s->unit = UNIT_SCIU1;
            at = other;
        }
    }
    return at;
}

void dispatch_at(struct core *c, struct window *w, struct slot *s)
{
    const struct params *p = c->with.params;
    const struct insn *i = s->i;
    cycle_t t, ready = s->fetch + 2;

    s->stalls = 0;
    t = cycle_max(w->dispatched + (w->closed || w->width >= p->dispatch_width),
                  w->hold);
    if (ready > t) {
        s->stall[0].event = EV_dispatch_empty;
        s->stall[0].cycles = ready - cycle_max(t, w->dispatched + 1);
        s->stall[0].at = ready;
        s->stalls = s->stall[0].cycles > 0;
        t = ready;
    }
    if (!(pipe_of(c)->hid0 & HID0_SIED)) /* serial mode: one at a time */
        t = cycle_max(t, w->completed + 1);
    slot_stall(s, EV_stall_no_rob, &t, ring_oldest(&w->rob));
    slot_stall(s, EV_stall_four_blocks, &t, ring_oldest(&w->blocks));
    slot_stall(s, EV_stall_no_gpr, &t, ring_nth(&w->gpr, i->gprs));
    slot_stall(s, EV_stall_no_fpr, &t, ring_nth(&w->fpr, i->fprs));
    slot_stall(s, EV_stall_no_cr, &t, ring_nth(&w->cr, i->crs));
    slot_stall(s, EV_stall_interlock, &t, interlock(w, i));
    if (t == w->dispatched && w->reads + i->reads > p->gpr_ports)
        /* APPROX: an instruction takes a port for each register that it
         * reads, once if twice named, and no event counts the cycle. Source:
         * 604 UM p.258, eight ports. Cost: small; a store with index and three
         * instructions of two registers each have to come together. */
        t++;
    slot_stall(s, EV_stall_no_unit, &t, choose_unit(w, s, t));
    s->dispatch = t;
}

/* Which instruction is held and how long follows from its place and the cycle,
 * so that there is no generator whose state would have to be kept.
 *
 * APPROX: the hold has no event and no reason of its own; what of it the window
 * stands empty is charged as fetch. Source: a choice. Cost: with jitter a
 * report of reasons shows more of that. */
void dispatch_jitter(struct core *c, struct window *w, struct slot *s)
{
    const struct params *p = c->with.params;
    uint64_t x = (uint64_t)p->jitter_seed << 32 | s->pc;

    x = mix64(x * MIX_STEP + c->number);
    x = mix64(x + w->dispatched);
    if (x % p->jitter_every == 0)
        s->dispatch += 1 + (x >> 32) % p->jitter;
}

void dispatch_close(struct core *c, struct window *w)
{
    static const enum event width[] = {EV_COUNT, EV_dispatch_1, EV_dispatch_2,
                                       EV_dispatch_3, EV_dispatch_4};

    if (w->width && w->width < 5)
        ev_add(&c->pmu.ev, width[w->width], 1, w->dispatched);
    w->width = 0;
}

void dispatch_hold_renames(struct window *w, const struct slot *s, cycle_t at)
{
    unsigned k;

    for (k = 0; k < s->i->gprs; k++)
        ring_push(&w->gpr, at);
    for (k = 0; k < s->i->fprs; k++)
        ring_push(&w->fpr, at);
    for (k = 0; k < s->i->crs; k++)
        ring_push(&w->cr, at);
}

static void count_unit(struct core *c, const struct slot *s)
{
    enum event dispatched = unit_rows[s->unit].dispatched;

    ev_add(&c->pmu.ev, EV_insn_dispatched, 1, s->dispatch);
    if (dispatched != NO_EVENT)
        ev_add(&c->pmu.ev, dispatched, 1, s->dispatch);
    if (s->i->class == CLASS_MFSPR || s->i->class == CLASS_MFLRCTR)
        ev_add(&c->pmu.ev, EV_mfspr_dispatched, 1, s->dispatch);
    if (s->i->class == CLASS_MTSPR || s->i->class == CLASS_MTLRCTR ||
        (s->i->class == CLASS_MTXER && s->i->spr))
        ev_add(&c->pmu.ev, EV_mtspr_dispatched, 1, s->dispatch);
}

void dispatch_take(struct core *c, struct window *w, struct slot *s)
{
    unsigned k;

    for (k = 0; k < s->stalls; k++)
        ev_add(&c->pmu.ev, s->stall[k].event, s->stall[k].cycles,
               s->stall[k].at);
    if (s->dispatch != w->dispatched) {
        dispatch_close(c, w);
        w->dispatched = s->dispatch;
        w->units = w->reads = 0;
        w->closed = false;
    }
    s->position = (uint8_t)++w->width;
    w->units |= unit_rows[s->unit].path;
    w->reads += s->i->reads;
    if (s->i->flags & INSN_BRANCH)
        w->closed = true; /* nothing later in the branch's cycle */
    ring_push(&w->queue, s->dispatch);
    count_unit(c, s);
}
