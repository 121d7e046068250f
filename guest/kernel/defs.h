/* defs.h - the kernel's structures and who offers what, by file.
 *
 * One lock rules scheduling: sched_lock covers every thread's state and
 * masks, all run and wait queues, the sleepers, and the sampling state. It is
 * taken with interrupts off and held across swtch; the thread that is
 * switched to releases it. Other locks (console, page, tree) are leaves.
 */
#ifndef GUEST_KERNEL_DEFS_H
#define GUEST_KERNEL_DEFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest/kernel/asm.h"
#include "guest/kernel/cpu.h"
#include "guest/prof/idle/schedmon.h"
#include "guest/prof/idle/stack_tree.h"
#include "include/mark_bits.h"
#include "include/record_put.h"
#include "include/board.h"

#define MAX_THREADS 256
#define NAME_SIZE 16
#define STACK_MARK 0x5AFE57AC /* lowest word: overwritten by an overflow */
#define STACK_DEPTH 64        /* program counters kept of one stack */
#define BACKEND_SLOTS 4
#define STATS (STAT_SAMPLED_PERIODS + 1)

#define PRIO_IDLE 0
#define PRIO_APP 2
#define PRIO_MAIN 3
#define PRIO_SAMPLER 7
#define PRIOS 8

#define ALL_CPUS 0xFF

#define PID_KERNEL 0
#define PID_PROFILER 100

#define EXIT_BAD_WORD 2
#define EXIT_CHECK 1
#define EXIT_PANIC 126

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

struct waitq {
    struct thread *head, *tail; /* first come, first served */
};

/* Translation tables (docs/pif.md 3): of instructions, of data. */
struct shadow_tables {
    uint32_t *of[2];
};

struct thread {
    uint32_t sp, pc;       /* swtch.S: where it left; first in the struct */
    volatile uint32_t tid; /* 0: a free slot */
    uint32_t before;       /* threads that had the slot */
    uint32_t pid;
    uint8_t kind; /* THREAD_IS_* */
    uint8_t prio;
    uint8_t state;       /* enum thread_state */
    bool interest;       /* sampled */
    bool held;           /* chosen for a sample: not to be dispatched yet */
    uint32_t mask;       /* CPUs that its maker allows */
    uint32_t narrow;     /* CPUs that the sampler allows; 0: does not care */
    uint32_t made_mask;  /* mask at birth or last thread_set_mask: self-check */
    struct cpu *cpu;     /* where it runs, or ran last */
    struct thread *next; /* in the one queue it is in */
    uint64_t wake_at;
    uint32_t dispatches;
    uint32_t stack, stack_top;
    void (*run)(uint32_t);
    uint32_t arg;
    struct waitq joiners;
    struct shadow_tables shadow; /* pif=threads */
    char name[NAME_SIZE];
};

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

/* Work left by an interrupt handler or the scheduler. */
struct backend_item {
    void (*worker)(struct cpu *c, const struct sample *s);
    struct sample data;
};

struct runq {
    struct waitq prio[PRIOS];
    uint32_t bits; /* prio p has threads: bit p */
    unsigned ready;
};

struct cpu {
    unsigned number;
    struct thread *current, *idle, *sampler;
    struct runq runq;
    struct thread *sleepers; /* earliest first */
    volatile bool need_resched;
    volatile bool online;
    bool in_period; /* idle, sampler turns included */
    uint64_t slice_end;
    bool slice_over; /* an equal waits, and its turn has come */

    /* back-end */
    struct backend_item backend[BACKEND_SLOTS];
    volatile unsigned backend_count;
    volatile bool in_backend;

    /* marks, and the profiler by time */
    volatile bool pif_change; /* another CPU asks: load the registers */
    uint64_t tprof_due;       /* time base; 0: never */
    uint32_t followed_in;     /* instructions up to the next that is followed */
    uint32_t pif_lost;        /* interrupts that it could not take */
    uint32_t pif_trapped;     /* that it took, of marked instructions */

