/* defs.h - the kernel's structures and who offers what, by file. Profilers
 * and other listeners attach by hook.h; nothing here knows of a profiler.
 *
 * One lock rules scheduling: sched_lock covers every thread's state and
 * masks, all run and wait queues, deadlines, and the state of the sample in
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

enum { EXIT_CHECK = 1, EXIT_BAD_WORD, EXIT_STUCK = 125, EXIT_PANIC };

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

/* What a thread is about to wait for, in the numbers of state.rec. */
struct waiting {
    uint32_t state, kind, object, owner;
};

/* A time that passes under sched_lock, on the CPU that set it; any CPU may take
 * it back. Zeros: not set. */
struct deadline {
    struct deadline *next; /* in the list of the CPU `cpu` */
    struct cpu *cpu;
    uint64_t due; /* time base; 0: not set */
    /* It has come, and is not set any more. */
    void (*pass)(struct deadline *d);
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
    struct deadline deadline; /* of its waiting */
    uint32_t dispatches;
    uint32_t stack, stack_top;
    void (*run)(uint32_t);
    uint32_t arg;
    struct waitq joiners;
    struct waiting waiting; /* the thread itself; valid while it waits */
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
    struct timer *timers;       /* that are set, in no order */
    struct deadline *deadlines; /* sched_lock: earliest first */
    uint64_t armed; /* the decrementer fires then: no need is earlier */
    volatile bool need_resched;
    volatile bool online;
    bool in_period; /* idle, turns of brief threads included */
    uint64_t slice_end;
    bool slice_over; /* an equal waits, and its turn has come */
    void (*volatile call)(struct cpu *c); /* cpus_call: still to be done */
    uint32_t serving; /* the vector of the exception that is served; 0: none */

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
    uint32_t tick_cycles, mhz;
};

/* The object that has such a member at that place. */
#define HOLDER(type, member, at) ((type *)((char *)(at)-offsetof(type, member)))

#define FOR_CPUS(c)                                                            \
    for (struct cpu *c = cpu_at(0); c < cpu_at(machine_cpus()); c++)

struct mutex {
    volatile uint32_t owner; /* thread address | 1 when a thread waits */
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
    bool program;              /* processes run in the workload's place */
    uint32_t seed, n, threads; /* n, threads 0: the workload's own default */
};

/* A workload: one file in work/, which enters it with WORK (hook.h). */
struct work {
    const char *name;
    uint32_t n, n_max;             /* size: default and limit */
    uint32_t threads, threads_max; /* default for each CPU, and limit */
    const char *const *roles;      /* thread names before the dot, NULL ends */
    bool own_window;               /* opens and closes the window itself */
    /* Run to the end, as often as wanted; false: it found a fault of its own.
     */
    bool (*run)(const struct options *o);
};

/* The thread that runs here: swtch.S keeps it in r2. */
register struct thread *current __asm__("r2");

/* Every function below runs in the kernel, on the CPU of its caller. `msr` is
 * the MSR that a function which turned interrupts off returned, and hands them
 * back. Times are ticks of the time base unless they say cycles. What is
 * impossible, or has no memory, ends in panic: none of these returns an error.
 */

/* ---- bootline.c: the boot line ------------------------------------------- */

/* What it says of workload and kernel; valid from bootline_parse on. */
const struct options *options(void);
/* The same, for the file that a word of the line is about. */
struct options *options_to_set(void);
/* Read the line, once, at boot; a wrong word ends in bootline_refuse. */
void bootline_parse(void);
/* A word of the line that is about workloads and profilers; NULL: none is. */
const char *bootline_about_work(void);
/* Print one line, "boot line: ...", and power off with EXIT_BAD_WORD. */
void bootline_refuse(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));
/* Is the value one of the two words? *choice: it is `yes`. */
bool bootline_choice(const char *value, const char *yes, const char *no,
                     bool *choice);

/* ---- console.c: the serial line ------------------------------------------ */

void console_init(void);
/* Send a byte; waits until the line takes it. */
void console_put(char ch);
/* Bytes that another CPU's do not mix with. */
void console_write_bytes(const char *bytes, uint32_t n);
/* A byte that has arrived; or none has yet, or none will any more. */
enum console_input { CONSOLE_BYTE, CONSOLE_SILENT, CONSOLE_OVER };
enum console_input console_get(char *byte);
/* Print, as format_text does (lib.h); what two CPUs print does not mix. */
void kprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print "panic: cpu N: ..." without any lock, and power off: EXIT_PANIC. */
void panic(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));
/* The end of the run, with simrun's exit status. */
void power_off(uint32_t status) __attribute__((noreturn));

