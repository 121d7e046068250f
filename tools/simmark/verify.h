/* verify.h - simmark verify, and its exit status. */
#ifndef TOOLS_SIMMARK_VERIFY_H
#define TOOLS_SIMMARK_VERIFY_H

#include "tools/simmark/program.h"

#define EXIT_DIFFERS 1
#define EXIT_BROKEN 125

/* Check p's marks and print its segments; with the name of another program
 * (NULL: none), compare what the two load. */
int program_verify(struct program *p, const char *other);

#endif
