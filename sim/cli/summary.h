/* summary.h - a run that is over, as one line of JSON for scripts. Its fields
 * are described in docs/sampling.md.
 */
#ifndef SIM_CLI_SUMMARY_H
#define SIM_CLI_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include "sim/cli/report.h"

/* Where it will go: a file, which is made, or "" for stderr. False: `why` has
 * the line. */
bool summary_open(FILE **f, const char *file, char *why, size_t size);

/* Write the line and close. False: it could not be written. */
bool summary_json(FILE *f, const struct report_run *r);

#endif
