/* snoop.h - what the other processors notice of a request of this one: for
 * timing models that have caches and time the bus. The states of their cache
 * lines have changed already, in sim/mem/bus.c.
 */
#ifndef SIM_CORE_SNOOP_H
#define SIM_CORE_SNOOP_H

#include "sim/core/core.h"
#include "sim/mem/bus.h"

/* The bus answered *a to a request for the line of pa at cycle `at`: the other
 * processors' events and marks are told, as caused by access `of`. */
void snoop_tell(struct core *c, const struct bus_answer *a,
                struct data_access of, pa_t pa, cycle_t at);

/* The line of pa leaves every instruction cache. */
void snoop_invalidate(struct core *c, pa_t pa);

#endif
