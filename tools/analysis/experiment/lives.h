/* lives.h - when a program ran, by the names of its threads: from the thread
 * records when it began, from the context switches when it ended.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_LIVES_H
#define TOOLS_ANALYSIS_EXPERIMENT_LIVES_H

#include "tools/analysis/experiment/recording.h"

/* Cycles. */
struct life {
    uint64_t from; /* the first one was made, or got that name */
    uint64_t to;   /* the last one had ended, or got another; UINT64_MAX: one is
                    * there to the end of the run */
};

/* The life of the threads called `name`, or of those of the process with that
 * number. A Linux kernel keeps 15 letters of a name; those are enough. False:
 * there are none. The window of r (recording_within) makes no difference. */
bool lives_find(struct recording *r, const char *name, struct life *life);

#endif
