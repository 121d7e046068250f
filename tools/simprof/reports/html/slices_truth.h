/* slices_truth.h - of slices of time, what `simprof truth` holds the samples of
 * a counter against, of any of them in a row.
 */
#ifndef TOOLS_SIMPROF_REPORTS_HTML_SLICES_TRUTH_H
#define TOOLS_SIMPROF_REPORTS_HTML_SLICES_TRUTH_H

#include <jansson.h>

#include "tools/analysis/profile/slices.h"
#include "tools/simprof/report/report.h"

#define HTML_JUDGED 8 /* counters, at most */

struct html_truth {
    unsigned counters;
    char name[HTML_JUDGED][128];
    uint32_t number[HTML_JUDGED]; /* in records */
    /* The account tells, and of which cycles (enum accuracy_mode); else
     * records do. */
    bool account[HTML_JUDGED];
    unsigned mode[HTML_JUDGED];
    uint32_t *function; /* of the load map */
    size_t functions, room;
    struct hash at;
    /* By function, counter and which: samples whose record names the function,
     * those whose interrupt meets it. */
    struct slice_sums sums;
    bool begins, ends; /* slices do where intervals of the account do */
};

/* Which counters, of those that are judged. */
void html_truth_open(struct html_truth *t, struct recording *r,
                     const struct options *o);
/* Samples by slice; only once the slices are what they stay. */
void html_truth_read(struct html_truth *t, struct recording *r,
                     const struct slices *slices);
void html_truth_free(struct html_truth *t);

/* An object; the caller owns the reference. `number` has the function's in
 * the page:
 *   judged      [name, mode]; -1: what records name is exact
 *   functions   numbers in the page
 *   sums        packed, by (function * counters + counter) * 2 + which
 *   system      by reason: is it the system's?
 *   begins, ends  as above */
json_t *html_truth_json(const struct html_truth *t, const struct recording *r,
                        uint32_t (*number)(void *arg, uint32_t function),
                        void *arg);

#endif
