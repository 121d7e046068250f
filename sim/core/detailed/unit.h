/* unit.h - an execution unit as the pipeline sees it: a row of
 * sim/core/chip/units.def. */
#ifndef SIM_CORE_DETAILED_UNIT_H
#define SIM_CORE_DETAILED_UNIT_H

#include <stdbool.h>

#include "pmu/event/signal.h"
#include "sim/core/chip/chip.h"

#define NO_EVENT EV_COUNT

/* Columns as units.def explains them. */
struct unit_row {
    unsigned path; /* a bit */
    bool in_order;
    bool for_operands;                          /* waits_for is OPERANDS */
    enum event dispatched, result, busy, waits; /* or NO_EVENT */
};

extern const struct unit_row unit_rows[UNIT_COUNT];

#endif
