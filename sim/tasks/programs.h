/* programs.h - which program a task of a Linux kernel runs: the file that its
 * mm_struct names, by its path in the guest, as it is below a directory of the
 * host (simrun --sysroot); and which shared objects it has mapped, as the
 * kernel's functions tell when they run. The ELF files go to the experiment's
 * archives, and where their segments are to the map, for the processes that run
 * them.
 */
#ifndef SIM_TASKS_PROGRAMS_H
#define SIM_TASKS_PROGRAMS_H

#include "pmu/experiment/experiment.h"
#include "sim/machine/machine.h"
#include "sim/tasks/description.h"
#include "sim/tasks/layouts.h"
#include "sim/tasks/marked.h"

#define TASK_PROGRAM_PATH 4096u

/* A file, how far up it is, and what is mapped beside it. */
struct task_program {
    char *path;               /* owned */
    uint32_t start_code;      /* of its mm_struct */
    struct task_mapping *map; /* of its shared objects; owned */
    size_t mappings;
    bool there;     /* its file is */
    uint32_t space; /* number of its segments in the map; 0: none of its files
                     * is there, or can be read */
    struct host_view view; /* what is marked in it; its list is owned */
};

/* A shared object: its file at 0, opened when it is needed first. */
struct task_object {
    char *path; /* owned */
    bool asked, there;
    struct image image; /* owned, if it is there */
};

struct task_programs {
    const struct machine *machine; /* not owned; NULL: programs have no names */
    struct experiment *experiment; /* not owned */
    const char *sysroot;           /* not owned */
    struct marked_files *marked;   /* not owned; NULL: none */
    struct program_description is;
    struct task_program *program; /* owned */
    size_t count, room;
    struct task_object *object; /* owned */
    size_t objects, objects_room;
    struct task_layouts layouts;
    uint32_t maps, begins, ends; /* the kernel's functions that map a file, let
                                  * a new task run, end an address space */
    uint32_t mm;                 /* offset in a task_struct */
    uint32_t spaces;
};

/* Programs of m's Linux kernel, whose task_struct has the mm_struct at `mm`,
 * are below `sysroot`; NULL: nowhere. `marked`, not owned, or NULL: those of
 * them that have marks. False: the kernel does not say where
 * their names are, or lacks the functions that map shared objects, which then
 * have no names; `why` has a line. */
bool task_programs_open(struct task_programs *p, struct machine *m,
                        struct experiment *e, const char *sysroot,
                        struct marked_files *marked, uint32_t mm, char *why,
                        size_t size);
void task_programs_close(struct task_programs *p);

/* As observers hear it. The task that runs on c has the mm_struct `mm`. */
void task_programs_watched(struct task_programs *p, const struct core *c,
                           uint32_t mm);

/* Which mappings the mm_struct has: another number after each new one. */
uint32_t task_programs_version(const struct task_programs *p, uint32_t mm);

/* The space of the program of the mm_struct at the kernel's address `mm`; a new
 * one is put into the experiment. 0: it has no names. */
uint32_t task_programs_space(struct task_programs *p, uint32_t mm);

/* What is marked in that space; its list stays as it is. */
struct host_view task_programs_view(const struct task_programs *p,
                                    uint32_t space);

#endif
