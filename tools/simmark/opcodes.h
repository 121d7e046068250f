/* opcodes.h - a program whose marks are carried by marker instructions. */
#ifndef TOOLS_SIMMARK_OPCODES_H
#define TOOLS_SIMMARK_OPCODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/markspec/perfinst.h"
#include "tools/simmark/program.h"

/* What became of it. */
struct opcodes_done {
    uint32_t marks, bytes, address; /* of the island */
    size_t left;                    /* that are no instructions */
};

/* Write p to a file with these marks as pmark instructions. *at: where the
 * island shall stand; NULL: wherever there is room. False: why. */
bool opcodes_write(const struct program *p, struct perfinst_marks *marks,
                   const uint32_t *at, const char *path,
                   struct opcodes_done *done, char *why, size_t room);

/* Is every marked instruction of such a program behind its marker, and a
 * branch to that at its home? False: why. */
bool opcodes_check(const struct program *p, char *why, size_t room);

/* Put the old instructions back into p's bytes, for a comparison. */
void opcodes_undo(struct program *p);

#endif
