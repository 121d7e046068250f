/* barriers.h - barriers that a program makes of a lock and a condition, while a
 * graph is played through again: who comes last wakes all others, and may be
 * another thread than in the recording. A part of replay.c; only with records
 * of locks.
 *
 * In a round each thread takes the lock once; all but the last wait then for
 * the condition, and the last wakes them while it has the lock. That is what
 * such wake-ups are if they are of all threads of the barrier but one, as they
 * are in half of the rounds or more, and each thread that wakes waits in
 * another round. Where one thread wakes all others each time it may as well
 * give them work: it is a barrier if it takes the lock in the same place as
 * these, in a function that waits and wakes. Barriers of the system's own:
 * rounds.h.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_BARRIERS_H
#define TOOLS_ANALYSIS_RETIME_PLAY_BARRIERS_H

#include "tools/analysis/retime/play/replay.h"

struct barriers_state;

/* Found when the graph has its operations, behind pools_find. */
void barriers_find(struct retime *g);
void barriers_forget(struct retime *g);

/* NULL: there are none. */
struct barriers_state *barriers_open(const struct retime *g);
void barriers_close(struct barriers_state *s);

/* A thread has taken a lock, its next operation. If it comes to a round with
 * that, not as the recording has it, it waits or wakes instead. True: it goes
 * on later, with the operation that it is at then. */
bool barriers_come(struct replay *p, uint32_t thread);

/* A thread is about to do its next operation. True: it has called the system
 * instead, to wait for the last one to come, and goes on later. */
bool barriers_wait(struct replay *p, uint32_t thread);

#endif
