/* chip.c - the 604e's own chip table. See chip.h. */
#include "sim/core/chip/chip.h"

const struct chip_table chip_604e = {{
#define CHIP(class, unit, latency, repeat, order)                              \
    [CLASS_##class] = {UNIT_##unit, latency, repeat, order},
#include "sim/core/chip/ppc604e.def"
#undef CHIP
}};

static const char *const unit_names[UNIT_COUNT] = {
#define UNIT(name, ...) [UNIT_##name] = #name,
#include "sim/core/chip/units.def"
#undef UNIT
};

const char *chip_unit_name(unsigned unit)
{
    return unit_names[unit];
}
