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
#include "guest/prof/idle/stack.h"
#include "guest/prof/idle/stack_tree.h"
#include "guest/prof/states/trace.h"

/* What a sample is about: the mapped area that the sampler reads. */
struct sample {
    uint32_t kind; /* IDLE_KIND_* */
    uint32_t by;   /* IDLE_BY_* */
    uint32_t tid, pid;
    uint32_t cpu;
    uint64_t at;          /* time base when it was notified */
    uint32_t interrupted; /* tid under the interrupt, or outgoing */
    uint32_t dispatches;  /* target's, when it was chosen */
    uint32_t pc;          /* where it had left its CPU then */
};

enum trigger_kind { TRIGGER_TIME, TRIGGER_EVENT };

/* What keeps a target where it is. */
enum strategy { STRATEGY_AFFINITY, STRATEGY_SPIN, STRATEGY_NONE };

/* What the boot line says of sampling. */
struct idle_options {
    bool to_idle, from_idle;
    enum trigger_kind trigger;
    uint32_t period; /* time: time-base ticks; event: events */
    uint32_t event;  /* row of the event table */
    bool dither, once;
    bool complete;               /* a sample's completion restarts the period */
    bool direct_to, direct_from; /* no back-end on the way to the sampler */
    unsigned precapture; /* stacks a round for from-idle samples; 0: none is
                            taken beforehand */
    bool precapture_all; /* ... of threads that ran last on any CPU */
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
    struct sample area;  /* its own from the signal to the sample's end: */
    uint32_t pcs[STACK_DEPTH];
    unsigned depth;
    struct waitq sampler_wait;
    uint32_t samples; /* completed here */

    unsigned left;  /* stacks that this round may still take beforehand */
    unsigned next;  /* slot of the thread that is looked at first */
    uint32_t round; /* of them, here */
    uint32_t events[PRECAPTURE_EVENTS]; /* PRECAPTURE_* */
    uint32_t met; /* threads that another CPU's sampler was at */

    uint32_t latency_max; /* ticks from notification to capture */
    uint32_t flags_set, overlaps, throttled;
    uint32_t captures, gone; /* stacks taken; targets that had ended by then */
    uint32_t moved, wrong_leaf; /* 0 with strategy=affinity */
    /* self-check: the rest must stay 0 */
    uint32_t late_sampler, misplaced;
    uint32_t not_idle, late_restore;
};

/* idle_options.c: what the boot line says; to change only while it is read. */
const struct idle_options *idle_options(void);
struct idle_options *idle_options_change(void);

/* ---- irq_sample.c: the sample interrupt ---------------------------------- */

/* c, this CPU, was interrupted to take a sample. Interrupts are off. */
void irq_sample(struct cpu *c);
/* Tell the profiler that `target` is to be sampled on c (IDLE_KIND_...), now or
 * as deferred work. sched_lock is held. False: there is no profiler. */
bool sample_notify(struct cpu *c, uint32_t kind, const struct thread *target);

/* ---- sampler.c: sampler threads and the life of a sample ----------------- */

/* The block of a CPU. */
struct idle_cpu *idle_cpu(const struct cpu *c);
/* Begin the sample (a struct sample) on c: confine its thread, wake the
 * sampler. A stale one is dropped and counted. The second with sched_lock held.
 */
void sample_begin(struct cpu *c, const void *sample);
void sample_begin_locked(struct cpu *c, const struct sample *s);
/* Give c's sampler something to do: a sample that is outstanding, or with kind
 * 0 a round of precapture.c alone. sched_lock is held. */
void sampler_wake(struct cpu *c, const struct sample *s);
/* Count a sample's stack in the tree. */
void sampler_count(uint32_t kind, const uint32_t *pcs, unsigned depth);
/* The steps of a sample, which c's sampler takes in this order, on c. Wait for
 * one (602 to 606). False: there is none, but a round. */
bool sample_wait(struct cpu *c);
/* Take the target's stack (608). */
void sample_capture(struct cpu *c);
/* Its thread may run wherever it could before (610). */
void sample_release(struct cpu *c);
/* Keep the stack (612). */
void sample_record(struct cpu *c);
/* Tell the system that it is complete (614, 702 to 706), or the round is. */
void sample_complete(struct cpu *c);
/* The schedule monitor; under sched_lock. */
struct schedmon *sampler_monitor(void);
/* The call stacks of all samples; for reports at the end. */
struct stack_tree *sampler_tree(void);
/* Every stack that is captured goes on as f says: it gets program counters,
 * leaf first, and their number, and returns how many there are then. *broken:
 * there is more, which could not be read. */
