/* output.h - files that simrun writes beside an experiment: the log of
 * instructions and the summary.
 */
#ifndef SIM_HOST_OUTPUT_H
#define SIM_HOST_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "sim/cli/options.h"

/* Is none of them the program, the log that is replayed, or another of them?
 * False: `why` has the line. Nothing is opened. */
bool output_check(const struct options *o, char *why, size_t size);

/* Open what `option` names to write, empty. A pipe that nothing reads is not
 * waited for. NULL: `why` has the line. */
FILE *output_open(const char *option, const char *file, char *why, size_t size);

/* Say on stderr that `what` of `option` cannot be written to the file, or
 * (NULL) to stderr. */
void output_lost(const char *option, const char *file, const char *what);

/* The same file, of which a reader that takes nothing is waited for until a
 * signal can be read from `signals`; from then on writing fails. Takes f over.
 * NULL: the host has no memory. */
FILE *output_heed(FILE *f, int signals);

#endif
