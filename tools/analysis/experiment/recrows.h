/* recrows.h - the rows of the oracle's account one by one, whichever way
 * oracle.rec keeps them (include/record.def): each comes out as a record of one
 * row.
 *
 * A row covers an interval of time. Where a part of that is asked for every
 * row of the interval gives its share by length: each twelfth of a cycle that
 * it has is given a cycle of the interval, those in a row far apart, and each
 * cycle gets twelve. So shares are whole, those of all rows add up to the
 * cycles of the part, and those of all parts to the row, exactly.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_RECROWS_H
#define TOOLS_ANALYSIS_EXPERIMENT_RECROWS_H

#include <stdbool.h>
#include <stdint.h>

#include "include/record.h"
#include "tools/analysis/experiment/record.h"

#define RECROWS_CPUS 256
#define RECROWS_BYTES (4 * ORACLE_WORDS) /* of one row's payload */

struct recrows {
    /* Cycles of an interval, the last one may be shorter; 0: not known, a row
     * is not divided and belongs where it ends. */
    uint64_t interval;
    uint64_t step; /* divide at multiples of this, too; 0: do not */
    bool windowed; /* only what lies between these comes */
    uint64_t from, to;
    /* Private from here on. */
    struct record record; /* that is being taken apart */
    uint32_t left;        /* rows to come */
    unsigned at;          /* byte of its payload */
    uint32_t pc, reason;  /* of the row that is being divided */
    uint64_t twelfths;
    uint64_t before;         /* twelfths of the interval's rows before it */
    uint64_t begin, end, lo; /* its interval; divided up to here */
    uint64_t stride;         /* cycles between two twelfths in a row, of an */
    uint64_t stride_for;     /* interval of so many */
    uint64_t phase;          /* where the row begins on their circle */
    uint64_t within;         /* what all its shares have in them */
    bool divided;            /* these two are known */
    uint64_t had;            /* what of it lies before lo */
    unsigned char row[RECROWS_BYTES];
    struct {
        uint64_t end, sum;
    } cpu[RECROWS_CPUS]; /* what rows of the latest interval add up to */
};

/* Can this record be? */
bool recrows_sensible(const struct record *r);

/* The payload of one row, as a file has it. */
void recrows_write(unsigned char row[RECROWS_BYTES], uint32_t pc,
                   uint32_t reason, uint64_t twelfths);

/* The rows of this record come next. It stays the caller's and must stay. */
void recrows_begin(struct recrows *rows, const struct record *r);

/* The next row, or part of one; false: that was all. */
bool recrows_next(struct recrows *rows, struct record *r);

#endif
