/* latches.h - locks of the kernel while a graph is played through again, which
 * are handed to who waits longest. A thread that took a free lock in the
 * recording may have to wait for it now, and one that waited may find it free.
 * A part of replay.c; only with records of locks (lock.rec). Locks of programs:
 * mutex.h.
 *
 * A recorded wait for a lock is ended by the thread that ended it then, as all
 * waits are. But a thread that takes a lock waits while another thread has it,
 * also where it did not wait in the recording. And a thread that waited for
 * another one, which has not come to the lock yet now, takes the lock if it is
 * free. Clocks of two CPUs differ by up to a turn, so a difference of that
 * length does not count.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_LATCHES_H
#define TOOLS_ANALYSIS_RETIME_PLAY_LATCHES_H

#include "tools/analysis/retime/play/replay.h"

/* The thread has come to a GRAPH_TAKE. True: the lock is another's, and the
 * thread has given up its CPU; it goes on behind the operation. */
bool latches_take(struct replay *p, uint32_t thread, const struct graph_op *o);

/* ... to a GRAPH_GIVE: the thread that waits longest for the lock goes on. */
void latches_give(struct replay *p, uint32_t thread, const struct graph_op *o);

/* ... to a GRAPH_WAIT that nothing has ended yet. True: it is for a lock that
 * is free, and need not be. */
bool latches_pass(const struct replay *p, uint32_t thread,
                  const struct graph_op *o);

/* Who waits longest for a lock that was free in the recording, or is played by
 * mutex.c; of those that wait to share it, or of all. GRAPH_NONE: none does. */
uint32_t latches_longest(const struct replay *p, uint32_t lock, bool shared);

/* A thread that waits for a lock is runnable from a cycle on, and with a CPU
 * takes so many cycles to where it goes on. */
void latches_way(struct replay *p, uint32_t thread, uint64_t cycle,
                 uint64_t takes);

/* The cycles of a system call that a wait takes, if it is one. */
uint64_t latches_cost(const struct replay *p, const struct graph_op *o);

#endif
