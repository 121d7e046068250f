/* gap.h - one idle gap as it can be drawn, and what halving its root saves. */
#ifndef TOOLS_SIMPROF_SCENE_GAP_H
#define TOOLS_SIMPROF_SCENE_GAP_H

#include "tools/simprof/scene/scene.h"

/* The gap of a CPU that a cycle lies in, an object:
 *   cpu, cycle     as asked for
 *   command        what prints the rows
 *   rows           of the report `gap`; none: that CPU was not idle then
 *   words          why, as a sentence, or ""
 *   saves, badge, try   what halving the root would bring in all of the run;
 *                  where that is known from; the command that tries it
 * The caller owns the reference. */
json_t *scene_gap(struct scene *s, long cpu, uint64_t cycle);

#endif
