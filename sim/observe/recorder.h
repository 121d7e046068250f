/* recorder.h - everything that a run writes into its experiment by itself:
 * records of interrupts, of samples by the host's counters and samplers, of
 * what the guest hands to its trace port; console input; what a Linux program
 * hears of its standard files and which shared objects it maps; and, through
 * recorders of their own, the tasks of a Linux kernel (sim/tasks/tasks.h),
 * marks (host_unit.h, pif_counts.h), marks that set themselves (autoprofile.h)
 * and the exact account (account.h).
 *
 * This is where recorders are put together: the machine knows none of them. A
 * new one is an observer (observer.h), opened in recorder_open.
 */
#ifndef SIM_OBSERVE_RECORDER_H
#define SIM_OBSERVE_RECORDER_H

#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"
#include "sim/observe/account.h"
#include "sim/observe/pif/autoprofile.h"
#include "sim/observe/locks/flag_record.h"
#include "sim/observe/idle_samples.h"
#include "sim/observe/locks/lock_record.h"
#include "sim/observe/locks/poll_record.h"
#include "sim/observe/stack_numbers.h"
#include "sim/observe/pif/host_unit.h"
#include "sim/observe/pif/pif_counts.h"
#include "sim/observe/programs.h"
#include "sim/tasks/tasks.h"
#include "sim/unwind/walk.h"

struct recorder_setup {
    struct experiment *experiment; /* NULL: nothing is recorded; not owned */
    const struct perfinst_marks *marks; /* of the host; NULL: none; not owned */
    struct autoprofile *autoprofile;    /* NULL: none; not owned */
    uint32_t sample_insns;              /* simrun --sample-insns; 0: none */
    unsigned sample_states;             /* ... SAMPLED_IN_..., 0: both */
    const char *sysroot;         /* of a Linux kernel's programs; NULL: none */
    struct marked_files *marked; /* ... what is marked in them; NULL: nothing;
                                  * not owned */
    bool switch_stacks; /* records of switches have the outgoing one's; those
                         * of a supervisor's threads are written at all */
    bool switches;      /* ... their switches, too, which probes write else */
    struct idle_setup idle; /* simrun --sample-idle */
    bool locks;             /* simrun --record-locks */
};

#define RECORDER_LINE 512

/* Where the thread stopped that left a processor without work. By the time of
 * a sample it may have gone on elsewhere, or another one's registers wait. */
struct recorder_rest {
    uint32_t context;       /* it */
    uint32_t pc[WALK_MOST]; /* its stack, leaf first */
    unsigned n;
    bool truncated;
};

struct recorder {
    struct recorder_setup with;
    struct machine *machine; /* not owned */
    struct observer observer;
    struct account account;
    struct host_unit host_unit;
    struct pif_counts pif_counts;
    struct recorder_rest rest[MACHINE_CPUS];
    bool monitored[EV_COUNT]; /* the performance monitor interrupted for it */
    uint32_t running[MACHINE_CPUS]; /* the supervisor's; PROBE_NOBODY: none */
    struct programs programs;       /* of a guest's processes */
    struct stack_numbers stack_numbers; /* of this experiment */
    struct idle_samples idle;
    struct lock_record lock_record;
    struct poll_record poll_record;
    struct flag_record flag_record;
    struct tasks tasks;          /* of a Linux kernel */
    char missing[RECORDER_LINE]; /* what the image does not say, that is
                                  * recorded otherwise; "": nothing */
};

/* Plug what was asked for into m, which has not run yet, and listen to it for
 * the whole run. Marks are set in any case. The experiment may still be closed;
 * it must be open when m runs. False: `why` has the line. recorder_close is due
 * in any case, and r must not move in memory before. */
bool recorder_open(struct recorder *r, const struct recorder_setup *s,
                   struct machine *m, char *why, size_t size);
/* Archive the ELF file i in the experiment, if it is `fresh`, and write where
 * its segments are from cycle `at` on; of a Linux kernel at their physical
 * addresses, too, where its vectors are. The program itself; shared objects are
 * observed. */
void recorder_image(const struct recorder *r, cycle_t at, const struct image *i,
                    bool fresh);
/* The machine will not run again, and may be gone. Harmless on all zero. */
void recorder_close(struct recorder *r);

/* The configuration as lines of the log, up to and with "start". */
#define RECORDER_HEADER 32768
void recorder_header(const struct machine_setup *s,
                     const struct recorder_setup *what,
                     char text[RECORDER_HEADER]);

/* Save or load what recorders keep, behind machine_state of its machine and
 * under the same rules: lib/base/snap.h. Refused: --autoprofile, which runs the
 * program several times. False: s->why says why. */
struct snap;
bool recorder_state(struct snap *s, struct recorder *r);

#endif
