/* programs.h - which program a task of a Linux kernel runs: the file that its
 * mm_struct names, by its path in the guest, as it is below a directory of the
 * host (simrun --sysroot). Its ELF file goes to the experiment's archives, and
 * where its segments are to the map, for the processes that run it.
 *
 * APPROX: shared objects of a program have no names. Source: own. Cost: their
 * functions are <Unknown>; a static program has none.
 */
#ifndef SIM_TASKS_PROGRAMS_H
#define SIM_TASKS_PROGRAMS_H

#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"
#include "sim/tasks/description.h"

#define TASK_PROGRAM_PATH 4096u

/* A file, and how far up it is. */
struct task_program {
    char *path;          /* owned */
    uint32_t start_code; /* of its mm_struct */
    uint32_t space;      /* number of its segments in the map; 0: it is not
                          * there, or none that can be read */
};

struct task_programs {
    const struct machine *machine; /* not owned; NULL: programs have no names */
    struct experiment *experiment; /* not owned */
    const char *sysroot;           /* not owned */
    struct program_description is;
    struct task_program *program; /* owned */
    size_t count, room;
    uint32_t spaces;
};

/* Programs of m's Linux kernel are below `sysroot`; NULL: nowhere. False: the
 * kernel does not say where their names are, and `why` has a line. */
bool task_programs_open(struct task_programs *p, const struct machine *m,
                        struct experiment *e, const char *sysroot, char *why,
                        size_t size);
void task_programs_close(struct task_programs *p);

/* The space of the program of the mm_struct at the kernel's address `mm`; a new
 * one is put into the experiment. 0: it has no names. */
uint32_t task_programs_space(struct task_programs *p, uint32_t mm);

#endif
