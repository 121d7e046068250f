/* lock_names.h - what a report calls the locks of a scene: by the variable or
 * the address; variables of one name by both, "lock (0x100a1c40)", as two files
 * may have a static one each.
 */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_LOCK_NAMES_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_LOCK_NAMES_H

#include "tools/analysis/causes/scene/scene.h"

struct lock_names {
    char **name; /* by the lock's number in the scene */
    uint32_t count;
};

void lock_names_open(struct lock_names *n, const struct scene *s);
void lock_names_close(struct lock_names *n);

#endif
