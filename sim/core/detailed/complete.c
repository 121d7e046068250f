/* complete.c - in-order completion, write-back, and the oracle's account.
 *
 * Every cycle goes somewhere (architecture decision 8): completing
 * instructions share theirs; a stalled window charges its oldest instruction;
 * an empty one the instruction that flushed it, else the first to arrive.
 */
#include "sim/core/detailed/pipe.h"
#include "sim/core/detailed/memo/memo.h"

/* ---- when ---------------------------------------------------------------- */

enum { WB_GPR, WB_FPR, WB_CR };

/* A result is written when one of the ports of its file is free. */
static cycle_t write_back(struct core *c, int file, cycle_t at)
{
    struct pipe *p = pipe_of(c);

    if (at > p->wb_cycle[file]) {
        p->wb_cycle[file] = at;
        p->wb_used[file] = 0;
    }
    if (p->wb_used[file] == c->with.params->writeback_ports) {
        p->wb_cycle[file]++;
        p->wb_used[file] = 0;
    }
    p->wb_used[file]++;
    return p->wb_cycle[file];
}

/* Rename buffers live until their result is written. */
static void free_renames(struct core *c, const struct slot *s)
{
    struct window *w = &pipe_of(c)->w;
    unsigned k;

    for (k = 0; k < s->i->gprs; k++)
        ring_push(&w->gpr, write_back(c, WB_GPR, s->complete) + 1);
    for (k = 0; k < s->i->fprs; k++)
        ring_push(&w->fpr, write_back(c, WB_FPR, s->complete) + 1);
    for (k = 0; k < s->i->crs; k++)
        ring_push(&w->cr, write_back(c, WB_CR, s->complete) + 1);
}

/* Cycles that completion waited for s, which is the oldest. */
static void count_stall(struct core *c, const struct slot *s, cycle_t from)
{
    struct ev *ev = &c->pmu.ev;

    from = cycle_max(from, s->dispatch + 1);
    if (s->finish <= from)
        return;
    if (c->cpu.step.accesses)
        data_of(c, s->slow);
    ev_add(ev, EV_complete_stall, s->finish - from, s->finish);
    if (s->i->flags & INSN_STORE)
        ev_add(ev, EV_complete_stall_store, s->finish - from, s->finish);
    else if (s->i->flags & INSN_LOAD)
        ev_add(ev, EV_complete_stall_load, s->finish - from, s->finish);
}

void complete_at(struct core *c, struct slot *s)
{
    struct pipe *p = pipe_of(c);
    struct window *w = &p->w;
    cycle_t at = cycle_max(s->finish, w->completed);
    bool store = s->i->flags & INSN_STORE;

    count_stall(c, s, w->completed + 1);
    if (at == w->completed && p->completing >= c->with.params->complete_width)
        at++;
    if (store && at == p->store_completed)
        at++; /* APPROX: one store completes a cycle; no source. */
    if (at < s->dispatch + 1)
        at = s->dispatch + 1;
    s->oldest = (uint32_t)(at - w->completed);
    s->complete = at;
}

/* ---- the oracle ---------------------------------------------------------- */

/* The account is about to be exact up to `end`: if an interval of it ends
 * there, what was replayed goes first. */
static inline void reach(struct core *c, cycle_t end)
{
    if (__builtin_expect(end >= c->edge, 0))
        memo_flush(c);
}

void complete_close(struct core *c)
{
    struct pipe *p = pipe_of(c);
    unsigned k;

    reach(c, p->w.completed + 1);
    for (k = 0; k < p->shares; k++)
        oracle_add(c->oracle, p->share[k].context, p->share[k].pc,
                   REASON_complete, ORACLE_UNIT / p->shares);
    for (k = 0; p->memo && k < p->shares; k++)
        memo_charged(p->memo, p->share[k].context, p->share[k].pc,
                     REASON_complete, ORACLE_UNIT / p->shares);
    if (p->shares)
        p->accounted = p->w.completed + 1;
    p->shares = 0;
}

/* Charge from p->accounted up to `end` (exclusive) to pc. */
static inline void charge(struct core *c, uint32_t context, ea_t pc,
                          enum reason r, cycle_t end)
{
    struct pipe *p = pipe_of(c);

    if (end <= p->accounted)
        return;
    oracle_add(c->oracle, context, pc, r, ORACLE_UNIT * (end - p->accounted));
    if (p->memo)
        memo_charged(p->memo, context, pc, r,
                     ORACLE_UNIT * (end - p->accounted));
    p->accounted = end;
}

/* The window was empty until s dispatched. */
static void charge_empty(struct core *c, const struct slot *s, cycle_t end)
{
    struct pipe *p = pipe_of(c);

    charge(c, p->flush_context, p->flush_pc, p->flush_reason,
           cycle_min(end, p->flush_until));
    charge(c, c->context, s->pc, s->imiss ? REASON_imiss : REASON_fetch, end);
}

/* s was the oldest from its dispatch until `end`. Of waits that overlap the
 * one that began first is charged; where there is none it works. */
static void charge_oldest(struct core *c, const struct slot *s, cycle_t end)
{
    unsigned k;

    for (k = 0; k < s->spans; k++) {
        const struct core_wait *w = &s->span[k];

        charge(c, c->context, s->pc, REASON_execute, cycle_min(end, w->begin));
        charge(c, c->context, s->pc, w->reason, cycle_min(end, w->end));
    }
    charge(c, c->context, s->pc, REASON_execute, cycle_min(end, s->finish));
    charge(c, c->context, s->pc, REASON_retire, end);
}

