/* lsu.c - the load/store unit: queues, data cache, bus.
 *
 * A load computes its address in its first cycle and reads the cache in the
 * next; a store waits in the store queue until it has completed and then
 * writes the cache, in order (604 UM p.240, 265-267). Loads pass older stores
 * unless the low 12 address bits match. Two fills may be outstanding, three
 * castouts. What the cache and the bus answer becomes events here.
 */
#include "sim/core/mark_feed.h"
#include "sim/core/detailed/pipe.h"

#include "isa/mmu.h"
#include "include/record.h"
#include "include/board.h"

/* ---- shared parts -------------------------------------------------------- */

bool lsu_is_io(const struct core *c, const struct insn *i)
{
    const uint32_t *gpr = c->cpu.gpr;
    ea_t ea = i->a ? gpr[i->a] : 0;
    unsigned xo = i->word >> 1 & 0x3FF;

    if (i->word >> 26 != 31)
        ea += (uint32_t)i->imm;
    else if (xo != 597 && xo != 725) /* lswi, stswi have no index */
        ea += gpr[i->b];
    if (c->cpu.msr & MSR_DR && !mmu_peek(&c->cpu, ea, TLB_LOAD, &ea))
        return false;
    return ea >= BOARD_IO;
}

static cycle_t single(struct core *c, pa_t pa, cycle_t at)
{
    return bus_request(c->with.bus, BUS_SINGLE, c->number, pa, at).first;
}

/* Does this access go past the data cache? */
static bool uncached(const struct core *c, const struct access *a,
                     enum tlb_kind kind)
{
    return a->io || !(pipe_of(c)->hid0 & HID0_DCE) ||
           mmu_wimg(&c->cpu, a->ea, kind) & WIMG_I;
}

/* Somebody else may have line l too; from the returned cycle on it is ours
 * alone, to write. */
static cycle_t claim(struct core *c, struct line *l, pa_t pa, cycle_t at)
{
    if (l->state == MESI_S) {
        ev_add(&c->pmu.ev, EV_store_hit_shared, 1, at);
        at = lsu_ask(c, BUS_KILL, pa, at).first;
    }
    l->state = MESI_M;
    return cycle_max(at, cache_usable(&pipe_of(c)->dcache, l, pa));
}

/* From where an access was served; the slowest one is kept. */
static void served(struct slot *s, uint8_t level)
{
    if (level > s->level)
        s->level = level;
}

static uint8_t level_of(const struct bus_answer *a)
{
    return a->pushed ? LEVEL_OTHER : LEVEL_MEMORY;
}

/* How long an access took, for thresholds: a hit takes one. */
static void took(struct core *c, struct slot *s, const struct access *a,
                 cycle_t from, cycle_t usable)
{
    uint32_t cycles = (uint32_t)(usable - from + 1);

    if (cycles > s->data_latency)
        s->data_latency = cycles;
    c->access_cycles[a - c->cpu.step.access] = cycles;
}

/* ---- issue --------------------------------------------------------------- */

static void stall_on(struct core *c, struct slot *s, const struct ring *r,
                     enum event e)
{
    cycle_t at = ring_oldest(r);

    if (at <= s->issue)
        return;
    ev_add(&c->pmu.ev, e, at - s->issue, at);
    slot_wait(s, s->dispatch, s->issue, REASON_unit);
    slot_wait(s, s->issue, at, REASON_store);
    s->finish += at - s->issue;
    s->issue = at;
    pipe_of(c)->w.next[UNIT_LSU] = at + 1;
    pipe_of(c)->w.began[UNIT_LSU] = at;
}

void lsu_issue(struct core *c, struct slot *s)
{
    if (s->i->flags & INSN_LOAD || s->i->class == CLASS_TOUCH)
        stall_on(c, s, &pipe_of(c)->loads, EV_lsu_stall_loadq);
    else if (s->i->flags & INSN_STORE)
        stall_on(c, s, &pipe_of(c)->stores, EV_lsu_stall_storeq);
}

/* ---- loads --------------------------------------------------------------- */

