/* beside.h - the timeline of the run to compare with, below that of the run: a
 * lane below each lane, at the cycles that stand beside its own (align.h).
 */
#ifndef TOOLS_SIMVIEW_BESIDE_H
#define TOOLS_SIMVIEW_BESIDE_H

#include "tools/simview/strips.h"

/* The base's lanes for the interval shown, read when first asked for. False:
 * there is no base, or it cannot be read, which is said. */
bool beside_need(struct ui *u);
/* They are of another interval from now on. */
void beside_forget(struct ui *u);

/* Behind `count` strips that of the base's lane of the same CPU or thread, so
 * high, if there is one; and those of CPUs, or threads, that the run has not.
 * How many there are then. */
size_t beside_add(const struct ui *u, const struct lane *lane, int high,
                  struct strip out[STRIPS], size_t count);
size_t beside_add_alone(const struct ui *u, bool cpus, int high,
                        struct strip out[STRIPS], size_t count);
/* Has the run no lane of this name? */
bool beside_is_alone(const struct ui *u, const struct lane *lane);

/* Where step n of the base's lanes begins in the box of time. */
int beside_pixel(const struct ui *u, struct box time, size_t n);
/* The step that stands at a pixel of it; false: none does. */
bool beside_step(const struct ui *u, struct box time, int x, size_t *n);

/* How they are aligned and where they part, in words; returns its height. And,
 * in the time of the lanes, a line where they part. */
int beside_say(struct ui *u, struct box b);
void beside_mark(struct ui *u, struct box time);

/* How much longer or shorter the run took than the one before, and the function
 * that changed most. False: there is none, or this is an interval. */
#define BESIDE_WORDS 700
bool beside_words(struct ui *u, char out[BESIDE_WORDS]);

#endif