/* ---- deferred_work.c: work that an interrupt leaves for later ------------ */

/* Queue worker on c, which is this CPU, with a copy of `bytes` bytes of data,
 * DEFERRED_BYTES at most. Interrupts are off. No room is a panic. */
void deferred_work_add(struct cpu *c,
                       void (*worker)(struct cpu *c, const void *data),
                       const void *data, size_t bytes);
/* Run what is queued on c, which is this CPU, in order, with interrupts on.
 * In and out: interrupts off. Nothing if a worker is running here already. */
void deferred_work_run(struct cpu *c);

/* ---- kalloc.c: memory ---------------------------------------------------- */

void kalloc_init(void);
/* STACK_SIZE bytes: their lowest address. Not zero if it was used before. */
uint32_t kalloc_stack(void);
/* Give a stack back; no thread runs on it any more. */
void kfree_stack(uint32_t stack);
/* Keep only so many bytes from here on: the rest of memory is *start to *end,
 * empty if there are not so many. */
void kalloc_share(uint32_t bytes, uint32_t *start, uint32_t *end);
/* `size` bytes, zero, aligned to 16; they are never given back. */
void *kalloc(uint32_t size);

/* ---- machine.c: the board's facts, and the CPUs' own blocks -------------- */

void machine_init(void);
extern struct machine machine;
extern struct cpu cpus[MAX_CPUS];
/* To the nearest tick, at least 1. */
uint64_t cycles_to_ticks(uint64_t cycles);
/* From now on this CPU's cycles are charged to t. */
void trace_context(const struct thread *t);
/* Add n to a counter (STAT_...) of the CPU that did it. */
void stat_add(uint32_t stat, uint32_t n);
/* The CPU that runs this has number n from now on (SPRG0). */
void cpu_init(unsigned n);
/* Release the parked CPUs; returns when all of them idle. */
void cpus_start(void);
/* Every CPU calls f with interrupts off, this one first; returns when all have.
 * One caller at a time; sched_lock is not held, interrupts may be on. */
void cpus_call(void (*f)(struct cpu *c));
/* c, this CPU, was interrupted by another: make the call that is wanted. */
void cpu_answer(struct cpu *c);

/* ---- main.c -------------------------------------------------------------- */

/* Entered by boot/: CPU 0, and every other one when it is released. */
void main(void) __attribute__((noreturn));
void main_secondary(uint32_t number) __attribute__((noreturn));

/* ---- mutex.c: blocking locks --------------------------------------------- */

/* Wait until m is free, and own it. A mutex of zeros is free. Not in a handler,
 * not with sched_lock. First come, first served. */
void mutex_lock(struct mutex *m);
/* Own it if it is free. */
bool mutex_try(struct mutex *m);
/* Release it, or hand it to the longest waiter; the caller owns it. */
void mutex_unlock(struct mutex *m);
/* The same with sched_lock, which stays held. */
void mutex_hand_over(struct mutex *m);

/* ---- pic.c: the interrupt controller ------------------------------------- */

/* Once, by CPU 0; and on every other CPU. */
void pic_init(void);
void pic_cpu_init(void);
/* Interrupt a CPU by its number: it looks at its flags. */
void pic_ipi(unsigned cpu);
/* A device's source interrupts CPU 0 as another CPU would. */
void pic_source(unsigned source);
/* Take the interrupt that is pending here, in its handler. True: it was an
 * inter-processor interrupt; false: it was withdrawn. */
bool pic_ack(void);

/* ---- proc.c: threads ----------------------------------------------------- */

/* Make the thread "main" of what runs on CPU 0, and idle threads for all CPUs.
 */
void thread_init(void);
/* What runs on c, this CPU, becomes its idle thread. */
void thread_run_idle(struct cpu *c);
/* Where swtch begins a new thread: sched_lock is held, msr is MSR_RUN. */
void thread_begin(void) __attribute__((noreturn));
/* Make a thread that waits for thread_start, or with create one that is ready.
 * The name is copied, NAME_SIZE - 1 letters of it; kind is a THREAD_IS_...;
 * mask has a bit for each CPU it may run on; it runs run(arg), on a stack of
 * its own, and is dead when that returns. The table keeps it until
 * threads_reap. */
struct thread *thread_create(const char *name, uint32_t pid, uint8_t kind,
                             uint8_t prio, uint32_t mask, void (*run)(uint32_t),
                             uint32_t arg);
struct thread *thread_make(const char *name, uint32_t pid, uint8_t kind,
                           uint8_t prio, uint32_t mask, void (*run)(uint32_t),
                           uint32_t arg);
