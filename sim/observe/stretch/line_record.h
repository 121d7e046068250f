/* line_record.h - simrun --record-lines: for chosen stretches of a run, which
 * processors touched, wrote and own which bytes of which lines of memory
 * (line.rec). Looks at a machine and changes nothing in it.
 *
 * Bounded: of a stretch the first LINE_MOST lines that are touched are kept;
 * accesses to others are counted, and the log says how many they were.
 */
#ifndef SIM_OBSERVE_STRETCH_LINE_RECORD_H
#define SIM_OBSERVE_STRETCH_LINE_RECORD_H

#include "lib/base/hash.h"
#include "pmu/experiment/experiment.h"
#include "sim/observe/stretch/moment.h"

#define LINE_STRETCHES 16
#define LINE_MOST 16384 /* lines of a stretch */
#define LINE_FROM 200   /* bytes of a moment as text */

/* What was asked for, in the order given. */
struct line_options {
    unsigned count;
    struct line_stretch {
        char from[LINE_FROM], to[LINE_FROM]; /* to "": the end of the run */
    } stretch[LINE_STRETCHES];
};

/* "FROM:TO" is one stretch more. False: `why` has the line. */
bool line_options_add(struct line_options *o, const char *text, char *why,
                      size_t size);

struct touched; /* a line, and what each processor did to it */

struct line_record {
    struct machine *machine; /* NULL: nothing is to be recorded; not owned */
    struct experiment *experiment; /* not owned */
    struct line_options with;
    struct moment from[LINE_STRETCHES], to[LINE_STRETCHES];
    unsigned at;   /* the stretch that is looked for, or being recorded */
    bool on;       /* it is being recorded: */
    cycle_t begin; /* ... since */
    struct touched *line; /* LINE_MOST; owned */
    size_t lines;
    struct hash number; /* address of a line to its index, and 1 */
    uint64_t left;      /* accesses to lines that had no place */
    unsigned bytes;     /* of a line */
    bool listens;       /* `steps` is subscribed */
    struct observer beats, steps;
    struct names names;
    uint32_t context[MACHINE_CPUS]; /* of the one that runs */
};

/* Begin to look at m, if anything was asked for, and write to e, which must
 * be open when m runs. False: `why` has the line. line_record_close is due in
 * any case, and l must not move before. */
bool line_record_open(struct line_record *l, const struct line_options *o,
                      struct machine *m, struct experiment *e, char *why,
                      size_t size);
/* The stretches as lines of the experiment's log. */
void line_record_say(const struct line_record *l);
/* Harmless on all zero. */
void line_record_close(struct line_record *l);

#endif
