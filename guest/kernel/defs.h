/* defs.h - the kernel's structures and who offers what, by file. Profilers
 * and other listeners attach by hook.h; nothing here knows of a profiler.
 *
 * One lock rules scheduling: sched_lock covers every thread's state and
 * masks, all run and wait queues, the sleepers, and the state of the sample in
 * progress (guest/prof/idle). It is taken with interrupts off and held across
 * swtch; the thread that is switched to releases it. Other locks (console,
 * page, tree) are leaves.
 */
#ifndef GUEST_KERNEL_DEFS_H
#define GUEST_KERNEL_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/kernel/asm.h"
#include "guest/kernel/cpu.h"
#include "guest/lib/lib.h"
#include "include/record_put.h"
#include "include/board.h"

#define MAX_THREADS 256
#define NAME_SIZE 16
#define STACK_MARK 0x5AFE57AC /* lowest word: overwritten by an overflow */
#define STACK_DEPTH 64        /* program counters kept of one stack */
#define DEFERRED_SLOTS 4
#define DEFERRED_BYTES 48 /* that a piece of deferred work may take along */
#define STATS (STAT_SAMPLED_PERIODS + 1)

#define PRIO_IDLE 0
#define PRIO_APP 2
#define PRIO_MAIN 3
#define PRIO_BRIEF 7 /* runs for a moment: its CPU counts as free, or idle */
#define PRIOS 8

#define ALL_CPUS 0xFF

#define PID_KERNEL 0
#define PID_PROFILER 100

#define EXIT_BAD_WORD 2
#define EXIT_CHECK 1
#define EXIT_PANIC 126

/* Words of a record before its payload: trace_put fills them in. */
enum { TRACE_HEAD_KIND, TRACE_HEAD_THREAD, TRACE_HEAD };

/* Codes of switch.rec, and two that never appear there. */
enum thread_state {
    STATE_NEW = 0,
    STATE_READY = THREAD_STATE_READY,
    STATE_BLOCKED = THREAD_STATE_BLOCKED,
    STATE_SLEEPING = THREAD_STATE_SLEEPING,
    STATE_DEAD = THREAD_STATE_DEAD,
    STATE_RUNNING
};

struct spinlock {
    volatile uint32_t next, owner; /* tickets: first come, first served */
};

struct cpu;
struct trap_frame;

struct waitq {
    struct thread *head, *tail; /* first come, first served */
};

struct thread {
    uint32_t sp, pc;       /* swtch.S: where it left; first in the struct */
    volatile uint32_t tid; /* 0: a free slot */
    uint32_t before;       /* threads that had the slot */
    uint32_t pid;
    uint8_t kind; /* THREAD_IS_* */
    uint8_t prio;
    uint8_t state;       /* enum thread_state */
    bool held;           /* not to be dispatched yet: a hook's doing */
    uint32_t mask;       /* CPUs that its maker allows */
    uint32_t narrow;     /* CPUs that a hook allows; 0: all of them */
    uint32_t made_mask;  /* mask at birth or last thread_set_mask: self-check */
    struct cpu *cpu;     /* where it runs, or ran last */
    struct thread *next; /* in the one queue it is in */
    uint64_t wake_at;
    uint32_t dispatches;
    uint32_t stack, stack_top;
    void (*run)(uint32_t);
    uint32_t arg;
    struct waitq joiners;
    char name[NAME_SIZE];
};

/* Work left by an interrupt handler or the scheduler, and what it needs. */
struct deferred_item {
    void (*worker)(struct cpu *c, const void *data);
    uint64_t data[DEFERRED_BYTES / 8];
};

/* A time at which a CPU is interrupted. It belongs to that CPU, and is static:
 * another CPU may not touch it, interrupts are off while it is set. */
struct timer {
    struct timer *next;
    uint64_t due; /* time base; 0: not set */
    /* The time has come, and interrupted f: sets it anew, or to 0. */
    void (*fire)(struct cpu *c, const struct trap_frame *f);
};

