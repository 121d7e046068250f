/* fast.c - timing without a pipeline: fast_cpi cycles an instruction.
 *
 * How many instructions may run at a time is decided here, and an engine runs
 * them (engine.h); where each one is looked at they run here, one by one. Of
 * the events only those that need no pipeline are counted: instructions
 * completed and dispatched, and what follows the clock.
 */
#include "sim/core/fast/runs.h"
#include "sim/core/mark_feed.h"
#include "sim/core/scale.h"
#include "sim/core/timing.h"

#include <stdlib.h>
#include <string.h>

#include "include/record.h"
#include "isa/mmu.h"
#include "lib/base/mix.h"
#include "lib/base/snap.h"

/* ---- life ---------------------------------------------------------------- */

static void forgotten(void *arg, pa_t pa, unsigned size)
{
    struct core *c = arg;

    fast_of(c)->engine->invalidate(c, pa, size);
}

bool fast_begin(struct core *c, bool warm)
{
    const struct engine *e = c->with.engine;
    struct fast *f;

    if (c->timing_state)
        return true;
    f = calloc(1, sizeof *f);
    for (unsigned k = 0; k < STEP_ACCESSES; k++)
        c->access_cycles[k] = 1;
    c->timing_state = f;
    if (!f)
        return false;
    f->engine = e ? e : &engine_blocks;
    f->warm = warm;
    f->view = &c->view;
    if (!warm)
        f->scale = c->with.scale;
    else if (c->with.scale) /* no further than the page: scale_looks */
        f->engine = &engine_interpreter;
    f->listener = (struct decode_listener){.arg = c, .forgotten = forgotten};
    if (f->engine->invalidate)
        decode_cache_listen(c->with.decoded, &f->listener, true);
    return !f->engine->init || f->engine->init(c);
}

static bool init(struct core *c)
{
    return fast_begin(c, false);
}

void fast_free(struct core *c)
{
    struct fast *f = fast_of(c);

    if (!f)
        return;
    if (f->engine->invalidate)
        decode_cache_listen(c->with.decoded, &f->listener, false);
    if (f->engine->free)
        f->engine->free(c);
    free(f);
    c->timing_state = NULL;
}

void fast_enter(struct core *c, ea_t last)
{
    struct fast *f = fast_of(c);

    for (unsigned k = 0; k < STEP_ACCESSES; k++)
        c->access_cycles[k] = 1;
    f->last = last;
    f->context = c->context;
    f->counted = c->insns;
}

/* ---- the account --------------------------------------------------------- */

void run_expand(struct core *c, const struct run *r)
{
    oracle_add_run(c->oracle, fast_of(c)->context, r->start, r->length,
                   REASON_complete,
                   r->count * ORACLE_UNIT * c->with.params->fast_cpi);
}

static void steps_end(struct core *c)
{
    struct fast *f = c->timing_state;

    if (f->steps)
        run_put(c, f->begun, f->steps);
    f->steps = 0;
}

/* One instruction ran by itself; with those before it, it may be a run. */
static void step_add(struct core *c, ea_t pc)
{
    struct fast *f = c->timing_state;

    c->insns++;
    f->last = pc;
    if (pc != f->begun + 4 * f->steps) {
        steps_end(c);
        f->begun = pc;
    }
    f->steps++;
}

/* Hand every counted run of instructions to the oracle. */
static void hand_runs(struct core *c)
{
    struct fast *f = c->timing_state;

    steps_end(c);
    if (f->engine->hand)
        f->engine->hand(c);
    while (f->nused) {
        uint16_t *slot = &f->used[--f->nused];

        run_expand(c, &f->run[*slot]);
        f->run[*slot] = (struct run){0};
        *slot = 0;
    }
    f->context = c->context;
}

