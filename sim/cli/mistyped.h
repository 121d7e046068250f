/* mistyped.h - what is wrong with an option that cannot be obeyed, and which
 * one may have been meant.
 */
#ifndef SIM_CLI_MISTYPED_H
#define SIM_CLI_MISTYPED_H

#include <argp.h>
#include <stddef.h>

/* getopt stopped at an option: `next` is the index of the argument that it
 * would read next. `why` gets the line. */
void mistyped_option(const struct argp_option *rows, char *const *argv,
                     int next, char *why, size_t size);

#endif