/* Let a thread that was made run. */
void thread_start(struct thread *t);
/* Wait until t is dead. */
void thread_join(struct thread *t);
/* The CPUs that t may use from now on: a bit each. It moves if it must. */
void thread_set_mask(struct thread *t, uint32_t mask);
/* NULL: there is none, or none any more. Valid until threads_reap. */
struct thread *thread_by_tid(uint32_t tid);
/* The thread in a slot of the table, below MAX_THREADS; NULL: it is free. */
struct thread *thread_at(unsigned slot);
/* Forget the application's dead threads, and use their memory again. */
void threads_reap(void);
/* The running thread waits in q. In and out: sched_lock is held. */
void thread_block(struct waitq *q);
/* Make the longest waiter ready. NULL: none waits. sched_lock is held. */
struct thread *thread_wake(struct waitq *q);
/* Let threads of the same priority have a turn. */
void thread_yield(void);
/* Go back to the queue, since need_resched: behind equals if the slice is over,
 * else before them. */
void preempt(void);
/* What an idle thread does, for ever: deferred work, else rest. */
void idle_loop(void) __attribute__((noreturn));

/* ---- report.c: what is said at the end ------------------------------------ */

/* Write all counters, and call the report hooks. False: a check failed. */
bool report(void);
/* Print "PASS: what" or "FAIL: what"; of a program, whose console it is, only
 * what failed. Returns `good`. */
bool report_check(bool good, const char *what);

/* ---- sched.c: which thread runs where ------------------------------------ */

/* Take the lock, interrupts off: returns msr. Unlock may preempt the caller. */
uint32_t sched_lock(void);
void sched_unlock(uint32_t msr);
/* Give the CPU away. `current` is queued, dead or idle; returns when it is
 * dispatched again, perhaps on another CPU. In and out: sched_lock is held, as
 * it is for all that follow. */
void sched(void);
/* t, which is in no queue, may run: queue it on the best CPU. */
void sched_ready(struct thread *t);
/* The CPUs that t may use have changed: move it if it must. */
void sched_replace(struct thread *t);
/* Queue `current` again, behind its equals or before them. */
void sched_requeue(bool behind);
/* Put t, which is in no queue, at the end; take the first (NULL: empty), or t,
 * which is in it. */
void waitq_push(struct waitq *q, struct thread *t);
struct thread *waitq_pop(struct waitq *q);
void waitq_remove(struct waitq *q, const struct thread *t);

/* ---- spinlock.c ---------------------------------------------------------- */

/* Take the lock, with interrupts off until spin_unlock: returns msr. A lock of
 * zeros is free. It does not nest. */
uint32_t spin_lock(struct spinlock *l);
void spin_unlock(struct spinlock *l, uint32_t msr);

/* ---- swtch.S, vectors.S, guest.ld ---------------------------------------- */

/* Keep `from` where it is and go on with `to`. sched_lock is held. */
void swtch(struct thread *from, struct thread *to);
void thread_entry(void);
void _start(void);
extern const char vectors[], vectors_end[], trap_entry[], trap_end[];
extern const char trap_return[], data_start[], kernel_end[], image_end[];
extern const char boot_end[], core_end[], lib_end[], work_end[], text_end[];
extern char boot_stacks[];

/* ---- timer.c: one decrementer for slices and timers ---------------------- */

/* In all of these c is this CPU and interrupts are off. */

/* A thread was given the CPU: its slice begins. */
void timer_slice(struct cpu *c);
/* The decrementer fired and interrupted f: serve all that is due. */
void timer_interrupt(struct cpu *c, const struct trap_frame *f);
/* t fires at time base `due`, or never if that is 0. t->fire is set. */
void timer_set(struct cpu *c, struct timer *t, uint64_t due);
/* d passes at time base `due`, or never if that is 0. d->pass is set;
 * sched_lock is held. */
void deadline_set(struct deadline *d, uint64_t due);
/* The running thread sleeps for so many cycles at least. Interrupts may be on.
 */
void thread_sleep(uint32_t cycles);

/* ---- trap.c -------------------------------------------------------------- */

/* Serve the exception that interrupted f. In and out: interrupts off. */
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

/* What thread_block is called for next: STATE_..., OBJECT_..., which one, and
 * the thread that has it, or 0. Without it, for something in a queue. */
static inline void will_wait(uint32_t state, uint32_t kind, uint32_t object,
                             uint32_t owner)
{
    current->waiting = (struct waiting){state, kind, object, owner};
}

#endif
