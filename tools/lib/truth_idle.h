/* truth_idle.h - idle-transition samples against the context switches, and
 * idle time against the oracle.
 *
 * A to-idle sample says which thread left the CPU idle, a from-idle sample
 * which one ended that. The records of context switches name both for every
 * idle period, sampled or not: so each sample is right or wrong, and the
 * samples' shares have the exact idle cycles to be held against.
 */
#ifndef TOOLS_LIB_TRUTH_IDLE_H
#define TOOLS_LIB_TRUTH_IDLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/lib/hash.h"
#include "tools/lib/recording.h"
#include "tools/lib/timeline.h"

/* A thread that left CPUs idle, or ended that. */
struct truth_idler {
    uint32_t thread;
    uint64_t exact;     /* idle cycles of its periods */
    uint64_t samples;   /* that name it */
    uint64_t explained; /* idle cycles of the periods whose first sample does */
};

/* One of the two transitions. */
struct truth_transition {
    uint64_t samples;
    uint64_t wrong;   /* name another thread than the switches */
    uint64_t outside; /* lie in no idle period */
    uint64_t periods, sampled;
    uint64_t exact, explained; /* cycles, of all threads */
    struct truth_idler *list;  /* most idle cycles first */
    size_t count, room;
    struct hash at;
};

/* Idle cycles of a CPU, twice. */
struct truth_idle_cpu {
    uint64_t switches; /* its idle thread ran, by the context switches */
    uint64_t oracle;   /* ... by the oracle's account, naps included */
};

struct truth_idle {
    struct truth_transition to, from;
    struct truth_idle_cpu *cpu;
    unsigned cpus;
};

/* What is wrong joins r->problems. */
void truth_idle_read(struct truth_idle *t, struct recording *r);
void truth_idle_free(struct truth_idle *t);

/* The shares' error, 0 to 1: by samples, or by what periods they explain. */
double truth_idle_error(const struct truth_transition *t, bool explained);

#endif
