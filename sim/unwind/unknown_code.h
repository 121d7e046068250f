/* unknown_code.h - of code that no function is known for, such as what a
 * program makes while it runs: where the caller is. There is no first
 * instruction to begin at (sim/unwind/frame_flow.h), so the code is followed
 * from the stop on, to where it returns. Reads memory, changes nothing.
 */
#ifndef SIM_UNWIND_UNKNOWN_CODE_H
#define SIM_UNWIND_UNKNOWN_CODE_H

#include "sim/unwind/exception_frame.h"
#include "sim/unwind/frame_flow.h"

/* A stop before the instruction at s->pc was executed. False: a function is
 * known there, or no way out was found. */
bool unknown_code_caller(const struct core *c, const struct names *names,
                         const struct stop *s, struct frame_flow *u);

#endif
