/* insn_info.c - what is known of an instruction, as saved state. */
#include "pmu/predicate/insn_info.h"

#include "lib/base/snap.h"

static void times_state(struct snap *s, struct insn_info *d)
{
    SNAP(s, d->fetch);
    SNAP(s, d->dispatch);
    SNAP(s, d->issue);
    SNAP(s, d->finish);
    SNAP(s, d->complete);
    SNAP(s, d->latency);
    SNAP(s, d->data_latency);
    SNAP(s, d->dispatched);
    SNAP(s, d->imiss);
    SNAP(s, d->itlb);
    SNAP(s, d->dtlb);
    SNAP(s, d->level);
    SNAP(s, d->oldest);
}

bool insn_info_state(struct snap *s, struct insn_info *d)
{
    snap_begin(s, "instruction", 1);
    SNAP(s, d->pc);
    data_access_state(s, &d->data);
    SNAP(s, d->context);
    SNAP(s, d->op);
    SNAP(s, d->class);
    SNAP(s, d->cpu);
    SNAP(s, d->slot);
    SNAP(s, d->user);
    SNAP(s, d->pm);
    SNAP(s, d->load);
    SNAP(s, d->store);
    SNAP(s, d->branch);
    SNAP(s, d->taken);
    SNAP(s, d->mispredicted);
    SNAP(s, d->completed);
    SNAP(s, d->wrong);
    times_state(s, d);
    SNAP(s, d->marked);
    SNAP(s, d->window);
    SNAP(s, d->ranges);
    SNAP(s, d->data_ranges);
    SNAP(s, d->guest_marked);
    SNAP(s, d->guest_window);
    SNAP(s, d->guest_ranges);
    return snap_end(s);
}