/* Add the instructions that ran to the counters. */
static void fast_count(struct core *c)
{
    uint64_t n = c->insns - fast_of(c)->counted;

    if (!n)
        return;
    fast_of(c)->counted = c->insns;
    c->host_counters.pc =
        fast_of(c)->last; /* who overflows is the last of them */
    ev_add(&c->pmu.ev, EV_insn_completed, n, c->clock);
    ev_add(&c->pmu.ev, EV_insn_dispatched, n, c->clock);
    if (c->host_counters.pending)
        host_counters_settle(&c->host_counters, step_first(&c->cpu.step));
    if (c->pmu.news)
        c->attention = 0;
}

void fast_catch_up(struct core *c)
{
    struct fast *f = c->timing_state;

    run_add(c, f->start, (c->cpu.pc - f->start) / 4);
    f->start = c->cpu.pc;
    c->clock = c->observed_cycle;
    fast_count(c);
}

static ea_t fast_last(const struct core *c)
{
    return fast_of(c)->last;
}

ea_t fast_completed_by(const struct core *c, cycle_t at)
{
    (void)at;
    return fast_last(c);
}

/* `cycles` pass, and are charged to that. Where an interval of the account
 * ends, what came before goes first. */
static void pass(struct core *c, uint32_t context, ea_t pc, enum reason r,
                 cycle_t cycles)
{
    if (c->clock + cycles >= c->edge)
        hand_runs(c);
    oracle_add(c->oracle, context, pc, r, ORACLE_UNIT * cycles);
    c->clock += cycles;
}

void fast_charge(struct core *c, uint32_t context, ea_t pc, cycle_t cycles)
{
    if (c->context != context)
        hand_runs(c);
    pass(c, context, pc, REASON_system, cycles);
}

void fast_flush(struct core *c)
{
    hand_runs(c);
    fast_count(c);
}

/* With the knob jitter: the next instruction may be one that is held, for
 * cycles that are scaled as its own are. It is told by the number of those that
 * ran, so that engines agree. True: it was. */
static bool held(struct core *c)
{
    const struct params *p = c->with.params;
    struct fast *f = c->timing_state;
    struct what_if_factor k = {0};
    cycle_t cycles;
    uint64_t x;

    if (!p->jitter || c->insns < f->hold_at)
        return false;
    x = mix64(((uint64_t)p->jitter_seed << 32 | c->number) +
              ++f->holds * MIX_STEP);
    f->hold_at = c->insns + 1 + (x >> 32) % (2 * p->jitter_every - 1);
    cycles = 1 + x % p->jitter;
    if (c->with.scale)
        k = scale_factor(c->with.scale, &c->view, c->context, &c->cpu);
    if (k.set)
        cycles = scale_cost(&f->rest, k, cycles);
    if (cycles)
        pass(c, f->context, c->cpu.pc, REASON_fetch, cycles);
    return true;
}

/* Of n instructions, how many may run before another reason than cycles: an
 * instruction that is held, a counter of instructions. */
static uint64_t limited(const struct core *c, uint64_t n)
{
    const struct ev *ev = &c->pmu.ev;
    uint64_t completed =
        ev->limit[EV_insn_completed] - ev->total[EV_insn_completed];
    uint64_t dispatched =
        ev->limit[EV_insn_dispatched] - ev->total[EV_insn_dispatched];

    if (c->with.params->jitter)
        n = cycle_min(n, fast_of(c)->hold_at - c->insns);
    /* An event with a listener is told one at a time; its limit is 0. */
    return insn_info_asked(c) ? 1
                              : cycle_min(n, cycle_min(completed, dispatched));
}

/* How many instructions may run before anything else must be looked at:
 * the end of the batch, an interrupt, the end of an interval of the account. */
static uint64_t budget(const struct core *c, cycle_t until)
{
    cycle_t stop = cycle_min(
        cycle_min(until == CYCLE_NEVER ? until : until + 1, c->attention),
        c->edge);
    uint64_t cpi = c->with.params->fast_cpi;

    return limited(c, (stop - c->clock - 1) / cpi + 1);
}

/* The same of instructions that are scaled. 0: the next one runs by itself,
 * since an interval of the account ends with it. */
