/* annotate.h - what `disasm` and `source` share: one function, hot lines. */
#ifndef TOOLS_SIMPROF_VIEW_ANNOTATE_H
#define TOOLS_SIMPROF_VIEW_ANNOTATE_H

#include "tools/analysis/profile/executions.h"
#include "tools/simprof/view/lines.h"

/* The function that the options name, else the one with the most of the
 * metric that rows are sorted by; by_function is a tally of functions. False:
 * there is none, which is said. */
bool annotate_function(const struct recording *r, const struct options *o,
                       const struct samples *s, const struct view *v,
                       uint32_t *function);

/* Values of several rows of a tally, added up. */
struct annotate_sum {
    uint64_t *exclusive, *inclusive;
};

struct annotate_sum annotate_sum(unsigned metrics);
void annotate_add(struct annotate_sum *s, const struct totals_row *row,
                  unsigned metrics);
void annotate_free(struct annotate_sum *s);
struct view_row annotate_row(const struct annotate_sum *s, const char *name);

/* How often the instructions of a row ran, if that was counted: a column that
 * both have in front of the mark, and what stands below the table. */
void annotate_executions_column(struct table *t);
void annotate_executions(struct table *t, const uint64_t *count);
void annotate_executions_say(FILE *to);

/* "##" for a value of three quarters of the most, else "". */
const char *annotate_mark(const struct view *v, const struct view_row *row,
                          uint64_t most);
uint64_t annotate_value(const struct view *v, const struct view_row *row);

#endif
