/* active_input.h - where the tables of active.h come from: three tables as
 * comma-separated values that any tool may have written, or the probes and
 * context switches of an experiment.
 *
 * Each table begins with a line of column names, in any order; other columns
 * are passed over. A unit may stand behind "time": "time_ms", "time [ms]".
 *   timers    time, thread, event ("enter F", "exit F", "begin S", "end S")
 *             and perhaps overhead, of this very probe
 *   switches  time, old, new; or time, thread, state (in or out)
 *   overhead  event ("function entry", "function exit", "section begin",
 *             "section end"), overhead
 * A thread is a number, perhaps behind a T; ? is one that is not known.
 */
#ifndef TOOLS_ANALYSIS_ACTIVE_ACTIVE_INPUT_H
#define TOOLS_ANALYSIS_ACTIVE_ACTIVE_INPUT_H

#include "tools/analysis/active/active.h"
#include "lib/base/hash.h"
#include "tools/analysis/experiment/recording.h"

/* A function and a section may have the same name. */
struct active_portion {
    char *name;
    bool section;
};

struct active_input {
    struct active_tables t;
    struct active_portion *portion; /* [active_timer.portion] */
    size_t portions, portions_room;
    char unit[16];     /* "cycles" if nothing else is said */
    unsigned decimals; /* all times are in units of 10^-decimals of it */
};

/* Read "TIMERS,SWITCHES,OVERHEAD"; the last or the last two may be left out,
 * then no thread was swapped out, or probes cost nothing. False: why (size
 * bytes) is "file:line: what, what to do"; nothing is held. */
bool active_input_csv(struct active_input *in, const char *files, char *why,
                      size_t size);

/* Which probes are asked for; NULL: all. The others still cost what they
 * cost, but what they begin is left out. */
struct active_choice {
    bool (*wants)(void *arg, const struct record *record);
    void *arg;
};

/* Read probe.rec and switch.rec. Portions are functions by the load map, or
 * addresses, and sections by the log, or numbers. What is wrong joins
 * r->problems. */
void active_input_records(struct active_input *in, struct recording *r,
                          const struct active_choice *choice);

void active_input_free(struct active_input *in);

/* The number of a function or section by this name, made if it is new. */
uint32_t active_input_portion(struct active_input *in, const char *name,
                              bool section);
/* ... or false if there is none. */
bool active_input_find(const struct active_input *in, const char *name,
                       bool section, uint32_t *portion);

#endif
