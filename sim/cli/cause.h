/* cause.h - why a processor stopped, or cannot go on: the first exception of
 * those that led there, in words.
 */
#ifndef SIM_CLI_CAUSE_H
#define SIM_CLI_CAUSE_H

#include <stdio.h>

#include "sim/machine/machine.h"

/* The machine ended in a checkstop: what its culprit met first and where, and
 * what to do; then its registers. */
void cause_checkstop(FILE *f, const struct machine *m);

/* The run was ended from outside, by a limit or a signal: say of every CPU
 * that got nowhere because of an exception, of which one. */
void cause_stuck(FILE *f, const struct machine *m);

#endif
