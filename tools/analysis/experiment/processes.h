/* processes.h - what processes are called: after their programs.
 * Which process a thread is of: threads_process (threads.h).
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_PROCESSES_H
#define TOOLS_ANALYSIS_EXPERIMENT_PROCESSES_H

#include "tools/analysis/experiment/recording.h"

struct process {
    uint32_t pid;
    char *name;
};

/* All zero: none has a name. */
struct processes {
    struct process *list; /* each number once */
    size_t count, room;
};

/* Read which programs processes have: the one of --user, those that a guest's
 * processes were given, the last one of each. A process of a Linux kernel is
 * called as its first thread was at the end. What is wrong with the files joins
 * r->problems. */
void processes_read(struct processes *p, struct recording *r);
void processes_free(struct processes *p);

/* The name of process `pid`, which p owns. NULL: it has no program, or none
 * that is known. */
const char *processes_name(const struct processes *p, uint32_t pid);

#endif