    /* sampling */
    volatile bool armed, arm_change; /* arm_change: another CPU asks */
    uint64_t sample_due;             /* time trigger: time base */
    uint64_t last_sample;            /* event trigger: storm guard */
    unsigned backoff;
    uint32_t random;
    bool signalled;      /* the sampler has something to do */
    bool expect_sampler; /* nobody may be dispatched before it */
    struct sample area;
    struct waitq sampler_wait;
    uint32_t samples; /* completed here */

    uint32_t stat[STATS]; /* STAT_* */
    /* self-check: what is queued is worked, the last line must stay 0 */
    uint32_t queued, worked;
    uint32_t latency_max; /* ticks from notification to capture */
    uint32_t flags_set, overlaps, throttled;
    uint32_t late_sampler, moved, wrong_leaf, misplaced;
    uint32_t not_idle, late_restore;
};

/* The board's facts: written once, at boot. */
struct machine {
    unsigned cpus;
    uint32_t tick_cycles, hz;
};

#define FOR_CPUS(c)                                                            \
    for (struct cpu *c = cpu_at(0); c < cpu_at(machine_cpus()); c++)

struct mutex {
    volatile uint32_t owner; /* thread address | 1 when somebody waits */
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

enum trigger_kind { TRIGGER_TIME, TRIGGER_EVENT };

/* How marks profile the workload, in the order of their names (autopif.c). */
enum pif_use {
    PIF_OFF,
    PIF_AUTO,
    PIF_CLIMB,
    PIF_SCAN,
    PIF_MARK,
    PIF_SWEEP,
    PIF_OWN,
    PIF_INSNS,
    PIF_BRANCHES,
    PIF_TRAP,
    PIF_THREADS
};

/* What a scan marks at a time: so many of these, or a folder of guest/, or all
 * of the text. */
enum scan_group { SCAN_PAGES, SCAN_FUNCTIONS, SCAN_MODULES, SCAN_ALL };

#define MONITOR_MAX 16
enum monitor_by { MONITOR_PID, MONITOR_TID, MONITOR_NAME };

/* The boot line, understood. */
struct options {
    const struct work *work;
    bool to_idle, from_idle;
    enum trigger_kind trigger;
    uint32_t period; /* time: time-base ticks; event: events */
    uint32_t event;  /* row of the event table */
    bool dither, once, spin;
    bool steady; /* else a sample's completion restarts the period */
    bool direct_to, direct_from; /* no back-end on the way to the sampler */
    unsigned monitors;           /* 0: all */
    struct {
        enum monitor_by by;
        uint32_t number;
        char name[NAME_SIZE];
    } monitor[MONITOR_MAX];
    enum pif_use pif;
    enum scan_group scan;
    uint32_t pif_number; /* where, or how many; 0: not said */
    uint32_t pif_limit;
    uint32_t seed, n, threads; /* n, threads 0: the workload's own default */
};

/* A workload: one file in work/. */
struct work {
    const char *name;
    uint32_t n, n_max;             /* size: default and limit */
    uint32_t threads, threads_max; /* default (0: by CPUs) and limit */
    const char *const *roles;      /* thread names before the dot, NULL ends */
    bool own_window;               /* starts and stops sampling itself */
    /* Run to the end, as often as wanted; false: it found a fault of its own.
     */
    bool (*run)(const struct options *o);
};

/* The thread that runs here: swtch.S keeps it in r2. */
register struct thread *current __asm__("r2");

/* autopif.c: profiling that runs itself, by marks */
bool autopif_parse(struct options *o, char *value);
bool autopif_run(const struct options *o);
bool autopif_go(const struct options *o);
bool autopif_sampled(const struct options *o);
bool autopif_counted(const struct options *o);
uint32_t autopif_most(uint32_t (*of)(uint32_t), bool *taken);
uint32_t autopif_chosen(const struct options *o, bool *good);
bool autopif_say(bool good, const char *what);

/* deferred_work.c: work that an interrupt leaves for later */
void backend_queue(struct cpu *c,
                   void (*worker)(struct cpu *, const struct sample *),
                   const struct sample *data);
void backend_run(struct cpu *c);

/* bootline.c: the boot line */
const struct options *options(void);
void bootline_parse(void);

/* console.c: the serial line */
void console_init(void);
void console_put(char ch);
void kprintf(const char *format, ...) __attribute__((format(printf, 1, 2)));
void panic(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));
void power_off(uint32_t status) __attribute__((noreturn));

