/* core.c - one processor, whatever its timing model: power-on, interrupts,
 * nap, and the end of the run. When an instruction happens the model decides
 * (timing.h).
 */
#include "sim/core/core_private.h"
#include "sim/core/mark_feed.h"
#include "sim/core/timing.h"

#include <assert.h>
#include <string.h>

#include "isa/mmu.h"
#include "include/board.h"
#include "sim/core/chip/chip.h"

/* ---- life ---------------------------------------------------------------- */

static bool init_pif(struct core *c)
{
    const struct core_setup *s = &c->with;
    const struct params *p = s->params;
    struct pif_knobs k = {
        .built_in = p->pif,
        .line_bytes = p->line_bytes,
        .global_limits = p->pif_limits,
        .own_host_limits = !p->pif_host_limits,
        .pmcs = p->pmcs,
        .frames = p->pif_frames,
        .counter = p->pif_count_bits,
        .th_bits = p->pif_th_bits,
        .seed = p->seed * 8 + c->number,
    };

    for (unsigned n = 0; n < s->ncores; n++)
        c->pifs[n] = &s->cores[n].pif;
    return pif_init(&c->pif, c->number, &k, c->pifs, s->ncores, s->ram->bytes,
                    s->ram->size, s->wide, mark_feed_frames(c, false),
                    mark_feed_frames(c, true));
}

bool core_init(struct core *c, unsigned number, const struct core_setup *s)
{
    const struct params *p = s->params;
    unsigned ratio = p->bus_ratio * p->tb_bus;

    memset(c, 0, sizeof *c);
    c->with = *s;
    if (!c->with.observers)
        c->with.observers = &core_unobserved;
    c->number = number;
    if (!c->with.chip)
        c->with.chip = &chip_604e;
    c->state = CORE_PARKED;
    c->attention = c->edge = CYCLE_NEVER;
    c->stop_pc = 1;
    isa_reset(&c->cpu, number);
    port_init(c);
    c->cpu.port = &c->port;
    timebase_init(&c->tb, ratio);
    pmu_reset(&c->pmu, ratio);
    c->pmu.pmcs = p->pmcs;
    c->pmu.threshold_scale = p->threshold_scale;
    c->pmu.rtcselect_604 = p->rtcselect_604;
    host_counters_init(&c->host_counters, &c->pmu.ev, s->host_counters,
                       s->nhost_counters, p->seed * 8 + number);
    c->pmu.ev.host_counters = &c->host_counters;
    derived_define(&c->pmu, s->define, s->ndefine);
    for (unsigned k = 0; k < s->nhost_counters; k++)
        derived_count(&c->pmu, s->host_counters[k].event);
    c->oracle = oracle_new();
    if (!c->oracle || (s->other && !s->other->init(c)) || !s->timing->init(c) ||
        !init_pif(c))
        return false;
    mark_feed_init(c);
    core_report_marks(c);
    return true;
}

void core_free(struct core *c)
{
    oracle_free(c->oracle);
    pif_free(&c->pif);
    if (c->with.other)
        c->with.other->free(c);
    if (c->with.timing)
        c->with.timing->free(c);
}

/* ---- what the timing model may leave out ---------------------------------
 */

static void restart(struct core *c, cycle_t at)
{
    if (c->with.timing->restart)
        c->with.timing->restart(c, at);
}

void core_flush(struct core *c)
{
    if (c->with.timing->flush)
        c->with.timing->flush(c);
}

void core_tally(struct core *c)
{
    if (c->with.timing->tally)
        c->with.timing->tally(c);
}

bool core_stages(const struct core *c, struct core_stages *s)
{
    if (!c->with.timing->stages)
        return false;
    c->with.timing->stages(c, s);
    return true;
}

/* ---- power-on -------------------------------------------------------------
 */

/* It did nothing up to cycle `at`. What it did before goes first. */
static void charge_idle(struct core *c, uint32_t context, ea_t pc,
                        enum reason r, cycle_t at)
{
    if (at >= c->edge)
        core_flush(c);
    oracle_add(c->oracle, context, pc, r, ORACLE_UNIT * (at - c->accounted));
    c->accounted = at;
}