typedef unsigned stack_join(const struct thread *t, uint32_t *pcs,
                            unsigned depth, unsigned max, bool *broken);
void sampler_join(stack_join *f);
/* The call stack of t, which may begin to run meanwhile: how many program
 * counters, STACK_DEPTH at most. *broken: as above. */
unsigned sampler_walk(const struct thread *t, uint32_t *pcs, bool *broken);
/* Is there a profiler to notify? */
bool sampler_registered(void);

/* thread_filter.c: is t one that the boot line wants monitored? Is it one whose
 * stack is not to be taken beforehand? Does the line name such? */
bool thread_filter_wants(const struct thread *t);
bool thread_filter_excludes(const struct thread *t);
bool thread_filter_exclusions(void);
/* t was made, or has another name. */
void thread_filter_made(struct thread *t);

/* ---- precapture.c: stacks taken beforehand, for from-idle samples -------- */

/* A sample interrupt found c idle: its sampler shall take stacks. In the
 * handler, with sched_lock; behind what it left to do for a sample. */
void precapture_due(struct cpu *c);
/* c's sampler, on c, before it completes: take one more stack. False: the round
 * is over. */
bool precapture_step(struct cpu *c);
/* t, which is dispatched on c, is to be sampled: its stack is the one that is
 * kept of it, if one is. sched_lock is held. */
void precapture_use(struct cpu *c, const struct thread *t);

/* ---- strategy.c: what keeps a target where it is ------------------------- */

enum strategy strategy(void);
/* Its name if the boot line has the word, else NULL. */
const char *strategy_named(void);
/* Samples may begin from now on, or none does any more. */
void strategy_window(bool open);
/* The sample of t on c begins, or needs t no more; sched_lock is held. */
void strategy_begin(struct cpu *c, struct thread *t);
void strategy_end(struct cpu *c, struct thread *t);
/* Around the walk, by c's sampler, interrupts on. With STRATEGY_SPIN no other
 * CPU does anything in between, so nothing may be waited for. */
void strategy_capture(const struct cpu *c);
void strategy_captured(void);

/* ---- tprof.c: a profiler by time ----------------------------------------- */

/* Called at a tick on c, in its handler, with what was interrupted. */
typedef void tprof_tick(struct cpu *c, const struct trap_frame *f);
/* Begin on all CPUs, at the boot line's period; `also` is called at every tick,
 * NULL: none. And end. As cpus_call: interrupts on, one caller at a time. */
void tprof_start(tprof_tick *also);
void tprof_stop(void);
/* Ticks in a function, by its number (function_index); all ticks. */
uint32_t tprof_hits(uint32_t index);
uint32_t tprof_samples(void);

/* tprof_hooks.c: does the boot line want trace hooks? Then they have the
 * profiler by time while the window is open. */
bool tprof_hooks(void);

/* ---- trace_idle.c: records for the experiment ---------------------------- */

/* UNSAMPLED: an interrupt of idle c gave no sample; reason is UNSAMPLED_...,
 * tid and pid are those of the thread that it would have been of, or 0. */
void trace_unsampled(const struct cpu *c, uint32_t reason, uint32_t tid,
                     uint32_t pid);
/* IDLE: sample `number` of c, with its stack, leaf first. */
void trace_idle(const struct cpu *c, const struct sample *s, uint32_t number,
                const uint32_t *pcs, unsigned depth);
/* PRECAPTURE: an event (PRECAPTURE_...) about t's stack, counted for c. */
void trace_precapture(const struct cpu *c, uint32_t event,
                      const struct thread *t, uint32_t round, unsigned depth);

/* ---- trigger.c: when the next sample interrupt comes --------------------- */

/* The next period of c: n, dithered by up to an eighth if that is on. */
uint32_t trigger_period(const struct cpu *c, uint32_t n);
/* Interrupts come to c, the first a full period from now, or no longer. c is
 * this CPU, interrupts are off. */
void trigger_arm(struct cpu *c);
void trigger_disarm(struct cpu *c);

#endif
