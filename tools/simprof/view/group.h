/* group.h - reports whose rows are what frames are part of: functions, lines,
 * instructions, load objects. */
#ifndef TOOLS_SIMPROF_VIEW_GROUP_H
#define TOOLS_SIMPROF_VIEW_GROUP_H

#include "tools/analysis/profile/totals.h"
#include "tools/simprof/report/report.h"
#include "tools/simprof/report/select.h"
#include "tools/simprof/view/view.h"

#define GROUP_NAME 1024 /* room for a row's name */

struct grouping {
    totals_key *key;
    /* How a row is called; frame is one of it. */
    void (*name)(void *arg, const struct samples_frame *frame,
                 char out[GROUP_NAME]);
    void *arg;      /* of both */
    bool functions; /* rows are of functions only */
};

/* Rows are of functions. */
struct grouping group_by_function(struct recording *r);

/* A profile read as the options say and added up by a grouping. */
struct group {
    struct recording *r;
    const struct options *o;
    struct selection selection;
    struct samples samples;
    struct totals tally;
    struct view view;
    char **name;     /* by row of the tally */
    uint64_t parked; /* exact cycles of CPUs that were not released yet */
};

/* False: the options make no sense, which is said; nothing is held. */
bool group_open(struct group *g, struct recording *r, const struct options *o,
                const struct grouping *by, unsigned flavors);
void group_close(struct group *g);

/* Row i as a row of the view; the total. */
struct view_row group_row(const struct group *g, size_t i);
struct view_row group_total(const struct group *g);

/* The row, of a tally by function, that a person calls by this name or alias;
 * -1: none, which is said. */
long group_named(const struct group *g, const char *name);

/* The whole report: heading, what is left out, table, what the columns are.
 * title and names NULL: no heading. */
void group_report(struct recording *r, const struct options *o,
                  const struct grouping *by, const char *title,
                  const char *names, FILE *to);

/* What the samples of the counters are, and what is not known, in words. */
void group_foot(const struct group *g, FILE *to);

/* The name of a load object without its build-id. The caller frees. */
char *group_object(const struct recording *r, uint32_t function);

#endif
