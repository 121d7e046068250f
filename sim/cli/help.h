/* help.h - the command line explained: what --help prints. */
#ifndef SIM_CLI_HELP_H
#define SIM_CLI_HELP_H

#include <argp.h>
#include <stdio.h>

/* The most wanted options and some examples; fits a screen. `rows` are those
 * of options.def in their order, the last one empty. */
void help_brief(FILE *f, const struct argp_option *rows);

/* Every option by group, then every knob. */
void help_all(FILE *f, const struct argp_option *rows);

#endif
