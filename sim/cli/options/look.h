/* look.h - options that look into chosen parts of a run: --pipe,
 * --record-lines, --view. Each writes an experiment.
 */
#ifndef SIM_CLI_OPTIONS_LOOK_H
#define SIM_CLI_OPTIONS_LOOK_H

#include "sim/cli/options.h"

/* What stood behind the option; of --view perhaps nothing, NULL. False: `why`
 * has the line. The text must stay. */
bool look_options_pipe(struct options *o, const char *text, char *why,
                       size_t size);
bool look_options_lines(struct options *o, const char *text, char *why,
                        size_t size);
bool look_options_view(struct options *o, const char *text, char *why,
                       size_t size);

/* All was read, the timing model is chosen: do they go together with the
 * others? False: `why` has the line. */
bool look_options_check(const struct options *o, char *why, size_t size);

#endif
