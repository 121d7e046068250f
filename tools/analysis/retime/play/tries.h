/* tries.h - sleeps of a thread that tries to take a lock
 * (pthread_mutex_trylock) and sleeps each time that another thread has it,
 * while a graph is played through again. It takes the lock if that is free when
 * a sleep is over, no matter which thread gave it back. A part of replay.c.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_TRIES_H
#define TOOLS_ANALYSIS_RETIME_PLAY_TRIES_H

#include "tools/analysis/retime/play/replay.h"

/* Is a wait one of those sleeps? */
bool tries_is(const struct graph_op *o);

/* So many cycles does it sleep now: once, up to its next look; where locks are
 * left out as often as in the recording. */
uint64_t tries_sleep(struct replay *p, uint32_t thread,
                     const struct graph_op *o);

/* It comes to such sleeps, and the lock is free already: it goes on to take it.
 */
bool tries_at_once(struct replay *p, uint32_t thread, const struct graph_op *o);

/* The lock is another one's when it comes to take it: it is back at the sleeps
 * that it had in front of that. */
bool tries_again(struct replay *p, uint32_t thread, const struct graph_op *o);

/* ... or, as it had none, it has left its CPU for one like those of others that
 * tried this lock, and comes back to take it. */
bool tries_later(struct replay *p, uint32_t thread, const struct graph_op *o);

#endif
