/* autoprofile.h - simrun --autoprofile: marks that set themselves, for any
 * program, from outside (docs/tools.md). The host unit counts; nothing
 * simulated changes, the program's bytes neither.
 *
 *   hot     samples of cycles find hot functions; each of their instructions
 *           is counted
 *   climb   the first of them has a limit; who calls it, found on the stack
 *           when it interrupts, has one next, up to the root
 *   calls   every call and return interrupts: each pair of places is counted;
 *           so are system calls, interrupts and what returns from them
 *   branches   likewise every branch, taken or not
 *   scan    every instruction is counted
 *
 * What is counted is counted from cycle 0 on. hot and climb do not know before
 * the end what that is, so the program runs again, and hears what it heard in
 * the first pass (sim/main.c): the first pass of hot and climb samples, the
 * second has the marks. A climb that meets a caller under way marks it from
 * there on, and makes one more pass in which it is marked from the beginning,
 * until a pass meets no new caller. The experiment is that of the last pass.
 */
#ifndef SIM_OBSERVE_PIF_AUTOPROFILE_H
#define SIM_OBSERVE_PIF_AUTOPROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/experiment/experiment.h"
#include "pmu/markspec/perfinst.h"
#include "sim/observe/observer.h"

struct host_unit;
struct machine;

enum autoprofile_kind {
    AUTOPROFILE_OFF,
    AUTOPROFILE_HOT,
    AUTOPROFILE_CLIMB,
    AUTOPROFILE_CALLS,
    AUTOPROFILE_BRANCHES,
    AUTOPROFILE_SCAN
};

#define AUTOPROFILE_LIMIT 13     /* of an instruction that is climbed from */
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
    uint32_t limit; /* executed more often: an interrupt; 0: not marked yet */
};

/* A function that samples found hot. */
struct autoprofile_hot {
    uint32_t at, size;
    uint64_t samples;
};

#define AUTOPROFILE_HOTTEST 8
#define AUTOPROFILE_SITES 256
#define AUTOPROFILE_PASSES 16 /* of a climb; the last adds no callers */

/* All zero: off. Outlives the machines of all passes. */
struct autoprofile {
    enum autoprofile_kind kind;
    struct machine *machine; /* of this pass, as the next two; not owned */
    struct host_unit *unit;
    struct experiment *experiment;
    struct observer observer;
    unsigned pass; /* from 1; of hot and climb the first one only finds */
    bool more;     /* this pass met a caller to be counted from cycle 0 */
    bool left_out; /* ... or for whom there is no room, or no pass */
    struct autoprofile_pair *pair; /* a hash; owned */
    size_t used, room;
    uint64_t samples;
    struct autoprofile_hot hot[AUTOPROFILE_HOTTEST];
    unsigned hots;
    struct autoprofile_site site[AUTOPROFILE_SITES];
    unsigned sites;
};

/* A word of the command line. False: unknown. */
bool autoprofile_parse(const char *text, enum autoprofile_kind *kind);
const char *autoprofile_name(enum autoprofile_kind kind);

/* Does it run the program more than once? */
bool autoprofile_passes(enum autoprofile_kind kind);

/* Add to p the marks that are known before the run. */
void autoprofile_marks(enum autoprofile_kind kind,
                       const struct perfinst_world *w, struct perfinst *p);

/* Listen to the machine of the host unit u, which has not run yet, for one
 * pass, if it is not off. What was found is written to e at the end. u must
 * outlive the pass, a the machine. */
void autoprofile_open(struct autoprofile *a, struct host_unit *u,
                      struct experiment *e);
/* The pass begins, the experiment being open: what is known by now is marked,
 * and said there. */
void autoprofile_begin(struct autoprofile *a);
/* Is another pass called for? */
bool autoprofile_again(const struct autoprofile *a);
void autoprofile_free(struct autoprofile *a);

#endif
