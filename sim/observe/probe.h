/* probe.h - when functions are entered and left (simrun --probe FUNC) and
 * when sections that the program marks itself begin and end (--sections).
 *
 * Functions by symbol, without touching the program. A probe may cost guest
 * time (knob probe_cycles), as one in the program would; at 0 nothing changes
 * beyond what the marks, being instructions, cost anyway. Each record says
 * what its probe cost, and how long the context had run by then according to
 * the machine itself. Under --user, where no kernel writes them, so are
 * records of which thread runs. Layout: include/record.h.
 */
#ifndef SIM_OBSERVE_PROBE_H
#define SIM_OBSERVE_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"
#include "sim/observe/section_notes.h"

#define PROBES 64
#define PROBE_ACTIVE 4096   /* entered and not left, over all threads */
#define PROBE_CONTEXTS 4096 /* whose time is kept; a power of two */

struct probe_options {
    unsigned count;
    const char *function[PROBES];
    bool sections; /* record those that the program marks */
};

/* An entered function: where and with which stack it returns. */
struct probe_call {
    uint32_t context, back, stack, function;
};

/* How long a context has run, up to its last switch. */
struct probe_context {
    bool known;
    uint32_t context;
    cycle_t ran;
    cycle_t left; /* when it ran last */
    /* Where it was when it entered the supervisor last (--user), and whether
     * to return from a signal's handler. */
    uint32_t pc, stack;
    bool returning;
    uint32_t became; /* THREAD_STATE_ when it left its processor last */
};

/* Who runs on a processor, and since when. */
struct probe_cpu {
    bool known;    /* an instruction ran */
    bool resting;  /* no thread runs on it (--user) */
    uint32_t runs; /* the context of the next instruction */
    cycle_t since;
    cycle_t done;    /* completion of the last instruction */
    cycle_t entered; /* the supervisor, last (--user) */
    bool put;        /* it did since the last instruction: pc may be anywhere */
};

struct probes {
    struct machine *machine;       /* not owned */
    struct experiment *experiment; /* not owned */
    struct observer observer;
    unsigned count;
    uint32_t function[PROBES];
    unsigned active;
    struct probe_call call[PROBE_ACTIVE];
    uint64_t derived[16]; /* hashes of functions and of ways back */
    uint64_t lost;        /* entries that found no room */
    struct section_notes marks;
    uint64_t mark_filter[16];
    uint64_t mark_cost;    /* thousandths of a cycle, as measured */
    uint32_t mark_charged; /* the same in cycles, rounded to the nearest */
    struct probe_cpu cpu[MACHINE_CPUS];
    struct probe_context context[PROBE_CONTEXTS];
    unsigned contexts;
};

/* Observe the machine from now on, recording in e, which must be open when it
 * runs. False: why[] has the line. Without options nothing is done. `p` must
 * outlive the machine's run. */
bool probes_open(struct probes *p, const struct probe_options *o,
                 struct machine *m, struct experiment *e, char *why,
                 size_t size);
void probes_close(struct probes *p);

/* The log's lines about sections. */
void probes_say(const struct probes *p, struct experiment *e);

#endif
