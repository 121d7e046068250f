/* process.h - private header of sim/user: the
 * process, its threads, its open files, and a system call under way.
 */
#ifndef SIM_USER_PROCESS_H
#define SIM_USER_PROCESS_H

#include <time.h>

#include "sim/dev/disk.h"
#include "sim/user/abi.h"
#include "sim/user/mm/space.h"
#include "sim/symbols/names.h"
#include "sim/user/user.h"

#define USER_THREADS 256
#define USER_FILES 1024
#define USER_TIMERS 32                   /* the first is ITIMER_REAL */
#define USER_VIRTUAL USER_TIMERS         /* ITIMER_VIRTUAL */
#define USER_PROFILE (USER_TIMERS + 1)   /* ITIMER_PROF */
#define USER_CPU_LIMIT (USER_TIMERS + 2) /* processor time is used up */
#define USER_CLOCKS (USER_TIMERS + 3)
#define USER_LIMITS 16
#define USER_STACK (8u << 20)
#define USER_STACK_TOP (SPACE_TOP - ABI_PAGE)
#define USER_QUEUE 128
#define USER_PATH 4096
#define USER_PID 1000 /* the process; threads count up from it */

#define NANO UINT64_C(1000000000)

/* What a handler may return besides a result and -errno. */
#define CALL_BLOCKED (-100000) /* the result comes with the wake-up */
#define CALL_RETRY (-100001)   /* blocked; begin again when woken */
#define CALL_SET (-100002)     /* the registers are as they should be */

/* ---- signals ------------------------------------------------------------- */

struct action {
    uint32_t handler, flags;
    uint64_t mask;
};

/* What is known of a signal that waits for delivery. */
struct siginfo {
    int code;
    uint32_t word[3]; /* pid, uid, value; or the address */
};

struct pending {
    uint64_t set; /* bit n - 1 */
    struct siginfo info[ABI_SIGNALS];
};

/* One more of a real-time signal that waits already; of: in whose set. */
struct queued {
    int signal;
    const struct pending *of;
    struct siginfo info;
};

/* ---- threads ------------------------------------------------------------- */

enum thread_state { THREAD_FREE, THREAD_READY, THREAD_RUNNING, THREAD_BLOCKED };

enum waiting {
    WAIT_NOTHING,
    WAIT_TIME,   /* until wake_at; 0 then */
    WAIT_FUTEX,  /* on futex_pa; ETIMEDOUT at wake_at */
    WAIT_LOCK,   /* on futex_pa, a lock of `owner`; ETIMEDOUT at wake_at */
    WAIT_DISK,   /* disk_result at wake_at; no signal ends it */
    WAIT_SIGNAL, /* for one of wait_set, or (0) any handler */
    WAIT_IO      /* for a change of a file's readiness */
};

struct thread {
    enum thread_state state;
    int tid;
    char name[THREAD_NAME]; /* its own, or its maker's; 0 behind it */
    unsigned cpu;           /* where it runs or last ran */
    struct cpu cpu_state;   /* while it does not run */
    cycle_t since;          /* when it got the processor */
    cycle_t ran;            /* of its slice, before that */
    int64_t queued;         /* its place among those that are ready */
    /* ABI_SCHED_...; 1 to 99 of FIFO and RR, else 0; -20 to 19. */
    unsigned policy, priority;
    int nice;
    bool reset_on_fork; /* its threads begin with none of it */

    enum waiting waiting;
    cycle_t wake_at; /* CYCLE_NEVER: no limit */
    pa_t futex_pa;
    uint32_t futex_bits, futex_value; /* the latter is what it found there */
    bool futex_plain;                 /* FUTEX_WAIT itself */
    int owner; /* the thread that has what it waits for (WAIT_LOCK) */
    struct disk_done disk; /* the request that it waits for (WAIT_DISK) */
    int32_t disk_result;
    uint64_t wait_set;
    uint32_t remain; /* nanosleep: where the rest goes, 0 nowhere */
    bool remain64;
    bool deadline;        /* ... or up to a point of a clock, */
    uint32_t deadline_in; /* ... so far off then (include/record.def) */
    bool polling;         /* in poll or select since it set poll_until */
    cycle_t poll_until;
    bool restartable; /* SA_RESTART begins the call again */