/* The cycle a pending store with the same low 12 bits has been written. */
static cycle_t collision(const struct pipe *p, const struct access *a,
                         cycle_t at)
{
    ea_t low = a->ea & 0xFFF;
    cycle_t until = at;
    unsigned k;

    if (p->committed < at)
        return at;
    for (k = 0; k < STORES; k++) {
        const struct pending_store *q = &p->pending[k];

        if (q->commit >= until && low < q->low + q->size &&
            q->low < low + a->size)
            until = q->commit + 1;
    }
    return until;
}

/* One access of a load that reads the cache at `at`: when is it there. */
static cycle_t load_access(struct core *c, struct slot *s,
                           const struct access *a, cycle_t at)
{
    struct pipe *p = pipe_of(c);
    struct bus_answer answer;
    struct line *l;
    cycle_t usable;

    if (uncached(c, a, TLB_LOAD)) {
        served(s, LEVEL_UNCACHED);
        usable = single(c, a->pa, cycle_max(at, p->committed + 1));
        slot_wait(s, at, usable, a->io ? REASON_io : REASON_dmiss);
        return usable;
    }
    l = cache_find(&p->dcache, a->pa);
    if (l) {
        cache_touch(&p->dcache, l);
        served(s, LEVEL_CACHE);
        usable = cycle_max(at, cache_usable(&p->dcache, l, a->pa));
        slot_wait(s, at, usable, REASON_dmiss);
        return usable;
    }
    l = lsu_fill(c, BUS_READ, a->pa, at, &answer);
    served(s, level_of(&answer));
    if (c->pif.active)
        mark_feed_filled(c, true, l, a->pa, a->ea, at);
    usable = answer.first;
    slot_wait(s, at, usable, answer.pushed ? REASON_snoop : REASON_dmiss);
    if (usable > p->miss_until) {
        ev_add(&c->pmu.ev, EV_load_miss_cycles,
               usable - cycle_max(at, p->miss_until), usable);
        p->miss_until = usable;
    }
    if (!(s->i->flags & INSN_MULTIPLE) && s->i->class != CLASS_TOUCH)
        pmu_threshold(&c->pmu, false, answer.pushed != 0, s->pc, a->ea,
                      usable - at, usable);
    return usable;
}

cycle_t lsu_read_table(struct core *c, pa_t pa, cycle_t at)
{
    struct pipe *p = pipe_of(c);
    struct bus_answer a;
    struct line *l;

    if (!(p->hid0 & HID0_DCE))
        return single(c, pa, at);
    l = cache_find(&p->dcache, pa);
    if (!l)
        l = lsu_fill(c, BUS_READ, pa, at, &a);
    cache_touch(&p->dcache, l);
    return cycle_max(at, cache_usable(&p->dcache, l, pa));
}

cycle_t lsu_write_table(struct core *c, pa_t pa, cycle_t at)
{
    struct bus_answer a;
    struct line *l;

    if (!(pipe_of(c)->hid0 & HID0_DCE))
        return single(c, pa, at);
    l = cache_find(&pipe_of(c)->dcache, pa);
    if (!l) { /* the access itself changed the table */
        l = lsu_fill(c, BUS_RWITM, pa, at, &a);
        at = a.first;
    }
    l->written = claim(c, l, pa, at);
    cache_touch(&pipe_of(c)->dcache, l);
    return l->written + 1;
}

static void load_finish(struct core *c, struct slot *s)
{
    struct pipe *p = pipe_of(c);
    const struct step *step = &c->cpu.step;
    cycle_t at = s->issue + 1, usable = at;
    unsigned latency = s->chip->latency, k;

    ev_add(&c->pmu.ev, EV_load_queued, 1, at);
    for (k = 0; k < step->accesses; k++) {
        const struct access *a = &step->access[k];
        cycle_t asked = at, clear;

        data_of(c, k);
        at = translate_data(c, s, a->ea, false, at);
        clear = collision(p, a, at);
        if (clear > at) {
            ev_add(&c->pmu.ev, EV_lsu_stall_collision, clear - at, clear);
            slot_wait(s, at, clear, REASON_store);
            at = clear;
        }
        clear = load_access(c, s, a, at);
        took(c, s, a, at, clear);
        waited_for(s, k, clear - asked);
        usable = cycle_max(usable, clear);
        at++;
    }
    if (step->accesses == 2 && !(s->i->flags & INSN_MULTIPLE))
        ev_add(&c->pmu.ev, EV_unaligned_load, 1, at);
    s->finish = cycle_max(usable, at - 1) + latency - 1;
    p->w.next[UNIT_LSU] = cycle_max(p->w.next[UNIT_LSU], at - 1);
    ring_push(&p->loads, s->finish);
    data_of(c, s->slow);
    ev_add(&c->pmu.ev, EV_load_queue_level, s->finish - s->issue, s->finish);
}

