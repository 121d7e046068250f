/* marks.h - between the files of the report `marks` only: where a mark is, and
 * count areas (docs/pif.md 15), which markareas.c shows.
 */
#ifndef TOOLS_SIMPROF_REPORTS_MARKS_MARKS_H
#define TOOLS_SIMPROF_REPORTS_MARKS_MARKS_H

#include "tools/analysis/profile/mark_counts.h"
#include "tools/simprof/report/report.h"

#define MARKS_NAME 512

/* "main+0x1c", or of data "table+8". */
void marks_place(struct recording *r, const struct mark_count *k,
                 char out[MARKS_NAME]);
/* "host", "guest" */
const char *marks_unit(const struct mark_count *k);
/* Is this part asked for? CSV has one part only, marks unless said otherwise.
 */
bool marks_wants(const struct options *o, enum marks_part part);
/* A table that is complete: its title and itself, if there is something in it;
 * in CSV always, without the title. A blank line stands between two. Frees t.
 */
void marks_table(const struct options *o, FILE *to, bool *begun,
                 const char *title, struct table *t);
/* What the limit left out, in text. */
void marks_more(const struct options *o, FILE *to, uint64_t more);

/* Does the run have count areas? */
bool markareas_any(const struct recording *r);
/* A table of them, and one of their units that are not zero. */
void markareas_tables(struct recording *r, const struct options *o,
                      const struct mark_counts *m, FILE *to, bool *begun);
/* The units as rows of the report's CSV. */
void markareas_rows(struct recording *r, const struct options *o,
                    const struct mark_counts *m, struct table *t);

#endif
