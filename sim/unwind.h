/* unwind.h - what a function's code says about a stop in it: where the
 * caller's stack pointer is, and where the way back. Follows the values of
 * the stack pointer and of LR from the function's first instruction along
 * its branches; no tables of the compiler are needed. Reads memory, changes
 * nothing.
 */
#ifndef SIM_UNWIND_H
#define SIM_UNWIND_H

#include "sim/core/core.h"
#include "sim/names.h"

/* Where a value is: known at the stop, in terms of registers there. */
enum unwind_sp {
    UNWIND_CHAIN, /* the caller's is the word at r1: a frame stands */
    UNWIND_OFFSET /* the caller's is r1 + offset */
};

enum unwind_back {
    UNWIND_LR,    /* the way back is in LR */
    UNWIND_GPR,   /* ... in a GPR */
    UNWIND_SAVED, /* ... at the caller's stack pointer + slot */
    UNWIND_NONE   /* ... nowhere any more */
};

struct unwind {
    enum unwind_sp sp;
    int32_t offset;
    enum unwind_back back;
    unsigned gpr;
    int32_t slot;
};

/* The word of code at an address. False: nothing there. */
bool unwind_word(const struct core *c, ea_t ea, enum tlb_kind kind,
                 uint32_t *value);

/* The decoded instruction at an address, or what stood there before it was
 * moved: then in *moved. NULL: nothing there. */
const struct insn *unwind_insn(const struct core *c, const struct names *names,
                               ea_t ea, struct insn *moved);

/* A stop before the instruction at pc was executed, with the stack at sp.
 * False: no function is known there, or none of its ways lead to pc. */
bool unwind_at(const struct core *c, const struct names *names, ea_t pc,
               ea_t sp, struct unwind *u);

/* Is pc in what libgcc saves and restores registers with, for a function
 * whose prologue or epilogue called it? */
bool unwind_saves(const struct core *c, const struct names *names, ea_t pc);

#endif
