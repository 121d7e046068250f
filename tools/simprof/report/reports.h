/* reports.h - the reports there are (reports.def), by name. */
#ifndef TOOLS_SIMPROF_REPORT_REPORTS_H
#define TOOLS_SIMPROF_REPORT_REPORTS_H

#include <stdint.h>

#include "lib/base/did_you_mean.h"
#include "tools/simprof/report/report.h"

#define REPORTS_NAME 64 /* room for a name */

struct report {
    const char *name; /* callers_callees is written callers-callees */
    const char *text; /* what it shows */
    uint64_t takes;   /* bits OPTION_... */
    void (*print)(struct recording *r, const struct options *o, FILE *to);
};

/* The report that these words begin with; a name is one word or two (tree
 * build). *words of them are the name. NULL: none. */
const struct report *reports_find(int count, char *const *word, int *words);

/* Number i, in the order of the help text; NULL: there are no more. */
const struct report *reports_at(size_t i);

/* The name as a person writes it. */
const char *reports_spelled(const struct report *report,
                            char out[REPORTS_NAME]);

/* Every report with its line, in groups, as --help has them. */
void reports_list(FILE *to);

#define REPORTS_LEFT 19 /* columns that a name has there */

/* "; did you mean functions?", or "". */
const char *reports_near(const char *word, char out[DID_YOU_MEAN_TEXT]);

/* What --help of a report says. */
void reports_help(const struct report *report, FILE *to);

/* Print a report, unless an option asks for what the experiment has not. */
void reports_print(const struct report *report, struct recording *r,
                   const struct options *o, FILE *to);

#endif
