/* naps.h - the exact idle cycles of a run, laid over its idle stints.
 *
 * The account says how long a CPU napped in an interval (knob account_us), the
 * stints when its idle thread ran in it, which takes interrupts, too. Every
 * piece of the stints of one interval gets naps by its length; what is handed
 * out adds up to the account's naps, to the cycle. A CPU whose idle thread
 * never naps but spins (boot word idle=spin; Linux) is idle while that runs.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_NAPS_H
#define TOOLS_ANALYSIS_CAUSES_NAPS_H

#include "tools/analysis/causes/scene/scene.h"

/* An interval of one CPU. */
struct naps_slot {
    uint64_t from, to;
    uint64_t naps; /* cycles of naps that end with it, from the first one on */
    uint64_t idle; /* cycles of stints in it */
    uint64_t done; /* of those, handed out */
};

struct naps_cpu {
    size_t first, slots; /* in `slot` */
    size_t at;           /* the one that was asked last */
    uint64_t naps;       /* the account's, as every report has them */
    uint64_t given;
};

struct naps {
    const struct scene *scene;
    uint64_t from, to; /* the interval that is reported on */
    unsigned cpus;
    struct naps_cpu *cpu;
    struct naps_slot *slot; /* by CPU, then time */
    size_t slots, room;
    bool spins;      /* no CPU napped: naps are the stints themselves */
    bool exact;      /* the account is there, and adds up */
    uint64_t parked; /* cycles of CPUs not yet released */
    unsigned never;  /* CPUs that were not released in all that time */
};

/* Read oracle.rec for the interval r is set to (recording_within). */
void naps_read(struct naps *n, const struct scene *s, struct recording *r);
/* The stints between two cycles as they are, where the account is not asked:
 * for an interval so short that the account's are longer. */
void naps_of_stints(struct naps *n, const struct scene *s, uint64_t from,
                    uint64_t to);
void naps_free(struct naps *n);

/* The idle cycles of all CPUs, of the interval. */
uint64_t naps_sum(const struct naps *n);

/* The naps of a piece of a CPU's stints. Pieces of one CPU are asked for in the
 * order of time, once each, and lie in one interval (naps.slot). */
uint64_t naps_take(struct naps *n, unsigned cpu, uint64_t from, uint64_t to);

/* Those of a slot that no piece got, when all were asked for. */
uint64_t naps_left_in(const struct naps *n, unsigned cpu, size_t slot);

/* Those of a CPU that no piece got: it was idle in no stint of the interval. */
uint64_t naps_left(const struct naps *n, unsigned cpu);

#endif
