/* filter.h - expressions over the records of an experiment, as filters and as
 * the index of index objects. The atoms are the rows of fields.def, the list is
 * the stack: "txn" in stack. The engine: lib/expr/expr.h; the manual:
 * docs/expressions.md.
 *
 * A field that a kind of record does not have is missing.
 */
#ifndef TOOLS_ANALYSIS_QUERY_FILTER_H
#define TOOLS_ANALYSIS_QUERY_FILTER_H

#include "lib/expr/expr.h"
#include "tools/analysis/profile/samples.h"

#define FILTER_WHY 1200 /* bytes of a reason, with its end */

/* What an expression is asked about: the `about` of expr_value and expr_holds.
 */
struct filter_about {
    struct recording *r;
    const struct samples_metrics *metrics;
    const struct record *record; /* REC_PROFILE, _ORACLE, _IDLE or _IRQ */
};

/* The expression of a text; NULL: *error says why it is none. Names of
 * functions, threads and the like are not looked up. The caller frees it with
 * expr_free. */
struct expr *filter_parse(const char *text, struct expr_error *error);

/* Is everything that it names in this recording: functions, load objects,
 * counters, threads, CPUs, states? False: *error says what is not. No record is
 * asked for. */
bool filter_names(const struct expr *e, const struct filter_about *about,
                  struct expr_error *error);

/* The expression of a text about the records of r, its names looked up. NULL:
 * it is none, or names what r has not; `why` gets what expr_show writes.
 * Without r names are not looked up. The caller frees it with expr_free. */
struct expr *filter_open(const char *text, struct recording *r,
                         const struct samples_metrics *metrics, char *why,
                         size_t size);

#endif