/* insn_sampling.c: sampled instructions, the branch record */
bool insns_run(const struct options *o);
bool branches_run(const struct options *o);
void followed_control(struct cpu *c);
void followed_interrupt(struct cpu *c, const struct trap_frame *f);
void branches_tick(const struct cpu *c, uint32_t pc);
void branches_thaw(void);

/* climb.c: who calls what is hot */
void hotcall_interrupt(struct cpu *c, const struct trap_frame *f);
void hotcall_begin(uint32_t at);
void hotcall_mark(uint32_t round, uint32_t limit);
bool hotcall_collect(uint32_t round);
bool hotcall_graph(void);
uint32_t hotcall_captured(uint32_t at, uint32_t *interrupts);

/* irq_sample.c: the sample interrupt */
void irq_sample(struct cpu *c);
bool sample_notify(struct cpu *c, uint32_t kind, const struct thread *target);
void sample_control(struct cpu *c);

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

/* main.c */
void main(void) __attribute__((noreturn));
void main_secondary(uint32_t number) __attribute__((noreturn));

/* thread_filter.c: which threads are of interest */
bool monitor_wants(uint32_t tid, uint32_t pid, const char *name);
bool monitor_parse(struct options *o, char *value);
const char *monitor_unknown(const struct options *o);

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

/* perfinst.c: what the program itself wants marked */
bool perfinst_run(const struct options *o);

/* pif.c: the instrumentation facility (docs/pif.md) */
bool pif_init(void);
void pif_say(void);
void pif_control(struct cpu *c);
void pif_tell(void);
void pif_watch(bool on);
void pif_sync(void);
bool pif_is_text(uint32_t at);
bool pif_covers(uint32_t at);
bool pif_has(uint32_t at, bool data);
void pif_join(uint32_t at, bool data, uint32_t indicator, uint32_t limit);
uint32_t pif_read(uint32_t at, bool data);
void pif_mark(uint32_t at, uint32_t indicator, uint32_t limit);
void pif_mark_all(uint32_t from, uint32_t end, uint32_t indicator);
void pif_unmark(uint32_t from, uint32_t end);
uint32_t pif_count(uint32_t at);
uint32_t pif_take(uint32_t at);
void pif_counts(uint32_t from, uint32_t end, uint32_t *to);
uint32_t pif_hits(uint32_t at, bool data);
void pif_threshold(uint32_t cycles);
uint32_t pif_lost(void);
uint32_t pif_lost_all(void);
uint32_t pif_trapped(void);
void pif_follow(bool on);
void pif_separate(uint32_t from, uint32_t end);
bool pif_separates(void);
void pif_tables(struct shadow_tables *t);
void pif_switch(const struct thread *t);
uint32_t pif_own_table(const struct thread *t, unsigned n);
uint32_t pif_own_count(const struct thread *t, unsigned n, uint32_t *weighed);

/* proc.c: threads */
void thread_init(void);
void thread_run_idle(struct cpu *c);
enum schedmon_role thread_role(const struct thread *t);
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

/* range.c: executions and entries of ranges */
bool range_add(uint32_t low, uint32_t high, bool data, unsigned *number);
bool range_any(bool data);
void range_program(bool on);
uint32_t range_executed(unsigned number);
uint32_t range_entries(unsigned number);

/* count_areas.c: count areas */
struct units {
    uint32_t start, bytes; /* the data */
    uint32_t granule;      /* bytes of it that share a count unit */
    uint32_t at, size;     /* the first unit, bytes of one */
};
bool units_add(const struct units *u, uint32_t *number);
bool units_any(void);
void units_program(bool on);
uint32_t units_count(const struct units *u);
uint32_t units_read(const struct units *u, uint32_t n);
uint32_t units_lost(uint32_t number);

