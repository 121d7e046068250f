/* build.h - parts of scene_read: CPUs, from switch.rec, locks, and where
 * threads were, from profile.rec and the stacks of stays and wake-ups.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_SCENE_BUILD_H
#define TOOLS_ANALYSIS_CAUSES_SCENE_BUILD_H

#include "tools/analysis/causes/scene/scene.h"
#include "tools/analysis/states/happenings.h"

/* Numbers of locks in stays, and holds, from lock.rec. Stays are there. */
void scene_read_locks(struct scene *s);
/* The number of a lock, a new one if it has none; `at`: locks by kind, object
 * and process. */
uint32_t scene_number_lock(struct scene *s, struct hash *at,
                           const struct scene_lock *l);
/* Who spun for a lock, and who had it; or for a word. Holds and polls are
 * there. */
void scene_read_spins(struct scene *s);
/* Which waits in a queue are for a read-write lock that lock.rec does not tell.
 */
void scene_read_rwlocks(struct scene *s, struct hash *at);
/* Whose sleeps ended when another thread had written a word, from poll.rec.
 * Stays are there. */
void scene_read_polls(struct scene *s);
/* Before stays are made of what threads did, by thread, then time: where one
 * looks again and again at a word without sleeping, it is in a stay of its own,
 * or in several. */
void scene_part_polls(struct happenings *h, struct recording *r);
/* Stays and wake-ups are there. */
void scene_read_stints(struct scene *s);
void scene_read_spots(struct scene *s);

#endif