    uint64_t blocked, saved_mask; /* signals */
    bool restore_mask;            /* sigsuspend: saved_mask comes back */
    struct pending pending;
    ea_t alt_base;
    uint32_t alt_size, alt_flags; /* 0 or ABI_SS_AUTODISARM */
    uint32_t wait_call, wait_for; /* what it waits in, and its argument */
    ea_t clear_tid, robust;
    uint32_t robust_size;
    bool dead_robust;
    uint64_t affinity;
    /* What --what-if makes of it: CPUs, 0 none; and a rank instead of that of
     * policy and priority. */
    uint64_t forced_cpus;
    const struct what_if_thread *forced_rank; /* NULL: none */
    cycle_t used; /* cycles it held a processor, up to `since` */
};

/* ---- files --------------------------------------------------------------- */

enum file_kind {
    FILE_FREE,
    FILE_HOST,   /* host descriptor */
    FILE_PIPE,   /* host descriptor of a pipe both ends of which are ours */
    FILE_RANDOM, /* /dev/urandom, or the name of a thread */
    FILE_EVENT   /* eventfd: count */
};

struct file {
    enum file_kind kind;
    int host;
    bool cloexec, nonblock, append; /* of a standard file: ours alone */
    unsigned opened;  /* the same for all that dup made of one open() */
    bool outside;     /* a device, a library, its own file: not to change */
    int named;        /* the thread whose name it is; 0: none (FILE_RANDOM) */
    uint8_t standard; /* 1 stdin, 2 stdout, 3 stderr; 0: opened by name */
    char *path;       /* directories: below the root; owned */
    /* ... where the host goes on behind each entry that was read. A program's
     * own place is a number of entries, which fits its 32 bits. */
    int64_t *places; /* owned */
    uint32_t nplaces, place;
};

/* ---- timers -------------------------------------------------------------- */

struct timer {
    bool used;
    int signal; /* 0: none */
    int id;     /* of timer_create; -1: of setitimer */
    uint32_t value;
    int tid;    /* SIGEV_THREAD_ID, or 0 */
    cycle_t at; /* CYCLE_NEVER: not armed */
    /* Of processor time: `at` is when it could be over if the threads that run
     * now goes on, and is worked out anew whenever that changes. */
    bool cpu;
    cycle_t due;      /* at so many cycles of processor time; CYCLE_NEVER */
    int cpu_of;       /* the thread whose time it is; 0: all of them */
    cycle_t interval; /* 0: once */
    uint32_t overrun;
    bool calendar; /* of CLOCK_REALTIME */
};

/* ---- limits -------------------------------------------------------------- */

struct bound {
    uint64_t soft, hard; /* UINT64_MAX: none */
};

/* ---- trees beside the root (mounts.c) ------------------------------------ */

struct trees {
    bool own_tmp;             /* /tmp is ours to make */
    int tmp, sysroot;         /* host directories; -1: not there (yet) */
    int tmp_lock;             /* says that the run goes on */
    char tmp_host[USER_PATH]; /* the directory that holds tmp; "": none */
    char sysroot_host[USER_PATH];
};

/* ---- shared objects (library.c) ------------------------------------------ */

/* A file that was mapped to be executed. */
struct library {
    struct image image; /* at 0; its bytes outlive all names */
    uint64_t device, inode, changed;
    bool archived;
};

/* ... and where. */
struct mapped {
    cycle_t at;
    uint32_t bias;
    unsigned library;
};

#define USER_LIBRARIES 256 /* more are mapped without names */

/* ---- the process --------------------------------------------------------- */

