/* turns.h - whose wait a wake-up ends, when threads come in another order than
 * in the recording. A part of replay.c.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_TURNS_H
#define TOOLS_ANALYSIS_RETIME_PLAY_TURNS_H

#include "tools/analysis/retime/graph.h"

/* By operation that waits: which one's wake-up ends it now, whose is ended by
 * the one that was its, and the thread that gives its own. */
struct turns {
    uint32_t *gets, *from, *giver;
};

/* All as recorded. The caller calls turns_free. */
void turns_open(struct turns *t, const struct retime *g);
void turns_free(struct turns *t);

/* Do both wait for the same lock, or condition? A condition of the C library
 * has two words that are waited for, side by side. */
bool turns_same_object(const struct retime *g, const struct graph_op *a,
                       const struct graph_op *b);

/* The wake-up that was recorded for `target` ends the wait `first` instead; who
 * it would end is ended by the one that was for `first`. */
void turns_change(struct turns *t, uint32_t target, uint32_t first);

#endif