/* ---- stores -------------------------------------------------------------- */

/* Own the line of a from cycle `at` on. Returns when it can be written;
 * *line is the way it is in. */
static cycle_t store_own(struct core *c, struct slot *s, const struct access *a,
                         cycle_t at, struct line **line)
{
    struct pipe *p = pipe_of(c);
    struct line *l = cache_find(&p->dcache, a->pa);
    struct bus_answer answer = {0};
    cycle_t usable;

    if (l) {
        served(s, LEVEL_CACHE);
        usable = claim(c, l, a->pa, at);
    } else if (a->kind == ACCESS_DCBZ) {
        l = cache_victim(&p->dcache, a->pa);
        at = lsu_cast_out(c, l, at);
        answer = lsu_ask(c, BUS_KILL, a->pa, at);
        served(s, LEVEL_CACHE); /* nothing is read */
        usable = answer.first;
        cache_fill(&p->dcache, l, a->pa, MESI_M, usable, 0);
        if (c->pif.active)
            mark_feed_filled(c, true, l, a->pa, a->ea, at);
    } else {
        at = cycle_max(at, p->store_request + 1);
        p->store_request = at;
        l = lsu_fill(c, BUS_RWITM, a->pa, at, &answer);
        served(s, level_of(&answer));
        if (c->pif.active)
            mark_feed_filled(c, true, l, a->pa, a->ea, at);
        usable = answer.first;
        if (!(s->i->flags & INSN_MULTIPLE))
            pmu_threshold(&c->pmu, true, answer.pushed != 0, s->pc, a->ea,
                          usable - at, usable);
    }
    l->state = MESI_M;
    cache_touch(&p->dcache, l);
    *line = l;
    return usable;
}

static void store_pending(struct pipe *p, const struct access *a,
                          cycle_t commit)
{
    struct pending_store *q = &p->pending[p->pending_at];

    q->low = a->ea & 0xFFF;
    q->size = a->size;
    q->commit = commit;
    p->pending_at = (p->pending_at + 1) % STORES;
    p->committed = commit;
}

/* To memory; copies elsewhere are gone, our own keeps its state. */
static cycle_t write_through(struct core *c, const struct access *a, cycle_t at)
{
    struct line *l = cache_find(&pipe_of(c)->dcache, a->pa);

    if (l)
        cache_touch(&pipe_of(c)->dcache, l);
    return single(c, a->pa, lsu_ask(c, BUS_FLUSH, a->pa, at + 1).first);
}

/* Write one access no earlier than `at`, behind the stores before it. */
static void store_write(struct core *c, struct slot *s, const struct access *a,
                        cycle_t at)
{
    struct pipe *p = pipe_of(c);
    struct line *l;
    cycle_t commit;

    if (uncached(c, a, TLB_STORE)) {
        served(s, LEVEL_UNCACHED);
        commit = single(c, a->pa, cycle_max(at, p->committed + 1));
        took(c, s, a, at, commit);
        store_pending(p, a, commit);
        return;
    }
    if (mmu_wimg(&c->cpu, a->ea, TLB_STORE) & WIMG_W) {
        served(s, LEVEL_UNCACHED);
        commit = write_through(c, a, cycle_max(at, p->committed));
        took(c, s, a, at, commit);
        store_pending(p, a, commit);
        return;
    }
    commit = store_own(c, s, a, at, &l);
    took(c, s, a, at, commit);
    commit = cycle_max(commit, p->committed + 1);
    l->written = commit;
    store_pending(p, a, commit);
}

/* A register holds doubles. A value too small for a normal single is shifted
 * into place when it is stored as one: 1 to 23 cycles (604 UM p.109).
 *
 * APPROX: a cycle a bit, the unit busy all the while; stfd of what was loaded
 * as a single shifts nothing. Source: the page says from how many to how many.
 * Cost: none to programs without such numbers. */
