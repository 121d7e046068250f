/* detailed.c - the pipeline as a table of contents: fetch, dispatch, issue,
 * execute, finish, complete, commit, for one instruction after another.
 *
 * An instruction is fetched and given its dispatch cycle first (front); it is
 * executed and timed to its end when its turn comes in the order of dispatch
 * cycles over all CPUs (back). Interrupts are looked at in between.
 */
#include "sim/core/mark_feed.h"
#include "sim/core/timing.h"
#include "sim/core/detailed/branch.h"
#include "sim/core/detailed/memo/memo.h"

#include <stdlib.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------- */

static bool pipe_init(struct core *c)
{
    const struct params *p = c->with.params;
    struct pipe *pipe;

    if (pipe_of(c))
        return true;
    pipe = calloc(1, sizeof *pipe);
    c->pipe = pipe;
    if (!pipe || !predict_init(&pipe->predict, p) ||
        !cache_init(&pipe->tags.icache, p->icache_kb, p->icache_ways,
                    p->line_bytes) ||
        !cache_init(&pipe->tags.dcache, p->dcache_kb, p->dcache_ways,
                    p->line_bytes))
        return false;
    window_init(&pipe->w, p);
    pipe->loads.n = p->load_queue;
    pipe->stores.n = p->store_queue;
    fetch_forget(c);
    if (!memo_init(c))
        return false;
    c->with.bus->dcache[c->number] = &pipe->tags.dcache;
    c->with.bus->icache[c->number] = &pipe->tags.icache;
    return true;
}

static void pipe_free(struct core *c)
{
    if (!pipe_of(c))
        return;
    memo_free(c);
    predict_free(&pipe_of(c)->predict);
    cache_free(&pipe_of(c)->tags.icache);
    cache_free(&pipe_of(c)->tags.dcache);
    free(pipe_of(c));
    c->pipe = NULL;
}

static void restart(struct core *c, cycle_t at)
{
    struct pipe *p = pipe_of(c);

    memo_leave(c);
    p->have = false;
    fetch_forget(c);
    p->shares = 0;
    p->accounted = at;
    p->w.completed = at ? at - 1 : 0;
    p->w.hold = at;
    fetch_redirect(&p->w, at);
    p->flush_pc = c->cpu.pc;
    p->flush_context = c->context;
    p->flush_reason = REASON_fetch;
    p->flush_until = at;
}

static void enter(struct core *c, ea_t last)
{
    history_add(pipe_of(c), last, c->clock ? c->clock - 1 : 0);
}

static cycle_t finished(const struct core *c)
{
    const struct pipe *p = pipe_of(c);

    memo_leave((struct core *)c); /* the stages' state is there; no other */
    return p->shares ? p->w.completed + 1 : p->accounted;
}

static ea_t completed_by(const struct core *c, cycle_t at)
{
    const struct pipe *p = pipe_of(c);

    if (p->memo)
        memo_complete((struct core *)c);
    return history_by(p, at);
}

/* APPROX: HID0[ILOCK] and HID0[DLOCK] are kept and lock nothing, nor do the
 * bits for parity, pins and snooping of fetches do anything. Source: 604e
 * technical summary p.13. Cost: a locked cache goes on replacing lines, and
 * dcbz into a locked one raises no alignment exception. */
static void write_hid0(struct core *c, uint32_t now)
{
    struct pipe *p = pipe_of(c);

    memo_leave(c);
    memo_flush(c);
    memo_cancel(c);
    if (now & HID0_ICFI) {
        cache_invalidate_all(&p->tags.icache);
        pif_gather(&c->pif, false);
    }
    if (now & HID0_DCFI) {
        cache_invalidate_all(&p->tags.dcache);
        pif_gather(&c->pif, true);
    }
    if (now & HID0_BTCD)
        predict_flush(&p->predict);
    p->hid0 = now & ~(HID0_ICFI | HID0_DCFI);
}

static void stages(const struct core *c, struct core_stages *s)
{
    const struct slot *from = &pipe_of(c)->next;

    s->unit = chip_unit_name(from->unit);
    s->fetch = from->fetch;
    s->dispatch = from->dispatch;
    s->issue = from->issue;
    s->finish = cycle_min(from->finish, from->complete);
    s->complete = from->complete;
    s->waits = from->spans;
    memcpy(s->wait, from->span, from->spans * sizeof *s->wait);
}

