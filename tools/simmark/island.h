/* island.h - marked instructions moved behind their markers: what stands in the
 * island, and what stands at their old places instead (docs/pif.md 3).
 *
 * A *gate* is the marker of one instruction and what it leads to:
 *     gate: pmark 1,k            home: b gate
 *           the instruction
 *           b home + 4           (not behind one that never goes on)
 * Marked instructions that follow each other follow each other in the island
 * as well, without the branch between them; each has its gate all the same,
 * for branches to it. Those that set LR stay at home and go to their
 * gate themselves, so that LR is what it would be:
 *     gate: pmark 1,k            home: bl gate
 *           b target
 * so every return address is one of the old program.
 */
#ifndef TOOLS_SIMMARK_ISLAND_H
#define TOOLS_SIMMARK_ISLAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/markspec/markers.h"
#include "pmu/markspec/perfinst.h"
#include "tools/simmark/program.h"

struct island {
    struct markers m; /* entries in the order of their homes */
    uint32_t *code;   /* as many words as the island has; owned */
};

/* Take marks of what the processor does not know as an instruction away: it
 * never completes, and may be data. How many. */
size_t island_leave(const struct program *p, struct perfinst_marks *marks);

/* How many bytes these marks need. False: one of them cannot be moved. */
bool island_size(const struct program *p, const struct perfinst_marks *marks,
                 uint32_t *size, char *why, size_t room);

/* Make it, to stand at this address. */
bool island_make(struct island *i, const struct program *p,
                 const struct perfinst_marks *marks, uint32_t address,
                 char *why, size_t room);
void island_free(struct island *i);

#endif
