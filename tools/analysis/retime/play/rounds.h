/* rounds.h - rounds of a barrier while a graph is played through again: who
 * comes last wakes all others, and may be another thread than in the recording.
 * A part of replay.c.
 *
 * A round is a system call that wakes threads from waits for one word, none of
 * which is for a condition or a lock. Words count whose rounds are of the same
 * threads each time, or half of them are. A thread that takes part in others,
 * and is in a system call when the one begins that wakes, has found that it
 * need not sleep, and takes part as well. Under --user, where a system call has
 * no operations but wake-ups and waits, none does.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_ROUNDS_H
#define TOOLS_ANALYSIS_RETIME_PLAY_ROUNDS_H

#include "tools/analysis/retime/play/replay.h"

struct rounds_state;

/* Found when the graph has its operations, behind pools_find. */
void rounds_find(struct retime *g);
void rounds_forget(struct retime *g);

/* NULL: there are none. */
struct rounds_state *rounds_open(const struct retime *g);
void rounds_close(struct rounds_state *s);

/* A thread is about to do its next operation. If it comes to a round with that,
 * not as the recording has it, it waits or wakes instead. True: it goes on
 * later, with the operation that it is at then. */
bool rounds_come(struct replay *p, uint32_t thread);

/* Has the last come already to the round for which a thread waits in an
 * operation? Then all that wait are woken. */
bool rounds_woke(const struct replay *p, uint32_t target);

#endif
