/* autoprofile.h - simrun --autoprofile: marks that set themselves, for any
 * program, from outside (docs/tools.md). The host unit counts; nothing
 * simulated changes, the program's bytes neither.
 *
 *   hot     samples of cycles find hot functions; from then on each of their
 *           instructions is counted
 *   climb   the first of them has a limit; who calls it, found on the stack
 *           when it interrupts, has one next, up to the root
 *   calls   every call and return interrupts: each pair of places is counted;
 *           so are system calls, interrupts and what returns from them
 *   branches   likewise every branch, taken or not
 *   scan    every instruction is counted
 */
#ifndef SIM_AUTOPROFILE_H
#define SIM_AUTOPROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/perfinst.h"
#include "pmu/pif.h"

struct machine;

enum autoprofile_kind {
    AUTOPROFILE_OFF,
    AUTOPROFILE_HOT,
    AUTOPROFILE_CLIMB,
    AUTOPROFILE_CALLS,
    AUTOPROFILE_BRANCHES,
    AUTOPROFILE_SCAN
};

#define AUTOPROFILE_LIMIT 13     /* executed more often: an interrupt */
#define AUTOPROFILE_PERIOD 10007 /* cycles between samples, unless -e says */

/* How often something happened: a function (b 0) or an instruction of it (b)
 * was sampled; a call or branch, or with a | 1 a return, went from a to b; or
 * with a | 2 an exception of vector b met a. */
struct autoprofile_pair {
    uint32_t a, b;
    uint64_t count; /* 0: the slot is free */
};

/* An instruction of a climb. */
struct autoprofile_site {
    uint32_t at, level, below; /* below: the one that it calls, 0: none */
    uint64_t traps;
    bool marked, calm; /* calm: it only counts any more */
};

#define AUTOPROFILE_HOTTEST 8
#define AUTOPROFILE_SITES 64

/* All zero: off. */
struct autoprofile {
    enum autoprofile_kind kind;
    struct autoprofile_pair *pair; /* a hash; owned */
    size_t used, room;
    uint64_t samples;
    uint32_t hot[AUTOPROFILE_HOTTEST]; /* functions that are marked */
    unsigned hots;
    struct autoprofile_site site[AUTOPROFILE_SITES];
    unsigned sites;
};

/* A word of the command line. False: unknown. */
bool autoprofile_parse(const char *text, enum autoprofile_kind *kind);
const char *autoprofile_name(enum autoprofile_kind kind);

/* What is marked before the machine runs: joins p. */
void autoprofile_marks(enum autoprofile_kind kind,
                       const struct perfinst_world *w, struct perfinst *p);

/* A counter of the host found this instruction at work. */
void autoprofile_sample(struct machine *m, uint32_t pc);
/* A marked branch at work; a call or return alone, or any. */
void autoprofile_call(struct machine *m, const struct pif_report *r);
/* An exception of the instruction at pc, or in front of it. */
void autoprofile_exception(struct machine *m, uint32_t vector, uint32_t pc);
/* A limit was passed; the stack, leaf first. */
void autoprofile_trap(struct machine *m, const struct pif_report *r,
                      const uint32_t *pc, unsigned depth);
/* Between two instructions of everybody: marks may change. */
void autoprofile_beat(struct machine *m);
/* The run has ended: what was found, into the experiment. */
void autoprofile_finish(struct machine *m);
void autoprofile_free(struct autoprofile *a);

#endif
