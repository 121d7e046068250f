/* root_words.h - a root of idle time in words: a row of `causes` (or `path`) as
 * rows_read (session/rows.h) has it.
 */
#ifndef TOOLS_SIMPROF_SCENE_ROOT_WORDS_H
#define TOOLS_SIMPROF_SCENE_ROOT_WORDS_H

#include <jansson.h>
#include <stdbool.h>

#include "tools/simprof/scene/scene.h"

#define ROOT_FUNCTION 256 /* bytes of a function's name, with its end */

/* Function n of its stack, the innermost is 0; "": so many are not recorded.
 * Returns out. */
const char *root_function(const json_t *row, unsigned n,
                          char out[ROOT_FUNCTION]);

/* What its function does, the end of "a function, which ...". */
const char *root_does(const json_t *row);

/* What it is, where its function is not recorded: "a device". */
/* One or two words for it, behind its function. */
const char *root_briefly(const json_t *row);
const char *root_noun(const json_t *row);

/* Functions that several others call, by the call tree of the scene: an object
 * with a key for each, the caller's. */
json_t *root_shared_functions(struct scene *s);

/* Is a root the work of its innermost function's caller, one of several? Only
 * if that has a caller, too, and is not a thread's outermost function, which
 * would stand for all that the thread does. */
bool root_is_shared(const json_t *row, const json_t *shared);

/* Rows of `causes` with one for each thing to change: those that are of the
 * same kind and line, and of the same function or, where it is shared, caller,
 * are put together, most cycles first. Each has in the column ROOT_COMMON how
 * many functions of its stack all have that it is made of. The caller owns the
 * reference. */
json_t *root_joined(const json_t *causes, const json_t *shared);
#define ROOT_COMMON "common"

#endif
