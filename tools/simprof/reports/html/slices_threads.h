/* slices_threads.h - of slices of time, what `simprof statistics` prints of any
 * of them in a row.
 */
#ifndef TOOLS_SIMPROF_REPORTS_HTML_SLICES_THREADS_H
#define TOOLS_SIMPROF_REPORTS_HTML_SLICES_THREADS_H

#include <jansson.h>

#include "tools/analysis/profile/sliced.h"

/* An object {threads, sums}: the numbers of threads; packed (deflated.h), by
 * thread times 7 plus group (statistics.h), cycles, and plus 6 twelfths of what
 * the account has. The caller owns the reference. */
json_t *html_threads(struct recording *r, const struct sliced *sliced);

#endif
