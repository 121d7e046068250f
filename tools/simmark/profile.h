/* profile.h - what an experiment says is hot, as places to mark. */
#ifndef TOOLS_SIMMARK_PROFILE_H
#define TOOLS_SIMMARK_PROFILE_H

#include "tools/simmark/program.h"

struct profile_choice {
    const char *experiment;
    const char *event;   /* a counter's name; NULL: exact cycles */
    const char *filters; /* an expression over records, or NULL */
    double above;        /* percent of all that functions have */
    bool instructions;   /* mark hot instructions, not functions */
};

/* Add a mark with this action for each function (or instruction) that has
 * more of the event, exclusively, than asked for. Cycles that a processor
 * napped or was parked are not part of the whole. False: why has a line, and
 * below it perhaps where in `filters` it is wrong. What is wrong with the
 * experiment goes to standard error; *damaged: something could not be read. */
bool profile_mark(struct perfinst *to, const struct program *p,
                  const struct profile_choice *c,
                  const struct perfinst_action *action, bool *damaged,
                  char *why, size_t size);

#endif
