/* spun.h - a part of locks_find: threads that did not leave their CPU while
 * others had a lock.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_SPUN_H
#define TOOLS_ANALYSIS_CAUSES_SPUN_H

#include "tools/analysis/causes/locks.h"

/* The lock that a thread spins for, of functions that take locks, or one that
 * is a word; SCENE_NONE: the word is none. */
struct spun {
    const struct scene *scene;
    struct hash words; /* by process and address: the lock, from 1 */
};

void spun_open(struct spun *u, const struct scene *s);
uint32_t spun_lock(const struct spun *u, const struct scene_spin *spin);
void spun_close(struct spun *u);

/* Had a thread spun before it took a lock? */
bool spun_before(const struct spun *u, const struct scene_hold *h);

/* Of spins from one cycle to another, and of locks taken in that; of one
 * thread, or, SCENE_NONE, of all. */
void spun_find(struct locks *l, const struct scene *s, uint32_t thread,
               uint64_t from, uint64_t to);

#endif
