/* markcost.h - what marks cost, as the last part of the report `marks`. */
#ifndef TOOLS_SIMPROF_MARKCOST_H
#define TOOLS_SIMPROF_MARKCOST_H

#include "tools/simprof/marks.h"

/* What the guest's own counts are of: in text a sentence, if it has any. */
void report_marklook(struct recording *r, const struct options *o,
                     const struct markcounts *m, FILE *to, bool *begun);
void report_markcost(struct recording *r, const struct options *o, FILE *to,
                     bool *begun);

#endif
