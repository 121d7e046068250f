/* latches.h - locks while a graph is played through again: who was free to take
 * one in the recording may have to wait for it now, and who had to wait may
 * not. A part of replay.c; only with records of free locks (lock.rec).
 *
 * A recorded wait for a lock is ended by who ended it, as all waits are. But
 * who takes a lock waits until no other thread has it, whatever was recorded;
 * and who would wait for a thread that has not come to the lock yet, while it
 * is free, takes it. Cycles of two CPUs differ by a turn: what is so for so
 * short a time is not.
 */
#ifndef TOOLS_ANALYSIS_RETIME_LATCHES_H
#define TOOLS_ANALYSIS_RETIME_LATCHES_H

#include "tools/analysis/retime/replay.h"

/* The thread has come to a GRAPH_TAKE. True: the lock is another's, and the
 * thread has given up its CPU; it goes on behind the operation. */
bool latches_take(struct replay *p, uint32_t thread, const struct graph_op *o);

/* ... to a GRAPH_GIVE: who waits longest for the lock goes on. */
void latches_give(struct replay *p, uint32_t thread, const struct graph_op *o);

/* ... to a GRAPH_WAIT that nothing has ended yet. True: it is for a lock that
 * is free, and need not be. */
bool latches_pass(const struct replay *p, uint32_t thread,
                  const struct graph_op *o);

/* The cycles of a system call that a wait takes, if it is one. */
uint64_t latches_cost(const struct replay *p, const struct graph_op *o);

#endif
