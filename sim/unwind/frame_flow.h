/* frame_flow.h - what a function's code says about a stop in it: where the
 * caller's stack pointer is, and where the way back. Follows the values of
 * the stack pointer and of LR from the function's first instruction along
 * its branches; no tables of the compiler are needed. Reads memory, changes
 * nothing.
 */
#ifndef SIM_UNWIND_FRAME_FLOW_H
#define SIM_UNWIND_FRAME_FLOW_H

#include "sim/core/core.h"
#include "sim/symbols/names.h"

/* Where a value is: known at the stop, in terms of registers there. */
enum frame_flow_sp {
    FRAME_FLOW_CHAIN, /* the caller's is the word at r1: a frame stands */
    FRAME_FLOW_OFFSET /* the caller's is r1 + offset */
};

enum frame_flow_back {
    FRAME_FLOW_LR,    /* the way back is in LR */
    FRAME_FLOW_GPR,   /* ... in a GPR */
    FRAME_FLOW_SAVED, /* ... at the caller's stack pointer + slot */
    FRAME_FLOW_NONE   /* ... nowhere any more */
};

struct frame_flow {
    enum frame_flow_sp sp;
    int32_t offset;
    enum frame_flow_back back;
    unsigned gpr;
    int32_t slot;
};

/* As names_function; without translation a Linux kernel is also where it has
 * been loaded. */
bool frame_flow_function(const struct core *c, const struct names *names,
                         ea_t at, ea_t from[2], ea_t end[2]);

/* The word of code at an address. False: nothing there. */
bool frame_flow_word(const struct core *c, ea_t ea, enum tlb_kind kind,
                     uint32_t *value);

/* The decoded instruction at an address, or what stood there before it was
 * moved: then in *moved. NULL: nothing there. */
const struct insn *frame_flow_insn(const struct core *c,
                                   const struct names *names, ea_t ea,
                                   struct insn *moved);

/* A stop before the instruction at pc was executed, with the stack at sp.
 * False: no function is known there, or none of its ways lead to pc. */
bool frame_flow_at(const struct core *c, const struct names *names, ea_t pc,
                   ea_t sp, struct frame_flow *u);

/* Is pc in what libgcc saves and restores registers with, for a function
 * whose prologue or epilogue called it? */
bool frame_flow_saves(const struct core *c, const struct names *names, ea_t pc);

#endif