struct runq {
    struct waitq prio[PRIOS];
    uint32_t bits; /* prio p has threads: bit p */
    unsigned ready;
};

struct cpu {
    unsigned number;
    struct thread *current, *idle;
    struct runq runq;
    struct thread *sleepers; /* earliest first */
    struct timer *timers;    /* that are set, in no order */
    volatile bool need_resched;
    volatile bool online;
    bool in_period; /* idle, turns of brief threads included */
    uint64_t slice_end;
    bool slice_over; /* an equal waits, and its turn has come */
    void (*volatile call)(struct cpu *c); /* cpus_call: still to be done */

    struct deferred_item deferred[DEFERRED_SLOTS];
    volatile unsigned deferred_count;
    volatile bool in_deferred_work;

    uint32_t stat[STATS]; /* STAT_* */
    /* self-check: what is queued is worked, misplaced must stay 0 */
    uint32_t queued, worked, misplaced;
};

/* The board's facts: written once, at boot. */
struct machine {
    unsigned cpus;
    uint32_t tick_cycles, hz;
};

#define FOR_CPUS(c)                                                            \
    for (struct cpu *c = cpu_at(0); c < cpu_at(machine_cpus()); c++)

struct mutex {
    volatile uint32_t owner; /* thread address | 1 when a thread waits */
    struct waitq waiters;
};

struct cond {
    struct waitq waiters;
};

struct trap_frame {
    uint32_t chain, lr_save, scratch;
    uint32_t r0, r3_r12[10];
    uint32_t lr, ctr, cr, xer, srr0, srr1;
};

/* What the boot line says of the workload and of the kernel itself. */
struct options {
    const struct work *work;
    bool spin;                 /* an idle CPU does not nap */
    uint32_t seed, n, threads; /* n, threads 0: the workload's own default */
};

/* A workload: one file in work/, which enters it with WORK (hook.h). */
struct work {
    const char *name;
    uint32_t n, n_max;             /* size: default and limit */
    uint32_t threads, threads_max; /* default (0: by CPUs) and limit */
    const char *const *roles;      /* thread names before the dot, NULL ends */
    bool own_window;               /* opens and closes the window itself */
    /* Run to the end, as often as wanted; false: it found a fault of its own.
     */
    bool (*run)(const struct options *o);
};

/* The thread that runs here: swtch.S keeps it in r2. */
register struct thread *current __asm__("r2");

/* bootline.c: the boot line */
const struct options *options(void);
void bootline_parse(void);
void bootline_refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));
bool bootline_choice(const char *value, const char *yes, const char *no,
                     bool *choice);

/* console.c: the serial line */
void console_init(void);
void console_put(char ch);
void kprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void panic(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));
void power_off(uint32_t status) __attribute__((noreturn));

/* deferred_work.c: work that an interrupt leaves for later */
void deferred_work_add(struct cpu *c,
                       void (*worker)(struct cpu *c, const void *data),
                       const void *data, size_t bytes);
void deferred_work_run(struct cpu *c);

/* kalloc.c: memory, in stacks */
void kalloc_init(void);
uint32_t kalloc_stack(void);
void kfree_stack(uint32_t stack);
void *kalloc(uint32_t size);

/* machine.c: what the board says about itself, and the CPUs' own blocks */
void machine_init(void);
extern struct machine machine;
extern struct cpu cpus[MAX_CPUS];
uint64_t cycles_to_ticks(uint64_t cycles);
uint32_t ticks_to_us(uint64_t ticks);
void cpu_init(unsigned n);
void cpus_start(void);
void cpus_call(void (*f)(struct cpu *c));
void cpu_answer(struct cpu *c);

/* main.c */
void main(void) __attribute__((noreturn));
void main_secondary(uint32_t number) __attribute__((noreturn));

/* mutex.c: blocking locks and conditions */
void mutex_lock(struct mutex *m);
void mutex_unlock(struct mutex *m);
void cond_wait(struct cond *c, struct mutex *m);
void cond_signal(struct cond *c);
void cond_broadcast(struct cond *c);

