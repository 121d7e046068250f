/* program_line.h - the guest's boot line for --program. */
#ifndef SIM_CLI_PROGRAM_LINE_H
#define SIM_CLI_PROGRAM_LINE_H

#include <stdbool.h>

#include "include/board.h"

/* "LINE run=/bin/NAME ARGUMENT...", the name of the file `program`; arguments
 * (NULL ends them) in quotes where the guest wants them (docs/guest.md). False:
 * it is longer than a boot line can be. */
bool program_line(char text[INFO_ARGS_MAX], const char *line,
                  const char *program, char *const *argument);

#endif
