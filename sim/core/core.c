/* core.c - one processor, whatever its tempo: power-on, the port that isa/
 * asks, interrupts, nap, and the end of the run. When an instruction happens
 * is decided in fast.c or detailed.c.
 */
#include "sim/core/inside.h"

#include <assert.h>
#include <string.h>

#include "isa/mmu.h"
#include "sim/board.h"
#include "sim/core/chip.h"

#define SPR_DEC 22
#define SPR_TBL 268
#define SPR_TBU 269
#define SPR_TBL_WRITE 284
#define SPR_TBU_WRITE 285
#define SPR_HID0 1008

/* ---- the port: what instructions ask ------------------------------------ */

static bool port_io_load(void *world, pa_t pa, unsigned size, uint32_t *value)
{
    struct core *c = world;
    struct io_access a = {.size = size, .cpu = c->number, .at = c->sees};

    c->yield = true;
    if (pa == BOARD_TRACE + c->number * BOARD_TRACE_STRIDE + TRACE_CONTEXT &&
        size == 4) {
        *value = c->context;
        return true;
    }
    return iomap_load(c->with.iomap, pa, &a, value);
}

static bool port_io_store(void *world, pa_t pa, unsigned size, uint32_t value)
{
    struct core *c = world;
    struct io_access a = {.size = size, .cpu = c->number, .at = c->sees};

    c->yield = true;
    return iomap_store(c->with.iomap, pa, &a, value);
}

static uint32_t port_spr_read(void *world, unsigned n)
{
    struct core *c = world;

    if (pmu_has(n))
        return pmu_read(&c->pmu, n, c->sees);
    switch (n) {
    case SPR_TBL:
        return (uint32_t)timebase_read(&c->tb, c->sees);
    case SPR_TBU:
        return (uint32_t)(timebase_read(&c->tb, c->sees) >> 32);
    case SPR_DEC:
        return timebase_dec(&c->tb, c->sees);
    case SPR_HID0:
        return c->cpu.hid0;
    }
    assert(!"spr.def says PORT, core.c does not know it");
    return 0;
}

static void write_timebase(struct core *c, uint64_t value)
{
    timebase_write(&c->tb, value, c->sees);
    pmu_timebase(&c->pmu, c->tb.offset, c->sees);
}

static void port_spr_write(void *world, unsigned n, uint32_t value)
{
    struct core *c = world;
    uint64_t tb = timebase_read(&c->tb, c->sees);

    if (pmu_has(n)) {
        pmu_write(&c->pmu, n, value, c->sees);
    } else if (n == SPR_TBL_WRITE) {
        write_timebase(c, (tb & ~(uint64_t)0xFFFFFFFF) | value);
    } else if (n == SPR_TBU_WRITE) {
        write_timebase(c, (uint64_t)value << 32 | (uint32_t)tb);
    } else if (n == SPR_DEC) {
        timebase_set_dec(&c->tb, value, c->sees);
    } else if (n == SPR_HID0) {
        pmu_pif(&c->pmu, value & HID0_PIFE, c->sees);
        if (c->with.mode == CORE_DETAILED)
            detailed_hid0(c, c->cpu.hid0, value);
    } else {
        assert(!"spr.def says PORT, core.c does not know it");
    }
    c->attention = 0;
}

static bool port_spr_there(void *world, unsigned n)
{
    const struct core *c = world;

    return pmu_there(&c->pmu, n);
}

static void stop(struct core *c, const char *why)
{
    c->state = CORE_STOPPED;
    c->why = why;
    c->yield = true;
}

static void port_msr_changed(void *world, uint32_t old, uint32_t now)
{
    struct core *c = world;

    if ((old ^ now) & MSR_PR)
        profile_mode(&c->profile, now & MSR_PR, c->sees);
    pmu_msr(&c->pmu, now & MSR_PR, now & MSR_PM, now & MSR_EE, c->sees);
    c->attention = 0;
    if (now & MSR_LE)
        stop(c, "little-endian mode (MSR[LE]) is not modelled");
}

static void port_code_written(void *world, pa_t pa, unsigned size)
{
    struct core *c = world;

    ram_forget(c->with.ram, pa, size);
}

