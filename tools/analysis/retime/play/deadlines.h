/* deadlines.h - sleeps up to a point of a clock: a thread that comes to one
 * earlier sleeps longer, and not at all if it is late.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_DEADLINES_H
#define TOOLS_ANALYSIS_RETIME_PLAY_DEADLINES_H

#include "tools/analysis/retime/play/replay.h"

/* A thread is about to run an operation. Where it reads the clock in that, its
 * deadlines are as much earlier or later as it is now. */
void deadlines_run(struct replay *p, uint32_t thread, const struct graph_op *o);

/* Is a wait such a sleep? */
bool deadlines_is(const struct replay *p, const struct graph_op *o);

/* ... up to one that had passed in the recording? The guest's kernel sleeps for
 * a moment then. */
bool deadlines_passed(const struct replay *p, const struct graph_op *o);

/* How long it is now; 0: the deadline has passed. */
uint64_t deadlines_sleep(const struct replay *p, uint32_t thread,
                         const struct graph_op *o);

#endif
