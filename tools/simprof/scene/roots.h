/* roots.h - idle time by its roots, as a tree of calls. */
#ifndef TOOLS_SIMPROF_SCENE_ROOTS_H
#define TOOLS_SIMPROF_SCENE_ROOTS_H

#include <jansson.h>

/* Of rows of `causes`, rows as `calltree` has them, with the column incl_idle:
 * what is at the end of the chain, the functions that are known there, the
 * outermost first, and what the thread did in them. The caller owns the
 * reference. */
json_t *scene_roots(const json_t *causes);

#endif
