/* totals.h - a profile added up: exclusive and inclusive values by
 * whatever a frame is part of (function, line, instruction, load object), and
 * what calls attribute to callers and callees.
 *
 * Exclusive values go to what the leaf is part of, inclusive ones once to
 * everything on the stack, however often it is there (ANA-50). So exclusive
 * values add up to the total, to the unit. Of a function that is on a stack
 * several times the call nearest the root names the caller, the one nearest
 * the leaf the callee; then what callers attribute adds up to its inclusive
 * value, and so do its exclusive value and what it attributes to callees.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_TOTALS_H
#define TOOLS_ANALYSIS_PROFILE_TOTALS_H

#include "tools/analysis/profile/samples.h"

/* What a frame is part of, as a number of the caller's. */
typedef uint64_t totals_key(void *arg, const struct samples_frame *frame);

struct totals_row {
    uint64_t key;
    uint32_t frame;      /* one that is part of it, the first met */
    uint64_t *exclusive; /* by metric */
    uint64_t *inclusive; /* by metric; SAMPLES_EXACT: 0 */
};

struct totals {
    unsigned metrics;
    struct totals_row *row; /* in the order of frames */
    size_t rows, rows_room;
    struct totals_row total; /* key and frame unused */
    uint32_t *of;            /* by frame: its row */
};

void totals_read(struct totals *t, const struct samples *p, totals_key *key,
                 void *arg);
void totals_free(struct totals *t);

/* Calls between two rows of a tally. TOTALS_ROOT stands for all: it calls what
 * stands at the roots of stacks. */
struct totals_call {
    uint32_t row, other;
    bool caller;          /* other calls row; else it is called by it */
    uint64_t *attributed; /* by metric */
};

#define TOTALS_ROOT UINT32_MAX

struct totals_calls {
    struct totals_call *list; /* by row, callers first */
    size_t count, room;
    struct hash at[2];
    bool *again; /* by row: a stack has it more than once */
};

void totals_calls_read(struct totals_calls *c, const struct totals *t,
                       const struct samples *p);
void totals_calls_free(struct totals_calls *c);

#endif
