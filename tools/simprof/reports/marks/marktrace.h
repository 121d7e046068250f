/* marktrace.h - what was traced between marks, as a part of the report
 * `marks`. */
#ifndef TOOLS_SIMPROF_REPORTS_MARKS_MARKTRACE_H
#define TOOLS_SIMPROF_REPORTS_MARKS_MARKTRACE_H

#include "tools/simprof/report/report.h"

void report_marktrace(struct recording *r, const struct options *o, FILE *to,
                      bool *begun);

#endif
