/* chip.h - the chip table as a value: what each class of work costs.
 * The 604e's own stands in ppc604e.def; a file of the same rows, read at run
 * time, changes some of them, so that a study can sweep units and latencies.
 */
#ifndef SIM_CORE_CHIP_CHIP_H
#define SIM_CORE_CHIP_CHIP_H

#include <stdint.h>

#include "isa/insn.h"

enum unit {
#define UNIT(name, ...) UNIT_##name,
#include "sim/core/chip/units.def"
#undef UNIT
    UNIT_COUNT
};

/* order: see ppc604e.def */
#define EXEC 1u
#define HOLD 2u
#define REFETCH 4u
#define LOCK 8u
#define EARLY 16u

/* One row of the table. Latency and repeat in cycles. */
struct chip {
    uint8_t unit, latency, repeat, order;
};

/* Indexed by class. */
struct chip_table {
    struct chip row[CLASS_COUNT];
};

extern const struct chip_table chip_604e;

/* "SCIU", "LSU", ... */
const char *chip_unit_name(unsigned unit);

#endif
