/* pools.h - work that threads share while a graph is played through again: each
 * takes the next piece when it has done its last one. Which thread did which in
 * the recording does not count: the first that comes has the next. A part of
 * replay.c; only with records of locks that say where each was taken.
 *
 * A piece begins where a thread takes a lock at some place of the program and
 * ends where it comes there again. It is shared work if threads took unequally
 * many, and none of them had its last one before any had one that was not its
 * last: so it is where threads go on until all is done. If threads waited for a
 * condition there, pieces are put there by others: the n-th can be had when the
 * lock has been given back as often by those that take it elsewhere. Where that
 * does not hold of the recording, it is no shared work.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_POOLS_H
#define TOOLS_ANALYSIS_RETIME_PLAY_POOLS_H

#include "tools/analysis/retime/play/replay.h"

struct pools_state;

/* Found when the graph has its operations: waits for a condition in front of a
 * piece are `played`. */
void pools_find(struct retime *g);
void pools_forget(struct retime *g);

/* NULL: no work is shared. */
struct pools_state *pools_open(const struct retime *g);
void pools_close(struct pools_state *s);

/* A thread is about to do its next operation. If that begins a piece it gets
 * the next one instead. True: it goes on later, with the operation that it is
 * at then. */
bool pools_claim(struct replay *p, uint32_t thread);

/* A thread has taken a lock, its next operation. True: for a piece that is not
 * there yet, so that it has given the lock back and goes on later, with that
 * operation again. */
bool pools_missing(struct replay *p, uint32_t thread);

/* Is a wait, an operation, one for a piece of shared work? Then *waits: does
 * any thread wait for one of the same. */
bool pools_waits(const struct replay *p, uint32_t wait, bool *waits);

/* A thread calls the system to wake those that wait, as it did the thread of
 * such a wait: who is about to sleep does not. */
void pools_tell(struct replay *p, struct runner *r, uint32_t wait);

/* What such a call takes of the program, in front of it and behind it. */
uint64_t pools_beside(const struct replay *p);

/* ... and wakes those that sleep. */
void pools_wake(struct replay *p, struct runner *r, uint32_t wait);

/* A thread is about to give a lock back, its next operation. True: it calls the
 * system first, which it need not in the recording, and goes on later. */
bool pools_calls(struct replay *p, uint32_t thread);

/* A thread has given a lock back, its next operation. */
void pools_given(struct replay *p, uint32_t thread);

#endif