struct user {
    struct user_setup with;
    struct machine *m;
    struct space space;
    unsigned runs_on; /* the processor whose program asked the system ... */
    cycle_t now;      /* ... and when */
    struct times *times;
    struct thread thread[USER_THREADS];
    struct thread *current[MACHINE_CPUS]; /* NULL: idle */
    unsigned threads;                     /* entries of thread[] ever used */
    cycle_t kick[MACHINE_CPUS];    /* interrupt it then; CYCLE_NEVER: no need */
    const struct thread *yielding; /* gives up its slice */
    /* The thread for which a processor is interrupted; NULL: none. */
    const struct thread *coming[MACHINE_CPUS];
    const struct thread *acting; /* whose system call it is; NULL: nobody's */
    bool tells;                  /* observers are told of threads */
    bool ranked; /* some thread's policy is or was not that of the first */
    int64_t queue_tick;
    int next_tid;

    struct action action[ABI_SIGNALS + 1];
    struct pending pending;          /* for any thread */
    struct queued queue[USER_QUEUE]; /* real-time signals sent again */
    unsigned queued;
    struct timer timer[USER_CLOCKS];
    cycle_t rang;   /* when one of them did last */
    cycle_t looked; /* of the last interrupt of a thread on processor 0 */
    struct bound limit[USER_LIMITS];
    ea_t stack_low; /* so far down the first stack may reach */

    struct file file[USER_FILES];
    unsigned opened;           /* times so far */
    uint64_t memory;           /* the device of files without a name ... */
    bool memory_known;         /* ... once there was one */
    int root;                  /* host directory */
    int self;                  /* the program's own file; -1: none */
    char root_host[USER_PATH]; /* what the host calls it ... */
    char root_path[USER_PATH]; /* ... and the program */
    char cwd[USER_PATH];       /* below the root, "" is the root */
    char exe_host[USER_PATH];  /* the program itself, likewise */
    char exe[USER_PATH];
    struct trees trees;
    struct library library[USER_LIBRARIES];
    struct mapped mapped[USER_LIBRARIES];
    unsigned libraries, mappings;
    bool unnamed; /* ... and that there were more has been said */
    uint32_t umask;
    bool changes;        /* files of the host that stay, or was about to */
    bool spoke;          /* something went to stdout */
    uint64_t random;     /* generator */
    uint64_t disk_asked; /* requests so far ... */
    cycle_t disk_free;   /* ... and when the last of them is done */

    bool asked; /* there was a system call */
    bool told_fork, told_async;
    uint64_t told[8]; /* unknown system calls named already */
    int killed;
    cycle_t used; /* by all threads, those that are over too */
    bool over;
};

/* A system call, or whatever else brought a thread here. */
struct call {
    struct user *u;
    struct thread *t;
    struct core *core;
    uint32_t vector; /* of the exception that brought it here */
    uint32_t a[6];   /* r3 to r8 */
    cycle_t now;
};

/* user.c */
/* What the thread asks for now lasts so many times as long: --what-if func:. */
struct what_if_factor user_scale(const struct call *k);
__attribute__((format(printf, 2, 3))) void user_say(struct user *u,
                                                    const char *format, ...);
/* Simulated time in ns since power-on, and the clock of the calendar. */
uint64_t user_time(const struct user *u, cycle_t at);
uint64_t user_date(const struct user *u, cycle_t at);
/* The cycle at which ns nanoseconds from `from` have passed, rounded up. */
cycle_t user_after(const struct user *u, cycle_t from, uint64_t ns);
/* Up to which cycle a call waits that asks for so many ns, by user_scale. */
cycle_t user_limit(const struct call *k, uint64_t ns);
void user_exit(struct user *u, int status);
/* Killed by a signal at pc: says so. */
void user_kill(struct user *u, struct core *core, int signal,
               const struct siginfo *info);
uint64_t user_random(struct user *u);
/* In a loop that may take the host long: is the run to end? It is over then. */
bool user_stopped(struct user *u);

/* The processors that it may use, a bit each. */
static inline uint64_t thread_cpus(const struct thread *t)
{
    return t->forced_cpus ? t->forced_cpus : t->affinity;
}

/* schedule.c: what a new thread has of the one that made it. */
void schedule_inherit(struct thread *t, const struct thread *from);