static unsigned denormal_shift(const struct core *c, const struct insn *i)
{
    unsigned exponent = c->cpu.fpr[i->d] >> 52 & 0x7FF;

    if (!(i->flags & INSN_FP) || c->cpu.step.access[0].size != 4 ||
        i->op == OP_STFIWX || exponent < 874 || exponent > 896)
        return 0;
    return 897 - exponent;
}

/* Keep the unit for n cycles. */
static void lsu_keep(struct pipe *p, const struct slot *s, unsigned n)
{
    p->w.next[UNIT_LSU] = cycle_max(p->w.next[UNIT_LSU], s->issue + n);
}

static void store_finish(struct core *c, struct slot *s)
{
    const struct step *step = &c->cpu.step;
    cycle_t at = s->issue + 1, searched = at;
    unsigned n = step->accesses, shift = denormal_shift(c, s->i), k;

    ev_add(&c->pmu.ev, EV_store_queued, 1, at);
    for (k = 0; k < n; k++) {
        cycle_t asked = searched;

        data_of(c, k);
        searched = translate_data(c, s, step->access[k].ea, true, searched);
        waited_for(s, k, searched - asked);
    }
    s->finish += searched - at;
    /* APPROX: a store starts without its datum, and finishes the cycle behind
     * it. Source: no manual; the loop diveby3 of GMP. Cost: a store that
     * waits for its datum makes that loop six cycles instead of five, addmul_1
     * 9.0 instead of 6.5, and tests/bench/work.c 2.9 % slower. */
    if (s->i->late)
        s->finish = cycle_max(s->finish, pipe_of(c)->w.ready[s->i->src[0]] + 1);
    if (shift) {
        s->finish += shift;
        lsu_keep(pipe_of(c), s, shift + 1);
    }
    if (n == 2 && !(s->i->flags & INSN_MULTIPLE))
        ev_add(&c->pmu.ev, EV_unaligned_store, 1, at);
    if (n > 1) {
        s->finish += n - 1;
        lsu_keep(pipe_of(c), s, n);
    }
}

/* stwcx. decides when it owns its line; it is the oldest by then. */
static void conditional_finish(struct core *c, struct slot *s)
{
    struct pipe *p = pipe_of(c);
    cycle_t at = cycle_max(s->issue + 1, p->committed + 1);

    slot_wait(s, s->issue + 1, at, REASON_store);
    if (c->cpu.step.accesses)
        at = translate_data(c, s, c->cpu.step.access[0].ea, true, at);
    if (c->cpu.step.conditional_failed || !c->cpu.step.accesses) {
        s->finish = cycle_max(s->finish, at + 1);
        return;
    }
    store_write(c, s, &c->cpu.step.access[0], at);
    slot_wait(s, at, p->committed, REASON_dmiss);
    s->finish = cycle_max(s->finish, p->committed + 1);
    ev_add(&c->pmu.ev, EV_stwcx_success, 1, s->finish);
}

void lsu_commit(struct core *c, struct slot *s)
{
    struct pipe *p = pipe_of(c);
    const struct step *step = &c->cpu.step;
    unsigned k;

    if (s->i->class != CLASS_STORE &&
        !(s->i->class == CLASS_MULTIPLE && s->i->flags & INSN_STORE))
        return;
    for (k = 0; k < step->accesses; k++) {
        cycle_t before = p->committed;

        data_of(c, k);
        store_write(c, s, &step->access[k], s->complete + 1);
        waited_for(s, k, p->committed - before);
    }
    data_of(c, s->slow);
    ring_push(&p->stores, p->committed);
    ev_add(&c->pmu.ev, EV_store_queue_level, p->committed - s->issue,
           p->committed);
}

/* ---- cache operations, sync ---------------------------------------------- */

/* dcbst, dcbf, dcbi: a modified copy anywhere goes to memory (not for dcbi);
 * all but dcbst leave no copy. */