/* What is fetched will not run: its events are all there will be. */
static void abandon(struct core *c)
{
    struct pipe *p = pipe_of(c);

    memo_leave(c);
    memo_cancel(c);
    if (c->pmu.derived.held)
        insn_cycles_abandoned(c, &p->next, &p->from);
    if (c->pmu.news)
        c->attention = 0;
    p->have = false;
}

static void refetch(struct core *c)
{
    struct pipe *p = pipe_of(c);
    cycle_t at = c->clock ? c->clock - 1 : 0;

    abandon(c);
    fetch_forget(c);
    complete_flush(c, c->cpu.pc, REASON_flush, cycle_max(at, p->w.completed));
}

static void settle(struct core *c)
{
    memo_leave(c);
    memo_flush(c);
    if (c->pmu.derived.held)
        insn_cycles_abandoned(c, &pipe_of(c)->next, &pipe_of(c)->from);
    complete_close(c);
}

/* What is fetched is dropped; what is between the last completion and the next
 * dispatch is the beginning of a stretch that does not come. */
static void leave(struct core *c)
{
    struct pipe *p = pipe_of(c);

    memo_leave(c);
    memo_flush(c);
    memo_cancel(c);
    history_spell(p);
    if (c->state != CORE_RUNNING)
        return;
    if (p->have)
        abandon(c);
    dispatch_close(c, &p->w);
    settle(c);
    c->clock = cycle_max(c->clock, p->accounted);
    oracle_add(c->oracle, c->context, c->cpu.pc, REASON_fetch,
               ORACLE_UNIT * (c->clock - p->accounted));
    p->accounted = c->observed_cycle = c->clock;
}

static void forget_translations(struct core *c)
{
    memset(&pipe_of(c)->tags.itlb, 0, sizeof pipe_of(c)->tags.itlb);
    memset(&pipe_of(c)->tags.dtlb, 0, sizeof pipe_of(c)->tags.dtlb);
    fetch_forget(c);
}

static void forget_page(struct core *c, ea_t ea)
{
    tlb_tags_forget(&pipe_of(c)->tags.itlb, ea);
    tlb_tags_forget(&pipe_of(c)->tags.dtlb, ea);
    fetch_forget(c);
}

static void charge(struct core *c, uint32_t context, ea_t pc, cycle_t cycles)
{
    struct pipe *p = pipe_of(c);
    cycle_t at;

    memo_leave(c);
    memo_flush(c);
    memo_cancel(c);
    complete_close(c);
    at = cycle_max(c->observed_cycle, p->accounted);
    oracle_add(c->oracle, context, pc, REASON_exception,
               ORACLE_UNIT * (at - p->accounted));
    oracle_add(c->oracle, context, pc, REASON_system, ORACLE_UNIT * cycles);
    c->clock = at + cycles;
    restart(c, c->clock);
}

/* ---- front: fetch and dispatch ------------------------------------------- */

/* The fetch at cpu.pc failed: the exception is taken when everything before
 * it has completed. */
static void front_except(struct core *c, enum exc exc)
{
    struct pipe *p = pipe_of(c);
    struct slot s = {.pc = c->cpu.pc};

    if (c->state != CORE_RUNNING)
        return;
    memo_flush(c);
    memo_cancel(c);
    s.dispatch = s.issue = cycle_max(p->w.fetch_next + 2, p->w.completed + 1);
    complete_except(c, &s);
    c->observed_cycle = s.complete;
    core_except(c, exc);
    fetch_forget(c);
}

static inline void dispatch_next(struct core *c, struct slot *s)
{
    struct window *w = &pipe_of(c)->w;

    dispatch_at(c, w, s);
    if (c->with.params->jitter)
        dispatch_jitter(c, w, s);
    c->clock = s->dispatch;
}

static bool front(struct core *c)
{
    struct pipe *p = pipe_of(c);
    struct slot *s = &p->next;
    enum exc exc;

    c->host_counters.pc = c->cpu.pc; /* whose events the following are */
    c->pmu.ev.data.is = false;
    c->cpu.step.marks = 0;
    p->tags.marked = 0;
    p->from = core_from(c);
    if (!fetch_record(c, s, c->cpu.pc, &exc)) {
        front_except(c, exc);
        return false;
    }
    fetch_at(c, &p->w, s);
    dispatch_next(c, s);
    p->have = true;
    return true;
}

/* ---- back: execute and everything after ---------------------------------- */

static void note_marks(struct core *c, const struct slot *s)
{
    if (c->pif.begun) /* even if it has turned the facility off */
        mark_feed_done(c, s->i, s->pa, s->position, s->issue, s->complete);
}

