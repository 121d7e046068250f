/* happenings.h - what threads did and waited for, and who woke them: state.rec
 * and wake.rec as lists.
 */
#ifndef TOOLS_ANALYSIS_STATES_HAPPENINGS_H
#define TOOLS_ANALYSIS_STATES_HAPPENINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/experiment/recording.h"

/* Of a wake-up state, kind, object and owner are 0; else by, waker and to. */
struct happening {
    uint64_t cycle;
    size_t serial; /* in its file */
    unsigned cpu;
    bool wake;
    uint32_t thread, state, kind, object, owner, stack;
    uint32_t by, waker, to;
};

struct happenings {
    struct happening *list;
    size_t count, room;
};

/* Add all of one kind, REC_STATE or REC_WAKE, in the order of the file. What is
 * wrong joins r->problems. */
void happenings_read(struct happenings *h, struct recording *r, unsigned kind);
void happenings_free(struct happenings *h);

#endif
