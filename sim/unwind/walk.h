/* walk.h - the call stack of a processor that has been stopped anywhere.
 * By the SysV back chain and LR, and by the code between a function's start
 * and the stop: whether its frame stands yet, and whether LR is still the way
 * back. Reads memory, changes nothing.
 */
#ifndef SIM_UNWIND_WALK_H
#define SIM_UNWIND_WALK_H

#include "sim/core/core.h"
#include "sim/symbols/names.h"

#define WALK_MOST 250 /* frames of a stack that is recorded, at most */

/* Program counters, leaf first, at most `max`. `behind`: the processor's pc
 * is that of an instruction which has just been executed. *truncated: a frame
 * could not be read, or made no sense. Returns how many. */
unsigned stack_walk(const struct core *c, const struct names *names,
                    bool behind, uint32_t *pc, unsigned max, bool *truncated);

#endif
