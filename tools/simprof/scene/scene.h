/* scene.h - what a picture of a run shows, for an interval of it: the rows of
 * reports, and what its first screen says. The page of `simprof html` and the
 * window of simview draw the same. Times are cycles of the run.
 */
#ifndef TOOLS_SIMPROF_SCENE_SCENE_H
#define TOOLS_SIMPROF_SCENE_SCENE_H

#include <jansson.h>

#include "tools/simprof/report/report.h"

/* The reports whose rows a scene has. */
enum scene_table {
    SCENE_INFO,
    SCENE_FUNCTIONS,
    SCENE_LINES,
    SCENE_CALLING_LINES, /* those dearest with what they call, by samples of
                          * cycles; none where samples are too many */
    SCENE_CALLTREE,
    SCENE_BLOCKED, /* the call tree of cycles that threads waited */
    SCENE_ROOTS,   /* idle time as a call tree: made of `causes` */
    SCENE_TIMELINE,
    SCENE_REASONS, /* exact cycles by reason, and samples, in its steps */
    SCENE_COUNTS,
    SCENE_MOMENTS,
    SCENE_GAPS, /* the longest idle gaps, with their stacks */
    SCENE_CAUSES,
    SCENE_PATH,
    SCENE_TAKEN, /* what others ran, while a thread on the path had no CPU */
    SCENE_LOCKS,
    SCENE_STATISTICS,
    SCENE_PIPE,
    SCENE_CACHE_LINES,
    SCENE_TRUTH,  /* of the counter `judged`: functions as samples found them,
                   * and as they are; none where samples are too many */
    SCENE_CALLED, /* who called whom and how often, of the whole run; only
                   * where simrun --autoprofile=calls counted */
    SCENE_TABLES
};

/* The part of the bar of cycles in which instructions complete. */
#define SCENE_COMPLETE "instructions complete"

#define SCENE_MOMENTS_MOST 4000 /* more than a screen can show */

struct scene {
    struct recording *r;
    const struct options *o;    /* experiment, and where source files are */
    uint64_t from, to;          /* what it is of */
    uint64_t step;              /* cycles of a row of the timeline */
    uint64_t graph;             /* ... of reasons and counts: some samples */
    unsigned moments;           /* of a kind, at most; may be changed */
    unsigned judged;            /* of the counters that were sampled */
    json_t *rows[SCENE_TABLES]; /* NULL: not read yet */
    char *chains;               /* likewise: the report `causes` as text */
};

/* A scene of [from, to), in at most `steps` steps of time, fewer where threads
 * are many. Both must outlive it. */
void scene_open(struct scene *s, struct recording *r, const struct options *o,
                uint64_t from, uint64_t to, unsigned steps);
void scene_close(struct scene *s);

/* Rows of a report as objects, as --json has them; read when first asked for,
 * and the scene's. Samples in time are none where there are so many that
 * reading them takes longer than a person waits. */
json_t *scene_rows(struct scene *s, enum scene_table table);

/* Are samples so many in the interval that none is read one by one? Reports by
 * source line are asked with this word then. */
#define SCENE_EXACT "--metrics=e+exact:e%exact"
bool scene_crowded(const struct scene *s);

/* The name of the n-th counter that was sampled. False: there are fewer. */
#define SCENE_COUNTER 128
bool scene_counter(const struct scene *s, unsigned n, char out[SCENE_COUNTER]);
/* SCENE_TRUTH is of that counter from now on. */
void scene_judge(struct scene *s, unsigned n);

/* Did it count calls? */
bool scene_counts_calls(const struct recording *r);

/* The table's name, and what is typed for the same rows; the caller frees; "":
 * they were not read. */
const char *scene_name(enum scene_table table);
char *scene_command(const struct scene *s, enum scene_table table);

/* The report `causes` as text, 110 columns wide; the scene's. */
const char *scene_chains(struct scene *s);

/* What limits the run, an object:
 *   before, name, after   a sentence; the name in it is the cause's
 *   brings                what changing it would bring
 *   try                   the command that tries that, or ""
 *   badge                 where that is known from
 *   total                 cycles of all CPUs, without parked ones
 *   bar                   [what, cycles, idle (0 or 1)], which add up to total
 *   line                  the line to look at, "FILE:LINE", or ""
 *   chain, gap, parts     one wait (wait.h)
 *   next                  [{percent, name, line, does}]: the next candidates;
 *                         percent of idle time, or of all where it is short;
 *                         does: what, and what changing it brings if that was
 *                         tried or is predicted
 *   open                  what could not be judged, or ""
 * The caller owns the reference. */
json_t *scene_first(struct scene *s);

/* "FILE:LINE" with the lines about it, {line, first, text: [...]}; NULL: the
 * file is not found. The caller owns the reference. */
json_t *scene_source(const struct scene *s, const char *where);

#endif
