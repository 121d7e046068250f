/* mode.c - two timing models take turns with a core. */
#include "sim/core/core_private.h"
#include "sim/core/timing.h"

/* Caches and TLBs of t hold nothing, and are enabled as HID0 says. */
static void make_cold(struct core *c, const struct timing *t)
{
    if (t->hid0)
        t->hid0(c, c->cpu.hid0 | HID0_ICFI | HID0_DCFI);
    if (t->forget)
        t->forget(c);
}

void core_change_mode(struct core *c)
{
    const struct timing *from = c->with.timing, *to = c->with.other;
    ea_t last;

    if (from->leave)
        from->leave(c);
    else
        core_flush(c);
    if (c->pmu.unsampled && c->pmu.signal <= c->clock)
        core_latch_sample(c);
    last = from->completed_by(c, CYCLE_NEVER);
    if (from->keeps_tags != to->keeps_tags)
        make_cold(c, from->keeps_tags ? from : to);
    c->with.timing = to;
    c->with.other = from;
    if (to->enter)
        to->enter(c, last);
    if (c->state != CORE_RUNNING)
        return;
    if (to->restart)
        to->restart(c, c->clock);
    core_reattend(c);
}
