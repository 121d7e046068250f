/* idle.h - the idle report's parts, for one another. */
#ifndef TOOLS_SIMPROF_IDLE_H
#define TOOLS_SIMPROF_IDLE_H

#include "tools/lib/account.h"
#include "tools/lib/idle.h"
#include "tools/simprof/lines.h"
#include "tools/simprof/select.h"

/* The analysis, and the CPUs of it that are shown. */
struct idle_view {
    struct recording *r;
    const struct options *o;
    struct idle d;
    struct account a;
    struct selection selection;
    struct lines_of *lines; /* of --pcs in text */
    unsigned first, last;   /* first to last - 1 */
};

/* A metric of a node over the CPUs shown: of the stacks that end there, and
 * of all that pass through. */
uint64_t idle_view_base(const struct idle_view *v, uint32_t node,
                        enum idle_metric m);
uint64_t idle_view_total(const struct idle_view *v, uint32_t node,
                         enum idle_metric m);
/* Cycles of the idle threads. */
uint64_t idle_view_cycles(const struct idle_view *v);
/* "all" or the one CPU's number. */
const char *idle_view_cpu(const struct idle_view *v, char out[16]);

/* The nodes in which stacks with this metric end, most first. *count of them;
 * the caller frees. */
uint32_t *idle_view_stacks(const struct idle_view *v, enum idle_metric m,
                           size_t *count);

/* Text: a paragraph each, nothing where there is nothing to show. */
void idle_print_stacks(const struct idle_view *v, FILE *to);
void idle_print_tree(struct idle_view *v, FILE *to);

/* CSV: rows for the CPUs shown; columns are made when t has none. */
void idle_csv_stacks(struct table *t, const struct idle_view *v);
void idle_csv_tree(struct table *t, struct idle_view *v);

#endif