static uint64_t budget_scaled(const struct core *c, cycle_t until)
{
    const struct fast *f = c->timing_state;
    cycle_t stop =
        cycle_min(until == CYCLE_NEVER ? until : until + 1, c->attention);
    uint64_t cpi = c->with.params->fast_cpi;
    uint64_t begin = scale_fit(&f->rest, f->k, cpi, stop - c->clock) + 1;

    return limited(c, cycle_min(begin, scale_fit(&f->rest, f->k, cpi,
                                                 c->edge - c->clock)));
}

/* Of n instructions that may run: an interval of the account may end within the
 * cycles of the last one. That one runs by itself then, behind the others'
 * account, so that its cycles are those that are divided. */
static uint64_t within_interval(struct core *c, uint64_t n)
{
    if ((c->edge - c->clock) / c->with.params->fast_cpi >= n)
        return n;
    if (n > 1)
        return n - 1;
    hand_runs(c);
    return 1;
}

/* How many from cpu.pc on; 0: one, which is looked at. Says how these are
 * scaled. */
static uint64_t may_run(struct core *c, cycle_t until)
{
    struct fast *f = c->timing_state;
    ea_t pc = c->cpu.pc;

    if (f->scale) {
        f->class = scale_class(f->scale, &c->view, pc);
        f->k = scale_factor(f->scale, &c->view, c->context, &c->cpu);
        if (f->k.set && !scale_is_point(f->scale, pc))
            return budget_scaled(c, until);
    }
    return within_interval(c, budget(c, until));
}

/* ---- running ------------------------------------------------------------- */

/* i has completed, which is INSN_STACK. */
static void stack_set(struct core *c, const struct insn *i)
{
    if (c->with.scale && c->with.scale->active)
        scale_stack_set(c->with.scale, c, i);
}

/* As engine.run; the facility, which cares for none of the instructions, hears
 * that they ran. */
static enum exc run_some(struct core *c, struct insn *page, pa_t page_pa,
                         uint64_t n)
{
    uint64_t before = c->insns;
    const struct fast *f = fast_of(c);
    const struct engine *e = f->engine;
    enum exc exc = !f->warm      ? e->run(c, page, page_pa, n)
                   : e->run_warm ? e->run_warm(c, page, page_pa, n)
                                 : warm_run(c, page, page_pa, n);

    if (c->insns != before && !exc && f->scale) {
        const struct insn *i = &page[(fast_last(c) & 0xFFF) >> 2];

        if (i->flags & INSN_STACK)
            stack_set(c, i);
    }
    if (!c->pif.active || c->insns == before)
        return exc;
    pif_quiet_ran(&c->pif, c->insns - before);
    if (!exc && page[(fast_last(c) & 0xFFF) >> 2].class == CLASS_RFI)
        pif_returned(&c->pif, c->cpu.srr1);
    return exc;
}

/* It ran by itself, and took other cycles than usual. */
static void scaled_add(struct core *c, ea_t pc, cycle_t cycles)
{
    steps_end(c);
    c->insns++;
    fast_of(c)->last = pc;
    pass(c, fast_of(c)->context, pc, REASON_complete, cycles);
}

/* One instruction, for those who look at each: trace, probes, marks. */
static enum exc run_one(struct core *c, const struct insn *i)
{
    uint32_t msr = c->cpu.msr;
    ea_t pc = c->cpu.pc;
    pa_t pa = decode_cache_pa(c->with.decoded, i);
    struct what_if_factor k = {0};
    cycle_t at = c->clock, end = at + c->with.params->fast_cpi;
    enum exc exc;

