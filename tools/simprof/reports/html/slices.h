/* slices.h - what the page of `simprof html` adds up when a person chooses an
 * interval: functions, the call tree, causes, locks, threads and what samples
 * are held against, by slice of time.
 */
#ifndef TOOLS_SIMPROF_REPORTS_HTML_SLICES_H
#define TOOLS_SIMPROF_REPORTS_HTML_SLICES_H

#include <jansson.h>

#include "tools/simprof/report/report.h"

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
 *   locks, threads, truth  slices_locks.h, slices_threads.h, slices_truth.h;
 *              no counter is judged where samples are `crowded` (scene.h)
 * account, stacks and causes are packed (deflated.h). The interval is
 * [from, to); the caller owns the reference. */
json_t *html_slices(struct recording *r, const struct options *o, uint64_t from,
                    uint64_t to, bool crowded);

#endif
