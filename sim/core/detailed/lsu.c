/* lsu.c - when the load/store unit does what: queues, data cache, bus.
 *
 * A load computes its address in its first cycle and reads the cache in the
 * next; a store waits in the store queue until it has completed and then
 * writes the cache, in order (604 UM p.240, 265-267). Loads pass older stores
 * unless the low 12 address bits match. What an access met has been answered in
 * access.c, and is only read here; its cost and its events are worked out.
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

/* From where an access was served; the slowest one is kept. */
static void served(struct slot *s, uint8_t level)
{
    if (level > s->level)
        s->level = level;
}

uint8_t lsu_level(const struct line_outcome *o)
{
    switch ((enum line_answer)o->answer) {
    case LINE_SINGLE:
    case LINE_THROUGH:
        return LEVEL_UNCACHED;
    case LINE_MISS:
        return o->by.pushed ? LEVEL_OTHER : LEVEL_MEMORY;
    default:
        return LEVEL_CACHE; /* of dcbz, too: nothing is read */
    }
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

/* The cycle from which an access that asks at `at` has its physical address. */
static inline cycle_t translated(struct core *c, struct slot *s,
                                 const struct search_outcome *o, cycle_t at)
{
    return o->searched ? search_data(c, s, o, at) : at;
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
    else if (s->i->flags & INSN_STORE) {
        s->queued = lsu_queued(pipe_of(c), s->issue);
        stall_on(c, s, &pipe_of(c)->stores, EV_lsu_stall_storeq);
    }
}

/* ---- loads --------------------------------------------------------------- */

/* A load waited from `at` until `usable` for a line that missed. */
static void count_miss(struct core *c, struct slot *s, const struct access *a,
                       bool pushed, cycle_t at, cycle_t usable)
{
    struct pipe *p = pipe_of(c);

    s->counted = lsu_counts(p, at, usable);
    if (s->counted) {
        ev_add(&c->pmu.ev, EV_load_miss_cycles, s->counted, usable);
        p->miss_until = usable;
    }
    if (!(s->i->flags & INSN_MULTIPLE))
        pmu_threshold(&c->pmu, false, pushed, s->pc, a->ea, usable - at,
                      usable);
}

/* One access of a load that reads the cache at `at`: when is it there. */
static cycle_t load_access(struct core *c, struct slot *s,
                           const struct access *a, const struct line_outcome *o,
                           cycle_t at)
{
    cycle_t usable;

    served(s, lsu_level(o));
    if (o->answer == LINE_SINGLE) {
        usable = refill_single(c, cycle_max(at, pipe_of(c)->committed + 1));
        slot_wait(s, at, usable, a->io ? REASON_io : REASON_dmiss);
    } else if (o->answer == LINE_HIT) {
        usable = refill_usable(c, o, at);
        s->filled = usable - at;
        slot_wait(s, at, usable, REASON_dmiss);
    } else {
        usable = s->brought ? s->brought : refill_miss(c, o, at);
        s->filled = usable - at;
        slot_wait(s, at, usable, o->by.pushed ? REASON_snoop : REASON_dmiss);
        count_miss(c, s, a, o->by.pushed, at, usable);
    }
    return usable;
}

static void load_finish(struct core *c, struct slot *s)
{
    struct pipe *p = pipe_of(c);
    const struct step *step = &c->cpu.step;
    cycle_t at = s->issue + 1, usable = at;
    unsigned latency = s->chip->latency, k;

    s->counted = 0;
    ev_add(&c->pmu.ev, EV_load_queued, 1, at);
    for (k = 0; k < step->accesses; k++) {
        const struct access *a = &step->access[k];
        cycle_t asked = at, clear;

        data_of(c, k);
        at = translated(c, s, &p->outcome[k].search, at);
        clear = lsu_clear(p, a, at);
        s->collided = clear - at;
        if (clear > at) {
            ev_add(&c->pmu.ev, EV_lsu_stall_collision, clear - at, clear);
            slot_wait(s, at, clear, REASON_store);
            at = clear;
        }
        clear = load_access(c, s, a, &p->outcome[k].line, at);
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

/* The cycle from which the line of a, asked for at `at`, can be written. */
static cycle_t store_own(struct core *c, struct slot *s, const struct access *a,
                         const struct line_outcome *o, cycle_t at)
{
    struct pipe *p = pipe_of(c);
    cycle_t usable;

    if (o->answer == LINE_HIT)
        return s->brought ? s->brought : refill_own(c, o, at);
    if (o->answer == LINE_ZEROED) {
        at = refill_cast_out(c, o, at);
        usable = refill_ask(c, o, at).first;
        cache_arrive(&p->tags.dcache, o->frame, o->word, usable, 0);
        mark_feed_charge(c, o->shadow, at);
        return usable;
    }
    if (!s->brought)
        p->store_request = cycle_max(at, p->store_request + 1);
    at = p->store_request;
    usable = s->brought ? s->brought : refill_miss(c, o, at);
    if (!(s->i->flags & INSN_MULTIPLE))
        pmu_threshold(&c->pmu, true, o->by.pushed != 0, s->pc, a->ea,
                      usable - at, usable);
    return usable;
}

/* Write one access no earlier than `at`, behind the stores before it. */
static void store_write(struct core *c, struct slot *s, const struct access *a,
                        const struct line_outcome *o, cycle_t at)
{
    struct pipe *p = pipe_of(c);
    cycle_t commit;

    served(s, lsu_level(o));
    if (o->answer == LINE_SINGLE) {
        commit = refill_single(c, cycle_max(at, p->committed + 1));
        took(c, s, a, at, commit);
    } else if (o->answer == LINE_THROUGH) { /* copies elsewhere go first */
        commit = refill_ask(c, o, cycle_max(at, p->committed) + 1).first;
        commit = refill_single(c, commit);
        took(c, s, a, at, commit);
    } else {
        commit = store_own(c, s, a, o, at);
        s->filled = commit - at;
        took(c, s, a, at, commit);
        commit = cycle_max(commit, p->committed + 1);
        p->tags.dcache.arrival[o->frame].written = commit;
    }
    lsu_pending(p, a, commit);
}

/* A register holds doubles. A value too small for a normal single is shifted
 * into place when it is stored as one: 1 to 23 cycles (604 UM p.109).
 *
 * APPROX: a cycle a bit, the unit busy all the while; stfd of what was loaded
 * as a single shifts nothing. Source: the page says from how many to how many.
 * Cost: none to programs without such numbers. */
unsigned lsu_shifts(const struct core *c, const struct insn *i)
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
    unsigned n = step->accesses, shift = lsu_shifts(c, s->i), k;

    s->shifted = shift;
    ev_add(&c->pmu.ev, EV_store_queued, 1, at);
    for (k = 0; k < n; k++) {
        cycle_t asked = searched;

        data_of(c, k);
        searched = translated(c, s, &pipe_of(c)->outcome[k].search, searched);
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
        at = translated(c, s, &p->outcome[0].search, at);
    if (c->cpu.step.conditional_failed || !c->cpu.step.accesses) {
        s->finish = cycle_max(s->finish, at + 1);
        return;
    }
    store_write(c, s, &c->cpu.step.access[0], &p->outcome[0].line, at);
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
        store_write(c, s, &step->access[k], &p->outcome[k].line,
                    s->complete + 1);
        waited_for(s, k, p->committed - before);
    }
    data_of(c, s->slow);
    ring_push(&p->stores, p->committed);
    ev_add(&c->pmu.ev, EV_store_queue_level, p->committed - s->issue,
           p->committed);
}

/* ---- cache operations, sync ---------------------------------------------- */

/* dcbst, dcbf, dcbi: the others have answered, and a modified copy of ours has
 * gone to memory. */
static cycle_t line_out(struct core *c, const struct line_outcome *o,
                        cycle_t at)
{
    cycle_t end = refill_ask(c, o, at).first;

    if (!o->castout)
        return end;
    return bus_write_back(
        c->with.bus,
        cycle_max(at, pipe_of(c)->tags.dcache.arrival[o->frame].written));
}

static void cacheop_finish(struct core *c, struct slot *s)
{
    const struct step *step = &c->cpu.step;
    const struct access_outcome *o = &pipe_of(c)->outcome[0];
    cycle_t at = cycle_max(s->issue + 1, pipe_of(c)->committed + 1), end = at;

    if (!step->accesses)
        return;
    slot_wait(s, s->issue + 1, at, REASON_store);
    at = translated(c, s, &o->search, at);
    if (o->line.answer == LINE_OUT) {
        end = line_out(c, &o->line, at);
    } else if (o->line.answer == LINE_ICBI) {
        end = refill_ask(c, &o->line, at).first;
    } else {
        store_write(c, s, &step->access[0], &o->line, at);
        end = pipe_of(c)->committed;
    }
    slot_wait(s, at, end, REASON_store);
    s->finish = cycle_max(s->finish, end + 1);
}

/* Returns when a miss register has taken over the fill of o, asked at `at`, or
 * `at` when there is none. */
static cycle_t touch_line(struct core *c, const struct line_outcome *o,
                          cycle_t at)
{
    cycle_t taken = refill_register(pipe_of(c), at);

    if (o->answer != LINE_MISS)
        return at;
    refill_miss(c, o, at);
    return taken;
}

/* APPROX: a touch completes without its line, but keeps its entry of the load
 * queue until its fill has begun, so that touches go no faster than loads that
 * miss. Source: 604 UM p.240 for loads; no page says it of touches. Cost: not
 * known. */
static void touch_finish(struct core *c, struct slot *s)
{
    const struct access_outcome *o = &pipe_of(c)->outcome[0];
    cycle_t at = s->issue + 1;

    if (c->cpu.step.accesses) {
        at = translated(c, s, &o->search, at);
        at = touch_line(c, &o->line, at);
    }
    ring_push(&pipe_of(c)->loads, at + 1);
}

cycle_t lsu_synced(struct core *c, cycle_t issue)
{
    static const struct snooped no_owner;

    return bus_tenure(c->with.bus, BUS_SYNC, &no_owner,
                      lsu_done(pipe_of(c), issue))
        .first;
}

static void sync_finish(struct core *c, struct slot *s)
{
    cycle_t at = lsu_done(pipe_of(c), s->issue), end;

    slot_wait(s, s->issue + 1, at, REASON_store);
    end = s->brought ? s->brought : lsu_synced(c, s->issue);
    s->filled = end - s->issue;
    s->queued = at - s->issue;
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