/* clock.c: the processor time, in cycles, that a timer goes by. */
cycle_t clock_spent(struct user *u, const struct timer *t, cycle_t now);

/* limit.c: the resource limits. Sizes are bytes, processor time is cycles. */
#define LIMIT_NONE UINT64_MAX
/* The limits at the start, and as many descriptors of the host's as it gives:
 * the program's files are open there too. */
void limit_init(struct user *u);
/* Set limit `which`, below USER_LIMITS. 0, -EINVAL if soft is above hard, or
 * -EPERM if hard would be raised. */
int limit_set(struct user *u, uint32_t which, uint64_t soft, uint64_t hard);
unsigned limit_files(const struct user *u); /* descriptors lie below */
/* May it have so much more memory (its own to write: data)? */
bool limit_memory(const struct user *u, uint32_t more, bool data);
/* May the host's file become so large? 0, or EFBIG and the signal is sent. */
int limit_grow(struct call *k, int host, uint64_t size);
/* May it be written at `at` (-1: where it stands)? 0 and *size is cut down to
 * what may, or EFBIG; limit_passed sends the signal for it. */
int limit_write(struct user *u, int host, int64_t at, size_t *size);
/* Files without a name lie in the program's memory. May one take so much more?
 * 0 or ENOSPC, and *size is cut down to what may. */
int limit_memory_file(struct user *u, int host, uint64_t *size);
/* A file of the host's is one of them. */
void limit_is_memory(struct user *u, int host);
/* Count again what files without a name take: space.reserved of arg, a struct
 * user. */
void limit_recount(void *arg);
/* Send SIGXFSZ to the thread of the call. */
void limit_passed(struct call *k);
/* The signal when so much processor time is more than it may have. */
int limit_cpu_signal(const struct user *u, cycle_t spent);

/* start.c: map the image, make the first stack; registers of c to begin. */
bool start_segments(struct user *u, const struct image *i, ea_t *top, char *why,
                    size_t size);
bool start_load(struct user *u, struct cpu *c, char *why, size_t size);

/* thread.c: who runs where. */
struct thread *thread_new(struct user *u);
/* What --what-if makes of it by its number and its name, which may be new. */
void thread_force(struct user *u, struct thread *t);
struct thread *thread_find(struct user *u, int tid);
/* t can run from cycle `at` on. */
void thread_ready(struct user *u, struct thread *t, cycle_t at);
/* The running thread of the call waits. */
void thread_block(struct call *k, enum waiting w, cycle_t until);
/* End a wait with this result in r3 (as a system call returns it). */
void thread_wake(struct user *u, struct thread *t, int32_t result, cycle_t at);
/* Begin the call again that t waits in. */
void thread_again(struct user *u, struct thread *t, cycle_t at);
/* tell.c: what observers hear of threads, at cycle `at`. It has a processor;
 * leaves that, to wait or for ever, with its registers still there; can run,
 * and was woken, by the thread of the system call under way if there is one. */
/* process.c: t has that name from now on, `size` bytes, THREAD_NAME - 1 of them
 * at most. */
void thread_name(struct user *u, struct thread *t, const char *name,
                 size_t size, cycle_t at);
/* t has another name. */
void tell_named(struct user *u, const struct thread *t, cycle_t at);
void tell_runs(struct user *u, const struct thread *t, cycle_t at);
void tell_leaves(struct user *u, const struct thread *t, cycle_t at);
/* It was to sleep up to a point of a clock that has passed, and goes on. */
void tell_passed(struct user *u, const struct thread *t, cycle_t at);
void tell_ready(struct user *u, const struct thread *t, enum waiting ended,
                bool woken, cycle_t at);
/* A file may have become ready: the threads that wait for it look again. */
void thread_io(struct user *u, cycle_t at);
/* The thread of the call is over. */
void thread_exit(struct call *k);
/* Wake up to n who wait on the word at pa. Returns how many. */
int thread_futex_wake(struct user *u, pa_t pa, int n, uint32_t bits,
                      cycle_t at);
