/* tails.h - functions that a stack does not show, since they ended with a jump
 * to another one, which then stands where they were called.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_TAILS_H
#define TOOLS_ANALYSIS_CAUSES_TAILS_H

#include "tools/analysis/causes/scene/scene.h"

/* By frame: the function that it is in. The caller frees it. */
uint32_t *tails_functions(const struct scene *s);

/* By frame: the function that its caller called, if that is another one than
 * `function` says; else LOADMAP_UNKNOWN. The caller frees it. The code is that
 * of the experiment's archives: without them there are none. */
uint32_t *tails_find(const struct scene *s, const uint32_t *function);

#endif
