/* deadlock.h - threads that wait for locks of each other's where the records
 * end, or for what no thread does any more.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_DEADLOCK_H
#define TOOLS_ANALYSIS_CAUSES_DEADLOCK_H

#include "tools/analysis/causes/chain.h"

/* The first such circle, in the order of threads: each hop waits for a lock
 * that the next one has, and the last for one that the first has, which is
 * c->thread[0]. One hop: a thread waits for a lock that it has itself. False:
 * there is none. */
bool deadlock_find(struct chain *c, const struct scene *s);

/* Who has the lock that a thread asks in vain (scene_thread.asked) where the
 * records end, in its address space; NULL: that is not known, or it is no lock.
 */
const struct scene_hold *deadlock_holds(const struct scene *s, uint32_t thread);

/* Does each thread that has not ended wait where the records end, of a run that
 * came to that itself, for one that never wakes it, or ask a word in vain,
 * which none writes? Then the first ones that wait for something else than a
 * thread's end, CHAIN_HOPS at most, are hops of c, each on its own; *more: how
 * many others there are. */
bool deadlock_waits(struct chain *c, const struct scene *s, uint32_t *more);

#endif