static void port_tlb_invalidate(void *world, ea_t ea)
{
    struct core *c = world;

    for (unsigned n = 0; n < c->with.ncores; n++) {
        tlb_forget(&c->with.cores[n].tlb, ea);
        if (c->with.mode == CORE_DETAILED)
            detailed_tlbie(&c->with.cores[n], ea);
    }
}

/* ---- life ---------------------------------------------------------------- */

bool core_init(struct core *c, unsigned number, const struct core_setup *s)
{
    const struct params *p = s->params;
    unsigned ratio = p->bus_ratio * p->tb_bus;

    memset(c, 0, sizeof *c);
    c->with = *s;
    c->number = number;
    if (!c->with.chip)
        c->with.chip = &chip_604e;
    c->state = CORE_PARKED;
    c->attention = CYCLE_NEVER;
    isa_reset(&c->cpu, number);
    c->port = (struct port){
        .world = c,
        .ram = s->ram->bytes,
        .ram_size = s->ram->size,
        .code_page = s->ram->code_page,
        .code_written = port_code_written,
        .reservations = s->reservations,
        .cpu = number,
        .io_load = port_io_load,
        .io_store = port_io_store,
        .spr_read = port_spr_read,
        .spr_write = port_spr_write,
        .spr_there = port_spr_there,
        .msr_changed = port_msr_changed,
        .tlb = &c->tlb,
        .tlb_invalidate = port_tlb_invalidate,
    };
    c->cpu.port = &c->port;
    timebase_init(&c->tb, ratio);
    pmu_reset(&c->pmu, ratio);
    c->pmu.pmcs = p->pmcs;
    c->pmu.threshold_scale = p->threshold_scale;
    c->pmu.rtcselect_604 = p->rtcselect_604;
    profile_init(&c->profile, &c->pmu.ev, s->profile, s->nprofile,
                 p->seed * 8 + number);
    c->pmu.ev.profile = &c->profile;
    filter_define(&c->pmu, s->define, s->ndefine);
    for (unsigned k = 0; k < s->nprofile; k++)
        filter_count(&c->pmu, s->profile[k].event);
    c->oracle = oracle_new();
    if (!c->oracle)
        return false;
    return s->mode == CORE_FAST ? fast_init(c) : detailed_init(c);
}

void core_free(struct core *c)
{
    oracle_free(c->oracle);
    fast_free(c);
    detailed_free(c);
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
    c->clock = c->sees = at;
    oracle_add(c->oracle, 0, 0, REASON_off, ORACLE_UNIT * (at - c->accounted));
    c->accounted = at;
    if (c->with.mode == CORE_DETAILED) {
        detailed_hid0(c, 0, c->cpu.hid0);
        detailed_restart(c, at);
    }
    pmu_msr(&c->pmu, false, false, false, at);
    c->attention = 0;
}

/* Samples of the host are no reason to run: whoever is watched keeps its turn
 * in the order of all CPUs. */
static cycle_t due(const struct core *c)
{
    return c->attention == c->sampling ? c->due : c->attention;
}

cycle_t core_next(const struct core *c)
{
    switch (c->state) {
    case CORE_RUNNING:
        if (c->with.mode == CORE_FAST)
            return c->clock; /* what is due is looked at there */
        return cycle_min(c->clock, due(c));
    case CORE_NAPPING:
        return cycle_max(due(c), c->nap_since);
    default:
        return CYCLE_NEVER;
    }
}

cycle_t core_finished(const struct core *c)
{
    if (c->state == CORE_PARKED || c->state == CORE_NAPPING)
        return c->accounted;
    return c->with.mode == CORE_DETAILED ? detailed_finished(c) : c->clock;
}

/* ---- asynchronous events ------------------------------------------------- */

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
    if (c->with.watch.woken)
        c->with.watch.woken(c->with.watch.arg, c->number);
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
    oracle_add(c->oracle, c->context, c->nap_pc, REASON_nap,
               ORACLE_UNIT * (at - c->accounted));
    c->accounted = at;
    pmu_nap(&c->pmu, false, at);
    c->state = CORE_RUNNING;
    c->clock = at;
    c->cpu.msr &= ~MSR_POW;
    if (c->with.mode == CORE_DETAILED)
        detailed_restart(c, at);
}

