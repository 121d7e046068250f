/* line.h - which line of a function to look at. */
#ifndef TOOLS_SIMPROF_SCENE_LINE_H
#define TOOLS_SIMPROF_SCENE_LINE_H

#include <jansson.h>
#include <stdbool.h>

#include "tools/simprof/scene/scene.h"

/* Each puts "file:line" into the column "line" of `to`, and returns false and
 * leaves it as it is where no line is known. */

/* The function's line with most cycles of its own. */
bool line_hottest(struct scene *s, const char *function, json_t *to);

/* That which is dearest with what it calls, by samples; without any, the
 * hottest. */
bool line_of(struct scene *s, const char *function, json_t *to);

/* Of a function without line numbers, such as one of a library: line_of of the
 * nearest function around it that has some, by most cycles of the call tree. */
bool line_of_caller(struct scene *s, const char *function, json_t *to);

#endif
