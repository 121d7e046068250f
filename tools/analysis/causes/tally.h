/* tally.h - what causes_find adds up: roots and shapes of chains.
 *
 * Of a thread that runs the samples of cycles say where; without them what is
 * charged waits for the account, whose rows of that thread and interval share
 * it by their cycles.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_TALLY_H
#define TOOLS_ANALYSIS_CAUSES_TALLY_H

#include "tools/analysis/causes/causes.h"
#include "tools/analysis/causes/ends.h"

/* Of a thread, in an interval of the account, by instruction: not yet known. */
struct tally_owed {
    uint32_t thread;
    uint64_t slot;
    uint64_t cycles;         /* to be shared out */
    uint64_t twelfths, done; /* of the thread's rows; of those, served */
};

struct tally {
    struct causes *c;
    struct places *places;
    const struct scene *scene;
    struct ends *ends; /* told apart if not NULL; the caller's */
    struct hash root_at, shape_at, owed_at, shape_link;
    struct tally_owed *owed;
    size_t count, room;
    bool shapes;               /* alone: nothing is charged */
    struct slice_sums *slices; /* of indices of c->root; or NULL */
    uint64_t cycle;            /* when what is charged now was */
    uint64_t *by_stack; /* of scene.frames: cycles that samples found a thread
                         * to run its program there; the caller's, or NULL */
};

/* A piece of time of a CPU that is idle, or on which a thread spins. */
struct tally_piece {
    unsigned cpu;
    uint64_t from, to;
    uint64_t cycles; /* idle, or spun, in it */
    enum causes_class class;
};

void tally_open(struct tally *t, struct causes *c, const struct scene *s,
                struct places *p);
void tally_add(struct tally *t, const struct tally_piece *piece,
               const struct chain *chain, const struct chain_now *now);
/* So many cycles of a root at a place; a thread ran in a stay, from one cycle
 * to another. */
void tally_charge(struct tally *t, enum chain_root is, uint32_t place,
                  uint64_t cycles);
void tally_ran(struct tally *t, uint32_t stay, uint64_t from, uint64_t to);
/* The slice of a cycle has so many of what was charged. */
void tally_lay(struct tally *t, enum chain_root is, uint32_t place,
               uint64_t cycle, uint64_t cycles);
/* Roots and shapes are complete and in order. */
void tally_close(struct tally *t);
/* Time that threads spun, added up by itself, joins idle time: by roots, shapes
 * and classes. */
void tally_join(struct causes *c, const struct causes *spun, struct places *p);

#endif