/* Timers and time limits up to `at`. */
void thread_clock(struct user *u, cycle_t at);
/* Choose who goes on on this core; `at`: when it does. */
void thread_schedule(struct user *u, struct core *core, cycle_t at);
/* Let its processor look at t soon: it has a signal. */
void thread_kick(struct user *u, struct thread *t, cycle_t at);
/* Wake who is preferred of those that wait for the lock at pa, which is its
 * own from now on: the word, at ea, is its number and `bits`. False: none. */
bool thread_lock_pass(struct user *u, pa_t pa, ea_t ea, uint32_t bits,
                      cycle_t at);

/* priority.c */
/* Ranks: a thread runs before all of lower ones. */
#define RANK_IDLE 0u
#define RANK_OTHER 1u /* SCHED_FIFO and SCHED_RR: their priority more */
/* With what those that wait for a lock of its own lend it. */
unsigned thread_rank(const struct user *u, const struct thread *t);
/* Which of two that wait in a queue goes first. NULL is none. */
struct thread *thread_preferred(const struct user *u, struct thread *a,
                                struct thread *b);
/* Cycles of its slices; the cycle at which the one under way is over. */
cycle_t thread_slice_length(const struct user *u, const struct thread *t);
cycle_t thread_slice(const struct user *u, const struct thread *t);
/* Have processors interrupted whose threads make room for ready ones. */
void thread_displace(struct user *u, cycle_t now);

#define BIT(signal) (UINT64_C(1) << ((signal)-1))
#define NEVER_BLOCKED (BIT(9) | BIT(19)) /* SIGKILL, SIGSTOP */

/* frame.c */
struct frame {
    int signal;
    const struct siginfo *info;
    const struct action *action;
    uint64_t mask; /* that the handler's return restores */
};

/* Push a frame for a handler with, or without SA_SIGINFO: r1, LR and the
 * arguments but r3. False: the stack is no good. */
bool frame_push_rt(struct call *k, const struct frame *f);
bool frame_push_plain(struct call *k, const struct frame *f);
void frame_info(uint8_t *b, int signal, const struct siginfo *i);
/* A stack_t, as it is while r1 is sp. */
void frame_stack(uint8_t *b, const struct thread *t, ea_t sp);
/* The stack for handlers is what a stack_t says, r1 being sp. 0 or -errno. */
int32_t frame_alternate(struct thread *t, const uint8_t *b, ea_t sp);

/* vdso.c: the page that Linux lends a program, for signal handlers to return
 * to. False: no memory. */
#define VDSO_BASE 0xB0000000u
#define VDSO_SIGRETURN 0x124u
#define VDSO_RT_SIGRETURN 0x130u
bool vdso_map(struct user *u);

/* signal.c: sending and delivery. */
/* Write a set of signals into the program's memory. False: no such memory. */
bool signal_write_set(struct call *k, uint32_t at, uint64_t set);
/* What a handler learns of a signal that thread `tid` sent by kill or tkill. */
struct siginfo siginfo_kill(const struct user *u, int code, int tid);
/* Send to thread t, or (NULL) to the first that takes it. False: too many
 * wait. */
bool signal_send(struct user *u, struct thread *t, int signal,
                 const struct siginfo *info, cycle_t at);
/* Is its action to do nothing, set or by default? */
bool signal_ignored(const struct user *u, int signal);
/* Take `signal`, which waits in p, out of it. The next one of its number that
 * is queued for p takes its place. */
struct siginfo signal_take(struct user *u, struct pending *p, int signal);
/* What timer t sent to thread `to`, NULL: to any, if it still waits; else NULL.
 */
struct siginfo *signal_of_timer(struct user *u, struct thread *to,
                                const struct timer *t);
/* These signals no longer wait in p. */
void signal_forget(struct user *u, struct pending *p, uint64_t set);
/* A fault of the running thread: cannot be ignored. */
void signal_force(struct call *k, int signal, const struct siginfo *info);
/* Deliver what waits for the thread of the call: enter handlers, or end the
 * program. */
