/* snoop.h - what the other processors notice of a request of this one: for
 * timing models that have caches and time the bus. In two halves, as the bus
 * (sim/mem/bus.h): states first, without a cycle, then events at theirs.
 */
#ifndef SIM_CORE_SNOOP_H
#define SIM_CORE_SNOOP_H

#include "sim/core/core.h"
#include "sim/mem/bus.h"

/* c asks for the line of pa: the states of the other data caches change as MESI
 * says, and marks in lines that they lose go. Returns whom it met. */
struct snooped snoop_others(struct core *c, enum bus_op op, pa_t pa);
static inline struct snooped snoop_ask(struct core *c, enum bus_op op, pa_t pa)
{
    return c->with.ncores == 1 ? (struct snooped){0} : snoop_others(c, op, pa);
}

/* The line of pa leaves every instruction cache, and marks in it go. */
void snoop_invalidate(struct core *c, pa_t pa);

/* A request that met `by` was on the bus, asked at cycle `at`: the others'
 * events are counted, as caused by access `of`. */
void snoop_tell_others(struct core *c, const struct snooped *by,
                       struct data_access of, cycle_t at);
static inline void snoop_tell(struct core *c, const struct snooped *by,
                              struct data_access of, cycle_t at)
{
    if (c->with.ncores > 1)
        snoop_tell_others(c, by, of, at);
    if (c->with.params->quantum)
        c->yield = true; /* others may now see a different state */
}

/* A bus master that is no processor reads (BUS_CLEAN) or has written (BUS_KILL)
 * `size` bytes of memory at pa, from cycle `at` on: states change and marks go
 * as by snoop_ask. Where time is kept in detail the bus is taken, and events
 * are counted. `cores` is all `count` processors. */
void snoop_master(struct core *cores, unsigned count, enum bus_op op, pa_t pa,
                  uint32_t size, cycle_t at);

#endif
