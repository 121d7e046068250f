/* saves.h - what changing a root of idle time would bring. */
#ifndef TOOLS_SIMPROF_SCENE_SAVES_H
#define TOOLS_SIMPROF_SCENE_SAVES_H

#include "tools/simprof/scene/scene.h"

#define SAVES_SPEC 512 /* bytes */

/* What halves a root, `what` it is and the function it is in, as --what-if has
 * it; what frees threads of their masks; "": nothing in the machine does that,
 * as for masks of Linux. */
const char *saves_halving(const struct recording *r, const char *what,
                          const char *function, char out[SAVES_SPEC]);

/* Can simrun be told so? It knows no name that stands with its program or file,
 * as in "memcpy (app)", since several functions have it. */
bool saves_has_name(const char *spec);

/* What `simprof predict` says of a change, in percent of the whole run.
 * *how: "at most", "maybe" where it is in doubt, "" else. False: it says
 * nothing. */
bool saves_predicted(const struct scene *s, const char *spec, double *gain,
                     const char **how);

#endif
