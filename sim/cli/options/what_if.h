/* what_if.h - what --what-if asks for, of this run. */
#ifndef SIM_CLI_OPTIONS_WHAT_IF_H
#define SIM_CLI_OPTIONS_WHAT_IF_H

#include "sim/cli/options.h"
#include "sim/tasks/marked.h"

/* All options are read: has each spec a meaning here? s->cpus gets its share.
 * False: `why` has the line. */
bool what_if_options_check(struct options *o, char *why, size_t size);

/* The image is open. Functions of programs inside a Linux kernel: their files,
 * below --sysroot, are opened as those of `programs`. False: `why` has the
 * line.
 */
bool what_if_options_inside(struct options *o, const struct image *image,
                            struct marked_files *programs, char *why,
                            size_t size);

/* Before the first turn: where functions are. False: `why` has the line. */
bool what_if_options_find(const struct options *o, struct machine *m, char *why,
                          size_t size);

/* The run is over. On `to`, a line each: functions that were not called, and
 * locks that were not taken, so that nothing was scaled. */
void what_if_options_tell(const struct machine *m, FILE *to);

#endif