void core_start(struct core *c, ea_t entry, uint32_t stack, cycle_t at)
{
    assert(c->state == CORE_PARKED);
    isa_reset(&c->cpu, c->number);
    tlb_clear(&c->tlb);
    c->cpu.port = &c->port;
    c->cpu.msr = 0; /* real mode, vectors at 0, nothing enabled */
    c->cpu.hid0 = HID0_ICE | HID0_DCE | HID0_SIED | HID0_BHTE;
    c->cpu.pc = c->cpu.nia = entry;
    c->cpu.gpr[1] = stack;
    c->cpu.gpr[3] = c->number;
    c->cpu.lr = BOARD_RETURN;
    c->state = CORE_RUNNING;
    c->clock = c->observed_cycle = at;
    charge_idle(c, 0, 0, REASON_off, at);
    if (c->with.timing->hid0)
        c->with.timing->hid0(c, c->cpu.hid0);
    restart(c, at);
    pmu_msr(&c->pmu, false, false, false, at);
    host_counters_parked(&c->host_counters, at);
    c->attention = 0;
}

/* Samples of the host are no reason to run: a sampled CPU keeps its turn in
 * the order of all CPUs. */
static inline cycle_t due(const struct core *c)
{
    return c->attention == c->sampling ? c->due : c->attention;
}

static inline cycle_t next_of(const struct core *c)
{
    if (c->state == CORE_RUNNING) {
        if (c->with.timing->serial)
            return c->clock; /* what is due is looked at there */
        return cycle_min(c->clock, due(c));
    }
    return c->state == CORE_NAPPING ? cycle_max(due(c), c->nap_since)
                                    : CYCLE_NEVER;
}

cycle_t core_next(const struct core *c)
{
    return next_of(c);
}

cycle_t core_finished(const struct core *c)
{
    if (c->state == CORE_PARKED)
        return 0;
    if (c->state == CORE_NAPPING)
        return c->nap_since;
    return c->with.timing->finished ? c->with.timing->finished(c) : c->clock;
}

/* ---- asynchronous events ------------------------------------------------- */

/* Earliest cycle at which core_attend has work. */
void core_reattend(struct core *c)
{
    bool ee = c->cpu.msr & MSR_EE;
    cycle_t at = c->pmu.deadline;

    c->pmu.news = false;
    if (c->pmu.signal != CYCLE_NEVER && (ee || c->pmu.unsampled))
        at = cycle_min(at, c->pmu.signal + 1);
    if (ee) {
        at = cycle_min(at, c->tb.dec_pending ? 0 : c->tb.dec_due);
        if (c->irq)
            at = cycle_min(at, c->irq_since);
        if (pif_pending(&c->pif))
            at = 0;
    }
    c->due = at;
    c->sampling = sample_due(c);
    c->attention = cycle_min(at, c->sampling);
}

void core_stirred(struct core *c)
{
    if (c->state != CORE_RUNNING && c->state != CORE_NAPPING)
        return;
    core_reattend(c);
    if (c->with.wake.woken)
        c->with.wake.woken(c->with.wake.arg, c->number);
}

void core_irq(struct core *c, bool level, cycle_t at)
{
    if (level == c->irq)
        return;
    c->irq = level;
    c->irq_since = at;
    if (c->state == CORE_RUNNING || c->state == CORE_NAPPING)
        core_reattend(c);
}

static void wake(struct core *c, cycle_t at)
{
    charge_idle(c, c->context, c->nap_pc, REASON_nap, at);
    pmu_nap(&c->pmu, false, at);
    c->state = CORE_RUNNING;
    c->clock = at;
    c->cpu.msr &= ~MSR_POW;
    restart(c, at);
}

