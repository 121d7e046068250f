/* timebase.h - time base and decrementer of one CPU, as functions of the
 * cycle. Nothing ticks. */
#ifndef SIM_CORE_TIMEBASE_H
#define SIM_CORE_TIMEBASE_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/event/signal.h"

struct timebase {
    unsigned ratio;  /* cycles a tick */
    uint64_t offset; /* time base at cycle 0 */
    uint32_t dec;    /* value written, at tick dec_tick */
    uint64_t dec_tick;
    cycle_t dec_due;   /* cycle at which bit 0 goes 0 -> 1; CYCLE_NEVER: not
                        * before the next write or wrap */
    bool dec_pending;  /* it happened and was not taken yet */
    cycle_t dec_since; /* ... at that cycle */
};

void timebase_init(struct timebase *t, unsigned ratio);
uint64_t timebase_read(const struct timebase *t, cycle_t now);
void timebase_write(struct timebase *t, uint64_t value, cycle_t now);
uint32_t timebase_dec(const struct timebase *t, cycle_t now);
/* A write that itself turns bit 0 from 0 to 1 signals at once. */
void timebase_set_dec(struct timebase *t, uint32_t value, cycle_t now);
/* Move dec_due into dec_pending when now has reached it. */
void timebase_settle(struct timebase *t, cycle_t now);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool timebase_state(struct snap *s, struct timebase *t);

#endif
