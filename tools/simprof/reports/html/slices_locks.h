/* slices_locks.h - of slices of time, what `simprof locks` prints of any of
 * them in a row.
 */
#ifndef TOOLS_SIMPROF_REPORTS_HTML_SLICES_LOCKS_H
#define TOOLS_SIMPROF_REPORTS_HTML_SLICES_LOCKS_H

#include <jansson.h>

#include "tools/analysis/causes/places.h"
#include "tools/analysis/profile/slices.h"

/* An object; the caller owns the reference:
 *   names     [name, process, threads] of each lock
 *   recorded  is each time known that one was taken?
 *   all       locks that there are, of which `names` has the most waited for
 *   sums      packed as in slices.h, by lock times 21: of waits, holds,
 *             takings, waits of readers and their takings that lie in one slice
 *             times, cycles, the longest; takings that had waited, and those of
 *             readers; what holders did (enum locks_holder)
 *   spans     of those in several slices lock times 5 plus which, from, to
 *   legs      of critical paths (path.h): slice, next or -1, cycles, how many
 *             locks, and of each its number and cycles; null: too many
 *   last      by slice: the leg of the path that ends with it, or -1 */
json_t *html_locks(struct recording *r, const struct scene *scene,
                   struct places *places, const struct slices *slices);

#endif
