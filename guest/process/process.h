/* process.h - processes, their threads (tasks), waiting, signals, and the way
 * of a system call. docs/guest.md has the whole picture.
 *
 * Lock order: process_lock, then a file's lock (file.h), then a space's, then
 * sched_lock and the leaves. `own`: only the task itself, in its system calls.
 */
#ifndef GUEST_PROCESS_PROCESS_H
#define GUEST_PROCESS_PROCESS_H

#include <asm/signal.h>

#include "guest/kernel/defs.h"
#include "guest/process/mm.h"
#include "guest/process/user.h"
#include "include/mark_bits.h"

#define PROCESSES 64
#define TASKS 160 /* the kernel's other threads take the rest of the table */
#define FILES 64  /* a process */
#define SIGNALS 64
#define PATH_SIZE 256
enum { NARROW, WIDE }; /* times have 32 bits, or 64 */

struct user_frame {
    struct trap_frame trap;
    uint32_t r1, r2, r13_r31[19];
    uint32_t dar, dsisr, vector, asked_r3;
    uint32_t spare[3];
};

/* ---- wait.c: waiting that a signal or a time ends ------------------------ */

/* Something that happens again and again: waiting needs no lock, since one who
 * saw `count` before looking is not put to sleep if it has gone on. */
struct event {
    volatile uint32_t count; /* sched_lock to change it */
    struct waitq waiters;    /* sched_lock */
};

enum waking { WOKEN, WAKE_TIME, WAKE_SIGNAL };

#define FOR_EVER UINT64_MAX

struct task;
/* Wait until e->count is not `seen`, or a signal comes, or the time base is
 * `until`. No lock is held. */
enum waking event_wait(struct event *e, uint32_t seen, uint64_t until);
/* Wait for a signal or the time alone. */
enum waking task_sleep(uint64_t until);
/* It has happened: all who wait go on. The second one: sched_lock is held. */
void event_happen(struct event *e);
void event_happen_locked(struct event *e);
/* Let t look at its signals: from a wait, or from user mode. The second one:
 * sched_lock is held. */
void task_poke(struct task *t);
void task_poke_locked(struct task *t);

/* ---- tasks and processes ------------------------------------------------- */

/* What a process does about a signal, laid out as Linux's sigaction. */
struct action {
    uint32_t handler, flags, restorer;
    uint32_t mask[2]; /* the low word first */
};

/* What is told of a signal, in the words of siginfo: code; the process that
 * sent it, an address, a timer; and what belongs to that. */
struct signal_info {
    uint32_t code, from, more, value;
};

/* Signals that were sent and are not served yet. */
struct pending {
    uint64_t set;                     /* a bit each */
    struct signal_info info[SIGNALS]; /* by number - 1 */
};

enum process_state { PROCESS_FREE, PROCESS_LIVE, PROCESS_ENDED };

struct file;

struct process {
    uint32_t number;
    enum process_state state;      /* process_lock */
    struct process *parent;        /* process_lock */
    struct task *tasks;            /* process_lock */
    bool ending;                   /* process_lock: all tasks shall leave */
    uint32_t status;               /* process_lock: as wait tells it */
    struct event children;         /* one has ended */
    struct space *space;           /* likewise; exec's only task looks freely */
    struct file *files[FILES];     /* process_lock */
    uint64_t close_on_exec;        /* process_lock: a bit each */
    struct action action[SIGNALS]; /* process_lock: by number - 1 */
    struct pending pending;        /* process_lock: for any task */
    uint32_t mask;                 /* umask; process_lock */
    struct node *directory;        /* tree_lock; NULL: the root */
    char name[NAME_SIZE];          /* of its program; like space */
    struct node *file;             /* likewise: it stays in memory */
};

struct task {
    struct thread *thread;    /* fixed as long as it lives */
    struct process *process;  /* likewise */
    uint32_t number;          /* what the user knows it by */
    struct task *next;        /* process_lock: the process's next one */
    struct user_frame *frame; /* own: its registers in user mode */
    struct user_frame start;  /* own: its first registers */
    uint32_t vector;          /* own: of the exception it left user mode by */
    uint32_t clear_tid;       /* own: a word to clear at its end; 0: none */
    uint32_t robust;          /* own: the list of locks it has; 0: none */
    bool parted;              /* sched_lock: it gives no lock back any more */
    uint64_t blocked;         /* process_lock: signals, a bit each */
    uint64_t awaited;         /* likewise; of these, those that end a wait */
    struct pending pending;   /* process_lock: for this task alone */
    struct signal_info info;  /* own: of the signal being served */
    uint64_t suspended;       /* own: the mask before sigsuspend */
    bool resuspend;           /* own: there is one to go back to */
    bool leaving;             /* own: it has called exit, with */
    uint32_t status;          /* own: as wait tells it */
    bool restart;             /* own: a call may begin anew */
    struct file *file;        /* own: what its call is about (ON_FILE) */
    uint8_t policy, priority; /* process_lock: SCHED_*, and of real time */
    int8_t nice;              /* process_lock */
    volatile bool poked;      /* look at signals on the way to user mode */
    struct event *waits_for;  /* sched_lock */
    enum waking woken;        /* sched_lock */
    /* interrupts off: */
    bool fp_here; /* the CPU's registers are its own */
    uint64_t fp[33];
    uint32_t stack_base, stack_size, stack_flags; /* own: of handlers */
};

