/* indexobj.h - a profile added up by a number that each record has or is
 * given: its thread, its CPU, the second it fell in, or the value of an
 * expression (ANA-90). Values are exclusive only. A record without a number,
 * or with -1, goes to <Unknown>.
 *
 * Exact cycles are rounded so that the rows add up to the total, no row off
 * by a cycle or more.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_INDEXOBJ_H
#define TOOLS_ANALYSIS_PROFILE_INDEXOBJ_H

#include "tools/analysis/profile/samples.h"

#define INDEXOBJ_UNKNOWN (-1)
#define INDEXOBJ_ROWS 1000000 /* further ones go to <Unknown> */

struct indexobj_row {
    int64_t key;
    uint64_t cycle;    /* of the last record met */
    uint64_t cpus;     /* a bit for each CPU it was met on */
    uint64_t *value;   /* exclusive, by metric */
    uint64_t twelfths; /* of exact cycles */
    uint64_t parked;   /* ... those of a CPU that was not released yet */
};

struct indexobj {
    struct samples_metrics metric; /* with their totals */
    struct indexobj_row *row;      /* by key */
    size_t rows, room;
    uint64_t *total; /* by metric */
    struct hash at;
};

struct indexobj_choice {
    /* NULL, or: is this record (profile or oracle) wanted? */
    bool (*wants)(void *arg, const struct record *record);
    void *arg;
    /* Its number. False: it has none. */
    bool (*number)(void *arg, const struct record *record, int64_t *key);
    void *number_arg;
    unsigned waits; /* what threads waited are metrics, too: offcpu.h */
    uint64_t step;  /* exact cycles are divided at its multiples; 0: not */
};

/* Read profile.rec and oracle.rec. What is wrong joins r->problems. */
void indexobj_read(struct indexobj *x, struct recording *r,
                   const struct indexobj_choice *choice);
void indexobj_free(struct indexobj *x);

#endif
