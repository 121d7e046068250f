/* modules.h - modules of a Linux kernel have names in the experiment: when the
 * kernel has linked one, its file is still there in memory, with where each of
 * its sections went (module_finalize of arch/powerpc). An ELF file of these is
 * put into the archives and the map; no file of the host is asked, and a module
 * that was compressed, or is of a RAM disk, is known as well.
 *
 * APPROX: a module that was unloaded stays, until another one is in its place.
 * Source: own. Cost: none where nothing runs there.
 */
#ifndef SIM_TASKS_MODULES_H
#define SIM_TASKS_MODULES_H

#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"

struct task_modules {
    struct machine *machine;       /* not owned; NULL: nothing is heard */
    struct experiment *experiment; /* not owned */
    ea_t linked;                   /* the kernel's function */
    struct image **image; /* what is in memory, for the machine's names; owned
                           * as what they are of is */
    size_t count, room;
};

/* Hear of m's kernel's modules from now on. The names of m are known. Nothing
 * is heard of a kernel that has none. */
void task_modules_open(struct task_modules *t, struct machine *m,
                       struct experiment *e);
void task_modules_close(struct task_modules *t);

/* As observers hear it. */
void task_modules_watched(struct task_modules *t, const struct core *c);

#endif
