/* hook.h - how a file is entered into the kernel without the kernel knowing it
 * (docs/guest.md). There are tables, collected by the linker, and lists.
 *
 * An entry of a table stands in the file that it is about. guest.ld puts the
 * entries of a table side by side, in the order of their ranks: three digits,
 * the lowest first. Of files that are not linked there is nothing, and an empty
 * table is no fault. Functions of a table are called in the order of ranks, on
 * the stack of the caller.
 *
 * A list is for what comes at every switch or trap: a hook is on it only while
 * there is something to do, and an empty list costs a load and a branch.
 */
#ifndef GUEST_KERNEL_HOOK_H
#define GUEST_KERNEL_HOOK_H

#include "guest/kernel/defs.h"

#define TABLE_ENTRY(table, rank)                                               \
    __attribute__((used, section(".table." #table "." #rank)))

/* For each entry of a table. */
#define FOR_TABLE(entry, table)                                                \
    for (__typeof__(&table##_table[0]) entry = table##_table;                  \
         entry < &table##_table_end[0]; entry++)

/* ---- tables of objects -------------------------------------------------- */

/* A workload. The lowest rank is the default. */
#define WORK(rank, object)                                                     \
    static const struct work *const object##_entry TABLE_ENTRY(work, rank) =   \
        &(object)
extern const struct work *const work_table[], *const work_table_end[];

/* A word of the boot line: name=value. */
struct boot_word {
    const char *name;
    const char *values; /* for the line that refuses */
    /* Note the value, which may be cut up. False: there is no such value. */
    bool (*take)(char *value);
    enum { WORD_FOR_ALL, WORD_OF_WORK, WORD_REST } kind;
};

/* WORD_OF_WORK: it is about the workloads in the kernel, and a system in their
 * place has no use for it. WORD_REST: the value is all the rest of the line. */
#define BOOT_WORD_KIND(rank, function, name, values, kind)                     \
    static const struct boot_word function##_word = {name, values, function,   \
                                                     kind};                    \
    static const struct boot_word *const function##_entry TABLE_ENTRY(         \
        word, rank) = &function##_word
#define BOOT_WORD(rank, function, name, values)                                \
    BOOT_WORD_KIND(rank, function, name, values, WORD_FOR_ALL)
extern const struct boot_word *const word_table[], *const word_table_end[];

/* A number in a CPU's line at the end. */
struct column {
    const char *name;
    uint32_t stat; /* STAT_*, or 0: */
    uint32_t (*value)(const struct cpu *c);
};

#define COLUMN(rank, object, name, stat, value)                                \
    static const struct column object##_column = {name, stat, value};          \
    static const struct column *const object##_entry TABLE_ENTRY(              \
        column, rank) = &object##_column
extern const struct column *const column_table[], *const column_table_end[];

/* ---- tables of functions ------------------------------------------------ */

/* The boot line is read: fill in what it does not say, or bootline_refuse. The
 * other CPUs have no number yet. */
typedef void settle_hook(const struct options *o);
/* Print " name=value" into the first line. */
typedef void setting_hook(void);
/* Every CPU idles, CPU 0 boots with interrupts off, nothing runs yet. */
typedef void start_hook(void);
/* What runs on the kernel, processes or a workload: it does not return,
 * or was not asked for. Interrupts are on. */
typedef void system_hook(void);
/* The first program runs. On the thread that booted, which has no more to do.
 */
typedef void booted_hook(void);
/* Print lines behind the first. */
typedef void opening_hook(void);
/* Run the workload in the kernel's place, as often as wanted. False: it is not
 * wanted, and nothing was done; else *good tells whether all went well. */
typedef bool run_hook(const struct options *o, bool *good);
/* What is measured begins or is over: window_open, window_close. */
typedef void window_hook(bool open);
/* Print at the end, behind the CPUs' lines. False: a check failed. */
typedef bool report_hook(void);
/* A thread was made; it has tid, pid, kind and name, and does not run. */
typedef void thread_hook(struct thread *t);
/* t, which may run, has another name. */
typedef void renamed_hook(struct thread *t);
/* c, this CPU, goes from `out` to `in`; sched_lock is held. */
typedef void switched_hook(const struct cpu *c, const struct thread *out,
                           const struct thread *in);
/* The performance monitor interrupted c: vector 0xF00, interrupts off. */
typedef void perfmon_hook(struct cpu *c);
/* A mark, or a sampled instruction, interrupted f: vector 0x1500, likewise. */
typedef void marker_hook(struct cpu *c, const struct trap_frame *f);
/* A process has that program now, of which no page was touched. If it has a
 * thread that is the one which runs. No lock is held. */
struct process;
struct node;
typedef void program_hook(const struct process *p, const struct node *file);
/* A process made a system call that Linux has not, with these arguments. False:
 * nor is it this one; else *result is as Linux gives it. Interrupts are on. */
struct task;
struct file;
typedef bool call_hook(struct task *t, uint32_t number, const uint32_t *a,
                       int32_t *result);

/* The same of a read of a device that is none of the kernel's. */
typedef bool device_hook(struct file *f, struct task *t, uint32_t to,
                         uint32_t bytes, int32_t *result);
/* t may not execute the instruction at f, or its access is not aligned. True:
 * it was carried out in f, or a fault of another kind was told. Interrupts are
 * on. */
struct user_frame;
typedef bool refused_hook(struct task *t, struct user_frame *f);
/* p has closed a number of f, which it may have by others. process_lock may be
 * held. */
typedef void closed_hook(struct process *p, const struct file *f);
/* A fault of its own ends the process of t, which runs here; one line has said
 * so. process_lock is held. */
typedef void death_hook(struct task *t);

/* t, which runs here, is about to look at its signals; process_lock is held. */
typedef void poked_hook(struct task *t);
/* A signal comes while one of its number is in q; t has taken one, with
 * t->info, of q, where none of it is now. process_lock is held. */
struct pending;
struct signal_info;
typedef void repeated_hook(struct pending *q, uint32_t signal,
                           const struct signal_info *info);
typedef void taken_hook(struct task *t, struct pending *q, uint32_t signal);
/* The last task of p has left; process_lock is held. */
typedef void ended_hook(struct process *p);
/* t, which runs here, leaves its memory, since it ends or becomes another
 * program. No lock is held. */
typedef void parting_hook(struct task *t);

#define HOOK(table, rank, function)                                            \
    static table##_hook *const function##_##table TABLE_ENTRY(table, rank) =   \
        function

#define HOOK_TABLE(table)                                                      \
    extern table##_hook *const table##_table[], *const table##_table_end[]
/* clang-format off */
HOOK_TABLE(settle); HOOK_TABLE(setting); HOOK_TABLE(start); HOOK_TABLE(system);
HOOK_TABLE(opening); HOOK_TABLE(run); HOOK_TABLE(window); HOOK_TABLE(report);
HOOK_TABLE(thread); HOOK_TABLE(renamed); HOOK_TABLE(switched);
HOOK_TABLE(program); HOOK_TABLE(perfmon); HOOK_TABLE(marker); HOOK_TABLE(call);
HOOK_TABLE(device); HOOK_TABLE(refused); HOOK_TABLE(closed); HOOK_TABLE(death);
HOOK_TABLE(poked); HOOK_TABLE(repeated); HOOK_TABLE(taken); HOOK_TABLE(ended);
HOOK_TABLE(parting); HOOK_TABLE(booted);
/* clang-format on */

/* ---- lists -------------------------------------------------------------- */

/* Static, and on one list at most. */
struct hook {
    struct hook *next;
    void (*call)(struct cpu *c, const struct thread *t);
};

/* switch_hooks: c leaves t for c->current; interrupts are off, sched_lock is
 * held. trap_hooks: an exception that interrupted t is served; interrupts are
 * off. Another CPU may be in a hook that is taken off. */
extern struct hook *volatile switch_hooks, *volatile trap_hooks;
/* wake_hooks: t, whose state is still the one before, goes into c's queue;
 * sched_lock is held. user_hooks: t goes to user mode on c; system_hooks: it
 * has come from there; interrupts are off. */
extern struct hook *volatile wake_hooks;
extern struct hook *volatile user_hooks, *volatile system_hooks;
/* Put h, which is on no list, on one; take it off the one that it is on. Not
 * with sched_lock. */
void hook_add(struct hook *volatile *list, struct hook *h);
void hook_remove(struct hook *volatile *list, struct hook *h);

/* Call all hooks of a list, about t on c. */
static inline void hooks_call(struct hook *volatile *list, struct cpu *c,
                              const struct thread *t)
{
    for (struct hook *h = *list; h; h = h->next)
        h->call(c, t);
}

/* The one seat beside the scheduler's choice: `in` would be next after `out` on
 * c. True: it waits at the head of its queue, and the scheduler chooses anew;
 * then `in` must be held, or another thread be ready. NULL: the seat is free.
 * sched_lock is held. */
typedef bool veto_hook(struct cpu *c, const struct thread *out,
                       struct thread *in);
void sched_veto(veto_hook *hook);

/* Measuring begins, and ends: call all window hooks. */
void window_open(void);
void window_close(void);

#endif
