/* markcost.h - what marks cost, as the last part of the report `marks`. */
#ifndef TOOLS_SIMPROF_REPORTS_MARKS_MARKCOST_H
#define TOOLS_SIMPROF_REPORTS_MARKS_MARKCOST_H

#include "tools/simprof/reports/marks/marks.h"

/* What the guest's own counts are of: in text a sentence, if it has any. */
void report_marklook(struct recording *r, const struct options *o,
                     const struct mark_counts *m, FILE *to, bool *begun);
void report_markcost(struct recording *r, const struct options *o, FILE *to,
                     bool *begun);

#endif
