/* convoys.h - a part of locks_find: threads that let each other go on. */
#ifndef TOOLS_ANALYSIS_CAUSES_CONVOYS_H
#define TOOLS_ANALYSIS_CAUSES_CONVOYS_H

#include "tools/analysis/causes/locks.h"

/* Fill in l->convoy, by the waits for locks and queues that ended from one
 * cycle on and before another. */
void convoys_find(struct locks *l, const struct scene *s, struct places *p,
                  uint64_t from, uint64_t to);

#endif
