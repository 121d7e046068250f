/* chip_file.h - reading a chip table: sim/core/chip/chip.h from a file. */
#ifndef SIM_CONFIG_CHIP_FILE_H
#define SIM_CONFIG_CHIP_FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/core/chip/chip.h"

/* Change *t by the rows of a file: "CLASS UNIT LATENCY REPEAT ORDER" with
 * ORDER 0 or names joined by |, or CHIP(...) as in ppc604e.def; comments of C,
 * and lines that begin with #. Loads, stores and branches stay in their units.
 * False: why[] names file, line and mistake; *t may have changed. */
bool chip_read(struct chip_table *t, const char *path, char *why, size_t size);

/* The row of class c as chip_read takes it. */
void chip_text(const struct chip_table *t, unsigned class, char text[64]);

#endif