/* The supervisor has its say instead of the vector. */
static void supervise(struct core *c, enum exc e)
{
    const struct core_supervisor *s = &c->with.supervisor;
    uint32_t context = c->context;
    ea_t pc = context ? c->cpu.pc : 0; /* context 0: no thread left one */
    cycle_t cycles;

    if (c->with.timing->serial)
        c->observed_cycle = c->clock;
    core_tally(c);
    host_counters_mode(&c->host_counters, false, c->observed_cycle);
    pmu_msr(&c->pmu, false, false, false, c->observed_cycle);
    cycles = s->enter(s->arg, c, e);
    c->yield = true;
    c->with.timing->charge(c, context, pc, cycles);
    c->observed_cycle = c->clock;
    core_msr_changed(c, 0, c->cpu.msr);
    if (c->cpu.msr & MSR_POW && c->state == CORE_RUNNING)
        core_nap(c, c->clock);
    else
        core_reattend(c);
}

void core_spend(struct core *c, cycle_t cycles)
{
    c->with.timing->charge(c, c->context, c->cpu.pc, cycles);
    core_reattend(c);
}

/* ---- from outside -------------------------------------------------------- */

void core_jump(struct core *c, ea_t pc)
{
    c->cpu.pc = pc;
    if (c->state == CORE_RUNNING && c->with.timing->refetch)
        c->with.timing->refetch(c);
}

void core_set_msr(struct core *c, uint32_t value)
{
    uint32_t old = c->cpu.msr;

    c->observed_cycle = c->clock;
    c->cpu.msr = value;
    core_msr_changed(c, old, value);
    core_jump(c, c->cpu.pc);
}

/* isa_enter has been called: SRR0, SRR1 and nia say from where to where. */
static void note_entry(struct core *c)
{
    c->cpu.srr1 |= pif_entered(&c->pif);
    if (!c->pif.branches.on)
        return;
    branches_entered(&c->pif.branches, c->cpu.srr1 & MSR_PR, c->cpu.srr0,
                     c->cpu.nia);
    pif_told(&c->pif);
}

/* Exception e of the instruction at cpu.pc, or in front of it. */
static void note_fault(struct core *c, enum exc e)
{
    const struct step *s = &c->cpu.step;
    struct core_fault *f = &c->fault;
    ea_t vector = (c->cpu.msr & MSR_IP ? 0xFFF00000u : 0) | isa_exc_vector(e);
    bool chained =
        f->exc != EXC_NONE && c->cpu.pc == f->vector && c->insns == f->insns;
    bool again = f->exc == e && f->pc == c->cpu.pc;

    if (!chained) {
        f->again = again ? f->again + 1 : 0;
        f->exc = e;
        f->pc = c->cpu.pc;
        f->last = c->with.timing->completed_by(c, CYCLE_NEVER);
        f->fetching = e == EXC_MCHECK && !s->accesses;
        f->storing =
            s->accesses && s->access[s->accesses - 1].kind == ACCESS_STORE;
        f->ea = e == EXC_MCHECK && s->accesses ? s->access[s->accesses - 1].ea
                                               : c->cpu.dar;
        f->cause = c->cpu.cause;
        f->msr = c->cpu.msr;
    }
    f->vector = vector;
    f->insns = c->insns;
}

static void take(struct core *c, enum exc e, cycle_t signalled, cycle_t d)
{
    ea_t pc = c->cpu.pc;

    c->cpu.nia = pc; /* not begun: it is where to come back to */
    if (c->with.supervisor.enter) {
        if (c->state == CORE_NAPPING)
            wake(c, d);
        core_entered(c, e, pc, d);
        supervise(c, e);
        return;
    }
    note_fault(c, e);
    isa_enter(&c->cpu, e);
    note_entry(c);
    c->cpu.pc = c->cpu.nia;
    OBSERVERS_TELL(c->with.observers, interrupt, c, e, signalled, d);
    core_entered(c, e, pc, d);
}

/* With pmi_precise: the access that caused what was signalled, if one did. */
static bool precise_data(const struct core *c, ea_t *ea)
{
    struct data_access data = c->pmu.signal_data;
    enum event_data which =
        c->pmu.signal_event < 0 ? DATA_NONE : event_data(c->pmu.signal_event);

    if (which == DATA_FIRST)
        data = step_first(&c->cpu.step);
    *ea = data.ea;
    return c->with.params->pmi_precise && which != DATA_NONE && data.is;
}

