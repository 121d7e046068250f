/* happenings.h - what threads did and waited for, and who woke them: state.rec
 * and wake.rec, one record after the other or as lists.
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

struct happenings_file {
    struct recfile file;
    struct happening at;
    size_t count;
    bool wake, open, there;
};

/* The first record of a kind, REC_STATE or REC_WAKE; then each. What is wrong
 * joins r->problems. */
void happenings_open(struct happenings_file *f, struct recording *r,
                     unsigned kind);
/* NULL: there are no more. */
const struct happening *happenings_at(const struct happenings_file *f);
void happenings_pass(struct happenings_file *f, struct recording *r);
/* Without reading to the end. */
void happenings_shut(struct happenings_file *f, struct recording *r);

/* Add all of one kind, REC_STATE or REC_WAKE, in the order of the file. What is
 * wrong joins r->problems. */
void happenings_read(struct happenings *h, struct recording *r, unsigned kind);
void happenings_free(struct happenings *h);

#endif