static void charge_gap(struct core *c, const struct slot *s, cycle_t end)
{
    reach(c, end);
    complete_close(c);
    if (s->dispatch > pipe_of(c)->accounted)
        charge_empty(c, s, cycle_min(s->dispatch, end));
    charge_oldest(c, s, end);
}

/* ---- events -------------------------------------------------------------- */

static void count_result(struct core *c, const struct slot *s)
{
    const struct unit_row *u = &unit_rows[s->unit];
    cycle_t *until = &pipe_of(c)->busy_until[s->unit];
    cycle_t from = cycle_max(s->issue, *until);

    if (u->result != NO_EVENT)
        ev_add(&c->pmu.ev, u->result, 1, s->finish);
    if (u->busy != NO_EVENT && s->finish > from)
        ev_add(&c->pmu.ev, u->busy, s->finish - from, s->finish);
    *until = cycle_max(*until, s->finish);
}

/* Cycles in the station. The integer units: of every entry. The others, which
 * start in order: of the oldest one; branch and load/store unit: for want of
 * operands. */
static void count_waiting(struct core *c, const struct slot *s)
{
    const struct unit_row *u = &unit_rows[s->unit];
    cycle_t from = u->in_order ? s->heads : s->dispatch + 1;
    cycle_t to = u->for_operands ? s->operands : s->issue;

    if (to > from && u->waits != NO_EVENT)
        ev_add(&c->pmu.ev, u->waits, to - from, to);
}

static void count_class(struct core *c, const struct slot *s)
{
    struct ev *ev = &c->pmu.ev;
    cycle_t at = s->complete;

    if (s->i->flags & INSN_LOAD) {
        ev_add(ev, EV_load_completed, 1, at);
        return;
    }
    switch ((enum class)s->i->class) {
    case CLASS_BRANCH:
        ev_add(ev, EV_branch_completed, 1, at);
        break;
    case CLASS_SIMPLE:
    case CLASS_CARRY:
    case CLASS_MULI:
    case CLASS_MUL:
    case CLASS_DIV:
        ev_add(ev, EV_int_completed, 1, at);
        break;
    case CLASS_FPADD:
    case CLASS_FDIVS:
    case CLASS_FDIV:
    case CLASS_FPCMP:
    case CLASS_FPSCR:
        ev_add(ev, EV_fp_completed, 1, at);
        break;
    case CLASS_SYNC:
        ev_add(ev, EV_sync_completed, 1, at);
        ev_add(ev, EV_load_completed, 1, at);
        break;
    case CLASS_EIEIO:
        ev_add(ev, EV_eieio_completed, 1, at);
        ev_add(ev, EV_load_completed, 1, at);
        break;
    case CLASS_CACHEOP:
        if (c->cpu.step.accesses && c->cpu.step.access[0].kind == ACCESS_ICBI)
            ev_add(ev, EV_icbi_completed, 1, at);
        ev_add(ev, EV_load_completed, 1, at);
        break;
    case CLASS_TOUCH:
    case CLASS_TLBOP:
        ev_add(ev, EV_load_completed, 1, at);
        break;
    default:
        break;
    }
}

/* ---- the stage ----------------------------------------------------------- */

void complete_account(struct core *c, const struct slot *s)
{
    struct pipe *p = pipe_of(c);
    struct window *w = &p->w;
    cycle_t at = s->complete;

    if (at != w->completed || !p->shares) {
        charge_gap(c, s, at);
        p->completing = 0;
        w->completed = at;
    }
    p->share[p->shares].pc = s->pc;
    p->share[p->shares++].context = c->context;
    p->completing++;
    if (s->i->flags & INSN_STORE)
        p->store_completed = at;

    history_add(p, s->pc, at);
    ring_push(&w->rob, at + 1);
    if (s->i->flags & INSN_BRANCH)
        ring_push(&w->blocks, at + 1);
    free_renames(c, s);
    /* APPROX: XER[CA] has no rename buffer: it is read once it has been written
     * back, the cycle behind completion. Source: no manual; the loop
     * mod_34lsub1 of GMP. Cost: without
     * it that loop takes two cycles instead of three, addmul_1 5.25 instead
     * of 6.5, where 6.75 were measured. */
    if (s->i->carries)
        window_ready(w, REG_CA, at + 2);
    if (s->chip->order & HOLD || c->serialize)
        w->hold = at + 1;
    c->serialize = false;

    c->insns++;
    count_waiting(c, s);
    count_result(c, s);
    ev_add(&c->pmu.ev, EV_insn_completed, 1, at);
    count_class(c, s);
}

void complete_except(struct core *c, struct slot *s)
{
    struct pipe *p = pipe_of(c);

    s->complete = cycle_max(s->issue + 1, p->w.completed + 1);
    charge_gap(c, s, s->complete);
    complete_flush(c, s->pc, REASON_exception, s->complete);
    p->w.completed = s->complete;
    p->completing = 0;
    c->serialize = false;
}

void complete_flush(struct core *c, ea_t pc, enum reason reason, cycle_t at)
{
    struct pipe *p = pipe_of(c);

    fetch_redirect(&p->w, at + 1);
    p->flush_pc = pc;
    p->flush_context = c->context;
    p->flush_reason = reason;
    p->flush_until = at + 3; /* fetch at + 1, decode, dispatch at + 3 */
}
