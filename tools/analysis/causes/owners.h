/* owners.h - who had a lock, at any cycle: from what those who waited for it
 * recorded when they began, and from who let them go on.
 *
 * A lock of the kernel's is handed to who is woken. A program's is free then,
 * and whoever comes first has it: the next record says who that was.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_OWNERS_H
#define TOOLS_ANALYSIS_CAUSES_OWNERS_H

#include "tools/analysis/causes/scene/scene.h"

struct owners_note {
    uint64_t cycle;
    uint32_t lock;
    uint32_t had;   /* up to this cycle */
    uint32_t has;   /* from then on; SCENE_NONE: who comes first */
    uint32_t woken; /* the thread that waited, and is woken then; SCENE_NONE:
                     * none is */
};

struct owners {
    struct owners_note *note; /* by lock, then time */
    size_t count, room;
};

void owners_read(struct owners *o, const struct scene *s);
void owners_free(struct owners *o);

/* The thread that had the lock which `stay` waits for, at a cycle of it;
 * SCENE_NONE: that is not known. */
uint32_t owners_at(const struct owners *o, const struct scene_stay *stay,
                   uint64_t cycle);

#endif