/* SIA is the last instruction completed by the signal's cycle, SDA the address
 * of some access (604 UM p.375). */
void core_latch_sample(struct core *c)
{
    ea_t sia, sda;

    sia = c->with.timing->completed_by(
        c, c->with.params->pmi_precise ? CYCLE_NEVER : c->pmu.signal);
    if (!precise_data(c, &sda))
        sda = c->last_ea;
    pmu_sample(&c->pmu, sia, sda);
}

/* Is a PMI signalled before cycle d, or at all where the knob asks for the
 * ideal: right behind the instruction that caused it? */
static bool signalled(const struct core *c, cycle_t d)
{
    return c->pmu.signal < d ||
           (c->with.params->pmi_precise && c->pmu.signal != CYCLE_NEVER);
}

bool core_attend_calm(struct core *c, cycle_t d)
{
    bool ee = c->cpu.msr & MSR_EE;

    timebase_settle(&c->tb, d);
    if (c->with.timing->serial || d >= c->pmu.deadline ||
        c->pmu.signal != CYCLE_NEVER ||
        (ee && ((c->irq && c->irq_since <= d) || pif_pending(&c->pif) ||
                c->tb.dec_pending)))
        return false;
    c->observed_cycle = d;
    if (d >= sample_due(c))
        sample_attend(c, d);
    core_reattend(c);
    return true;
}

bool core_attend(struct core *c, cycle_t d)
{
    bool taken = false, serial = c->with.timing->serial;

    c->observed_cycle = d;
    timebase_settle(&c->tb, d);
    if (d >= c->pmu.deadline) {
        core_tally(c);
        pmu_tick(&c->pmu, d);
    }
    if (serial || d >= sample_due(c))
        sample_attend(c, d);
    /* What has completed by the signal a serial model knows only then. */
    if (c->pmu.unsampled && (signalled(c, d) || (serial && c->pmu.signal <= d)))
        core_latch_sample(c);
    if (c->cpu.msr & MSR_EE) {
        taken = true;
        if (c->irq && c->irq_since <= d) {
            take(c, EXC_EXTERNAL, c->irq_since, d);
        } else if (signalled(c, d)) {
            cycle_t at = c->pmu.signal;
            pmu_taken(&c->pmu);
            take(c, EXC_PERFMON, at, d);
        } else if (pif_pending(&c->pif)) {
            cycle_t at = c->pif.latch.at;
            pif_taken(&c->pif);
            take(c, EXC_INDICATOR, at, d);
        } else if (c->tb.dec_pending) {
            c->tb.dec_pending = false;
            take(c, EXC_DECREMENTER, c->tb.dec_since, d);
        } else {
            taken = false;
        }
    }
    core_reattend(c);
    return taken;
}

void core_stop(struct core *c, const char *why)
{
    c->state = CORE_STOPPED;
    c->why = why;
    c->yield = true;
}

/* ---- fetch and exceptions ------------------------------------------------ */

struct insn *core_fetch(struct core *c, ea_t pc, enum exc *exc)
{
    pa_t pa;

    *exc = mmu_fetch(&c->cpu, pc, &pa);
    if (*exc != EXC_NONE)
        return NULL;
    if (pa < c->with.ram->size)
        return decode_cache_at(c->with.decoded, pa & ~3u);
    if (pa == BOARD_RETURN) {
        c->returned = true;
        core_stop(c, "returned from its entry function");
        return NULL;
    }
    c->cpu.cause = SRR1_TEA;
    c->cpu.step.accesses = 0;
    *exc = EXC_MCHECK;
    return NULL;
}

