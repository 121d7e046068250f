/* same_code.h - functions that the compiler or linker has made one of: the same
 * instructions under several names, of which one is shown.
 */
#ifndef TOOLS_SIMPROF_REPORT_SAME_CODE_H
#define TOOLS_SIMPROF_REPORT_SAME_CODE_H

#include <stdio.h>

#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/symbols/sources.h"

struct options;

/* Say "f (same code as g, h)" of each of these functions, once, of which that
 * is so and whose source lines are known: what a library calls itself by
 * several names is no news. LOADMAP_UNKNOWN is none. */
void same_code_say(struct recording *r, struct sources *sources,
                   const uint32_t *function, size_t count,
                   const struct options *o, FILE *to);

#endif
