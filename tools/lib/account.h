/* account.h - the oracle's account of a run: every cycle of every CPU, by
 * function and reason (pmu/oracle.h).
 *
 * The oracle counts twelfths of a cycle. For a table of whole cycles each
 * cell (cpu, function, reason) is rounded down or up so that the cells of a
 * CPU add up to its cycles; every sum of cells is then exact to the unit, and
 * all views of one run agree. No cell is off by a cycle or more.
 */
#ifndef TOOLS_LIB_ACCOUNT_H
#define TOOLS_LIB_ACCOUNT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/lib/hash.h"
#include "tools/lib/recording.h"

/* Functions that are none: the CPU was parked or napping. */
#define ACCOUNT_PARKED (UINT32_MAX - 1)
#define ACCOUNT_NAPPING UINT32_MAX

#define ACCOUNT_LINKS 3 /* hashes between a cell and its spots */

struct account_cell {
    uint32_t function; /* a number of the load map, or one of the above */
    uint8_t cpu, reason;
    uint64_t twelfths;
    uint64_t cycles; /* rounded */
};

/* A part of a cell: what one instruction cost in one thread in one slot of
 * time. The parts of a cell add up to it, in cycles too. */
struct account_spot {
    uint32_t function, thread, pc;
    uint8_t cpu, reason;
    uint64_t cycle; /* the end of an interval that has it */
    uint64_t slot;  /* cycle / account_choice.step; 0 without */
    uint64_t twelfths, cycles;
};

struct account_cpu {
    uint64_t twelfths; /* the sum of its cells */
    uint64_t rows;     /* the sum of all rows, also those not wanted */
    uint64_t cycles;   /* rounded down */
    uint64_t last;     /* the account goes from cycle 0 to here */
};

struct account {
    unsigned cpus;
    struct account_cpu *cpu;
    struct account_cell *cell; /* by cpu, function, reason */
    size_t count, room;
    struct account_spot *spot; /* by cpu, function, reason, pc, thread, slot */
    size_t spots, spots_room;
    struct hash at;                     /* (cpu, reason, function) to cell */
    struct hash spot_at[ACCOUNT_LINKS]; /* (cell, pc, thread, slot) to spot */
};

/* What of oracle.rec is wanted, and how finely. A row covers an interval of
 * time and belongs where that ends. */
struct account_choice {
    bool spots;    /* the parts of cells, too */
    uint64_t step; /* cycles of a slot, 0: all one */
    /* NULL, or: is this record wanted? */
    bool (*wants)(void *arg, const struct record *record);
    void *arg;
};

/* Read oracle.rec, all of it or what is chosen. What is wrong with it joins
 * r->problems; so does, of a run that ended, that it does not account for
 * every cycle; unless an interval is reported on, whose rows do not tell, or
 * the log says that there are none or counts no instructions. */
void account_read(struct account *a, struct recording *r);
void account_choose(struct account *a, struct recording *r,
                    const struct account_choice *choice);
void account_free(struct account *a);

/* Does every CPU's account hold exactly the cycles it covers, from 0 to the
 * end of the run (an unended one: to what its log says is settled)? */
bool account_exact(const struct account *a, const struct recording *r);

/* If the rows do not although the run ended, note that. */
void account_check(const struct account *a, struct recording *r);

/* The cycles that one CPU napped or was parked. */
uint64_t account_cycles(const struct account *a, unsigned cpu,
                        uint32_t function);

/* The name of a function of the account. */
const char *account_name(const struct recording *r, uint32_t function);

#endif
