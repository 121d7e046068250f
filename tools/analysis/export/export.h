/* export.h - the samples of an experiment, as formats of other tools want
 * them, and the writers of those formats.
 *
 * A sample is one record of profile.rec: it counts the events since the one
 * before it of its counter and CPU, and belongs to the instruction at which an
 * interrupt would have been taken. Its callers are given as the addresses of
 * their calls, not as return addresses: so each lies in the function and on
 * the line that called, whatever the reading tool does with it.
 *
 * A writer takes everything from `struct export` and returns false when the
 * file could not be written (errno). What is wrong with the experiment joins
 * its problems.
 */
#ifndef TOOLS_ANALYSIS_EXPORT_EXPORT_H
#define TOOLS_ANALYSIS_EXPORT_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/profile/stacktree.h"
#include "tools/analysis/states/viewmode.h"

#define EXPORT_STACK_MAX (REC_MAX_WORDS + 2)
#define EXPORT_NOWHERE 0xFFFFFFFCu /* address of a nap: no program is there */

struct export_counter {
    char *name; /* as simrun -e was given it; "counterN": the log has none */
    uint32_t number;
    uint64_t period; /* 0: unknown */
    bool user, kernel;
    uint64_t samples, events; /* that are wanted */
};

/* What is exported as if it were samples of counters; see offcpu.h. */
enum export_source {
    EXPORT_COUNTERS, /* those of profile.rec */
    EXPORT_WAITS,    /* cycles that threads waited: choice.waits */
    EXPORT_IDLE      /* idle-transition samples */
};

/* What of the run is wanted. Context switches have no fields to filter by:
 * for them CPU and time alone count. */
struct export_choice {
    enum export_source source;
    unsigned waits;       /* a bit of offcpu.h */
    struct viewmode view; /* of what is written as stacks of functions */
    long cpu;             /* -1: all */
    uint64_t from, to;    /* cycles; `to` is the first not wanted */
    /* NULL, or: is this sample wanted? */
    bool (*wants)(void *arg, const struct record *record);
    void *arg;
};

struct export
{
    struct recording *r;
    char *path; /* of the experiment, absolute */
    struct export_counter *counter;
    size_t counters, counters_room;
    struct export_choice choice;
    struct offcpu *offcpu; /* being read; not of counters */
    bool naps_whole; /* a nap has the thread and the stack that left the CPU */
};

struct export_sample {
    uint64_t cycle;
    unsigned cpu;
    uint32_t thread;
    size_t counter; /* index */
    uint32_t events;
    uint32_t event_pc; /* of the instruction the event belongs to */
    bool data;         /* an access caused it: */
    uint32_t address, physical;
    bool user, truncated;
    uint32_t state; /* STATE_... of a wait; 0: it is none */
    bool napping;   /* the CPU napped: no thread, one pc, EXPORT_NOWHERE */
    size_t depth;   /* at least 1 */
    uint32_t pc[REC_MAX_WORDS];   /* leaf first, then calls: as loaded */
    uint32_t home[REC_MAX_WORDS]; /* the same where names and lines are known
                                   * (struct stack_frame) */
};

/* Read the counters of r. path: of the experiment, as the user gave it. */
void export_open(struct export *e, struct recording *r, const char *path,
                 const struct export_choice *choice);
void export_close(struct export *e);

/* Start reading samples; false: there are none to be had. Then each, in the
 * order of the file, until false, which closes the file. */
bool export_start(struct export *e, struct recfile *f);
bool export_next(struct export *e, struct recfile *f, struct export_sample *s);

/* The function at stack entry i of a sample. */
uint32_t export_function(struct export *e, const struct export_sample *s,
                         size_t i);

/* Cycles as nanoseconds (1 GHz if the clock is unknown). */
uint64_t export_time(const struct export *e, uint64_t cycle);

/* All samples as a tree of functions, a metric for each counter, siblings by
 * name. The caller frees it. */
void export_stacks(struct export *e, struct stacktree *t);

/* The frames from the root down to a node; at most EXPORT_STACK_MAX. Returns
 * how many. */
size_t export_path(const struct stacktree *t, uint32_t node, uint32_t *frame);
const char *export_frame(const struct export *e, uint32_t frame);

/* ---- writers ------------------------------------------------------------- */

/* A row a sample, with everything it has. */
bool export_csv(struct export *e, FILE *to);

/* "root;...;leaf EVENTS" of one counter, a line for each different stack. */
bool export_folded(struct export *e, size_t counter, FILE *to);

/* Costs of instructions and calls; counters are columns. */
bool export_callgrind(struct export *e, FILE *to);

/* A directory, which must not exist, as gprofng collect makes it. False: errno
 * says why, and there is none. */
bool export_gprofng(struct export *e, const char *path);

/* JSON with a profile for each counter. */
bool export_speedscope(struct export *e, FILE *to);

/* Trace Event Format: threads, CPUs, locks and counters in time. */
bool export_chrome(struct export *e, FILE *to);

/* perf.data; `to` must be a file that can be sought in. */
bool export_perf(struct export *e, FILE *to);

#endif
