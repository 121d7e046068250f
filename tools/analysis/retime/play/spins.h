/* spins.h - threads that wait for a word in a loop, without a system call,
 * while a graph is played through again. Such a thread keeps its CPU until the
 * word is written, its time slice is over while another thread waits for the
 * CPU, or it calls the system to wait. A part of replay.c.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_SPINS_H
#define TOOLS_ANALYSIS_RETIME_PLAY_SPINS_H

#include "tools/analysis/retime/play/replay.h"

/* A thread is on a CPU and comes to a wait for a word that is not written yet.
 * False: it leaves the CPU for that. */
bool spins_begin(struct replay *p, uint32_t thread, const struct graph_op *o);

/* Does it wait so now? */
static inline bool spins_on(const struct runner *r)
{
    return r->asleep && r->on;
}

/* ... and so for a program's lock, which another thread has? */
static inline bool spins_for(const struct replay *p, const struct runner *r)
{
    return r->lock && r->on &&
           graph_lock_is(p->g, r->lock - 1) != GRAPH_LOCK_KERNEL;
}

/* The word is written, so that it goes on in a cycle: on its own CPU. */
void spins_end(struct replay *p, uint32_t thread, uint64_t cycle);

/* It is to call the system in a cycle, and leaves the CPU until the word is
 * written. */
void spins_call(struct replay *p, uint32_t thread, uint64_t cycle);

#endif
