/* tasks.h - who runs in a Linux kernel: contexts are its tasks, and each
 * switch from one to another, each new task and each new name is a record, as
 * our guest's kernel writes them of its threads.
 *
 * A thread's number is the task's pid, its process the tgid. Those that are
 * idle have the pid 0 on every CPU: TASKS_IDLE + CPU. They start the kernel,
 * and are its own like others until they come to cpu_startup_entry. Before the
 * kernel has any the context is 0.
 *
 * Everything is read from memory when the kernel writes SPRG3
 * (description.h); nothing of the guest changes.
 */
#ifndef SIM_TASKS_TASKS_H
#define SIM_TASKS_TASKS_H

#include "lib/base/hash.h"
#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"
#include "sim/tasks/description.h"
#include "sim/tasks/modules.h"
#include "sim/tasks/programs.h"
#include "sim/tasks/states.h"

#define TASKS_IDLE 0x8000u /* pids are below it with 32 bits */
#define TASKS_NAME 16u     /* bytes of a name, at most */

/* As it was recorded last. */
struct task {
    uint32_t tgid, role; /* THREAD_IS_... */
    bool ended;
    char comm[TASKS_NAME];
    /* Of the process, at its first thread: its mm_struct, which mappings that
     * has, and program. */
    uint32_t mm, version, space;
    struct host_view view; /* what is marked in that space; not owned */
    /* The stack of its program, while it is in a system call that may take its
     * address space away: NULL: it is in none; owned. */
    uint32_t *up;
    unsigned ups;
};

struct tasks {
    struct machine *machine;       /* not owned; NULL: nobody is told apart */
    struct experiment *experiment; /* not owned */
    struct task_description is;
    bool stacks;               /* records of switches have the outgoing one's */
    struct idle_samples *idle; /* not owned */
    struct observer observer;
    uint32_t now[MACHINE_CPUS];  /* physical address of the task_struct; 0: none
                                  * yet */
    cycle_t began[MACHINE_CPUS]; /* it runs since then, or went to its program
                                  * or came from it last */
    ea_t idling;              /* where cpu_startup_entry is; 0: there is none */
    bool idles[MACHINE_CPUS]; /* it has been there */
    struct task_programs programs;
    struct task_modules modules;
    struct task_states states;
    struct hash index; /* contexts to places in: */
    struct task *task; /* owned */
    size_t count, room;
};

/* From the first instruction on tell the tasks of m's kernel apart, and record
 * them in e, with their programs as they are below `sysroot`; NULL: without.
 * What is marked in programs, `marked`, is in force where they run; NULL: none.
 * The names of m are known. False: it is a kernel that does not say how, and
 * `why` has a line about it. `numbers`, not owned: switches have the stack of
 * the one that leaves, what tasks do and wait for is recorded as well, and this
 * is how call stacks are numbered; NULL: none of that. With it `idle`, not
 * owned, is told of them. Harmless where m runs no Linux kernel. tasks_close is
 * due in any case. */
bool tasks_open(struct tasks *t, struct machine *m, struct experiment *e,
                const char *sysroot, struct marked_files *marked,
                struct stack_numbers *numbers, struct idle_samples *idle,
                char *why, size_t size);
void tasks_close(struct tasks *t);

/* The stack of the task that runs on c has n program counters, and is cut off
 * or not. Where it ends in a system call that has taken the program's stack
 * away, as execve and _exit do, that is put behind: how many there are then,
 * WALK_MOST at most. */
unsigned tasks_whole_stack(const struct tasks *t, const struct core *c,
                           uint32_t *pc, unsigned n, bool *truncated);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool tasks_state(struct snap *s, struct tasks *t);

#endif