bool core_except(struct core *c, enum exc e)
{
    ea_t at = c->cpu.pc;
    bool finished = e == EXC_SC || e == EXC_TRACE ||
                    (e == EXC_PROGRAM && c->cpu.cause & SRR1_NEXT);

    note_fault(c, e);
    if (e == EXC_MCHECK && !(c->cpu.msr & MSR_ME)) {
        core_stop(c, e == c->fault.exc && at == c->fault.pc
                         ? "checkstop, a machine check while MSR[ME] is 0"
                         : "checkstop, there is no memory at its vector");
        return false;
    }
    if (!finished)
        c->cpu.nia = at + 4;
    if (e == EXC_INDICATOR)
        c->cpu.nia = at; /* it has not run */
    if (c->with.supervisor.enter) {
        core_entered(c, e, at, c->observed_cycle);
        supervise(c, e);
        return true;
    }
    /* SRR0 still says where the first one happened. */
    if (e == EXC_PROGRAM && at % 0x100000 == isa_exc_vector(e) &&
        at / 0x100000 == (c->cpu.msr & MSR_IP ? 0xFFFu : 0)) {
        core_stop(c, "no handler is installed for this exception");
        return false;
    }
    isa_enter(&c->cpu, e);
    note_entry(c);
    if (e == EXC_INDICATOR) {
        pif_excepted(&c->pif, at);
        c->cpu.srr1 |= SRR1_RESUME;
    }
    c->cpu.pc = c->cpu.nia;
    core_entered(c, e, at, c->observed_cycle);
    return true;
}

/* ---- nap ----------------------------------------------------------------- */

void core_nap(struct core *c, cycle_t at)
{
    c->state = CORE_NAPPING;
    c->nap_since = c->accounted = at;
    c->nap_pc = c->cpu.pc;
    c->clock = at;
    c->yield = true;
    core_tally_counting(c);
    pmu_nap(&c->pmu, true, at);
    core_reattend(c);
}

/* A napping core reached its next event: it wakes only if that is an
 * interrupt it may take. */
static void nap_run(struct core *c)
{
    cycle_t at = core_next(c);

    if (at == CYCLE_NEVER)
        return;
    sample_nap(c, at);
    if (core_attend(c, at) && !c->with.supervisor.enter)
        wake(c, at); /* a supervisor found it awake */
}

cycle_t core_run(struct core *c, cycle_t until)
{
    bool first =
        c->yield_pending; /* an instruction on hold is still in this batch */
    cycle_t next = next_of(c);

    c->yield = first;
    c->yield_pending = c->stopped_by_probe = false;
    if (next == CYCLE_NEVER)
        return next;
    for (; (first || !c->yield) && next <= until; next = next_of(c)) {
        first = false;
        if (c->state == CORE_RUNNING)
            c->with.timing->run(c, until);
        else if (next != CYCLE_NEVER)
            nap_run(c);
        else
            break;
    }
    return next;
}

void core_forget(struct core *c)
{
    tlb_clear(&c->tlb);
    if (c->with.timing->forget)
        c->with.timing->forget(c);
}

void core_account(struct core *c, cycle_t at)
{
    if (c->state == CORE_NAPPING && at > c->accounted)
        charge_idle(c, c->context, c->nap_pc, REASON_nap, at);
    else if (c->state == CORE_PARKED && at > c->accounted)
        charge_idle(c, c->context, 0, REASON_off, at);
    else if (c->clock >= c->edge)
        core_flush(c);
}

void core_settle(struct core *c, cycle_t end)
{
    cycle_t from = core_finished(c);

    core_flush(c);
    if (c->state == CORE_NAPPING)
        sample_nap(c, end);
    if (c->with.timing->settle)
        c->with.timing->settle(c);
    core_account(c, end);
    if (end > from && c->state != CORE_NAPPING && c->state != CORE_PARKED)
        oracle_add(c->oracle, c->context, 0, REASON_off,
                   ORACLE_UNIT * (end - from));
    c->accounted = end;
}

const char *core_state_name(const struct core *c)
{
    switch (c->state) {
    case CORE_PARKED:
        return "parked";
    case CORE_RUNNING:
        return "running";
    case CORE_NAPPING:
        return "napping";
    default:
        return c->returned ? "returned" : "stopped";
    }
}
