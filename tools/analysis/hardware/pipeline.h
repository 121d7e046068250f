/* pipeline.h - instructions that went through the pipeline while simrun --pipe
 * recorded them (pipe.rec): cycles of their stages, and what they waited for.
 */
#ifndef TOOLS_ANALYSIS_HARDWARE_PIPELINE_H
#define TOOLS_ANALYSIS_HARDWARE_PIPELINE_H

#include "tools/analysis/experiment/recording.h"

#define PIPELINE_UNIT 9 /* bytes of a unit's name, with its end */

/* From cycle `begin` to before `end`. */
struct pipeline_wait {
    uint64_t begin, end;
    uint32_t reason; /* below RECORDING_REASONS */
};

struct pipeline_insn {
    uint64_t number; /* in the order of the machine, from 1 */
    unsigned cpu;
    uint32_t thread, pc, word;
    uint64_t fetch, dispatch, issue, finish, complete;
    char unit[PIPELINE_UNIT];
    bool exception; /* raised at `complete`, in place of completing */
    bool user;
    size_t wait, waits; /* those from pipeline.wait[wait] on */
};

struct pipeline {
    struct pipeline_insn *insn; /* by number */
    size_t insns, room;
    struct pipeline_wait *wait; /* of all */
    size_t waits, waits_room;
    uint64_t asked; /* instructions that --pipe was to record; 0: none */
};

/* Those of r's interval, of one CPU (-1: of all) and one thread (-1: of all).
 * What is damaged is noted in r and left out. pipeline_free is due. */
void pipeline_read(struct pipeline *p, struct recording *r, long cpu,
                   long thread);
void pipeline_free(struct pipeline *p);

/* The reason of the wait of i that lasts at a cycle, the latest begun of
 * several; NULL: it waits for none. */
const char *pipeline_reason(const struct pipeline *p, const struct recording *r,
                            const struct pipeline_insn *i, uint64_t cycle);

#endif
