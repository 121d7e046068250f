/* markcount.h - what marks and ranges counted, and the interrupts of marks, as
 * an experiment has them (mark.rec, trap.rec; docs/pif.md).
 */
#ifndef TOOLS_LIB_MARKCOUNT_H
#define TOOLS_LIB_MARKCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/lib/recording.h"

/* One marked word, or one range. What interrupts of its limit took from the
 * guest's counter is in the count, too. */
struct markcount {
    unsigned kind; /* MARK_... of pmu/record.h */
    uint32_t address, indicator, limit;
    uint64_t count, exceeded; /* a range: executions or accesses, entries */
};

/* Interrupts of one kind of one instruction, called from one place. */
struct markcount_trap {
    bool guest;     /* its own unit, else the host's */
    unsigned cause; /* PIFX_... of pmu/indicator.h */
    uint32_t pc, data;
    uint32_t caller;   /* function that called the one pc is in */
    uint64_t traps;    /* how often */
    uint64_t captured; /* counts at these moments, added up */
};

struct markcounts {
    struct markcount *mark; /* in the order of the file */
    size_t marks, room;
    struct markcount_trap *trap; /* most frequent first */
    size_t traps, traps_room;
    uint64_t total; /* of traps */
};

/* Is it an instruction whose executions the host counted? */
bool markcount_executions(const struct markcount *k);
/* ... or how often it took too long? */
bool markcount_thresholds(const struct markcount *k);

/* What is wrong joins r->problems. */
void markcounts_read(struct markcounts *m, struct recording *r);
void markcounts_free(struct markcounts *m);

#endif
