/* states.h - what the tasks of a Linux kernel do and wait for, and who wakes
 * them: state.rec and wake.rec, as our guest's kernel writes them of its
 * threads. Told by tasks.c who runs, and by the processors when they are about
 * to run functions of the scheduler, which are known by their names.
 *
 * A task that is woken while it is still on its CPU has not waited, and there
 * is no record of it. What is waited for comes from the stack with which the
 * task entered the scheduler (waits.h); a wait that no row of linux-waits.def
 * knows is STATE_QUEUE of nothing, and is counted.
 */
#ifndef SIM_TASKS_STATES_H
#define SIM_TASKS_STATES_H

#include "lib/base/hash.h"
#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"
#include "sim/observe/idle_samples.h"
#include "sim/observe/stack_numbers.h"
#include "sim/tasks/description.h"
#include "sim/tasks/waits.h"

/* What is written of a state. */
struct task_wait {
    uint32_t state, kind, object, owner, stack;
};

/* A task, as far as it is known. */
struct task_book {
    uint32_t pa;       /* of its task_struct, then */
    uint32_t state;    /* as it was recorded last; 0: none */
    unsigned row;      /* it entered this function last, of those whose argument
                        * matters; WAITS_NO_ROW: none */
    uint32_t argument; /* ... with this one */
    uint32_t mm, program; /* of a process: its mm_struct, and the number of what
                           * it runs */
    bool waits, known;    /* it does, since that cycle; a row says for what */
    cycle_t since;
};

/* How often tasks waited, and how long in all those waits that ended. */
struct task_waits {
    uint64_t times, cycles;
};

/* A task that runs on a CPU. */
struct task_place {
    uint32_t pa, context;    /* 0: none yet; of an idle one the context is 0 */
    struct task_wait leaves; /* since it entered the scheduler; state 0: it has
                              * not, or that is not known */
    unsigned row;            /* ... by this row of waits.h, or WAITS_NO_ROW */
    struct task_wait mask; /* before it asked for another one, and where it did
                            * so; state 0: it does not */
    uint32_t vector;       /* of the interrupt that the CPU took last */
};

struct task_states {
    struct machine *machine;       /* not owned; NULL: nothing is recorded */
    struct experiment *experiment; /* not owned */
    struct stack_numbers *numbers; /* not owned */
    struct idle_samples *idle;     /* not owned */
    struct task_description is;
    struct wait_description waits_are;
    struct waits waits;
    struct waits_parts hook; /* functions that are heard: HOOK_..., or a row */
    uint32_t start_user, start_kernel; /* where tasks begin: those with a
                                        * program, and the kernel's; 0: not
                                        * known */
    struct task_place place[MACHINE_CPUS];
    struct hash index;      /* contexts to places in: */
    struct task_book *book; /* owned */
    size_t books, room;
    uint32_t programs;                /* numbers of those so far */
    struct task_waits known, unknown; /* unknown: of no row */
};

/* Record in e what the tasks of m's kernel do, which is described as `is`; call
 * stacks get their numbers from `numbers`; `idle` is told of wake-ups. False:
 * the kernel has not the functions by which it is seen, and `why` has a line.
 */
bool task_states_open(struct task_states *s, struct machine *m,
                      struct experiment *e, struct stack_numbers *numbers,
                      struct idle_samples *idle,
                      const struct task_description *is, char *why,
                      size_t size);
void task_states_close(struct task_states *s);

/* The task at `to`, whose number is `context` (0: it is idle), runs on c from
 * now on, in the place of the one that was told last. */
void task_states_switched(struct task_states *s, const struct core *c,
                          uint32_t to, uint32_t context);
/* The task that runs on c, which has started it, is idle from now on. */
void task_states_idles(struct task_states *s, const struct core *c);
/* As observers hear it. */
void task_states_watched(struct task_states *s, const struct core *c);
void task_states_to_user(struct task_states *s, const struct core *c);
void task_states_entered(struct task_states *s, const struct core *c,
                         enum exc e, cycle_t at);
/* The run is over: a line of the log about waits of no row. */
void task_states_end(const struct task_states *s);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool task_states_state(struct snap *n, struct task_states *s);

#endif
