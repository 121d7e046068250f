/* exact_cycles.h - the oracle's account of a run: every cycle of every CPU, by
 * function and reason (pmu/oracle.h).
 *
 * The oracle counts twelfths of a cycle. For a table of whole cycles each
 * cell (cpu, function, reason) is rounded down or up so that the cells of a
 * CPU add up to its cycles; every sum of cells is then exact to the unit, and
 * all views of one run agree. No cell is off by a cycle or more.
 */
#ifndef TOOLS_ANALYSIS_PROFILE_EXACT_CYCLES_H
#define TOOLS_ANALYSIS_PROFILE_EXACT_CYCLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"
#include "tools/analysis/experiment/recording.h"

/* Functions that are none: the CPU was parked or napping. */
#define EXACT_CYCLES_PARKED (UINT32_MAX - 1)
#define EXACT_CYCLES_NAPPING UINT32_MAX

/* Percent of CPUs' time: where they napped less, what they ran limits them. */
#define EXACT_CYCLES_IDLE_MATTERS 5

#define EXACT_CYCLES_LINKS 3 /* hashes between a cell and its spots */

struct exact_cycles_cell {
    uint32_t function; /* a number of the load map, or one of the above */
    uint8_t cpu, reason;
    uint64_t twelfths;
    uint64_t cycles; /* rounded */
};

/* A part of a cell: what one instruction cost in one thread in one slot of
 * time. The parts of a cell add up to it, in cycles too. */
struct exact_cycles_spot {
    uint32_t function, thread, pc;
    uint8_t cpu, reason;
    uint64_t cycle; /* the end of an interval that has it */
    uint64_t slot;  /* cycle / exact_cycles_choice.step; 0 without */
    uint64_t twelfths, cycles;
};

struct exact_cycles_cpu {
    uint64_t twelfths; /* the sum of its cells */
    uint64_t rows;     /* the sum of all rows, also those not wanted */
    uint64_t cycles;   /* rounded down */
};

struct exact_cycles {
    unsigned cpus;
    struct exact_cycles_cpu *cpu;
    struct exact_cycles_cell *cell; /* by cpu, function, reason */
    size_t count, room;
    struct exact_cycles_spot
        *spot; /* by cpu, function, reason, pc, thread, slot */
    size_t spots, spots_room;
    struct hash at; /* (cpu, reason, function) to cell */
    struct hash
        spot_at[EXACT_CYCLES_LINKS]; /* (cell, thread, slot, pc) to spot */
};

/* What of oracle.rec is wanted, and how finely. A row covers an interval of
 * time and belongs where that ends. */
struct exact_cycles_choice {
    bool spots;    /* the parts of cells, too */
    uint64_t step; /* cycles of a slot, 0: all one */
    /* NULL, or: is this record wanted? */
    bool (*wants)(void *arg, const struct record *record);
    void *arg;
    /* Within the recording's interval it decides by CPU, thread and reason
     * alone, so that a sum of rows can be asked about. */
    bool timeless;
    /* NULL, or told of each row that is, and the function that it is of. */
    void (*told)(void *arg, const struct record *row, uint32_t function);
};

/* Read oracle.rec, all of it or what is chosen. Where r->rereads, what an
 * interval adds up to is kept in the recording, for the next reading that it
 * can answer. What is wrong with it joins r->problems; so does, of a run that
 * ended, that it does not account for every cycle; unless an interval is
 * reported on, whose rows do not tell, or the log says that there are none or
 * counts no instructions. */
void exact_cycles_read(struct exact_cycles *a, struct recording *r);
void exact_cycles_choose(struct exact_cycles *a, struct recording *r,
                         const struct exact_cycles_choice *choice);
void exact_cycles_free(struct exact_cycles *a);

/* Does every CPU's account hold exactly the cycles it covers, from 0 to the
 * end of the run (an unended one: to what its log says is settled)? */
bool exact_cycles_exact(const struct exact_cycles *a,
                        const struct recording *r);

/* If the rows do not although the run ended, note that. */
void exact_cycles_check(const struct exact_cycles *a, struct recording *r);

/* The cycles that one CPU napped or was parked. */
uint64_t exact_cycles_cycles(const struct exact_cycles *a, unsigned cpu,
                             uint32_t function);

/* The name of a function of the account. */
const char *exact_cycles_name(const struct recording *r, uint32_t function);

#endif
