/* report.h - what a person reads about a run: summary, registers. */
#ifndef SIM_CLI_REPORT_H
#define SIM_CLI_REPORT_H

#include <stdio.h>

#include "sim/machine/machine.h"

/* A run that is over. */
struct report_run {
    const struct machine *machine;
    const char *program;
    const char *experiment; /* NULL: none */
    int status;             /* of simrun */
    int signal;             /* that ended it, or the program; or 0 */
    double seconds;         /* of the host */
};

/* How a run ended, how long it was, what each processor did and each -e
 * counted. All simulated, but for the last line: seconds and speed of the
 * host. */
void report_summary(FILE *f, const struct report_run *r);

/* One line for a terminal, without a newline; how much is left where a limit
 * is set, or `end` is known to be the last cycle (0: it is not). */
void report_progress(FILE *f, const struct machine *m, double seconds,
                     uint64_t end);

/* What counter k of the host counted on a processor, after the run. */
uint64_t report_count(const struct machine *m, unsigned k, unsigned cpu);
/* Simulated time. */
double report_seconds(const struct machine *m, cycle_t cycles);

/* Why the run ended, for the cases that are not the guest's own wish. */
void report_end(FILE *f, const struct machine *m);

/* Registers of one processor. */
void report_registers(FILE *f, const struct core *c);

/* In words, for the log too: "power-off", "checkstop", ... */
const char *report_end_name(enum machine_end end);

#endif
