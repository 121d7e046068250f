/* description.h - what a Linux kernel says of its tasks, in its own debugging
 * information: where in a task_struct what stands. So any version and
 * configuration is understood, and none is changed.
 *
 * Linux on this chip keeps in SPRG3 the physical address of the member `thread`
 * of the task that runs; _switch writes it between two of them.
 */
#ifndef SIM_TASKS_DESCRIPTION_H
#define SIM_TASKS_DESCRIPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sim/symbols/names.h"

/* Where the kernel does not have a member that it may lack, its offset is
 * this, and less is known. */
#define TASK_UNKNOWN UINT32_MAX

/* Offsets in a task_struct, bytes. All zero: nothing is known. */
struct task_description {
    uint32_t thread, pid, tgid, state, exit_state, mm;
    uint32_t comm, comm_size;
    uint32_t on_rq;   /* may be TASK_UNKNOWN: a word, 0: it is in no queue */
    uint32_t delayed; /* ... a byte: it waits, and is in one all the same */
    uint32_t flags;   /* ... a word: PF_... */
};

/* Offsets on the way from an mm_struct to the name of its program. */
struct program_description {
    uint32_t exe_file, start_code, end_code;    /* in an mm_struct */
    uint32_t f_path;                            /* in a file */
    uint32_t mnt, dentry;                       /* in a path */
    uint32_t d_parent, d_name;                  /* in a dentry */
    uint32_t name;                              /* in a qstr */
    uint32_t mnt_root;                          /* in a vfsmount */
    uint32_t mount, mnt_parent, mnt_mountpoint; /* in a mount; the vfsmount in
                                                 * it is at `mount` */
};

/* Offsets of what tells for what a task waits; each may be TASK_UNKNOWN. */
struct wait_description {
    uint32_t cpus, clear_tid; /* in a task_struct: where it may run; the
                               * word that tells its end */
    uint32_t cpu;             /* ... in whose queue it is */
    uint32_t regs;            /* in its thread_struct: where its program
                               * entered the kernel, a pt_regs: */
    uint32_t gpr, gpr3, msr;  /* in that; gpr3: as the program had it */
    uint32_t nip, link;       /* ... where it goes on, and LR */
    uint32_t mutex_owner, rwsem_owner; /* in these structures */
};

/* Read it from the kernel i, whose names are known. False: `why` says in one
 * line what is missing and how to get it. */
bool task_description_read(struct task_description *d, const struct image *i,
                           const struct names *names, char *why, size_t size);

/* What the kernel i says about waiting. */
void wait_description_read(struct wait_description *d, const struct image *i);

/* The same of programs. */
bool program_description_read(struct program_description *d,
                              const struct image *i, char *why, size_t size);

#endif
