/* slices.h - what the page of `simprof html` adds up when a person chooses an
 * interval: functions, the call tree and causes, by slice of time.
 */
#ifndef TOOLS_SIMPROF_REPORTS_HTML_SLICES_H
#define TOOLS_SIMPROF_REPORTS_HTML_SLICES_H

#include <jansson.h>

#include "tools/analysis/experiment/recording.h"

/* An object, or null if the run has no account whose intervals could be slices:
 *   edges      cycles at which slices begin, and the end of the last
 *   functions  names; cells, of which each is CPU, function, reason; account:
 *              twelfths of cycles by cell
 *   reasons    names
 *   metrics    names; nodes, of which each is its parent and a function, the
 *              first being all, a function of -1 all others; stacks: events by
 *              node times metrics plus metric, of the node alone
 *   whats      all there may be, in the order of equal rows
 *   roots      [what, functions]; charges, of which each is a root and the
 *              number of one of `lines`; causes: idle cycles by charge
 *   states     of each slice {state: cycles}, with "busy" of CPUs
 * account, stacks and causes are packed (lib/base/pack.h) in base64: of each
 * slice the number of its entries, then each as how much its number is more
 * than the one before it, and how many. The interval is [from, to); the
 * caller owns the reference. */
json_t *html_slices(struct recording *r, const char *experiment, uint64_t from,
                    uint64_t to);

#endif
