/* idle.h - the profilers by time and by idle transition: what they keep, and
 * who offers what, by file (docs/guest.md). They are hung up in the kernel by
 * guest/kernel/hook.h.
 *
 * sched_lock covers the schedule monitor and, in struct idle_cpu, what belongs
 * to the sample in progress; the rest is its own CPU's, interrupts off.
 */
#ifndef GUEST_PROF_IDLE_IDLE_H
#define GUEST_PROF_IDLE_IDLE_H

#include "guest/kernel/hook.h"
#include "guest/prof/idle/schedmon.h"
#include "guest/prof/idle/stack_tree.h"

/* What a sample is about: the mapped area that the sampler reads. */
struct sample {
    uint32_t kind; /* IDLE_KIND_* */
    uint32_t by;   /* IDLE_BY_* */
    uint32_t tid, pid;
    uint32_t cpu;
    uint64_t at;          /* time base when it was notified */
    uint32_t interrupted; /* tid under the interrupt, or outgoing */
    uint32_t dispatches;  /* target's, when it was chosen */
};

enum trigger_kind { TRIGGER_TIME, TRIGGER_EVENT };

/* What the boot line says of sampling. */
struct idle_options {
    bool to_idle, from_idle;
    enum trigger_kind trigger;
    uint32_t period; /* time: time-base ticks; event: events */
    uint32_t event;  /* row of the event table */
    bool dither, once;
    bool complete;               /* a sample's completion restarts the period */
    bool direct_to, direct_from; /* no back-end on the way to the sampler */
};

/* What is kept of each CPU. */
struct idle_cpu {
    bool armed;           /* sample interrupts come */
    struct timer timer;   /* time trigger */
    uint64_t last_sample; /* event trigger: storm guard */
    unsigned backoff;
    uint32_t random; /* dither */

    struct thread *sampler;
    bool signalled;      /* the sampler has something to do */
    bool expect_sampler; /* no thread may be dispatched before it */
    struct sample area;
    struct waitq sampler_wait;
    uint32_t samples; /* completed here */

    uint32_t latency_max; /* ticks from notification to capture */
    uint32_t flags_set, overlaps, throttled;
    /* self-check: the rest must stay 0 */
    uint32_t late_sampler, moved, wrong_leaf, misplaced;
    uint32_t not_idle, late_restore;
};

/* idle_options.c */
const struct idle_options *idle_options(void);
struct idle_options *idle_options_change(void); /* while the line is read */

/* irq_sample.c: the sample interrupt */
void irq_sample(struct cpu *c);
bool sample_notify(struct cpu *c, uint32_t kind, const struct thread *target);

/* sampler.c: sampler threads and the life of a sample */
struct idle_cpu *idle_cpu(const struct cpu *c);
void sample_begin(struct cpu *c, const void *sample);
void sample_begin_locked(struct cpu *c, const struct sample *s);
struct schedmon *sampler_monitor(void);
struct stack_tree *sampler_tree(void);
bool sampler_registered(void);

/* thread_filter.c: which threads are of interest */
bool thread_filter_wants(const struct thread *t);

/* tprof.c: a profiler by time */
typedef void tprof_tick(struct cpu *c, uint32_t pc);
void tprof_start(tprof_tick *also); /* called at every tick, too; NULL: none */
void tprof_stop(void);
uint32_t tprof_hits(uint32_t index);
uint32_t tprof_samples(void);

/* trace_idle.c: records for the experiment */
void trace_unsampled(const struct cpu *c, uint32_t reason, uint32_t tid,
                     uint32_t pid);
void trace_idle(const struct cpu *c, const struct sample *s, uint32_t number,
                const uint32_t *pcs, unsigned depth);

/* trigger.c: when the next sample interrupt comes */
uint32_t trigger_period(const struct cpu *c, uint32_t n);
void trigger_arm(struct cpu *c);
void trigger_disarm(struct cpu *c);

#endif