static void after_exception(struct core *c, struct slot *s, enum exc exc)
{
    ea_t nia = c->cpu.nia;

    if (exc == EXC_SC) { /* completes, then enters */
        complete_at(c, s);
        complete_account(c, s);
        note_marks(c, s);
        ev_add(&c->pmu.ev, EV_sc_completed, 1, s->complete);
        complete_flush(c, s->pc, REASON_exception, s->complete);
    } else {
        complete_except(c, s);
    }
    c->observed_cycle = s->complete;
    c->cpu.nia = nia;
    core_except(c, exc);
    fetch_forget(c);
}

/* Does what follows have to be fetched again? */
static bool refetches(const struct slot *s, bool so_before, uint32_t xer)
{
    if (s->chip->order & REFETCH)
        return true;
    return s->i->flags & INSN_SETS_SO && !so_before && xer & XER_SO;
}

static inline __attribute__((always_inline)) void
after_completion(struct core *c, struct slot *s, bool so_before, uint32_t msr)
{
    if (c->pif.branches.on)
        insn_info_branch(c, s->i, s->pc, msr, s->mispredicted);
    if (refetches(s, so_before, c->cpu.xer)) {
        ev_add(&c->pmu.ev, EV_pipeline_flush, 1, s->complete);
        complete_flush(c, s->pc,
                       s->i->class == CLASS_RFI ? REASON_exception
                                                : REASON_flush,
                       s->complete);
    }
    if (s->i->flags & INSN_CONTEXT)
        fetch_forget(c);
    c->cpu.pc = c->cpu.nia;
    if (isa_traces(s->i, msr) && s->i->class != CLASS_RFI) {
        c->cpu.cause = 0;
        complete_flush(c, s->pc, REASON_exception, s->complete);
        c->observed_cycle = s->complete;
        c->cpu.pc = s->pc;
        core_except(c, EXC_TRACE);
        fetch_forget(c);
    }
    if (c->cpu.msr & MSR_POW && c->state == CORE_RUNNING) {
        complete_close(c);
        core_nap(c, s->complete + 1);
    }
}

/* False: it does not complete.
 *
 * APPROX: an instruction reads and writes memory when it is its turn in the one
 * order of dispatch cycles, so that memory is sequentially consistent: no
 * store is seen late and no load early. Source: architecture, decision 10; the
 * chip lets loads pass stores (604 UM p.265). Cost: a program that lacks a
 * sync or an eieio passes here.
 *
 * APPROX: tags and states of caches change in that order too, when an access is
 * timed, though its line comes later: another processor that dispatches in
 * between finds the new owner, and waits for it. Source: a choice. Cost: of
 * two processors that want a line within the cycles of a transfer the one that
 * dispatched first gets it, not the one whose address came first; and a loop
 * that stores to a line can take another processor's reservation there each
 * time, for as long as it runs. */
static inline __attribute__((always_inline)) bool
finish(struct core *c, struct slot *s, const struct ran *ran)
{
    struct pipe *p = pipe_of(c);
    bool memory = lsu_serves(s->i);

    if (ran->exc) {
        memo_flush(c);
        ring_push(&p->w.station[s->unit], s->issue);
        after_exception(c, s, ran->exc);
        return ran->exc == EXC_SC;
    }
    if (memory)
        lsu_finish(c, s);
    issue_results(&p->w, s);
    ring_push(&p->w.station[s->unit], s->issue);
    complete_at(c, s);
    complete_account(c, s);
    if (memory)
        lsu_commit(c, s);
    note_marks(c, s);
    if (s->i->flags & INSN_BRANCH)
        branch_resolve(c, s);
    after_completion(c, s, ran->so, ran->msr);
    return true;
}

/* It dispatches and starts; all that has to be asked for that is asked. */
static inline __attribute__((always_inline)) void start(struct core *c,
                                                        struct slot *s)
{
    dispatch_take(c, &pipe_of(c)->w, s);
    issue_at(&pipe_of(c)->w, s);
    if (lsu_serves(s->i))
        lsu_issue(c, s);
    c->observed_cycle = s->issue;
}

/* It does what it does, and what its accesses meet is asked. */
static inline __attribute__((always_inline)) struct ran execute(struct core *c,
                                                                struct slot *s)
{
    struct pipe *p = pipe_of(c);
    struct ran ran = {.so = c->cpu.xer & XER_SO, .msr = c->cpu.msr};

