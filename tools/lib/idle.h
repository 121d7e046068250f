/* idle.h - why CPUs were idle: the idle-transition samples joined to the idle
 * periods in which they were taken.
 *
 * A period is explained by the stack of its first to-idle sample: the thread
 * that ran last before the CPU went idle (while it is idle no other can have
 * been). So the idle time that a stack explains is a sum of measured periods,
 * not an estimate from counts; what no sample fell into stays unexplained.
 */
#ifndef TOOLS_LIB_IDLE_H
#define TOOLS_LIB_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/lib/recording.h"
#include "tools/lib/stacktree.h"
#include "tools/lib/timeline.h"

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
    uint64_t outside;    /* samples that lie in no idle period */
    uint64_t stat[IDLE_STATS]; /* the guest's own counters */
    uint64_t stat_at;          /* when it last said so */
    bool has_stat[IDLE_STATS];
};

struct idle {
    unsigned cpus;
    struct timeline timeline;
    struct idle_cpu *cpu;
    struct stacktree tree;
    bool by_pc;         /* frames are program counters, else functions */
    struct hash frames; /* of a frame by what it means */
    struct idle_frame *frame;
    size_t frame_count, frame_room;
};

/* Read switch, idle and stat records. by_pc: tell calls from different
 * places in one function apart. What is wrong joins r->problems. */
void idle_read(struct idle *d, struct recording *r, bool by_pc);

/* The same with those samples only that are wanted. How long the CPUs were
 * idle is another matter: what is wanted explains the periods it lies in. */
void idle_choose(struct idle *d, struct recording *r, bool by_pc,
                 bool (*wants)(void *arg, const struct record *record),
                 void *arg);
void idle_free(struct idle *d);

/* The name of a node's frame: "mutex_lock", "mutex_lock+0x1c" with by_pc, or
 * an address where there is no function; "<Total>" for the root. */
const char *idle_name(const struct idle *d, const struct recording *r,
                      uint32_t node, char *out, size_t size);

#endif