    if (c->with.scale)
        k = scale_step(c->with.scale, &c->view, c->context, &c->cpu,
                       timebase_read(&c->tb, at));
    if (k.set)
        end = at + scale_cost(&fast_of(c)->rest, k, c->with.params->fast_cpi);
    c->observed_cycle = at;
    fast_of(c)->start = pc;
    if (i->flags & INSN_OBSERVES)
        fast_count(c);
    c->pif.begun = false;
    if (fast_of(c)->warm)
        warm_before(c, i, pc, pa);
    if (c->pif.active && mark_feed_before(c, pa))
        return EXC_INDICATOR;
    exc = isa_exec(&c->cpu, i);
    if (fast_of(c)->warm && !exc)
        warm_after(c, i, pc);
    if (c->pif.begun && (!exc || exc == EXC_SC))
        mark_feed_done(c, i, pa, 0, at, end);
    if (exc)
        return exc;
    if (i->flags & INSN_STACK)
        stack_set(c, i);
    if (k.set)
        scaled_add(c, pc, end - at);
    else
        step_add(c, pc);
    c->clock = c->observed_cycle = end;
    if (isa_traces(i, msr) && i->class != CLASS_RFI) {
        c->cpu.cause = 0;
        return EXC_TRACE;
    }
    c->cpu.pc = c->cpu.nia;
    return EXC_NONE;
}

/* sc at cpu.pc has completed, and raises an exception. */
static void complete_sc(struct core *c)
{
    run_add(c, c->cpu.pc, 1);
    c->clock += c->with.params->fast_cpi;
}

/* The instruction at cpu.pc raised an exception, which takes its cycles; those
 * of sc are its own already. */
static void enter_sync(struct core *c, enum exc exc)
{
    fast_count(c);
    if (exc != EXC_SC) {
        pass(c, c->context, c->cpu.pc, REASON_exception,
             c->with.params->fast_cpi);
    }
    core_except(c, exc);
}

/* What filters and marks are told of i, at pc, which completed or raised an
 * exception. */
static void describe(struct core *c, ea_t pc, const struct insn *i,
                     const struct from *f, bool completed)
{
    struct insn_info *d = &c->insn_info;

    insn_info_begin(c, d, pc, i, f);
    d->dispatched = true;
    d->fetch = d->dispatch = d->issue = f->at;
    d->complete = c->clock;
    if (completed) {
        insn_info_completed(c, d);
        d->finish = c->clock;
        d->latency = c->with.params->fast_cpi;
        d->data_latency = c->cpu.step.accesses > 0;
        d->oldest = d->latency;
        d->level = c->cpu.step.accesses ? LEVEL_CACHE : LEVEL_NONE;
    }
    insn_info_end(c, 0, d);
}

/* The instruction at pc is through; i is that of `begun`, on the same page. */
static void tell(struct core *c, ea_t pc, ea_t begun, const struct insn *i,
                 const struct from *f, bool completed)
{
    i += (int32_t)(pc - begun) / 4;
    fast_count(c);
    c->host_counters.pc = pc;
    if (completed && c->pif.branches.on)
        insn_info_branch(c, i, pc, f->msr, false);
    describe(c, pc, i, f, completed);
    if (c->pmu.news)
        c->attention = 0;
}

/* Is the instruction at pc one of those that run by themselves, even
 * without marks? */
static bool looked_at(const struct core *c, ea_t pc)
{
    const struct fast *f = c->timing_state;

    if (c->cpu.msr & (MSR_SE | MSR_BE) || core_observed(c))
        return true;
    if (f->scale)
        return scale_is_point(f->scale, pc);
    return c->with.scale &&
           scale_looks(c->with.scale, &c->view, c->context, pc);
}

/* Up to n instructions, 0: one that is looked at. */
static void step_or_except(struct core *c, uint64_t n)
{
    ea_t pc = c->cpu.pc;
    struct from from = core_from(c);
    bool asked = insn_info_asked(c);
    enum exc exc;
    struct insn *i = core_fetch(c, pc, &exc);
    cycle_t at = c->clock;

    if (i && pc == c->stop_pc && core_awaited(c, i, at))
        return;
    if (i && core_observed(c) && core_before(c, i, at))
        return;
    if (i) {
        unsigned word = (pc & 0xFFF) >> 2;

        if (asked) /* where marks have nothing to do they are not asked */
            memset(c->pif.seen, 0, sizeof c->pif.seen);
        if (!n || looked_at(c, pc) ||
            (c->pif.active &&
             !pif_quiet(&c->pif, pc, decode_cache_pa(c->with.decoded, i))))
            exc = run_one(c, i);
        else
            exc = run_some(c, i - word,
                           decode_cache_pa(c->with.decoded, i) & ~0xFFFu,
                           c->cpu.iabr & IABR_ENABLE ? 1 : n);
    } else if (c->state != CORE_RUNNING) {
        return;
    }
    if (exc == EXC_SC)
        complete_sc(c);
    if (exc == EXC_SC && c->with.scale && c->cpu.msr & MSR_PR)
        scale_system_call(c->with.scale, c);
    if (i && insn_info_asked(c)) /* the last one may have begun it */
        tell(c, asked ? pc : fast_last(c), pc, i, &from,
             !exc || exc == EXC_SC || exc == EXC_TRACE);
    if (exc)
        enter_sync(c, exc);
    if (i && core_observed(c))
        core_after(c, pc, at, c->clock);
}

