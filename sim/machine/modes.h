/* modes.h - stretches of a run in detail (simrun --detail=FROM:TO): which, and
 * where the machine stands among them.
 *
 * Outside of them the run's own model keeps time (machine_setup.timing, fast or
 * warm); all processors change together, between two turns. The first
 * instructions of a stretch only fill the window, which is empty there, and are
 * kept apart in the account (reason `filling`), as is what was run outside
 * (reason `untimed`). What is left of a stretch is measured.
 */
#ifndef SIM_MACHINE_MODES_H
#define SIM_MACHINE_MODES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "isa/types.h"
#include "pmu/event/signal.h"
#include "sim/observe/observer.h"
#include "sim/symbols/names.h"

#define MODES_STRETCHES 64
#define MODES_FILL 1000 /* instructions, unless --detail-fill says another */

struct machine;

enum place_kind {
    PLACE_INSNS,   /* so many instructions of the run are done, of all CPUs */
    PLACE_MORE,    /* so many since the stretch began */
    PLACE_ADDRESS, /* a processor is about to run the instruction there */
    PLACE_END      /* the end of the run */
};

struct place {
    enum place_kind kind;
    uint64_t insns;
    ea_t address;
};

struct stretch {
    struct place from, to;
};

/* What was measured of one. */
struct measured {
    cycle_t from, to;
    uint64_t insns;
};

struct modes {
    struct machine *machine;
    struct stretch stretch[MODES_STRETCHES];
    unsigned stretches; /* 0: the mode never changes */
    unsigned next;      /* the stretch that is, or comes */
    enum { MODES_OUTSIDE, MODES_FILLING, MODES_INSIDE } where;
    uint64_t due;   /* instructions at which that changes; UINT64_MAX: never */
    bool awaited;   /* ... it changes at an address: */
    ea_t address;   /* ... this one, */
    bool reached;   /* ... where a processor stands */
    uint64_t begun; /* instructions where the stretch began */
    uint64_t insns; /* ... where its measured part did, */
    cycle_t since;  /* ... and the cycle */
    unsigned done;  /* stretches that were measured, at least in part, */
    unsigned unfilled;       /* others, over before their window was full */
    uint64_t measured_insns; /* ... the instructions of all of them */
    cycle_t measured;        /* ... and the cycles */
    struct observer observer;
};

/* "FROM:TO" of --detail: FROM a number of instructions, 0xADDRESS, or symbol;
 * TO the same, or +N instructions further, or nothing, the end. Without names
 * any symbol will do. A stretch of which `fill` instructions leave nothing is
 * refused. False: `why` has the line. */
bool modes_parse(const char *text, const struct names *names, uint64_t fill,
                 struct stretch *s, char *why, size_t size);

/* Before the first cycle: make m->modes of the setup's texts. m has its
 * processors and, if there are symbols to be looked up, its names. False: `why`
 * has the line. */
bool modes_open(struct machine *m, char *why, size_t size);

/* Between two turns: change where it is time to. */
void modes_look(struct machine *m);

/* How far processor i may run, which may go up to cycle `until` otherwise: no
 * instruction past the next change, in a model without a pipeline; in one with,
 * none that dispatches in a later cycle. */
cycle_t modes_until(const struct machine *m, unsigned i, cycle_t until);

/* The run has ended at cycle `end`: what is measured is measured. */
void modes_end(struct machine *m, cycle_t end);

#endif