void signal_deliver(struct call *k);
/* Does a signal wait for t that it has not blocked and that is not ignored? */
bool signal_waits(const struct user *u, const struct thread *t);

/* align.c: do what the hardware left to the system. False: SIGBUS or, with
 * *bad, SIGSEGV at c->dar. */
bool align_emulate(struct call *k, bool *bad);

/* stuck.c: nothing but t, or nothing at all (NULL), can ever run again. */
bool stuck_but(const struct user *u, const struct thread *t);
/* If nothing can: say so, and that is the end. */
void stuck_look(struct user *u, cycle_t at);

/* path.c: names of files, confined to the root. */
/* The name at ea, as one below the root, or in a tree beside it (mounts.c), in
 * path (USER_PATH). 0 or an error number. dirfd: ABI_AT_FDCWD or a descriptor.
 */
#define ABI_AT_FDCWD (-100)
int path_get(struct call *k, int dirfd, uint32_t ea, char *path);
/* The same of a string. */
int path_make(struct user *u, int dirfd, const char *name, char *path);
/* Open it; flags and mode are the host's. >= 0, or -errno. */
int path_open(struct user *u, const char *path, int flags, unsigned mode);
/* The same only to look: a name that is not below a root called / may be one
 * of the libraries; path is then that name. */
int path_look(struct user *u, char *path, int flags, unsigned mode);
/* Open the directory it is in; *last is the final name in
 * path, slashes behind it included. "." and ".." are not for changing: -EBUSY.
 */
int path_parent(struct user *u, const char *path, const char **last);
/* A name on the host of what it has open there. */
#define PATH_OF_OPEN 64
void path_of_open(char text[PATH_OF_OPEN], int host);
/* One of the devices that every program has. */
bool path_device(const char *name);
bool path_init(struct user *u, char *why, size_t size);

/* mounts.c: names outside of the root, absolute ones. */
#define TREE_SYSROOT "/usr/powerpc-linux-gnu"
bool tree_open(struct user *u, char *why, size_t size);
void tree_close(struct user *u);
/* The host's directory that an absolute name is looked up in, *path goes on
 * below it. Or -errno. */
int tree_find(struct user *u, const char **path);
/* May nothing be changed under this name? */
bool tree_read_only(const struct user *u, const char *path);
/* Is this in the program's own /tmp? */
bool tree_is_tmp(const struct user *u, const char *path);
/* A name in /dev/shm, where memory and semaphores have names: what follows. It
 * lies in TREE_SHARED. NULL: it is none, or there is no /tmp of its own. */
#define TREE_SHARED "/tmp/.shm"
const char *tree_shared(struct user *u, const char *name);
/* Does a file of the host's go with the run: it lies there, or has no name? */
bool tree_passes(const struct user *u, int host);
/* Are both of one file system, as far as a program can tell? */
bool tree_same(const struct user *u, const char *a, const char *b);
/* A name that does not exist below a root called /: make it that of a library.
 * False: there are none. */
bool tree_library(const struct user *u, char path[USER_PATH]);
/* What the program calls a file of the host's in one of them. False: it is in
 * none. */
bool tree_name(const struct user *u, const char *host, char path[USER_PATH]);

/* library.c: shared objects and the dynamic loader. */
/* Map the dynamic loader that the image names; *image has it. */
bool library_loader(struct user *u, const struct image **image, ea_t *base,
                    char *why, size_t size);
/* The host's file was mapped to be executed: from `at` on what is at `offset`
 * in it. */
void library_mapped(struct call *k, int host, ea_t at, uint64_t offset);
void library_close(struct user *u);

/* file.c */
int file_new(struct user *u, enum file_kind kind, int host, int from);
bool file_room(const struct user *u); /* for one more */
struct file *file_get(struct user *u, uint32_t fd);
void file_close(struct user *u, struct file *f);
/* May the program change its mode and times? */
bool file_changeable(const struct file *f);
/* lock.c: fcntl on a part of a file. */
int32_t lock_part(struct call *k, struct file *f);
/* lseek of a directory: a place or -errno. */
int64_t file_seek_directory(struct file *f, int64_t to, int whence);
/* ftruncate; what is mapped of the file is kept in step. */
int32_t file_cut(struct call *k, int host, int64_t size);
/* f is a directory, opened under this name below the root. */
void file_directory(struct file *f, const char *path);

