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

/* Offsets in a task_struct, bytes. All zero: nothing is known. */
struct task_description {
    uint32_t thread, pid, tgid, state, exit_state, mm;
    uint32_t comm, comm_size;
};

/* Read it from the kernel i, whose names are known. False: `why` says in one
 * line what is missing and how to get it. */
bool task_description_read(struct task_description *d, const struct image *i,
                           const struct names *names, char *why, size_t size);

#endif
