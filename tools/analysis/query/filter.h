/* filter.h - an expression as it was typed, and why it is none. */
#ifndef TOOLS_ANALYSIS_QUERY_FILTER_H
#define TOOLS_ANALYSIS_QUERY_FILTER_H

#include "tools/analysis/query/expr.h"

#define FILTER_WHY 1200 /* room for a reason */

/* The expression of a text about the records of r. NULL: it is none, or names
 * what r has not; `why` says what, and shows the place below it. Without r
 * names are not looked up. The caller frees. */
struct expr *filter_open(const char *text, struct recording *r,
                         const struct samples_metrics *metrics, char *why,
                         size_t size);

#endif
