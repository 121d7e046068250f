/* truth.h - a profile held against what really happened.
 *
 * Of a counter of cycles, and of timer interrupts that the guest took, the
 * oracle is the truth: the share of cycles of every function, line and
 * instruction. Of any other event it is the instruction that each record names
 * as the event's own. The error of a profile is the share of samples in the
 * wrong place: 1 less the sum over all places of the smaller of the two shares.
 */
#ifndef TOOLS_LIB_TRUTH_H
#define TOOLS_LIB_TRUTH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/lib/hash.h"
#include "tools/lib/recording.h"
#include "tools/lib/serial.h"
#include "tools/lib/sources.h"

enum truth_of {
    TRUTH_CYCLES,     /* a counter of the host, of cycles */
    TRUTH_EVENTS,     /* ... of another event */
    TRUTH_TIMER,      /* timer interrupts of the guest (irq.rec) */
    TRUTH_PERFMON,    /* ... of its performance monitor, counting cycles */
    TRUTH_OCCURRED,   /* ... counting what a counter of the host samples, too */
    TRUTH_SAMPLED,    /* sampled instructions, as cycles */
    TRUTH_EXECUTIONS, /* ... as executions, where marks counted these */
    TRUTH_MARKS,      /* executions that marks counted, as cycles */
    TRUTH_THRESHOLDS  /* times a threshold was exceeded, as cycles lost */
};

/* What a sampled instruction that completed is worth; others are nothing. */
enum truth_worth {
    TRUTH_ONE,       /* as any other */
    TRUTH_IN_FLIGHT, /* the cycles from its issue to its completion */
    TRUTH_OLDEST     /* the cycles from the completion before to its own */
};

/* Whose cycles a counter counts: of the run, or under --user of the program or
 * of simrun, which is its system. */
enum truth_mode { TRUTH_ALL, TRUTH_PROGRAM, TRUTH_SYSTEM };

/* What profile. */
struct truth_source {
    enum truth_of of;
    uint32_t number; /* of the counter, the interrupt's vector; the worth */
    uint32_t host;   /* TRUTH_OCCURRED: that counter */
    enum truth_mode mode;
};

/* A place: a function (b 0), an instruction (function, pc) or a line (file,
 * line; or SOURCES_NONE and the function that has no lines). */
struct truth_place {
    uint32_t a, b;
    uint64_t exact; /* cycles, or events the records name */
    uint64_t met;   /* worth of samples that were put here: by an interrupt,
                     * or by being of this place */
    uint64_t named; /* samples whose record names it */
};

struct truth_places {
    struct truth_place *place;
    size_t count, room;
    struct hash at;
};

/* How far behind its instruction an event would have been noticed; of a timer
 * interrupt, by powers of two, how many cycles behind its time. */
#define TRUTH_SKIDS 66
#define TRUTH_FARTHER 17 /* 0 to 16 instructions, farther, back, elsewhere */
#define TRUTH_BACK 18
#define TRUTH_ELSEWHERE 19

struct truth {
    struct truth_source source;
    uint64_t samples;
    uint64_t worth;     /* of them all */
    double squares;     /* ... of each, squared */
    uint64_t exact;     /* all of it */
    struct hash marked; /* instructions with a counting mark of the host */
    struct truth_places function, line, instruction;
    uint64_t skid[TRUTH_SKIDS];
    struct serial serial; /* of functions, where interrupts met them */
};

/* Read the samples of one profile and what they are judged by. What is wrong
 * joins r->problems. */
void truth_read(struct truth *t, struct recording *r,
                const struct truth_source *source, struct sources *lines);
void truth_free(struct truth *t);

/* Are these interrupts that the guest took? */
bool truth_interrupts(enum truth_of of);

/* Do records name an instruction beside where the interrupt met one? */
bool truth_names(const struct truth *t);

/* Share of samples in the wrong place, 0 to 1, when they are put where an
 * interrupt meets the program, or (named) where their records say. */
double truth_error(const struct truth *t, const struct truth_places *p,
                   bool named);

/* As how many samples of equal worth they are, for intervals (Kish). */
uint64_t truth_effective(const struct truth *t);

/* The error that as many samples, drawn fairly, would have on average. */
double truth_noise(const struct truth *t, const struct truth_places *p);

/* The 95 % interval of the share behind `found` of n independent samples, by
 * Wilson's formula: it holds near 0 and 1, too. */
struct truth_interval {
    double low, high;
};

struct truth_interval truth_interval(uint64_t found, uint64_t n);

/* The same of a share found in as much as n independent samples. */
struct truth_interval truth_wilson(double share, double n);

/* The mean distance to a share of what n fair samples find: they have a normal
 * distribution as n grows. Of what is too rare to be met at all, twice the
 * share at most. Half the sum over all shares is the mean error. */
double truth_distance(double share, double n);

#endif
