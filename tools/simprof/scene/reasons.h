/* reasons.h - rows of `functions --reasons`: what cycles of a function were
 * lost to. A row is as rows_read (session/rows.h) has it.
 */
#ifndef TOOLS_SIMPROF_SCENE_REASONS_H
#define TOOLS_SIMPROF_SCENE_REASONS_H

#include <jansson.h>
#include <stdbool.h>

/* A column that is a reason. */
bool scene_is_reason(const char *column);

/* What most of a row was lost to, beside completing instructions: a name of a
 * column, the row's; NULL: nothing. */
const char *scene_dearest(const json_t *row);

/* What a reason means, in words (pmu/stalls.def). */
const char *scene_sense_of(const char *reason);

/* Does a reason of a row cost so much that it is worth naming? NULL does
 * not. */
bool scene_stands_out(const json_t *row, const char *reason);

#endif
