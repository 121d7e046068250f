/* report.h - what a person reads about a run: summary, registers. */
#ifndef SIM_REPORT_H
#define SIM_REPORT_H

#include <stdio.h>

#include "sim/machine.h"

/* How a run ended, how long it was, what each processor did. All simulated,
 * but for the last line: seconds and speed of the host. */
void report_summary(FILE *f, const struct machine *m, double seconds);

/* One line for a terminal, without a newline. */
void report_progress(FILE *f, const struct machine *m, double seconds);

/* Why the run ended, for the cases that are not the guest's own wish. */
void report_end(FILE *f, const struct machine *m);

/* Registers of one processor. */
void report_registers(FILE *f, const struct core *c);

/* In words, for the log too: "power-off", "checkstop", ... */
const char *report_end_name(enum machine_end end);

#endif
