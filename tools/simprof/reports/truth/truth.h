/* truth.h - the parts of the report `truth`, a file each. */
#ifndef TOOLS_SIMPROF_REPORTS_TRUTH_TRUTH_H
#define TOOLS_SIMPROF_REPORTS_TRUTH_TRUTH_H

#include "tools/analysis/profile/accuracy.h"
#include "tools/simprof/report/report.h"

/* What --event=NAME is held against. False: it is not judged. */
bool truth_source(struct recording *r, const struct options *o,
                  const char *name, struct accuracy_source *source);

/* "12.3%"; CSV: 0.1234. */
void truth_put_share(struct table *t, double share);

/* Idle-transition samples against the context switches, and idle time against
 * the oracle. Nothing if there are none. */
void truth_put_idle(struct recording *r, const struct options *o, FILE *to);
/* Their rows of the table of errors. */
void truth_idle_rows(struct recording *r, struct table *t);

/* Active time of all that was probed, against the machine's own word. Nothing
 * if nothing was. */
void truth_put_active(struct recording *r, const struct options *o, FILE *to);

#endif