static cycle_t line_out(struct core *c, const struct access *a, cycle_t at)
{
    struct line *l = cache_find(&pipe_of(c)->dcache, a->pa);
    bool keep = a->kind == ACCESS_DCBST;
    cycle_t end = lsu_ask(c, keep ? BUS_CLEAN : BUS_FLUSH, a->pa, at).first;

    if (!l)
        return end;
    if (l->state == MESI_M && a->kind != ACCESS_DCBI) {
        /* APPROX: dcbst leaves the line exclusive; no source. */
        end = bus_write_back(c->with.bus, cycle_max(at, l->written));
        l->state = MESI_E;
    }
    if (!keep)
        l->state = MESI_I;
    if (!keep && c->pif.active)
        mark_feed_lost(c, true, a->pa);
    return end;
}

static void cacheop_finish(struct core *c, struct slot *s)
{
    const struct step *step = &c->cpu.step;
    const struct access *a = &step->access[0];
    cycle_t at = cycle_max(s->issue + 1, pipe_of(c)->committed + 1), end = at;

    if (!step->accesses)
        return;
    slot_wait(s, s->issue + 1, at, REASON_store);
    at = end = translate_data(c, s, a->ea, a->kind == ACCESS_DCBZ, at);
    switch (a->kind) {
    case ACCESS_DCBZ:
        store_write(c, s, a, at);
        end = pipe_of(c)->committed;
        break;
    case ACCESS_ICBI:
        snoop_invalidate(c, a->pa);
        end = lsu_ask(c, BUS_SYNC, a->pa, at).first;
        break;
    default:
        end = line_out(c, a, at);
    }
    slot_wait(s, at, end, REASON_store);
    s->finish = cycle_max(s->finish, end + 1);
}

/* Looks for the line of `a` from cycle `at` on. Returns when a miss register
 * has taken its fill over, or `at` when there is none. */
static cycle_t touch_line(struct core *c, const struct access *a, cycle_t at)
{
    struct pipe *p = pipe_of(c);
    struct line *l = cache_find(&p->dcache, a->pa);
    struct bus_answer answer;
    cycle_t free;

    if (l) {
        cache_touch(&p->dcache, l);
        return at;
    }
    free = lsu_miss_register(p, at);
    l = lsu_fill(c, BUS_READ, a->pa, at, &answer);
    if (c->pif.active)
        mark_feed_filled(c, true, l, a->pa, a->ea, at);
    return free;
}

/* APPROX: a touch completes without its line, but keeps its entry of the load
 * queue until its fill has begun, so that touches go no faster than loads that
 * miss. Source: 604 UM p.240 for loads; no page says it of touches. Cost: not
 * known. */
static void touch_finish(struct core *c, struct slot *s)
{
    const struct step *step = &c->cpu.step;
    cycle_t at = s->issue + 1;

    if (step->accesses) {
        at = translate_data(c, s, step->access[0].ea, false, at);
        if (!uncached(c, &step->access[0], TLB_LOAD))
            at = touch_line(c, &step->access[0], at);
    }
    ring_push(&pipe_of(c)->loads, at + 1);
}

static void sync_finish(struct core *c, struct slot *s)
{
    struct pipe *p = pipe_of(c);
    cycle_t at = cycle_max(s->issue, p->committed + 1), end;

    at = cycle_max(at, cycle_max(p->miss[0], p->miss[1]));
    slot_wait(s, s->issue + 1, at, REASON_store);
    end = bus_request(c->with.bus, BUS_SYNC, c->number, 0, at).first;
    slot_wait(s, cycle_max(at, s->issue + 1), end, REASON_serial);
    s->finish = cycle_max(s->finish, end);
}

void lsu_finish(struct core *c, struct slot *s)
{
    if (c->cpu.step.accesses) {
        c->last_ea = c->cpu.step.access[0].ea;
        data_of(c, 0);
    }
    switch (s->i->class) {
    case CLASS_STWCX:
        conditional_finish(c, s);
        return;
    case CLASS_CACHEOP:
        cacheop_finish(c, s);
        return;
    case CLASS_TOUCH:
        touch_finish(c, s);
        return;
    case CLASS_SYNC:
        sync_finish(c, s);
        return;
    case CLASS_LWARX:
        ev_add(&c->pmu.ev, EV_reserve_request, 1, s->issue + 1);
        break;
    }
    if (s->i->flags & INSN_LOAD)
        load_finish(c, s);
    else if (s->i->flags & INSN_STORE)
        store_finish(c, s);
}