    if (s->i->flags & INSN_BRANCH) {
        branch_guess(c, s);
        s->target = branch_target(c, s);
    }
    p->tags.marked = 0;
    c->pif.begun = false;
    if (c->pif.active && mark_feed_before(c, s->pa))
        ran.exc = EXC_INDICATOR;
    else
        ran.exc = isa_exec(&c->cpu, s->i);
    if (!ran.exc && c->cpu.step.accesses)
        access_data(c, s->i, p->outcome);
    return ran;
}

static inline __attribute__((always_inline)) void
work_end(struct core *c, const struct ran *ran)
{
    struct pipe *p = pipe_of(c);
    bool completed = finish(c, &p->next, ran);

    if (p->memo)
        memo_timed(p->memo, completed && !ran->exc);
    if (c->host_counters.pending)
        host_counters_settle(&c->host_counters, completed
                                                    ? step_first(&c->cpu.step)
                                                    : (struct data_access){0});
    if (insn_info_asked(c))
        insn_cycles_end(c, &p->next, &p->from, completed);
    if (c->pmu.news)
        c->attention = 0;
}

static void back(struct core *c)
{
    struct slot *s = &pipe_of(c)->next;
    struct ran ran;

    pipe_of(c)->have = false;
    issue_ask(c, s);
    start(c, s);
    ran = execute(c, s);
    work_end(c, &ran);
}

/* Not in the way of back, though it is nearly the same. */
__attribute__((noinline, cold)) void pipe_resume(struct core *c,
                                                 const struct ran *ran)
{
    pipe_of(c)->have = false;
    start(c, &pipe_of(c)->next);
    work_end(c, ran);
}

/* ---- the loop ------------------------------------------------------------ */

/* Look at what is due before p->next dispatches. An interrupt waits for all
 * that has dispatched to complete (604e technical summary p.30); then its
 * handler is fetched. False: p->next goes on. */
static bool interrupted(struct core *c)
{
    struct pipe *p = pipe_of(c);
    cycle_t at = cycle_min(p->next.dispatch,
                           cycle_max(c->attention, p->w.completed + 1));

    if (core_attend_calm(c, at))
        return false;
    memo_settle(c);
    memo_cancel(c);
    if (!core_attend(c, at))
        return false;
    abandon(c);
    fetch_forget(c);
    if (!c->with.supervisor.enter)
        complete_flush(c, c->cpu.pc, REASON_exception, at - 1);
    return true;
}

/* The new instruction takes the place of the old one, which had not dispatched.
 * If it had to be fetched again a processor that keeps storing there would hold
 * this one up for ever. */
static void decode_again(struct core *c)
{
    struct slot *s = &pipe_of(c)->next;

    memo_cancel(c);
    s->i = decode_cache_at(c->with.decoded, s->pa);
    s->chip = &c->with.chip->row[s->i->class];
    dispatch_next(c, s);
}

static void run(struct core *c, cycle_t until)
{
    struct pipe *p = pipe_of(c);

    do {
        if (p->memo && !memo_replay(c, until))
            return;
        if (!p->have && !front(c))
            continue;
        while (p->have && c->clock >= c->attention)
            interrupted(c);
        if (!p->have)
            continue;
        if (c->clock > until)
            return;
        if (!p->next.i->exec) { /* another processor stored over it */
            decode_again(c);
            continue;
        }
        if (core_observed(c) && core_before(c, p->next.i, c->clock))
            return;
        back(c);
        if (core_observed(c))
            core_after(c, p->next.pc, p->next.dispatch, p->next.complete);
    } while (!c->yield && c->state == CORE_RUNNING);
}

static bool goes_on(struct core *c, cycle_t until)
{
    return pipe_of(c)->memo && memo_resumes(c, until);
}

static cycle_t quantum(const struct params *p)
{
    return p->quantum;
}

const struct timing timing_detailed = {
    .name = "detailed",
    .keeps_tags = true,
    .quantum = quantum,
    .init = pipe_init,
    .free = pipe_free,
    .run = run,
    .goes_on = goes_on,
    .restart = restart,
    .leave = leave,
    .enter = enter,
    .completed_by = completed_by,
    .finished = finished,
    .charge = charge,
    .flush = memo_flush,
    .catch_up = memo_flush,
    .tally = memo_flush,
    .settle = settle,
    .refetch = refetch,
    .forget = forget_translations,
    .tlbie = forget_page,
    .hid0 = write_hid0,
    .stages = stages,
    .tidy = memo_tidy,
    .state = pipe_state,
};
