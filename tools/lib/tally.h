/* tally.h - a profile added up: exclusive and inclusive values by whatever a
 * frame is part of (function, line, instruction, load object), and what calls
 * attribute to callers and callees.
 *
 * Exclusive values go to what the leaf is part of, inclusive ones once to
 * everything on the stack, however often it is there (ANA-50). So exclusive
 * values add up to the total, to the unit. Of a function that is on a stack
 * several times the call nearest the root names the caller, the one nearest
 * the leaf the callee; then what callers attribute adds up to its inclusive
 * value, and so do its exclusive value and what it attributes to callees.
 */
#ifndef TOOLS_LIB_TALLY_H
#define TOOLS_LIB_TALLY_H

#include "tools/lib/samples.h"

/* What a frame is part of, as a number of the caller's. */
typedef uint64_t tally_key(void *arg, const struct samples_frame *frame);

struct tally_row {
    uint64_t key;
    uint32_t frame;      /* one that is part of it, the first met */
    uint64_t *exclusive; /* by metric */
    uint64_t *inclusive; /* by metric; SAMPLES_EXACT: 0 */
};

struct tally {
    unsigned metrics;
    struct tally_row *row; /* in the order of frames */
    size_t rows, rows_room;
    struct tally_row total; /* key and frame unused */
    uint32_t *of;           /* by frame: its row */
};

void tally_read(struct tally *t, const struct samples *p, tally_key *key,
                void *arg);
void tally_free(struct tally *t);

/* The row of a key; -1: none. */
long tally_find(const struct tally *t, uint64_t key);

/* Calls between two rows of a tally. TALLY_ROOT stands for all: it calls what
 * stands at the roots of stacks. */
struct tally_call {
    uint32_t row, other;
    bool caller;          /* other calls row; else it is called by it */
    uint64_t *attributed; /* by metric */
};

#define TALLY_ROOT UINT32_MAX

struct tally_calls {
    struct tally_call *list; /* by row, callers first */
    size_t count, room;
    struct hash at[2];
    bool *again; /* by row: a stack has it more than once */
};

void tally_calls_read(struct tally_calls *c, const struct tally *t,
                      const struct samples *p);
void tally_calls_free(struct tally_calls *c);

#endif