void fast_run(struct core *c, cycle_t until)
{
    fast_of(c)->context = c->context;
    while (!c->yield && c->state == CORE_RUNNING) {
        if (c->clock >= c->attention && core_attend(c, c->clock))
            continue;
        if (c->clock > until)
            return; /* with nothing due before: core_next tells the truth */
        if (c->with.scale && c->with.scale->asked)
            scale_arrive(c->with.scale, c);
        if (held(c))
            continue;
        if (c->clock >= c->edge)
            hand_runs(c);
        step_or_except(c, may_run(c, until));
        fast_of(c)->start = 0;
        fast_count(c);
        if (c->context != fast_of(c)->context)
            hand_runs(c);
        if (c->cpu.msr & MSR_POW && c->state == CORE_RUNNING)
            core_nap(c, c->clock);
    }
}

cycle_t fast_quantum(const struct params *p)
{
    return p->fast_quantum;
}

bool fast_counts(enum event e)
{
    return e == EV_insn_completed || e == EV_insn_dispatched;
}

/* ---- save and load -------------------------------------------------------
 */

bool fast_state(struct snap *s, struct core *c)
{
    struct fast *f = fast_of(c);

    snap_begin(s, "fast", 3);
    SNAP_OWNS(s, struct fast, f, 1);
    SNAP_SKIP(s, f->engine, "changes no result");
    SNAP_SAME(s, f->warm);
    SNAP(s, f->group.pc);
    SNAP(s, f->group.next);
    SNAP(s, f->group.line);
    SNAP(s, f->group.size);
    SNAP_SKIP(s, f->listener, "plugged in by fast_init");
    SNAP_SKIP(s, f->view, "of the core");
    SNAP(s, f->context);
    SNAP(s, f->last);
    SNAP_SKIP(s, f->start, "of an instruction at work");
    SNAP(s, f->counted);
    SNAP_SKIP(s, f->begun, "core_state has handed the runs over");
    SNAP_SKIP(s, f->steps, "core_state has handed the runs over");
    SNAP_SKIP(s, f->run, "core_state has handed the runs over");
    SNAP_SKIP(s, f->used, "core_state has handed the runs over");
    SNAP_SKIP(s, f->nused, "core_state has handed the runs over");
    SNAP(s, f->hold_at);
    SNAP(s, f->holds);
    SNAP_SKIP(s, f->scale, "machine_state refuses a run with --what-if");
    SNAP_SKIP(s, f->class, "machine_state refuses a run with --what-if");
    SNAP_SKIP(s, f->k, "machine_state refuses a run with --what-if");
    SNAP_SKIP(s, f->rest, "machine_state refuses a run with --what-if");
    return snap_end(s);
}

/* ---- the table ------------------------------------------------------------ */

const struct timing timing_fast = {
    .name = "fast",
    .serial = true,
    .quantum = fast_quantum,
    .counts = fast_counts,
    .init = init,
    .free = fast_free,
    .run = fast_run,
    .enter = fast_enter,
    .completed_by = fast_completed_by,
    .charge = fast_charge,
    .flush = fast_flush,
    .catch_up = fast_catch_up,
    .state = fast_state,
};
