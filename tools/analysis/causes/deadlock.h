/* deadlock.h - threads that wait for locks of each other's where the records
 * end.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_DEADLOCK_H
#define TOOLS_ANALYSIS_CAUSES_DEADLOCK_H

#include "tools/analysis/causes/chain.h"

/* The first such circle, in the order of threads: each hop waits for a lock
 * that the next one has, and the last for one that the first has, which is
 * c->thread[0]. One hop: a thread waits for a lock that it has itself. False:
 * there is none. */
bool deadlock_find(struct chain *c, const struct scene *s);

#endif
