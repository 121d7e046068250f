/* gdb.h - a debugger looks at a machine, over gdb's remote protocol.
 *
 * Processors are threads: number n is thread n + 1. The machine stops and goes
 * on as a whole, and always where it would have been anyway: as long as the
 * debugger writes nothing, no cycle changes. Stopping between two instructions
 * is the core's doing (struct observer); breakpoints and watchpoints are
 * compared here, the guest's memory is not touched for them.
 * docs/debug.md is the user's side.
 */
#ifndef SIM_GDB_GDB_H
#define SIM_GDB_GDB_H

#include "sim/gdb/link.h"
#include "sim/machine/machine.h"
#include "sim/host/replay.h"

#define GDB_BREAKS 256
#define GDB_WATCHES 64

/* As the Z packets number them. */
enum gdb_point { GDB_SOFT, GDB_HARD, GDB_WRITE, GDB_READ, GDB_ACCESS };

struct gdb_break {
    ea_t pc;
    uint8_t kind; /* GDB_SOFT, GDB_HARD */
};

struct gdb_watch {
    ea_t from;
    uint32_t size;
    uint8_t kind; /* GDB_WRITE, GDB_READ, GDB_ACCESS */
};

/* Why the machine stands still. */
struct gdb_stop {
    enum {
        STOP_NONE,
        STOP_START, /* before the first instruction, or on attaching */
        STOP_BREAK,
        STOP_WATCH,
        STOP_STEP,
        STOP_INTERRUPT, /* the debugger asked */
        STOP_END        /* the run has ended badly: a last look */
    } why;
    unsigned cpu;
    uint8_t kind; /* STOP_BREAK, STOP_WATCH: enum gdb_point */
    ea_t ea;      /* STOP_WATCH: what it would touch */
    ea_t pc;      /* ... and STOP_BREAK: the instruction that waits */
};

struct gdb {
    struct machine *machine;
    struct link link;
    struct observer observer;
    struct gdb_stop stop; /* the next one to report, or the last reported */
    bool stopped;         /* talking; nothing is simulated */
    bool killed;          /* the debugger ended the run */

    unsigned nbreaks, nwatches;
    struct gdb_break breaks[GDB_BREAKS];
    struct gdb_watch watches[GDB_WATCHES];
    uint64_t derived; /* bit of every breakpoint's low address bits */

    /* How the machine goes on. */
    uint32_t stepping; /* a bit each processor */
    uint32_t ranging;  /* ... that steps while in range */
    ea_t range_from[MACHINE_CPUS], range_to[MACHINE_CPUS];
    /* A point was reported at this instruction, which is not done yet. */
    int reported; /* STOP_BREAK, STOP_WATCH or STOP_NONE */
    unsigned reported_cpu;
    ea_t reported_pc;

    /* Where in its turn the machine is, as far as the observer saw: 0 at its
     * beginning, 2k - 1 in front of the k-th instruction, 2k behind it. */
    uint64_t turn;
    unsigned step;
    struct replay *replay; /* gdb_rerun: what is to be written; else NULL */

    unsigned chosen;  /* by Hg: whom registers and memory are asked of */
    unsigned resumed; /* by Hc: who steps; MACHINE_CPUS: any */
    unsigned listed;  /* qsThreadInfo goes on here */
    cycle_t looked;   /* the beat at which the link was last asked */

    size_t used;
    char reply[LINK_PACKET];
};

/* Listen at `where` (link_open) for a debugger of m. `signals` may be -1.
 * False: `why` has the line. */
bool gdb_open(struct gdb *g, const char *where, struct machine *m, int signals,
              char *why, size_t size);
/* With a debugger that is connected already; the socket is ours from here on.
 * For tests. */
void gdb_adopt(struct gdb *g, struct machine *m, int fd);
void gdb_close(struct gdb *g);

/* As machine_run, for a machine under a debugger: waits for one first. */
void gdb_run(struct gdb *g);

/* As machine_run, but what a debugger wrote in a recorded run is written again
 * where it was. */
void gdb_rerun(struct gdb *g, struct machine *m, struct replay *r);

/* For a wait in the middle of a beat: look at the link. If the
 * debugger wants to, it stops the machine here. False: the run is over. */
bool gdb_poll(struct gdb *g);
/* The file whose readiness calls for gdb_poll. */
int gdb_file(const struct gdb *g);

#endif
