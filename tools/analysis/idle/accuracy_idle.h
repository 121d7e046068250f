/* accuracy_idle.h - idle-transition samples against the context switches, and
 * idle time against the oracle.
 *
 * A to-idle sample says which thread left the CPU idle, a from-idle sample
 * which one ended that. The records of context switches name both for every
 * idle period, sampled or not: so each sample is right or wrong, and the
 * samples' shares, of all sample interrupts that found a CPU idle, have the
 * exact idle cycles to be held against. With simrun
 * --switch-stacks the records of switches also have the stack of the thread
 * that left, so causes are held against each other, not only threads: the
 * stack from the caller of the scheduler on.
 */
#ifndef TOOLS_ANALYSIS_IDLE_ACCURACY_IDLE_H
#define TOOLS_ANALYSIS_IDLE_ACCURACY_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/hash.h"
#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/idle/idle.h"
#include "tools/analysis/profile/resample.h"
#include "tools/analysis/profile/stacktree.h"

/* A thread that left CPUs idle, or ended that; or a cause, a node of stacks. */
struct truth_idler {
    uint32_t who;
    uint64_t exact;     /* idle cycles of its periods */
    uint64_t samples;   /* that name it */
    uint64_t explained; /* idle cycles of the periods whose first sample does */
};

/* One of the two transitions, or causes. */
struct truth_transition {
    uint64_t samples;
    /* To-idle, and causes: idle interrupts that gave no sample, by reason. */
    uint64_t unsampled[IDLE_REASONS];
    struct resample draws; /* of periods: `who`, or IDLE_UNSAMPLED */
    uint64_t wrong;        /* name another thread than the switches */
    uint64_t unmonitored;  /* ... since the guest does not monitor that one */
    uint64_t outside;      /* lie in no idle period */
    uint64_t periods, sampled;
    uint64_t exact, explained; /* cycles, of all threads */
    struct truth_idler *list;  /* most idle cycles first */
    size_t count, room;
    struct hash at;
};

/* Idle cycles of a CPU, twice. */
struct accuracy_idle_cpu {
    uint64_t switches; /* its idle thread ran, by the context switches */
    uint64_t oracle;   /* ... by the oracle's account, naps included */
};

struct accuracy_idle {
    struct truth_transition to, from;
    struct truth_transition cause; /* no samples: no stacks of switches */
    struct stacktree stacks;       /* of functions of the load map */
    struct accuracy_idle_cpu *cpu;
    unsigned cpus;
    uint32_t scheduler; /* the function that recorded the last switch */
};

/* What is wrong joins r->problems. */
void accuracy_idle_read(struct accuracy_idle *t, struct recording *r);
void accuracy_idle_free(struct accuracy_idle *t);

/* "mutex_lock < txn_stage_commit < ...": a cause's innermost functions. */
void accuracy_idle_name(const struct accuracy_idle *t,
                        const struct recording *r, uint32_t cause, char *out,
                        size_t size);

/* What samples are of: they, and the idle interrupts that gave none. */
uint64_t accuracy_idle_whole(const struct truth_transition *t);

/* The shares' error, 0 to 1: half the sum of the distances to the exact ones,
 * by samples of all idle interrupts, or by the periods they explain of all idle
 * cycles. What gave no sample, or is not explained, is a share of its own,
 * exactly 0. */
double accuracy_idle_error(const struct truth_transition *t, bool explained);

/* The error that as many fair samples as there were idle interrupts would have
 * on average. */
double accuracy_idle_noise(const struct truth_transition *t);

#endif
