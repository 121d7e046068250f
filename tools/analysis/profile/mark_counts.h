/* mark_counts.h - what marks and ranges counted, and the interrupts of marks,
 * as an experiment has them (mark.rec, trap.rec; docs/pif.md).
 */
#ifndef TOOLS_ANALYSIS_PROFILE_MARK_COUNTS_H
#define TOOLS_ANALYSIS_PROFILE_MARK_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/experiment/recording.h"

/* One marked word, or one range. What interrupts of its limit took from the
 * guest's counter is in the count, too. */
struct mark_count {
    unsigned kind; /* MARK_... of include/record.def */
    uint32_t address, indicator, limit;
    uint64_t count, exceeded; /* a range: executions or accesses, entries */
    uint32_t space; /* of the map, that the address is in; 0: of all */
};

/* Interrupts of one kind of one instruction, called from one place. */
struct mark_count_trap {
    bool guest;     /* its own unit, else the host's */
    unsigned cause; /* PIFX_... of include/mark_bits.h */
    uint32_t pc, data;
    uint32_t space;    /* of the map, that pc is in; 0: of all */
    uint32_t caller;   /* function that called the one pc is in */
    uint64_t traps;    /* how often */
    uint64_t captured; /* counts at these moments, added up */
};

struct mark_counts {
    struct mark_count *mark; /* in the order of the file */
    size_t marks, room;
    struct mark_count_trap *trap; /* most frequent first */
    size_t traps, traps_room;
    uint64_t total; /* of traps */
};

/* Where its address is, at the end of the run. */
struct place mark_count_place(struct recording *r, const struct mark_count *k);
/* Is it an instruction whose executions the host counted? */
bool mark_count_executions(const struct mark_count *k);
/* ... or how often it took too long? */
bool mark_count_thresholds(const struct mark_count *k);

/* What is wrong joins r->problems. */
void mark_counts_read(struct mark_counts *m, struct recording *r);
void mark_counts_free(struct mark_counts *m);

#endif
