/* rows.h - what a report prints, for a program in the same process. */
#ifndef TOOLS_SIMPROF_SESSION_ROWS_H
#define TOOLS_SIMPROF_SESSION_ROWS_H

#include <jansson.h>

#include "tools/simprof/report/report.h"

#define ROWS_WORDS 24 /* at most, of one report */

/* What `simprof WORD... EXPERIMENT` prints, from the report's name on; the
 * caller frees. Where it refuses, *why says so and "" is returned. Notes and
 * damage join r->problems. */
char *rows_text(struct recording *r, const char *experiment, int count,
                const char *const *word, struct refusal *why);

/* The same with --json, as an array of objects (empty: no rows); the caller
 * owns the reference. */
json_t *rows_read(struct recording *r, const char *experiment, int count,
                  const char *const *word, struct refusal *why);

#endif
