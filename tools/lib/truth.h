/* truth.h - a profile held against what really happened.
 *
 * Of a counter of cycles the oracle is the truth: the share of cycles of every
 * function and instruction. Of any other event it is the instruction that each
 * record names as the event's own. The error of a profile is the share of
 * samples in the wrong place: 1 less the sum over all places of the smaller of
 * the two shares.
 */
#ifndef TOOLS_LIB_TRUTH_H
#define TOOLS_LIB_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/lib/hash.h"
#include "tools/lib/recording.h"

/* A place: an instruction, or a function (pc 0). */
struct truth_place {
    uint32_t function, pc;
    uint64_t exact; /* cycles, or events the records name */
    uint64_t met;   /* samples that an interrupt would have put here */
    uint64_t named; /* samples whose record names it */
};

struct truth_places {
    struct truth_place *place;
    size_t count, room;
    struct hash at;
};

/* How far behind its instruction an event would have been noticed. */
#define TRUTH_SKIDS 20 /* 0 to 16 instructions, farther, back, elsewhere */
#define TRUTH_FARTHER 17
#define TRUTH_BACK 18
#define TRUTH_ELSEWHERE 19

struct truth {
    bool cycles; /* the counter counts cycles */
    uint64_t samples;
    uint64_t exact; /* all of it */
    struct truth_places function, instruction;
    uint64_t skid[TRUTH_SKIDS];
};

/* Read the samples of counter number `counter` (of cycles, or not) and what
 * they are judged by. What is wrong joins r->problems. */
void truth_read(struct truth *t, struct recording *r, uint32_t counter,
                bool cycles);
void truth_free(struct truth *t);

/* Share of samples in the wrong place, 0 to 1, when they are put where an
 * interrupt meets the program, or (named) where their records say. */
double truth_error(const struct truth *t, const struct truth_places *p,
                   bool named);

/* The error that as many samples, drawn fairly, would have on average. */
double truth_noise(const struct truth *t, const struct truth_places *p);

/* Half the width of the 95 % interval of a share found in n samples. */
double truth_margin(double share, uint64_t n);

#endif
