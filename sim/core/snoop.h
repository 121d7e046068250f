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
struct snooped snoop_ask(struct core *c, enum bus_op op, pa_t pa);

/* The line of pa leaves every instruction cache, and marks in it go. */
void snoop_invalidate(struct core *c, pa_t pa);

/* A request that met `by` was on the bus, asked at cycle `at`: the others'
 * events are counted, as caused by access `of`. */
void snoop_tell(struct core *c, const struct snooped *by, struct data_access of,
                cycle_t at);

#endif
