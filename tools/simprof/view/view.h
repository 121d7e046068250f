/* view.h - tables of metrics: which columns, in which order, how a value is
 * written. One for all reports whose rows have metrics.
 *
 * A metric is spelled as er_print's users know it: flavors (e exclusive, i
 * inclusive, a attributed), looks (. time where it counts cycles, else a
 * count; + a count; % of the total; ! not shown), name: "ei.%cycles". A list
 * has : between; "name" may stand last, where the name always is.
 */
#ifndef TOOLS_SIMPROF_VIEW_VIEW_H
#define TOOLS_SIMPROF_VIEW_VIEW_H

#include "tools/analysis/profile/samples.h"
#include "tools/simprof/report/report.h"

enum flavor { FLAVOR_EXCLUSIVE, FLAVOR_INCLUSIVE, FLAVOR_ATTRIBUTED, FLAVORS };
enum look { LOOK_COUNT, LOOK_TIME, LOOK_PERCENT };

/* Beside the bits of flavors: rows are of stacks, which the oracle's exact
 * cycles are not; they are no column unless asked for. */
#define VIEW_STACKS (1u << FLAVORS)
/* Names are long: of counters only exclusive values unless asked for more. */
#define VIEW_BRIEF (2u << FLAVORS)

struct view_column {
    unsigned metric;
    enum flavor flavor;
    enum look look;
};

#define VIEW_COLUMNS 64

struct view {
    struct recording *r;
    const struct options *o;
    const struct samples_metrics *metrics;
    unsigned flavors; /* bits: those that rows have */
    struct view_column column[VIEW_COLUMNS];
    unsigned columns;
    struct view_column sort;
    bool by_name, backwards;
    bool as_is; /* rows stand in their order */
    bool wrap;  /* names go on in the next line */
};

struct view_row {
    const char *name;
    /* By flavor, by metric; NULL: it has none of these. */
    const uint64_t *value[FLAVORS];
    uint64_t parked; /* of its exact cycles those of CPUs not released yet:
                      * percents are of the others */
};

/* Columns and order as the options say, or as suits. False: they make no
 * sense, which is said. flavors: bits 1 << FLAVOR_... */
/* Which metrics of waits --metrics and --sort ask for: bits of offcpu.h. *good:
 * the run has them, or none is asked for; else it is refused. */
unsigned view_waits(struct recording *r, const struct options *o, bool *good);

bool view_open(struct view *v, struct recording *r, const struct options *o,
               const struct samples_metrics *metrics, unsigned flavors);

/* Is there a column of this metric? */
bool view_shows(const struct view *v, unsigned metric);

/* The columns of metrics of a table; columns of the caller's come behind. */
void view_columns(struct table *t, const struct view *v);

/* The cells of a row in those columns. total: what percents are of. */
void view_cells(struct table *t, const struct view *v,
                const struct view_row *row, const struct view_row *total);

/* Negative: a stands before b. */
int view_order(const struct view *v, const struct view_row *a,
               const struct view_row *b);

/* Sort rows, and print the total, the rows, and those behind --limit as one
 * (of which exclusive values only mean something). Title of the names. */
void view_print(const struct view *v, struct view_row *row, size_t rows,
                const struct view_row *total, const char *names, FILE *to);

#endif