/* The task that runs here. */
struct task *task_current(void);
/* NULL: a thread of the kernel's own. */
struct task *task_of(const struct thread *t);

/* ---- process.c ----------------------------------------------------------- */

extern struct mutex process_lock;
/* A process without tasks, a child of parent, with its files. NULL: no room. */
struct process *process_new(struct process *parent, struct space *space);
/* It never ran. */
void process_forget(struct process *p);
struct process *process_find(uint32_t number); /* process_lock is held */
/* A task of t's process, 0: t; NULL: there is none. process_lock is held. */
struct task *task_numbered(struct task *t, uint32_t number);
/* One of any process that has not parted; NULL likewise. sched_lock is held. */
struct task *task_alive(uint32_t number);
/* A task that begins with these registers, and waits for task_start. NULL: no
 * room. process_lock is not held. */
struct task *task_new(struct process *p, const struct user_frame *start);
/* The same as another kind of thread, on some CPUs alone. */
struct task *task_new_as(struct process *p, const struct user_frame *start,
                         uint8_t kind, uint8_t prio, uint32_t mask);
void task_start(struct task *t);
/* All tasks of the process leave; status is as wait tells it. */
void process_end(struct process *p, uint32_t status);
/* Memory and disk are full: the largest process ends, unless one is ending.
 * False: there is none. */
bool memory_over(void);
/* The running task has left user mode for good. */
void task_end(void);
/* A number for a process or a task. */
uint32_t number_new(void);
extern struct process processes[PROCESSES]; /* the first one is [0] */
#define FOR_PROCESSES(p)                                                       \
    for (struct process *p = processes; p < processes + PROCESSES; p++)

/* ---- run.c --------------------------------------------------------------- */

/* The first process has ended, and with it the run. */
void run_over(uint32_t status) __attribute__((noreturn));

/* ---- exec.c, elf.c ------------------------------------------------------- */

extern uint32_t stack_lower; /* bytes by which all stacks begin lower */

struct program {
    struct node *file;
    uint32_t entry, headers, header_count, end; /* end: where the heap begins */
};
struct node;
int32_t elf_map(struct space *s, struct node *file, struct program *p);

/* A program on its way: its space, in which argv and envp are put. */
struct image {
    struct space *space;
    struct program program;
    uint32_t words, texts; /* where the next ones go */
    uint32_t count;        /* of texts */
    char path[PATH_SIZE];
};

/* Make a space with the program: 0, or -errno and none. tree_lock is held. */
int32_t image_begin(struct image *i, struct node *file);
/* A text of argv, later of envp, begins; goes on; a list of them is whole.
 * False: no room. */
bool image_begin_text(struct image *i);
bool image_bytes(struct image *i, const char *bytes, uint32_t n);
bool image_end_list(struct image *i);
/* Nothing more comes: its first registers. 0, or -errno and no space. */
int32_t image_finish(struct image *i, struct user_frame *start);
/* A process has that program now. */
void exec_named(struct process *p, const struct image *i);
/* The calling task, the only one, goes on as another program. 0, or -errno and
 * there is no space. */
int32_t exec_replace(struct image *i);

/* ---- signal.c ------------------------------------------------------------ */

#define SIGNAL_BIT(n) (1ULL << ((n)-1))
#define NEVER_BLOCKED (SIGNAL_BIT(SIGKILL) | SIGNAL_BIT(SIGSTOP))

/* A set of signals from two words. */
static inline uint64_t signal_set(uint32_t low, uint32_t high)
{
    return (uint64_t)high << 32 | low;
}

/* The same in user memory, the low word first. */
bool signal_set_get(struct task *t, uint32_t at, uint64_t *set);
int32_t signal_set_put(struct task *t, uint32_t at, uint64_t set);

/* To one task, or to any of a process, by the process `from` (0: the kernel).
 * process_lock is held. */
void signal_task(struct task *t, uint32_t signal, uint32_t from);
void signal_process(struct process *p, uint32_t signal, uint32_t from);
void signal_task_info(struct task *t, uint32_t signal,
                      const struct signal_info *info);
void signal_process_info(struct process *p, uint32_t signal,
                         const struct signal_info *info);
bool signal_ignored(const struct process *p, uint32_t signal);
void signal_note(struct pending *q, uint32_t signal,
                 const struct signal_info *info);
/* Take the lowest of `which` that was sent, with t->info; 0: none was. */
uint32_t signal_take(struct task *t, uint64_t which);
/* The task's own fault: cannot be blocked or ignored. */
void signal_fault(struct task *t, uint32_t signal, uint32_t code, uint32_t at);
/* Words of a ucontext, and t's registers as the mcontext that may follow it has
 * them, PT_FPR0 + 66 words. */