/* report.c: what the guest says at the end */
void report_start(void);
bool report(uint64_t ticks);

/* sampler.c: sampler threads and the life of a sample */
void sampler_init(void);
void sampling_start(void);
void sampling_stop(void);
void sample_begin(struct cpu *c, const struct sample *s);
void sample_begin_locked(struct cpu *c, const struct sample *s);
struct schedmon *sampler_monitor(void);
struct tree *sampler_tree(void);
bool sampler_registered(void);
uint64_t sampling_ticks(void);

/* scan.c: all of the text, part after part */
bool scan_parse(struct options *o, char *group);
bool scan_run(const struct options *o);

/* sched.c: who runs where */
typedef bool sched_hook(struct cpu *c, const struct thread *out,
                        struct thread *in);
void sched_register(sched_hook *hook);
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

/* sweep.c: how long accesses take */
bool sweep_run(const struct options *o);

/* swtch.S, vectors.S */
void swtch(struct thread *from, struct thread *to);
void thread_entry(void);
void _start(void);
extern const char vectors[], vectors_end[], trap_entry[], trap_end[];
extern const char trap_return[], data_start[], kernel_end[];
extern const char boot_end[], core_end[], lib_end[], work_end[], text_end[];
extern char boot_stacks[];
extern const uint32_t functions[], functions_end[]; /* guest.ld */

/* timer.c: one decrementer for slices, sleepers and samples */
void timer_program(struct cpu *c);
void timer_slice(struct cpu *c);
void timer_interrupt(struct cpu *c);
void thread_sleep(uint32_t cycles);

/* trace.c: records for the experiment */
void trace_context(const struct thread *t);
void trace_thread(const struct thread *t);
void trace_switch(const struct cpu *c, const struct thread *out,
                  const struct thread *in);
void trace_unsampled(const struct cpu *c, uint32_t reason, uint32_t tid,
                     uint32_t pid);
void trace_idle(const struct cpu *c, const struct sample *s, uint32_t number,
                const uint32_t *pcs, unsigned depth);
void trace_stats(const struct cpu *c);
void trace_trap(const struct cpu *c, uint32_t cause, uint32_t at, uint32_t data,
                uint32_t count, const uint32_t *pcs, unsigned depth);
void trace_sampled(const struct cpu *c, const uint32_t *w, const uint32_t *pcs);
void trace_branches(const struct cpu *c, uint32_t pc, uint32_t n,
                    const uint32_t *pairs);
void stat_add(uint32_t stat, uint32_t n);

/* tprof.c: a profiler by time */
void tprof_control(struct cpu *c);
void tprof_run(bool on);
void tprof_tick(struct cpu *c, const struct trap_frame *f);
uint32_t tprof_hits(uint32_t index);
uint32_t tprof_samples(void);

/* trap.c */
void trap(uint32_t vector, struct trap_frame *f);

/* trigger.c: when the next sample interrupt comes */
bool trigger_parse(struct options *o, char *value);
const char *trigger_event_name(uint32_t row);
void trigger_arm(struct cpu *c);
void trigger_disarm(struct cpu *c);
void trigger_again(struct cpu *c);
void trigger_interrupt(struct cpu *c);

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

/* lib/ */
uint32_t random_seed(uint32_t seed, uint32_t stream);
uint32_t random_below(uint32_t *state, uint32_t limit);
void format_text(void (*put)(char), const char *format, __builtin_va_list ap);
uint64_t divide(uint64_t n, uint32_t by);
bool text_equal(const char *a, const char *b);
void text_copy(char *to, const char *from, uint32_t size);
bool text_number(const char *text, uint32_t *value);
char *text_split(char *text, char at); /* cut at `at`; the rest or NULL */
void *memset(void *to, int value, size_t n);
void *memcpy(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* work/: the table ends with NULL */
extern const struct work work_txn, work_prodcons, work_busy, work_switch,
    work_calls;
extern const struct work *const works[];

#endif
