/* stack.h - the call stack of a processor that has been stopped anywhere.
 * By the SysV back chain and LR, and by the code between a function's start
 * and the stop: whether its frame stands yet, and whether LR is still the way
 * back. Reads memory, changes nothing.
 */
#ifndef SIM_STACK_H
#define SIM_STACK_H

#include "sim/core/core.h"
#include "sim/names.h"

/* Program counters, leaf first, at most `max`. *truncated: a frame could not
 * be read, or made no sense. Returns how many. */
unsigned stack_walk(const struct core *c, const struct names *names,
                    uint32_t *pc, unsigned max, bool *truncated);

#endif