enum { UC_STACK = 2, UC_REGS = 12, UC_MASK, UC_MCONTEXT = 48 };
void context_put(uint32_t *m, struct task *t);
void context_get(const uint32_t *m, struct task *t);
/* On the way to user mode: begin handlers, or end. */
void signals_serve(struct task *t);
/* Is sp on the task's other stack for handlers? */
bool on_other_stack(const struct task *t, uint32_t sp);

/* ---- user.c: in and out of user mode ------------------------------------- */

/* An exception from user mode. True: go back there. Out: interrupts off. */
bool user_trap(uint32_t vector, struct user_frame *f);
/* General register n of a frame. */
uint32_t *user_register(struct user_frame *f, uint32_t n);
/* Vectors and the scheduler know of processes from now on. */
void user_init(void);
/* The floating point of t, which runs here, is in t->fp and nowhere else. */
void task_fp_settle(struct task *t);
/* The space of t, which runs here, has changed. */
void task_space_load(const struct task *t);

/* ---- call.c: system calls ------------------------------------------------ */

#define CALL_KEEP (-600)    /* the registers are set */
#define CALL_RESTART (-601) /* a signal came: again, unless handled so */
#define CALL_ABSENT (-602)  /* the call is not there: hooks may have it */
/* Carry out the call that f asks for. */
void call_serve(struct task *t, struct user_frame *f);
/* Arguments as calls.def says; a result of -4095 to -1 is an error. */
typedef int32_t call_function(struct task *t, const uint32_t *a);
enum { CALL_READ, CALL_WRITE, CALL_PARTS, CALL_PLACE = 4 };
/* A row of calls.def. */
struct call {
    call_function *serve;
    uint32_t front;
    bool with_front, on_file, on_space, on_names;
};
#define PLAIN .front = 0
#define WITH(x) .with_front = true, .front = (x)
#define ON_FILE .on_file = true
#define FILE_WITH(x) WITH(x), ON_FILE
#define ON_SPACE .on_space = true
#define ON_NAMES .on_names = true
#define NAMES_WITH(x) WITH(x), ON_NAMES
/* Make a call with the registers at a + 1. */
int32_t call_make(const struct call *c, struct task *t, uint32_t *a);
#define CALL(number, name, handler, how) call_function call_##handler;
#include "guest/process/calls.def"
#undef CALL
/* What a call tells besides its result: 0 or -EFAULT. */
int32_t answer(struct task *t, uint32_t at, const void *bytes, uint32_t n);

/* ---- futex.c ------------------------------------------------------------- */

/* A futex: the same for all processes that share its word. */
struct futex_key {
    const struct space *space; /* of shared memory: its store */
    uint32_t place;
};

/* Of a word that is mapped; s->lock is held. */
struct futex_key futex_key(const struct space *s, uint32_t at);
bool futex_same(struct futex_key a, struct futex_key b);
/* The words at two places, or one; before a space's lock. For these three: */
void futex_lock(uint32_t one, uint32_t other);
void futex_unlock(uint32_t one, uint32_t other);
/* The key of a word, what is there, and in the third word (NULL: no matter).
 * False: it cannot be had. */
bool futex_find(struct space *s, uint32_t at, struct futex_key *key,
                uint32_t *value, uint32_t *third);
/* Wake up to `count` of those who wait there; let up to `most` wait for another
 * word: how many. */
uint32_t futex_wake_key(struct futex_key key, uint32_t count, uint32_t bits);
uint32_t futex_move(struct futex_key from, struct futex_key to, uint32_t most);
/* Until when, by the time base, from the time at `at` (0: for ever), of an
 * operation, FUTEX_*: 0 or -errno. */
int32_t futex_until(struct task *t, uint32_t at, uint32_t op, uint32_t wide,
                    uint64_t *due);
/* Wake up to `count` tasks that wait for the word: how many. */
int32_t futex_wake(struct space *s, uint32_t at, uint32_t count, uint32_t bits);

/* ---- call_time.c --------------------------------------------------------- */

bool clock_known(uint32_t clock); /* CLOCK_* */
uint64_t clock_now(uint32_t clock);
/* A time in user memory: 0, -EFAULT, -EINVAL. */
int32_t time_put(struct task *t, uint32_t at, uint64_t ns, uint32_t wide);
int32_t time_get(struct task *t, uint32_t at, uint32_t wide, uint64_t *ns);

/* ---- clock.c ------------------------------------------------------------- */

#define SECOND 1000000000ULL /* ns */
#define EPOCH 1000000000ULL  /* the calendar's second when a run starts */

uint64_t clock_ns(void); /* since the start */
/* Whole seconds, and the ns that are left. */
uint32_t clock_split(uint64_t ns, uint32_t *rest);
uint64_t clock_ns_of(uint64_t ticks);
uint64_t clock_due(uint64_t from_now); /* ns from now, as time base */

/* ---- entry.S, guest.ld --------------------------------------------------- */

void user_run(const struct user_frame *start, struct user_frame **where);
void fp_save(uint64_t *area);
void fp_load(const uint64_t *area);
extern const char process_vectors[], process_vectors_end[];
extern const char user_trap_return[]; /* where user_trap returns to */

#endif
