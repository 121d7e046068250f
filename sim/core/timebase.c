/* timebase.c - time base and decrementer as arithmetic on the cycle.
 * Knows ticks, not interrupts: who may take them is core.c's affair.
 */
#include "lib/base/snap.h"
#include "sim/core/timebase.h"

static void dec_predict(struct timebase *t)
{
    /* Counting down from v, bit 0 goes 0 -> 1 when v wraps below zero. */
    t->dec_due = (t->dec_tick + (uint64_t)t->dec + 1) * t->ratio;
}

/* One that is not taken yet stays the one it is. */
static void dec_happened(struct timebase *t, cycle_t at)
{
    if (!t->dec_pending)
        t->dec_since = at;
    t->dec_pending = true;
}

void timebase_init(struct timebase *t, unsigned ratio)
{
    t->ratio = ratio;
    t->offset = 0;
    t->dec = 0xFFFFFFFFu;
    t->dec_tick = 0;
    t->dec_pending = false;
    t->dec_since = 0;
    dec_predict(t);
}

uint64_t timebase_read(const struct timebase *t, cycle_t now)
{
    return t->offset + now / t->ratio;
}

void timebase_write(struct timebase *t, uint64_t value, cycle_t now)
{
    t->offset = value - now / t->ratio;
}

uint32_t timebase_dec(const struct timebase *t, cycle_t now)
{
    return (uint32_t)(t->dec - (now / t->ratio - t->dec_tick));
}

void timebase_set_dec(struct timebase *t, uint32_t value, cycle_t now)
{
    timebase_settle(t, now);
    if (!(timebase_dec(t, now) >> 31) && value >> 31)
        dec_happened(t, now);
    t->dec = value;
    t->dec_tick = now / t->ratio;
    dec_predict(t);
}

void timebase_settle(struct timebase *t, cycle_t now)
{
    while (now >= t->dec_due) {
        dec_happened(t, t->dec_due);
        t->dec_due += ((uint64_t)1 << 32) * t->ratio;
    }
}

bool timebase_state(struct snap *s, struct timebase *t)
{
    snap_begin(s, "time base", 1);
    SNAP_SAME(s, t->ratio);
    SNAP(s, t->offset);
    SNAP(s, t->dec);
    SNAP(s, t->dec_tick);
    SNAP(s, t->dec_due);
    SNAP(s, t->dec_pending);
    SNAP(s, t->dec_since);
    return snap_end(s);
}