/* The supervisor has its say instead of the vector. */
static void supervise(struct core *c, enum exc e)
{
    const struct core_supervisor *s = &c->with.supervisor;
    uint32_t context = c->context;
    ea_t pc = c->cpu.pc;
    cycle_t cycles;

    if (c->with.mode == CORE_FAST)
        c->sees = c->clock;
    pmu_msr(&c->pmu, false, false, false, c->sees);
    cycles = s->enter(s->arg, c, e);
    c->yield = true;
    if (c->with.mode == CORE_FAST) {
        if (c->context != context)
            fast_flush(c);
        oracle_add(c->oracle, context, pc, REASON_system, ORACLE_UNIT * cycles);
        c->clock += cycles;
    } else {
        detailed_system(c, context, pc, cycles);
    }
    c->sees = c->clock;
    port_msr_changed(c, 0, c->cpu.msr);
    if (c->cpu.msr & MSR_POW && c->state == CORE_RUNNING)
        core_nap(c, c->clock);
    else
        core_reattend(c);
}

void core_spend(struct core *c, cycle_t cycles)
{
    if (c->with.mode == CORE_FAST) {
        oracle_add(c->oracle, c->context, c->cpu.pc, REASON_system,
                   ORACLE_UNIT * cycles);
        c->clock += cycles;
    } else {
        detailed_system(c, c->context, c->cpu.pc, cycles);
    }
    core_reattend(c);
}

/* ---- probes ---------------------------------------------------------------
 */

bool core_before(struct core *c, const struct insn *i, cycle_t at)
{
    const struct core_probe *p;

    for (p = c->probe; p; p = p->next)
        if (p->before && p->before(p->arg, c, i, at)) {
            c->owed = c->yield;
            c->held = c->yield = true;
            return true;
        }
    return false;
}

void core_after(struct core *c, ea_t pc, cycle_t at, cycle_t done)
{
    const struct core_probe *p;
    bool hold = false;

    for (p = c->probe; p; p = p->next)
        if (p->after && p->after(p->arg, c, pc, at, done))
            hold = true;
    if (hold && !c->yield)
        c->held = c->yield = true;
}

static void entered(struct core *c, enum exc e, cycle_t at)
{
    const struct core_probe *p;

    for (p = c->probe; p; p = p->next)
        if (p->entered)
            p->entered(p->arg, c, e, at);
}

void core_jump(struct core *c, ea_t pc)
{
    c->cpu.pc = pc;
    if (c->state == CORE_RUNNING && c->with.mode == CORE_DETAILED)
        detailed_refetch(c);
}

void core_set_msr(struct core *c, uint32_t value)
{
    uint32_t old = c->cpu.msr;

    c->sees = c->clock;
    c->cpu.msr = value;
    port_msr_changed(c, old, value);
    core_jump(c, c->cpu.pc);
}

static void take(struct core *c, enum exc e, cycle_t signalled, cycle_t d)
{
    const struct core_watch *w = &c->with.watch;

    c->cpu.nia = c->cpu.pc; /* not begun: it is where to come back to */
    if (c->with.supervisor.enter) {
        if (c->state == CORE_NAPPING)
            wake(c, d);
        entered(c, e, d);
        supervise(c, e);
        return;
    }
    isa_enter(&c->cpu, e);
    c->cpu.pc = c->cpu.nia;
    if (w->interrupt)
        w->interrupt(w->arg, c->number, isa_exc_vector(e), c->cpu.srr0,
                     signalled, d);
    entered(c, e, d);
}

/* SIA is the last instruction completed by the signal's cycle. */
static void latch_sample(struct core *c)
{
    ea_t sia;

    if (c->with.mode == CORE_FAST)
        sia = fast_last(c);
    else
        sia = detailed_completed_by(
            c, c->with.params->pmi_precise ? CYCLE_NEVER : c->pmu.signal);
    pmu_sample(&c->pmu, sia, c->last_ea);
}

/* Is a PMI signalled before cycle d, or at all where the knob asks for the
 * ideal: right behind the instruction that caused it? */
static bool signalled(const struct core *c, cycle_t d)
{
    return c->pmu.signal < d ||
           (c->with.params->pmi_precise && c->pmu.signal != CYCLE_NEVER);
}

