/* threads.h - who the threads are: name, process, purpose, by time. */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_THREADS_H
#define TOOLS_ANALYSIS_EXPERIMENT_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/experiment/recfile.h"

struct thread {
    uint32_t id, pid;
    unsigned is;   /* THREAD_IS_... */
    uint64_t from; /* made or renamed at this cycle */
    size_t serial; /* order in the file */
    char *name;
};

/* All zero: none. */
struct threads {
    struct thread *list; /* by id, then time */
    size_t count, room;
};

/* Take one REC_THREAD; then, once, put them in order. */
void threads_add(struct threads *t, const struct record *r);
void threads_order(struct threads *t);
void threads_free(struct threads *t);

/* Who `id` was at a cycle: as last named by then, else as first named. NULL:
 * never heard of. */
const struct thread *threads_find(const struct threads *t, uint32_t id,
                                  uint64_t cycle);

/* May a thread whose recorded name is `has` be meant by `asked`? A Linux kernel
 * keeps 15 letters of a name. */
bool threads_called(const char *has, const char *asked);

#endif
