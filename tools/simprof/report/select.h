/* select.h - which records a report is about: --cpu, --thread, --from,
 * --to, --filters.
 * Samples belong to the cycle they were taken at. The oracle keeps intervals
 * (knob account_us): of one that a bound cuts, every row gives its share. Of an
 * earlier simrun's it is not known where they begin; one belongs where it ends.
 */
#ifndef TOOLS_SIMPROF_REPORT_SELECT_H
#define TOOLS_SIMPROF_REPORT_SELECT_H

#include "tools/analysis/query/filter.h"
#include "tools/simprof/report/report.h"

struct selection {
    struct recording *r;
    struct samples_metrics metrics; /* for the names of counters */
    struct expr *filter;            /* NULL: none */
    uint64_t from, to;
    long cpu;
    uint32_t thread;
    bool one_thread;
    bool all;      /* nothing is left out */
    bool program;  /* all is left out that was in front of a program's begin or
                    * behind its end, and nothing else */
    bool no_exact; /* what is reported has no exact cycles */
};

/* False: the options make no sense, which is said (report_refuse). */
bool selection_open(struct selection *s, struct recording *r,
                    const struct options *o);
void selection_close(struct selection *s);

/* Is this record (of a kind that has fields) wanted? `s` is a selection. */
bool selection_wants(void *s, const struct record *record);

/* Does it decide as exact_cycles.h has it, once selection_open has cut the
 * recording? */
bool selection_timeless(const struct selection *s);

/* What is left out, as a line of a report; nothing if nothing is. */
void selection_say(const struct selection *s, const struct options *o,
                   FILE *to);

#define SELECT_SHARE "of an interval that is cut, its share by length"

/* A time that stood behind an option, as cycles; `none` if it was not given.
 * With --from and --to it may be begin:NAME or end:NAME, of a program or
 * process (lives.h); UINT64_MAX is the end of one that is there to the end of
 * the run. False: it is no time, or --from is behind the end of the run,
 * which is said. */
bool option_cycles(struct recording *r, const struct options *o,
                   enum option_bit bit, uint64_t none, uint64_t *n);

/* The interval of --from and --to that is to be drawn, as cycles: `*to` is at
 * most the end of the run. Queries are clipped to the run; to draw, --from may
 * not be below 0. False: there is none, which is said. */
bool option_interval(struct recording *r, const struct options *o,
                     uint64_t *from, uint64_t *to);

#endif
