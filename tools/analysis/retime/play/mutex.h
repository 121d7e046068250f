/* mutex.h - locks of programs while a graph is played through again: what a
 * thread recorded between asking for one and having it is left out, and whether
 * it waits is found anew. A part of replay.c; only with records of locks
 * (lock.rec).
 *
 * A mutex that is given back is free at once: the first thread that asks takes
 * it. The thread that waited longest is woken a little later, tries again, and
 * sleeps once more if it comes too late. A lock for which threads spin is that
 * of the one that has spun longest, on its CPU. A read-write lock is handed to
 * who waits: by who had it alone to all that share it, else to the one that
 * waited longest; who shares it with others does not wait for one that wants it
 * alone. What each of these takes are medians of the recording (struct
 * graph_mutex).
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_MUTEX_H
#define TOOLS_ANALYSIS_RETIME_PLAY_MUTEX_H

#include "tools/analysis/retime/play/replay.h"

/* Is the lock of such an operation played by this file? */
bool mutex_plays(const struct replay *p, const struct graph_op *o);

/* The thread has come to a GRAPH_ASK: goes on at the GRAPH_TAKE behind it. */
void mutex_ask(struct replay *p, uint32_t thread, const struct graph_op *o);

/* ... to a GRAPH_TAKE. True: it does not have the lock yet, and comes to the
 * same operation again. */
bool mutex_take(struct replay *p, uint32_t thread, const struct graph_op *o);

/* ... to a GRAPH_GIVE. */
void mutex_give(struct replay *p, uint32_t thread, const struct graph_op *o);

/* A thread has spun for a kernel's lock as long as threads do: it waits from
 * now on if its owner has no CPU. */
void mutex_spun(struct replay *p, uint32_t thread, uint64_t cycle);

/* A thread that has a lock of the scene gives it back, as it waits for a
 * condition that is not in the recording there. */
void mutex_drop(struct replay *p, uint32_t thread, uint32_t lock);

/* A wake-up of one of those that wait for a lock of the scene. */
void mutex_wake(struct replay *p, uint32_t lock, uint64_t cycle);

/* A call for a word begins in a cycle: by how many cycles it is later as
 * another one has the kernel's lock for that word then. `met` is when one has
 * it, and then when this one does. */
uint64_t mutex_meets(const struct retime *g, struct graph_word *met,
                     uint64_t begin, enum graph_words does);

#endif
