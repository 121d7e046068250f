/* markcost.h - what marks cost, as the last part of the report `marks`. */
#ifndef TOOLS_SIMPROF_MARKCOST_H
#define TOOLS_SIMPROF_MARKCOST_H

#include "tools/simprof/report.h"

void report_markcost(struct recording *r, const struct options *o, FILE *to,
                     bool *begun);

#endif
