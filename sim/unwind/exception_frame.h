/* exception_frame.h - what an exception's handler has done with the registers
 * of what it interrupted: where they are, at any instruction between the vector
 * and rfi. Found by following the handler's code from its vector on, as far as
 * it is assembly that saves, calls and restores; whatever registers, stacks and
 * save areas it uses. Reads memory, changes nothing.
 */
#ifndef SIM_UNWIND_EXCEPTION_FRAME_H
#define SIM_UNWIND_EXCEPTION_FRAME_H

#include "sim/core/core.h"
#include "sim/symbols/names.h"

/* Registers where something stopped. */
struct stop {
    uint32_t pc, lr, sp;
    uint32_t gpr[32];
    uint32_t known; /* which of these are: bit n is GPR n */
    bool user;      /* in user mode, its MSR is: */
    uint32_t msr;
};

/* What was interrupted, from inside its handler: an instruction at `at`, with
 * the stack at sp. `live`: the processor stands there, before that
 * instruction; else a function that the one in front of it called is at work,
 * and what was interrupted is sought in memory alone. False: `at` is in no
 * handler that can be followed, or what it saved is not found. */
bool exception_frame_interrupted(const struct core *c,
                                 const struct names *names, ea_t at, ea_t sp,
                                 bool live, struct stop *s);

/* Is this address where vectors are, for this processor? */
bool exception_frame_vector(const struct core *c, ea_t at);

#endif
