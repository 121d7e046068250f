/* accuracy.h - a profile held against what really happened.
 *
 * Of a counter of cycles, and of timer interrupts that the guest took, the
 * oracle is the truth: the share of cycles of every function, line and
 * instruction. Of any other event it is the instruction that each record names
 * as the event's own. The error of a profile is the share of samples in the
 * wrong place: 1 less the sum over all places of the smaller of the two shares.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_ACCURACY_H
#define TOOLS_ANALYSIS_PROFILE_ACCURACY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"
#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/profile/independence.h"
#include "tools/analysis/symbols/sources.h"

enum accuracy_of {
    ACCURACY_CYCLES,     /* a counter of the host, of cycles */
    ACCURACY_EVENTS,     /* ... of another event */
    ACCURACY_TIMER,      /* timer interrupts of the guest (irq.rec) */
    ACCURACY_PERFMON,    /* ... of its performance monitor, counting cycles */
    ACCURACY_OCCURRED,   /* ... counting what a counter of the host samples, too
                          */
    ACCURACY_SAMPLED,    /* sampled instructions, as cycles */
    ACCURACY_EXECUTIONS, /* ... as executions, where marks counted these */
    ACCURACY_MARKS,      /* executions that marks counted, as cycles */
    ACCURACY_THRESHOLDS  /* times a threshold was exceeded, as cycles lost */
};

/* What a sampled instruction that completed is worth; others are nothing. */
enum accuracy_worth {
    ACCURACY_ONE,       /* as any other */
    ACCURACY_IN_FLIGHT, /* the cycles from its issue to its completion */
    ACCURACY_OLDEST     /* the cycles from the completion before to its own */
};

/* Whose cycles a counter counts: of the run, or under --user of the program or
 * of simrun, which is its system. */
enum accuracy_mode { ACCURACY_ALL, ACCURACY_PROGRAM, ACCURACY_SYSTEM };

/* What profile. */
struct accuracy_source {
    enum accuracy_of of;
    uint32_t number; /* of the counter, the interrupt's vector; the worth */
    uint32_t host;   /* ACCURACY_OCCURRED: that counter */
    enum accuracy_mode mode;
    /* The guest counted for tasks of its own, while they ran: what counts is
     * what those cost that its interrupts met, from the first one to the last.
     */
    bool of_tasks;
};

/* A place: a function (b 0), an instruction (function, pc) or a line (file,
 * line; or SOURCES_NONE and the function that has no lines). */
struct accuracy_place {
    uint32_t a, b;
    uint64_t exact; /* twelfths of cycles, or events the records name */
    uint64_t met;   /* worth of samples that were put here: by an interrupt,
                     * or by being of this place */
    uint64_t named; /* samples whose record names it */
};

struct accuracy_places {
    struct accuracy_place *place;
    size_t count, room;
    struct hash at;
};

/* How far behind its instruction an event would have been noticed; of a timer
 * interrupt, by powers of two, how many cycles behind its time. */
#define ACCURACY_SKIDS 66
#define ACCURACY_FARTHER                                                       \
    17 /* 0 to 16 instructions, farther, back, elsewhere                       \
        */
#define ACCURACY_BACK 18
#define ACCURACY_ELSEWHERE 19

struct accuracy {
    struct accuracy_source source;
    uint64_t samples;
    uint64_t worth;     /* of them all */
    double squares;     /* ... of each, squared */
    uint64_t exact;     /* all of it */
    struct hash marked; /* instructions with a counting mark of the host */
    struct hash tasks;  /* with source.of_tasks: those that were met */
    struct accuracy_places function, line, instruction;
    uint64_t skid[ACCURACY_SKIDS];
    struct independence serial; /* of functions, where interrupts met them */
};

/* Read the samples of one profile and what they are judged by. What is wrong
 * joins r->problems. */
void accuracy_read(struct accuracy *t, struct recording *r,
                   const struct accuracy_source *source, struct sources *lines);
void accuracy_free(struct accuracy *t);

/* Are these interrupts that the guest took? */
bool accuracy_interrupts(enum accuracy_of of);

/* Do records name an instruction beside where the interrupt met one? */
bool accuracy_names(const struct accuracy *t);

/* Share of samples in the wrong place, 0 to 1, when they are put where an
 * interrupt meets the program, or (named) where their records say. */
double accuracy_error(const struct accuracy *t, const struct accuracy_places *p,
                      bool named);

/* As how many samples of equal worth they are, for intervals (Kish). */
uint64_t accuracy_effective(const struct accuracy *t);

/* The error that as many samples, drawn fairly, would have on average. */
double accuracy_noise(const struct accuracy *t,
                      const struct accuracy_places *p);

/* The 95 % interval of the share behind `found` of n independent samples, by
 * Wilson's formula: it holds near 0 and 1, too. */
struct accuracy_interval {
    double low, high;
};

struct accuracy_interval accuracy_interval(uint64_t found, uint64_t n);

/* The same of a share found in as much as n independent samples. */
struct accuracy_interval accuracy_wilson(double share, double n);

/* The mean distance to a share of what n fair samples find: they have a normal
 * distribution as n grows. Of what is too rare to be met at all, twice the
 * share at most. Half the sum over all shares is the mean error. */
double accuracy_distance(double share, double n);

#endif
