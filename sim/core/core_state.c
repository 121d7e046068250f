/* core_state.c - one processor as saved state: lib/base/snap.h. What it is
 * plugged into is the machine's to save; what looks at it is not saved.
 */
#include "lib/base/snap.h"
#include "sim/core/core_private.h"
#include "sim/core/timing.h"

static bool fault_state(struct snap *s, struct core_fault *f)
{
    snap_begin(s, "fault", 1);
    SNAP_BELOW(s, f->exc, EXC_COUNT);
    SNAP(s, f->pc);
    SNAP(s, f->last);
    SNAP(s, f->ea);
    SNAP(s, f->fetching);
    SNAP(s, f->storing);
    SNAP(s, f->cause);
    SNAP(s, f->msr);
    SNAP(s, f->vector);
    SNAP(s, f->insns);
    SNAP(s, f->again);
    return snap_end(s);
}

/* Whose turn it is, and why it ends. */
static void turn_state(struct snap *s, struct core *c)
{
    SNAP_BELOW(s, c->state, CORE_STOPPED);
    SNAP_SKIP(s, c->why, "a stopped processor has ended the run");
    SNAP(s, c->context);
    SNAP(s, c->insns);
    SNAP(s, c->clock);
    SNAP_SKIP(s, c->trace, "of host code that does not run now");
    SNAP_SKIP(s, c->near, "hints, which the epochs of the TLB end");
    SNAP(s, c->attention);
    SNAP(s, c->due);
    SNAP(s, c->sampling);
    SNAP(s, c->yield);
    SNAP(s, c->serialize);
    SNAP(s, c->stopped_by_probe);
    SNAP(s, c->yield_pending);
    SNAP_SKIP(s, c->stop_pc, "a run with stretches in detail is not saved");
    SNAP_SKIP(s, c->stop, "a run with stretches in detail is not saved");
    SNAP(s, c->returned);
    SNAP(s, c->irq);
    SNAP(s, c->irq_since);
    SNAP(s, c->observed_cycle);
    SNAP(s, c->nap_since);
    SNAP(s, c->nap_pc);
    SNAP(s, c->accounted);
    SNAP(s, c->edge);
    SNAP(s, c->last_ea);
}

/* For reports. */
static void totals_state(struct snap *s, struct core *c)
{
    SNAP(s, c->pif_charged);
    SNAP(s, c->pif_cycles);
    SNAP(s, c->pif_taken);
    SNAP(s, c->pif_handled);
    SNAP(s, c->pif_since);
    SNAP(s, c->look_times);
    SNAP(s, c->look_insns);
    SNAP(s, c->look_from);
    SNAP(s, c->look_end);
    SNAP(s, c->looking);
    SNAP(s, c->area_added);
    SNAP(s, c->area_msr);
    SNAP_ARRAY(s, c->access_cycles);
}

bool core_state(struct snap *s, struct core *c)
{
    if (s->way == SNAP_SAVE)
        core_flush(c);
    if (!snap_loading(s) && c->with.timing->tidy)
        c->with.timing->tidy(c);
    snap_begin(s, "core", 1);
    SNAP_SAME(s, c->number);
    cpu_state(s, &c->cpu);
    SNAP_SKIP(s, c->port, "plugged in by port_init");
    tlb_state(s, &c->tlb);
    pmu_state(s, &c->pmu);
    timebase_state(s, &c->tb);
    host_counters_state(s, &c->host_counters);
    insn_info_state(s, &c->insn_info);
    pif_state(s, &c->pif);
    SNAP_SKIP(s, c->pifs, "those of all processors");
    SNAP_SKIP(s, c->view, "of programs inside: a run that asks is not saved");
    oracle_state(s, c->oracle);
    SNAP_SKIP(s, c->oracle, "owned; saved above");
    SNAP_SKIP(s, c->with, "what it is plugged into");
    fault_state(s, &c->fault);
    turn_state(s, c);
    totals_state(s, c);
    SNAP_SKIP(s, c->timing_state, "the model's, saved below");
    SNAP_SKIP(s, c->pipe, "the model's, too");
    SNAP_SKIP(s, c->engine_state, "changes no result");
    if (c->with.timing->state)
        c->with.timing->state(s, c);
    else
        snap_refuse(s, "--mode=%s cannot be saved", c->with.timing->name);
    return snap_end(s);
}
