/* strips.h - what the timeline has beside the lanes of CPUs and threads: graphs
 * of counters, and what happened when. A strip is drawn in the box of its time,
 * in which x is linear in cycles.
 */
#ifndef TOOLS_SIMVIEW_STRIPS_H
#define TOOLS_SIMVIEW_STRIPS_H

#include "tools/simview/panels.h"

enum strip_kind {
    STRIP_LANE,    /* a CPU or a thread: `lane` */
    STRIP_OLD,     /* the same of the run to compare with */
    STRIP_REASONS, /* exact cycles, by what they were spent on or lost to */
    STRIP_COUNT,   /* a counter's events: `column` */
    STRIP_IPC,
    STRIP_LOCK, /* `name`: held while others wait */
    STRIP_TICKS /* `name`: interrupts, samples or marks, a row for each CPU */
};

struct strip {
    enum strip_kind is;
    int high;
    const struct lane *lane;
    const char *name;   /* the scene's */
    const char *column; /* likewise */
};

#define STRIPS 4096

/* All that there is, in order, at most STRIPS; how many. */
size_t strips_list(struct ui *u, struct strip out[STRIPS]);

/* One that is no lane, its name left of its time. */
void strip_draw(struct ui *u, const struct strip *s, struct box name,
                struct box time);

/* Which colour is which reason, behind `used` pixels of the first line of b,
 * and on lines below where that is full; returns how high those are. */
int strip_key(struct ui *u, struct box b, int used);

/* Over a thread's lane: executions of what is probed. */
void strip_sections(struct ui *u, const struct lane *lane, struct box time);

/* Arrows of wake-ups between those lanes of threads that are drawn: y[i] is the
 * middle of strip i, or -1. Returns how many there are; they are drawn if there
 * is room for so many. */
size_t strip_arrows(struct ui *u, const struct strip *list, const int *y,
                    size_t count, struct box time);

#endif
