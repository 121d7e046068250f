/* happenings.h - what threads did and waited for, and who woke them: state.rec
 * and wake.rec, one record after the other or as lists. Between the records of
 * state.rec stand those of spinning.h, STATE_SPINNING, and a wait for a word
 * that is no lock is none for one (plain_words.h).
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
    size_t serial; /* in its file, with spins */
    unsigned cpu;
    bool wake;
    uint32_t thread, state, kind, object, owner, stack;
    uint32_t by, waker, to;
};

struct happenings {
    struct happening *list;
    size_t count, room;
};

struct spinning;
struct plain_words;

struct happenings_file {
    struct recfile file;
    struct happening at, next; /* next: of the file, without spins */
    struct spinning *spinning; /* NULL: there are none, or it is shut */
    struct plain_words *plain; /* likewise */
    size_t count;
    bool wake, open, there, more; /* there is `at`; `next` */
};

/* The first record of a kind, REC_STATE or REC_WAKE; then each. What is wrong
 * joins r->problems. */
void happenings_open(struct happenings_file *f, struct recording *r,
                     unsigned kind);
/* NULL: there are no more. */
const struct happening *happenings_at(const struct happenings_file *f);
void happenings_pass(struct happenings_file *f, struct recording *r);
/* Before the end, or behind it. */
void happenings_shut(struct happenings_file *f, struct recording *r);

/* Add all of one kind, REC_STATE or REC_WAKE, in the order of the file. What is
 * wrong joins r->problems. */
void happenings_read(struct happenings *h, struct recording *r, unsigned kind);
/* The same without spins. */
void happenings_read_recorded(struct happenings *h, struct recording *r,
                              unsigned kind);
void happenings_free(struct happenings *h);

#endif