/* disk.c: files that lie on a disk. */
/* A call moved `result` bytes of f (`out`: to it), from offset `from` on or
 * (-1) up to where it stands now: the result of the call, or CALL_BLOCKED. */
int32_t disk_moved(struct call *k, const struct file *f, bool out, int64_t from,
                   int32_t result);
/* The same of one that flushed it, if `result` is 0. */
int32_t disk_flushed(struct call *k, const struct file *f, int32_t result);
/* What t waits for is done. */
void disk_over(struct user *u, struct thread *t, cycle_t at);

/* times.c: times and numbers of files by the program's clock and order. All
 * take a descriptor of the host's (O_PATH will do). */
#define TIMES_READ 1u
#define TIMES_WRITTEN 2u /* and so the status, too */
#define TIMES_STATUS 4u
struct stat;
struct timespec;
/* There was no such file; there is now. */
void times_made(struct user *u, int host);
/* These things happened to it. */
void times_changed(struct user *u, int host, unsigned what);
/* Its times were set (access, change), as utimensat does. */
void times_set(struct user *u, int host, const struct timespec t[2]);
/* What the host says of a file, in the program's words. */
void times_show(struct user *u, struct stat *st);
/* The same of one of the devices that every program has. */
void times_device(struct user *u, struct stat *st);
/* The number of a file of the host's. */
uint32_t times_number(struct user *u, uint64_t device, uint64_t inode);
void times_free(struct user *u);

/* journal.c: what the host says about a standard file, noted in a recorded run
 * and recalled in a replay. The letters are those of the experiment's log. */
#define JOURNAL_READ 'r'
#define JOURNAL_WRITE 'w' /* only if less went than was asked */
#define JOURNAL_SEEK 's'
#define JOURNAL_STAT 'f'
#define JOURNAL_TTY 't'
#define JOURNAL_WINDOW 'z'
#define JOURNAL_READABLE 'n'
#define JOURNAL_POLL 'p'
#define JOURNAL_FLAGS 'g'
#define JOURNAL_RESULT 'c' /* of a change, or of a lock */
#define JOURNAL_MAPPED 'm' /* what is read of it to be mapped */
/* True: this is a replay and *value and bytes are the answer, of which *value
 * is an error (below 0) if the run is no longer the recorded one. */
bool journal_recall(struct call *k, const struct file *f, char kind,
                    int64_t *value, void *bytes, size_t size);
void journal_note(struct call *k, const struct file *f, char kind,
                  int64_t value, const void *bytes, size_t size);
/* The same for an answer that is a number: what it is to be. */
int64_t journal_value(struct call *k, const struct file *f, char kind,
                      int64_t value);
/* What `act` does to f and says of it; of a standard file that is noted, and
 * in a replay it is what was noted then. */
int32_t journal_act(struct call *k, struct file *f,
                    int32_t (*act)(struct call *k, struct file *f));
/* The program is about to change a file that stays when the run is over. False:
 * it must not. */
bool journal_change(struct user *u, const char *path);
/* The same of `what` of a file that is open as `host`, which may well be one
 * that goes with the run. */
bool journal_change_open(struct user *u, int host, const char *what);
/* fstat, of any file. 0 or an error number. */
struct stat;
int journal_stat(struct call *k, const struct file *f, struct stat *st);

/* calls.c: the table. */
int32_t calls_run(struct call *k, uint32_t number);

#define CALL(number, name, handler) int32_t call_##handler(struct call *k);
#include "sim/user/calls/calls.def"
#undef CALL

static inline uint64_t call_pair(uint32_t high, uint32_t low)
{
    return (uint64_t)high << 32 | low;
}

#endif
