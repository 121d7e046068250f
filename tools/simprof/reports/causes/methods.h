/* methods.h - `causes --methods`. */
#ifndef TOOLS_SIMPROF_REPORTS_CAUSES_METHODS_H
#define TOOLS_SIMPROF_REPORTS_CAUSES_METHODS_H

#include "tools/analysis/causes/causes.h"
#include "tools/simprof/report/report.h"

/* What each method blames, beside gains: those of --gains, else predicted. */
void causes_methods(const struct causes *c, const struct options *o, FILE *to);

#endif
