/* what_if_options.h - what --what-if asks for, of this run. */
#ifndef SIM_CLI_WHAT_IF_OPTIONS_H
#define SIM_CLI_WHAT_IF_OPTIONS_H

#include "sim/cli/options.h"

/* All options are read: has each spec a meaning here? s->cpus gets its share.
 * False: `why` has the line. */
bool what_if_options_check(struct options *o, char *why, size_t size);

/* Before the first turn: where functions are. False: `why` has the line. */
bool what_if_options_find(const struct options *o, struct machine *m, char *why,
                          size_t size);

#endif
