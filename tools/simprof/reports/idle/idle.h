/* idle.h - the idle report's parts, for one another. */
#ifndef TOOLS_SIMPROF_REPORTS_IDLE_IDLE_H
#define TOOLS_SIMPROF_REPORTS_IDLE_IDLE_H

#include "tools/analysis/profile/exact_cycles.h"
#include "tools/analysis/idle/idle.h"
#include "tools/analysis/profile/accuracy.h"
#include "tools/simprof/view/lines.h"
#include "tools/simprof/report/select.h"

/* The analysis, and the CPUs of it that are shown. */
struct idle_view {
    struct recording *r;
    const struct options *o;
    struct idle d;
    struct exact_cycles a;
    struct selection selection;
    struct lines_of *lines; /* of --pcs in text */
    unsigned first, last;   /* first to last - 1, */
    bool out[RECFILE_CPUS]; /* but those that a filter leaves out */
    bool only_samples;      /* the filter asks for what idle time has not */
    bool intervals;
};

/* Is a CPU shown? */
bool idle_view_shows(const struct idle_view *v, unsigned cpu);

/* What the CPUs that are shown add up to. */
struct idle_sums {
    uint64_t cycles; /* of the run, less those the CPU was parked */
    uint64_t idle, nap, periods, sampled, with_to, to, from, explained;
    uint64_t interrupts; /* that found the CPU idle */
    uint64_t ends; /* of idle periods that they met, by monitored threads */
    uint64_t taken, kept; /* stacks beforehand; those of from-idle samples */
    uint64_t unsampled[IDLE_REASONS];
    bool unknown; /* no context switch tells when it was idle */
    bool no_nap;  /* no interval of the oracle ends where it is looked at */
};

struct idle_sums idle_view_sums(const struct idle_view *v);

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

/* The frames of two nodes: by name, then by what it is a name of, which is the
 * same wherever it was read. */
int idle_view_order(const struct idle_view *v, uint32_t a, uint32_t b);

#define IDLE_NAME 256
/* "mutex_lock", or with --pcs "mutex_lock+0x3c (mutex.c:31)". */
const char *idle_view_name(const struct idle_view *v, uint32_t node,
                           char out[IDLE_NAME]);

/* What shares are of: to-idle, all sample interrupts that found a CPU idle;
 * from-idle, all monitored threads that ended an idle period which such an
 * interrupt met. */
uint64_t idle_view_whole(const struct idle_view *v, bool to);

/* The 95 % intervals of the shares that n of these nodes have of the idle
 * interrupts (to), or of the ends of idle periods. */
void idle_view_intervals(const struct idle_view *v, bool to,
                         const uint32_t *node, size_t n,
                         struct accuracy_interval *interval);

/* The first sentences: what was found, or why nothing was. */
void idle_print_words(const struct idle_view *v, FILE *to);

/* Text: a paragraph each, nothing where there is nothing to show. */
void idle_print_stacks(const struct idle_view *v, FILE *to);
void idle_print_tree(struct idle_view *v, FILE *to);

/* CSV: rows for the CPUs shown; columns are made when t has none. */
void idle_csv_stacks(struct table *t, const struct idle_view *v);
void idle_csv_tree(struct table *t, struct idle_view *v);

#endif
