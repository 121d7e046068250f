/* viewmode.h - three views of one call stack (ANA-64, ANA-66).
 *
 * machine: as it was walked. expert: the same; of a wait a function that is
 * none, called as the state that the thread was in, <lock>, is the innermost.
 * user: what programs did: functions of the system are not there. The state
 * stands for those in which a thread waited, <system> for those in which it
 * ran. Totals are the same in all three.
 */
#ifndef TOOLS_ANALYSIS_STATES_VIEWMODE_H
#define TOOLS_ANALYSIS_STATES_VIEWMODE_H

#include <stdbool.h>
#include <stdint.h>

#include "include/record.h"
#include "tools/analysis/experiment/recording.h"

enum viewmode_is { VIEWMODE_MACHINE, VIEWMODE_EXPERT, VIEWMODE_USER };

struct viewmode {
    enum viewmode_is is;
    long kernel; /* the load object that is the system; -1: there is none */
};

/* False: all that ran is the system's, so the view of the user has nothing. */
bool viewmode_open(struct viewmode *v, const struct recording *r,
                   enum viewmode_is is);

/* Is a function, of the load map or above it, left out of this view? */
bool viewmode_hides(const struct viewmode *v, const struct recording *r,
                    uint32_t function);

/* Functions that are none, their numbers below those of samples.h and
 * exact_cycles.h: what the system ran, and what stands for each STATE_... . */
#define VIEWMODE_LAST (UINT32_MAX - 8)
#define VIEWMODE_SYSTEM (VIEWMODE_LAST - STATE_SYSTEM)

/* The one to stand in front of a stack, in this view: `state` is that of a
 * wait, or 0. LOADMAP_UNKNOWN: none. */
uint32_t viewmode_leaf(const struct viewmode *v, uint32_t state);

/* "<lock>", "<system>"; NULL: `function` is none of these. */
const char *viewmode_name(uint32_t function);

#endif