bool core_attend(struct core *c, cycle_t d)
{
    bool taken = false;

    c->sees = d;
    timebase_settle(&c->tb, d);
    if (d >= c->pmu.deadline)
        pmu_tick(&c->pmu, d);
    if (d >= sample_due(c) || c->with.mode == CORE_FAST)
        sample_attend(c, d);
    /* Without a pipeline what has completed by the signal is known only then.
     */
    if (c->pmu.unsampled &&
        (signalled(c, d) || (c->with.mode == CORE_FAST && c->pmu.signal <= d)))
        latch_sample(c);
    if (c->cpu.msr & MSR_EE) {
        taken = true;
        if (c->irq && c->irq_since <= d) {
            take(c, EXC_EXTERNAL, c->irq_since, d);
        } else if (signalled(c, d)) {
            cycle_t at = c->pmu.signal;
            pmu_taken(&c->pmu);
            take(c, EXC_PERFMON, at, d);
        } else if (c->tb.dec_pending) {
            c->tb.dec_pending = false;
            take(c, EXC_DECREMENTER, d, d);
        } else {
            taken = false;
        }
    }
    core_reattend(c);
    return taken;
}

/* ---- fetch and exceptions ------------------------------------------------ */

struct insn *core_fetch(struct core *c, ea_t pc, enum exc *exc)
{
    pa_t pa;

    *exc = mmu_fetch(&c->cpu, pc, &pa);
    if (*exc != EXC_NONE)
        return NULL;
    if (pa < c->with.ram->size)
        return ram_insn(c->with.ram, pa & ~3u);
    if (pa == BOARD_RETURN) {
        c->returned = true;
        stop(c, "returned from its entry function");
        return NULL;
    }
    c->cpu.cause = SRR1_TEA;
    *exc = EXC_MCHECK;
    return NULL;
}

bool core_except(struct core *c, enum exc e)
{
    ea_t at = c->cpu.pc;
    bool finished = e == EXC_SC || e == EXC_TRACE ||
                    (e == EXC_PROGRAM && c->cpu.cause & SRR1_NEXT);

    if (e == EXC_MCHECK && !(c->cpu.msr & MSR_ME)) {
        stop(c, "checkstop: no device or memory answered the access and "
                "MSR[ME] is 0");
        return false;
    }
    if (!finished)
        c->cpu.nia = at + 4;
    if (c->with.supervisor.enter) {
        entered(c, e, c->sees);
        supervise(c, e);
        return true;
    }
    /* SRR0 still says where the first one happened. */
    if (e == EXC_PROGRAM && at % 0x100000 == isa_exc_vector(e) &&
        at / 0x100000 == (c->cpu.msr & MSR_IP ? 0xFFFu : 0)) {
        stop(c, "illegal instruction at the program exception's own vector: "
                "no handler is installed");
        return false;
    }
    isa_enter(&c->cpu, e);
    c->cpu.pc = c->cpu.nia;
    entered(c, e, c->sees);
    return true;
}

/* ---- nap ------------------------------------------------------------------
 */

void core_nap(struct core *c, cycle_t at)
{
    c->state = CORE_NAPPING;
    c->nap_since = c->accounted = at;
    c->nap_pc = c->cpu.pc;
    c->clock = at;
    c->yield = true;
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

void core_run(struct core *c, cycle_t until)
{
    bool first = c->owed; /* an instruction on hold is still in this batch */

    c->yield = c->owed;
    c->owed = c->held = false;
    while ((first || !c->yield) && core_next(c) <= until &&
           core_next(c) != CYCLE_NEVER) {
        first = false;
        if (c->state == CORE_NAPPING)
            nap_run(c);
        else if (c->with.mode == CORE_FAST)
            fast_run(c, until);
        else
            detailed_run(c, until);
    }
}

void core_forget(struct core *c)
{
    tlb_clear(&c->tlb);
    if (c->with.mode == CORE_DETAILED)
        detailed_forget(c);
}

void core_flush(struct core *c)
{
    fast_flush(c);
    fast_count(c);
}

void core_settle(struct core *c, cycle_t end)
{
    cycle_t from = core_finished(c);
    enum reason r = c->state == CORE_NAPPING ? REASON_nap : REASON_off;

    core_flush(c);
    if (c->state == CORE_NAPPING)
        sample_nap(c, end);
    if (c->with.mode == CORE_DETAILED)
        detailed_flush(c);
    if (end > from)
        oracle_add(c->oracle, c->context, r == REASON_nap ? c->nap_pc : 0, r,
                   ORACLE_UNIT * (end - from));
    c->accounted = end;
}
