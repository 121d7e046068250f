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

/* What halving the roots of rows of `gap` would bring, an object for each state
 * and function of a root: {state, function, saves, badge, try} as above, of the
 * first GAP_ROOTS of these. The caller owns the reference. */
#define GAP_ROOTS 12
json_t *scene_gap_saves(struct scene *s, const json_t *rows);

#endif
