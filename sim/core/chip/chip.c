/* chip.c - the 604e's own chip table. See chip.h. */
#include "sim/core/chip/chip.h"

const struct chip_table chip_604e = {{
#define CHIP(class, unit, latency, repeat, order)                              \
    [CLASS_##class] = {UNIT_##unit, latency, repeat, order},
#include "sim/core/chip/ppc604e.def"
#undef CHIP
}};

static const char *const unit_names[UNIT_COUNT] = {
    [UNIT_NONE] = "NONE", [UNIT_SCIU] = "SCIU", [UNIT_SCIU1] = "SCIU1",
    [UNIT_MCIU] = "MCIU", [UNIT_LSU] = "LSU",   [UNIT_FPU] = "FPU",
    [UNIT_BPU] = "BPU",   [UNIT_CRU] = "CRU",
};

const char *chip_unit_name(unsigned unit)
{
    return unit_names[unit];
}
