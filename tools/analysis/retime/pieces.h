/* pieces.h - what threads ran, in pieces that are scaled by one thing or by
 * none. A part of spend.c.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PIECES_H
#define TOOLS_ANALYSIS_RETIME_PIECES_H

#include "lib/base/mix.h"
#include "tools/analysis/retime/graph.h"

#define PIECE_PLAIN (-1)   /* a piece that is not scaled */
#define PIECE_UNKNOWN (-2) /* no sample says */
#define PIECE_BESIDE                                                           \
    (-4) /* no more than the rest of such runs, as far as known */
#define PIECE_APART (-3) /* it is in a function that waits for a lock */

/* A part of a stay of running, within an interval of the account. */
struct piece {
    uint64_t from, to;
    uint64_t slot;
    int k;          /* by what it is scaled, an index in the change */
    uint64_t part;  /* cycles of it that are */
    int64_t before; /* what the thread's pieces before it gain, or lose */
    int64_t change; /* what it does */
};

/* How many samples a thread has in a function, and how many of these count. */
struct share {
    uint32_t all, of[RETIME_SPECS];
};

/* The same in an interval of the account: samples in what is played as running,
 * and those in waits for words, in which the thread spins. */
struct spun {
    uint32_t runs, spins;
};

struct spend {
    const struct retime *g;
    const struct retime_change *change;
    int *runs, *within,
        *asked; /* by frame: an index in the change, or PIECE_PLAIN */
    int *held; /* by stay: of a sleep or request of a lock's holder, likewise */
    bool *named; /* by lock: a change is about it; while find_holds works */
    bool known[RETIME_SPECS];
    bool kernel[RETIME_SPECS]; /* it is in the image that was started, */
    bool of_system;            /* and so is one of them */
    struct piece *piece;       /* by thread, then time */
    size_t pieces, room;
    size_t *first;     /* by thread; one more */
    uint64_t anywhere; /* cycles that are scaled, and may be in other pieces */
    struct hash share_at;
    struct share *share;
    size_t shares, shares_room;
    struct hash spun_at; /* without waits for words: empty */
    struct spun *spun;
    size_t spuns, spuns_room;
};

/* Of the hash of shares. */
static inline uint64_t pieces_key(uint32_t thread, uint32_t function)
{
    return (uint64_t)thread << 32 | function;
}

static inline uint64_t pieces_slot_key(uint32_t thread, uint32_t function,
                                       uint64_t slot)
{
    return mix64(pieces_key(thread, function) ^ mix64(slot + 1));
}

/* The pieces of all threads, and the shares of their functions, from samples;
 * the frames are known by then. */
void pieces_find(struct spend *s);

#endif