/* pic.c: the interrupt controller */
void pic_init(void);
void pic_cpu_init(void);
void pic_ipi(unsigned cpu);
bool pic_ack(void); /* true: it was an inter-processor interrupt */

/* proc.c: threads */
void thread_init(void);
void thread_run_idle(struct cpu *c);
void thread_begin(void) __attribute__((noreturn));
struct thread *thread_adopt(const char *name, uint8_t kind, uint8_t prio);
struct thread *thread_create(const char *name, uint32_t pid, uint8_t kind,
                             uint8_t prio, uint32_t mask, void (*run)(uint32_t),
                             uint32_t arg);
struct thread *thread_make(const char *name, uint32_t pid, uint8_t kind,
                           uint8_t prio, uint32_t mask, void (*run)(uint32_t),
                           uint32_t arg);
struct thread *thread_numbered(const char *role, uint32_t number, uint32_t pid,
                               uint32_t mask, void (*run)(uint32_t));
void thread_start(struct thread *t);
void thread_join(struct thread *t);
void thread_set_mask(struct thread *t, uint32_t mask);
struct thread *thread_by_tid(uint32_t tid); /* NULL: there is none */
struct thread *thread_at(unsigned slot);
void threads_reap(void);
void thread_block(struct waitq *q);
struct thread *thread_wake(struct waitq *q);
void thread_yield(void);
void preempt(void);
void idle_loop(void) __attribute__((noreturn));

/* report.c: what the guest says at the start and at the end */
void report_start(void);
bool report(uint64_t ticks);
bool report_check(bool good, const char *what);

/* sched.c: who runs where */
uint32_t sched_lock(void);
void sched_unlock(uint32_t msr);
void sched(void);
void sched_ready(struct thread *t);
void sched_replace(struct thread *t);
void sched_requeue(bool behind);
void waitq_push(struct waitq *q, struct thread *t);
struct thread *waitq_pop(struct waitq *q);

/* spinlock.c */
uint32_t spin_lock(struct spinlock *l);
void spin_unlock(struct spinlock *l, uint32_t msr);

/* stack.c */
unsigned stack_walk(const struct thread *t, uint32_t *pcs, unsigned max);
unsigned stack_walk_trap(const struct trap_frame *f, uint32_t *pcs,
                         unsigned max);
uint32_t function_index(uint32_t pc);
uint32_t function_start(uint32_t index);
uint32_t function_end(uint32_t index);
uint32_t function_count(void);

/* swtch.S, vectors.S */
void swtch(struct thread *from, struct thread *to);
void thread_entry(void);
void _start(void);
extern const char vectors[], vectors_end[], trap_entry[], trap_end[];
extern const char trap_return[], data_start[], kernel_end[];
extern const char boot_end[], core_end[], lib_end[], work_end[], text_end[];
extern char boot_stacks[];
extern const uint32_t functions[], functions_end[]; /* guest.ld */

/* timer.c: one decrementer for slices, sleepers and timers */
void timer_program(struct cpu *c);
void timer_slice(struct cpu *c);
void timer_interrupt(struct cpu *c, const struct trap_frame *f);
void timer_set(struct cpu *c, struct timer *t, uint64_t due);
void thread_sleep(uint32_t cycles);

/* trace.c: records for the experiment */
void trace_context(const struct thread *t);
void trace_thread(const struct thread *t);
void trace_switch(const struct cpu *c, const struct thread *out,
                  const struct thread *in);
void trace_stats(const struct cpu *c);
void trace_put(const struct cpu *c, uint32_t *record, uint32_t kind,
               uint32_t thread, uint32_t words);
void stat_add(uint32_t stat, uint32_t n);

/* trap.c */
void trap(uint32_t vector, struct trap_frame *f);

static inline unsigned machine_cpus(void)
{
    return machine.cpus;
}

static inline struct cpu *cpu_at(unsigned n)
{
    return &cpus[n];
}

/* The caller must not be able to migrate, or must not mind. */
static inline struct cpu *this_cpu(void)
{
    return (struct cpu *)mfspr(SPR_SPRG0);
}

#endif
