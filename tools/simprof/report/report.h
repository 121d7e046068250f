/* report.h - what a report is given, and the reports. */
#ifndef TOOLS_SIMPROF_REPORT_REPORT_H
#define TOOLS_SIMPROF_REPORT_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "tools/analysis/profile/interrupts.h"
#include "tools/analysis/experiment/recording.h"
#include "lib/base/table.h"
#include "tools/analysis/states/viewmode.h"

enum option_bit {
#define OPTION(name, spelling, argument, text) OPTION_BIT_##name,
#include "tools/simprof/session/options.def"
#undef OPTION
    OPTION_COUNT
};

enum takes {
#define OPTION(name, spelling, argument, text)                                 \
    OPTION_##name = 1ull << OPTION_BIT_##name,
#include "tools/simprof/session/options.def"
#undef OPTION
};

_Static_assert(OPTION_COUNT < 64, "options of a report are bits of a word");

/* Which part of the idle report, or of causes, which begins with PART_CLASSES.
 */
enum part {
    PART_ALL,
    PART_CPUS,
    PART_STACKS,
    PART_TREE,
    PART_CLASSES,
    PART_ROOTS,
    PART_CHAINS,
    PART_STATES,
    PART_RECORDS,
    PART_PATH,
    PART_TAKEN,
    PART_NONE /* there is no such part; the report refuses it */
};
/* ... and of marks. */
enum marks_part {
    MARKS_ALL,
    MARKS_MARKS,
    MARKS_AREAS,
    MARKS_RANGES,
    MARKS_FOUND,
    MARKS_TRACE,
    MARKS_INTERRUPTS,
    MARKS_SHADOW,
    MARKS_WORDS,
    MARKS_COST
};

/* Why a report could not do as it was told; "": it could. */
struct refusal {
    char text[2048];
    bool broken; /* nothing was wrong with what was asked */
};

/* As --viewmode=user is refused where viewmode_open is false. */
#define VIEWMODE_NOTHING                                                       \
    "--viewmode=user: nothing ran but the system's own threads; expert and "   \
    "machine show them"

#define OPTIONS_WHAT_IFS 16

struct definitions;

struct options {
    const char *experiment;
    bool csv;  /* everything, for a program: no sentences, nothing cut */
    bool json; /* ... and as JSON */
    bool per_cpu, reasons, pcs;
    long cpu;       /* -1: all */
    unsigned limit; /* 0: none */
    unsigned few;   /* warn of values of fewer samples; 0: do not */
    unsigned width;
    enum part part;
    enum marks_part marks;
    enum interrupts_by by;
    enum viewmode_is viewmode;
    const char *what_if[OPTIONS_WHAT_IFS]; /* --what-if, as often as given */
    unsigned what_ifs;
    /* What stood behind each option as it was given ("" if it takes nothing);
     * NULL: not given. */
    const char *text[OPTION_COUNT];
    /* Options that were set for all reports, not given to this one: where they
     * do not suit it, it does as well as it can. */
    uint64_t standing;
    const struct definitions *defined; /* NULL: none but the machine's */
    struct refusal *refusal;           /* where a report says why it refuses */
};

/* Print a report to `to`. What is wrong with the experiment joins
 * r->problems; the caller prints those. */
#define REPORT(name, takes, text)                                              \
    void report_##name(struct recording *r, const struct options *o, FILE *to);
#include "tools/simprof/report/reports.def"
#undef REPORT

/* The arguments of what ran, for a line; the caller frees. */
char *report_arguments(const struct recording *r);

/* The first lines of every text report: which experiment, machine, length. */
void report_head(const struct recording *r, const char *title, FILE *to);

/* Did the run count by simrun --autoprofile=WAY? */
bool report_counted(const struct recording *r, const char *way);

/* Which part of the run it is about, if --from or --to say so. */
void report_interval(const struct recording *r, const struct options *o,
                     FILE *to);

/* One paragraph, wrapped to the width. */
void report_say(const struct options *o, FILE *to, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A line of a help text: two columns in from the left a word, behind column
 * `left` what it is, wrapped at 79 columns. */
void report_pair(FILE *to, const char *word, int left, const char *text);

/* Is what --table names one of these parts, or all? False: refused, with the
 * names of those that are. */
bool report_part(const struct options *o, enum part first, enum part last);

/* The options make no sense for this experiment: nothing is printed, and
 * simprof ends as after wrong usage. Of several reasons the first is told. */
void report_refuse(const struct options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same where the world is against it, a full disk for one: simprof ends as
 * after a report that could not be written. */
void report_fail(const struct options *o, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Fail (report_fail), for what the report is about was not recorded: no states
 * of threads. Says how they are. */
void report_no_states(const struct recording *r, const struct options *o);

/* Print a table as the options want it, and free it. */
void report_table(struct table *t, const struct options *o, FILE *to);

/* Say under a table that its shares of exact cycles are not of all of them: so
 * many were of CPUs that were parked. 0: nothing is said; nor in CSV. */
void report_parked(uint64_t cycles, const struct options *o, FILE *to);

#endif
