/* unit.c - see unit.h. */
#include "sim/core/detailed/unit.h"

enum { ISSUE, OPERANDS }; /* what waiting ends with */

const struct unit_row unit_rows[UNIT_COUNT] = {
#define UNIT(name, path, in_order, dispatched, result, busy, waits, waits_for) \
    [UNIT_##name] = {1u << UNIT_##path,                                        \
                     in_order,                                                 \
                     (waits_for) == OPERANDS,                                  \
                     dispatched,                                               \
                     result,                                                   \
                     busy,                                                     \
                     waits},
#include "sim/core/chip/units.def"
#undef UNIT
};
