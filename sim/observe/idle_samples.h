/* idle_samples.h - idle-transition samples taken from outside: of threads that
 * simrun itself knows, those of a Linux kernel and of a program under --user.
 * They are the records of our guest's samplers (idle.rec, unsampled.rec,
 * stat.rec), at no cost to the program.
 *
 * Each CPU has a sample interrupt of its own, of which the program knows
 * nothing. It finds the CPU busy, and nothing is done, or idle. Then the
 * monitored thread that left it last is sampled (to-idle), if it still waits
 * and has not run elsewhere; and the first monitored thread that runs there
 * next is sampled as well (from-idle). The decisions are those of the guest's
 * schedule monitor (guest/prof/idle/schedmon.h). A stack is that with which the
 * thread left its CPU: it has not run since. So no sample is ever outstanding.
 */
#ifndef SIM_OBSERVE_IDLE_SAMPLES_H
#define SIM_OBSERVE_IDLE_SAMPLES_H

#include "lib/base/hash.h"
#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"
#include "sim/unwind/walk.h"

/* simrun --sample-idle. */
struct idle_setup {
    uint32_t period; /* cycles; 0: no samples */
    bool to, from;   /* which kinds */
    bool once;       /* to-idle at most once in an idle period */
    bool daemons;    /* the kernel's own threads are monitored, too */
};

/* A thread that comes or goes. */
struct idle_who {
    uint32_t thread, process;
    bool idle;   /* it runs while its CPU is idle, or it is none */
    bool daemon; /* of the kernel */
    bool waits;  /* it goes, and has to be woken */
    bool ended;  /* it goes for good */
    unsigned n;  /* its stack, leaf first, as far as it is known */
    const uint32_t *pc;
};

/* The stack of a thread as it left its CPU. */
struct idle_stack {
    uint32_t *pc; /* owned */
    unsigned n;
};

struct idle_counts {
    uint64_t interrupts, busy, to, from, stale, none, periods, switches,
        sampled;
};

/* A CPU. */
struct idle_place {
    bool begun; /* a switch was heard of: it is known who runs */
    bool idle;
    bool deferred;   /* the next monitored thread is to be sampled */
    bool seen;       /* this idle period met an interrupt */
    bool counted;    /* ... and gave a to-idle sample */
    cycle_t next;    /* interrupt */
    uint64_t drawn;  /* lengths of periods so far */
    uint32_t number; /* samples */
    /* The monitored thread that left last, and from when on it cannot be
     * sampled: it was woken, runs elsewhere, left another CPU. */
    bool saved, ended;
    uint32_t thread, process;
    cycle_t woken, ran, gone;
    unsigned n;
    uint32_t pc[WALK_MOST];
    struct idle_counts count;
};

/* All zero: nothing is sampled. */
struct idle_samples {
    struct idle_setup with;
    struct machine *machine;       /* not owned */
    struct experiment *experiment; /* not owned */
    struct idle_place place[MACHINE_CPUS];
    struct hash index;        /* threads to places in: */
    struct idle_stack *stack; /* owned */
    size_t stacks, room;
};

/* Sample the threads of m, as `with` says, into e. idle_samples_close is due.
 */
void idle_samples_open(struct idle_samples *s, struct machine *m,
                       struct experiment *e, const struct idle_setup *with);
void idle_samples_close(struct idle_samples *s);

/* At cycle `at` the CPU goes from `out` to `in`. */
void idle_samples_switch(struct idle_samples *s, unsigned cpu, cycle_t at,
                         const struct idle_who *out, const struct idle_who *in);
/* The thread may run again from cycle `at` on. */
void idle_samples_woken(struct idle_samples *s, uint32_t thread, cycle_t at);
/* Does `thread` have no stack yet, since it has not run or left a CPU? */
bool idle_samples_new(const struct idle_samples *s, uint32_t thread);
/* This is where it begins. */
void idle_samples_begins(struct idle_samples *s, uint32_t thread,
                         const uint32_t *pc, unsigned n);
/* Every CPU has come to cycle `at`: what belongs in front of it is recorded. */
void idle_samples_beat(struct idle_samples *s, cycle_t at);
/* The run is over: the counts, too. */
void idle_samples_end(struct idle_samples *s, cycle_t at);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool idle_samples_state(struct snap *n, struct idle_samples *s);

#endif
