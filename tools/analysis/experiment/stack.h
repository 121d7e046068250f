/* stack.h - the frames of a recorded call stack, leaf first, and the
 * instruction at which the function of each frame stands: reports, exports,
 * filters and time trees all look addresses up through it, so that they agree.
 *
 * A record's first program counter is where its thread goes on. Every other one
 * lies one instruction behind where its function stands (include/record.def):
 * a return address behind its call, and in front of a handler the address
 * behind the next instruction of what was interrupted. An address behind a call
 * that never returns belongs to the next function, so none of them is looked
 * up as it is.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_STACK_H
#define TOOLS_ANALYSIS_EXPERIMENT_STACK_H

#include "tools/analysis/experiment/loadmap.h"
#include "tools/analysis/experiment/record.h"

enum stack_frame_is {
    STACK_LEAF,  /* the thread goes on there */
    STACK_BEHIND /* one instruction behind: called, or was interrupted */
};

struct stack_frame {
    enum stack_frame_is is;
    uint32_t pc;   /* as recorded */
    uint32_t at;   /* the instruction at which the function stands */
    uint32_t home; /* the same where it was before simmark opcodes moved it:
                    * what names and lines are found by */
};

/* Frames one after the other. */
struct stack {
    const struct loadmap *map;
    struct record_tail pcs;
    uint64_t cycle;
    uint32_t next; /* how many were given */
};

/* The stack of a record (record_frames), which must stay valid. */
struct stack stack_of_record(const struct loadmap *m, const struct record *r);
/* The stack that these words of a record are, at its cycle. */
struct stack stack_of_words(const struct loadmap *m, struct record_tail pcs,
                            uint64_t cycle);
/* The next frame. False: there is none. */
bool stack_next(struct stack *s, struct stack_frame *f);

/* The instruction in front of an address that lies behind one. */
uint32_t stack_before(uint32_t pc);

#endif
