/* schedmon.h - what the schedule monitor and the sample interrupt decide.
 * Pure decisions over one state: no hardware, no locks, no threads. The guest
 * calls it with the scheduler lock held; a host test calls it with a script.
 */
#ifndef GUEST_PROF_IDLE_SCHEDMON_H
#define GUEST_PROF_IDLE_SCHEDMON_H

#include <stdbool.h>
#include <stdint.h>

#define SCHEDMON_CPUS 8

enum schedmon_role { ROLE_THREAD, ROLE_IDLE, ROLE_SAMPLER };

/* A thread as the monitor sees it. */
struct schedmon_who {
    uint32_t tid, pid;
    enum schedmon_role role;
    bool interest; /* a thread of interest; never for idle and samplers */
};

/* Invariant: a tid is saved on at most one CPU. */
struct schedmon_cpu {
    uint32_t saved_tid, saved_pid; /* last monitored thread to leave; 0: none */
    bool deferred;    /* the next monitored thread is to be sampled */
    bool outstanding; /* a sample was begun and is not complete */
    bool seen;        /* this idle period met a sample interrupt */
    bool counted;     /* ... and gave its to-idle sample (for once) */
};

struct schedmon {
    unsigned cpus;
    bool to_idle, from_idle; /* which kinds are wanted */
    bool once;               /* to-idle at most once per idle period */
    struct schedmon_cpu cpu[SCHEDMON_CPUS];
};

/* What a sample interrupt found. */
enum schedmon_seen {
    SEEN_BUSY,       /* a thread runs: nothing to do */
    SEEN_SUPPRESSED, /* a sample is outstanding: nothing may start */
    SEEN_IDLE,       /* idle; at most the deferred flag was set */
    SEEN_NONE,       /* idle, to-idle wanted, but no monitored thread saved */
    SEEN_TO_IDLE     /* idle; take a to-idle sample of *who */
};

struct schedmon_found {
    enum schedmon_seen seen;
    uint32_t tid, pid; /* SEEN_TO_IDLE: whom */
    bool flag_set;     /* the deferred flag went 0 -> 1 */
    bool first;        /* the first interrupt of this idle period */
};

void schedmon_init(struct schedmon *m, unsigned cpus, bool to_idle,
                   bool from_idle, bool once);

/* CPU `cpu` switches from `out` to `in`. True: a from-idle sample of `in`
 * must be taken before it runs; the flag is down again. */
bool schedmon_switch(struct schedmon *m, unsigned cpu,
                     const struct schedmon_who *out,
                     const struct schedmon_who *in);

/* A sample interrupt on `cpu`, which is idle or not. */
struct schedmon_found schedmon_interrupt(struct schedmon *m, unsigned cpu,
                                         bool idle);

/* A sample begins; false: one is outstanding already, nothing changed. */
bool schedmon_begin(struct schedmon *m, unsigned cpu);

/* The outstanding sample is complete. */
void schedmon_complete(struct schedmon *m, unsigned cpu);

#endif
