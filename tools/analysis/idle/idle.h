/* idle.h - why CPUs were idle: the idle-transition samples joined to the idle
 * periods in which they were taken.
 *
 * A period is explained by the stack of its first to-idle sample: the thread
 * that ran last before the CPU went idle (while it is idle no other can have
 * been). So the idle time that a stack explains is a sum of measured periods,
 * not an estimate from counts; what no sample fell into stays unexplained.
 *
 * The share of a cause is estimated from counts: its to-idle samples over all
 * sample interrupts that found a CPU idle. Those that gave no sample belong to
 * the whole, and are known by reason; otherwise shares would be biased to what
 * can be sampled.
 */
#ifndef TOOLS_ANALYSIS_IDLE_IDLE_H
#define TOOLS_ANALYSIS_IDLE_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/profile/stacktree.h"
#include "tools/analysis/idle/timeline.h"

/* Why there is no sample: UNSAMPLED_... of to-idle ones; and why a thread that
 * ended an idle period has none, where stacks are taken beforehand. */
enum idle_none {
    IDLE_LATE = UNSAMPLED_REASONS,
    IDLE_EXCLUDED,
    IDLE_FAILED,
    IDLE_REASONS
};

/* Metrics of the tree: IDLE_METRICS a CPU, cpu * IDLE_METRICS + one of: */
enum idle_metric {
    IDLE_TO,        /* to-idle samples */
    IDLE_FROM,      /* from-idle samples */
    IDLE_EXPLAINED, /* idle cycles of the periods this to-idle stack began */
    IDLE_METRICS
};

/* What a frame of the tree stands for. */
struct idle_frame {
    uint32_t function; /* of the load map */
    uint32_t pc;       /* by_pc, or of no known function; else 0 */
    uint32_t offset;   /* of pc from the start of the function */
    uint32_t at;       /* where it is: of a return address the call */
    uint64_t cycle;    /* when it was met first: says what was loaded */
};

#define IDLE_STATS 16 /* STAT_... are below this */

struct idle_cpu {
    uint64_t samples[2]; /* IDLE_TO, IDLE_FROM */
    uint64_t sampled;    /* periods with a sample of either kind */
    uint64_t sampled_to; /* ... with a to-idle sample */
    uint64_t explained;  /* idle cycles of the periods with a to-idle sample */
    uint64_t outside;    /* samples in no idle period; not told by the tree */
    uint64_t unsampled[IDLE_REASONS]; /* idle interrupts, and ends, without */
    uint64_t kept;                    /* from-idle samples taken beforehand */
    uint64_t taken;                   /* stacks taken beforehand, used or not */
    uint64_t stat[IDLE_STATS];        /* the guest's own counters */
    uint64_t stat_at;                 /* when it last said so */
    bool has_stat[IDLE_STATS];
};

/* What a sample interrupt of an idle CPU found, for intervals. */
struct idle_draw {
    unsigned cpu;
    bool from;       /* a from-idle sample, or the end that gave none */
    uint32_t what;   /* node of its stack, or IDLE_UNSAMPLED */
    uint64_t period; /* different ones for different idle periods */
};
#define IDLE_UNSAMPLED(reason) (UINT32_MAX - (reason))

struct idle {
    unsigned cpus;
    struct timeline timeline;
    struct idle_cpu *cpu;
    struct stacktree tree;
    bool by_pc;         /* frames are program counters, else functions */
    struct hash frames; /* of a frame by what it means */
    struct idle_frame *frame;
    size_t frame_count, frame_room;
    struct idle_draw *draw; /* with idle_choice.draws only */
    size_t draws, draws_room;
};

/* A sample, and what it is to its period. */
struct idle_sample {
    unsigned cpu;
    uint64_t cycle;
    uint32_t node; /* of the tree: its stack */
    bool to;       /* to-idle, else from-idle */
    bool opens;    /* the first of its period */
    bool explains; /* the first to-idle one of its period */
    uint64_t idle; /* ... and the idle cycles of that */
};

struct idle_choice {
    bool by_pc; /* tell calls from different places in one function apart */
    bool draws; /* keep what every interrupt found */
    /* NULL, or: is this sample, or interrupt without one, wanted? How long the
     * CPUs were idle is another matter: what is wanted explains the periods it
     * lies in. */
    bool (*wants)(void *arg, const struct record *record);
    /* NULL, or told of every sample, in the order of the records. */
    void (*met)(void *arg, const struct idle_sample *s);
    void *arg;
};

/* Why there is no sample: a word, and a few. */
const char *idle_reason(unsigned reason);
const char *idle_reason_text(unsigned reason);

/* Sample interrupts that found a CPU idle, where to-idle samples were wanted:
 * the samples, and those that gave none. */
uint64_t idle_interrupts(const struct idle_cpu *c);
/* Monitored threads that ended an idle period which such an interrupt met: the
 * from-idle samples, and the threads that gave none. */
uint64_t idle_ends(const struct idle_cpu *c);
/* What a record of precapture.rec says of an end without a sample; 0: it is of
 * none. */
unsigned idle_missed(const struct record *precapture);

/* Read switch, idle, unsampled, precapture and stat records. What is wrong
 * joins r->problems. */
void idle_read(struct idle *d, struct recording *r, bool by_pc);
void idle_choose(struct idle *d, struct recording *r,
                 const struct idle_choice *choice);
void idle_free(struct idle *d);

/* The same as idle_read from the experiment's time tree of idleness, without
 * looking at switch and idle records; the timeline has sums only. False, and d
 * as it was: there is no tree, or none that tells, which a note says. */
bool idle_tree(struct idle *d, struct recording *r);

/* Has the experiment such a tree? */
bool idle_tree_there(const struct recording *r);

/* ---- for idle_tree ------------------------------------------------------- */

/* No CPUs' samples yet. */
void idle_begin(struct idle *d, const struct recording *r, bool by_pc);
/* The number of a function's frame; of no known one pc tells which. */
uint32_t idle_frame(struct idle *d, uint32_t function, uint32_t pc);
/* Read unsampled records; those that are wanted, and their draws kept. choice
 * NULL: all, and none. */
void idle_unsampled(struct idle *d, struct recording *r,
                    const struct idle_choice *choice);
/* Read precapture records likewise. Without a choice they say how many samples
 * were taken beforehand, else idle records do. */
void idle_precapture(struct idle *d, struct recording *r,
                     const struct idle_choice *choice);
/* Read stat records. */
void idle_stats(struct idle *d, struct recording *r);
/* All is counted. begun: by CPU, the periods that had begun when the guest
 * said last how many there were; it counted samples too, and where it counted
 * otherwise that is a note. NULL: it cannot be compared. */
void idle_end(struct idle *d, struct recording *r, const uint64_t *begun);

/* The name of a node's frame: "mutex_lock", "mutex_lock+0x1c" with by_pc, or
 * an address where there is no function; "<Total>" for the root. */
const char *idle_name(const struct idle *d, const struct recording *r,
                      uint32_t node, char *out, size_t size);

/* Does the guest, as its boot line says, begin the period until the next sample
 * anew when a sample is complete? Short idle periods are then met too rarely:
 * idle_restarts_text says so, and what cures it. */
bool idle_restarts(const struct recording *r);
extern const char idle_restarts_text[];

#endif
