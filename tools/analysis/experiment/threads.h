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

/* The process of a program under --user: the number of its first thread. */
#define THREADS_PROGRAM 1000

/* All zero: none. */
struct threads {
    /* The process that every thread is of, also one that no record names: of a
     * program under --user. 0: the records say which. */
    uint32_t program;
    struct thread *list; /* by id, then time */
    size_t count, room;
};

/* A name as records have it, to be freed: 4 bytes a word, the most significant
 * one first, up to a zero byte. */
char *threads_name(struct record_tail words);

/* Take one REC_THREAD; then, once, put them in order. */
void threads_add(struct threads *t, const struct record *r);
void threads_order(struct threads *t);
void threads_free(struct threads *t);

/* Who `id` was at a cycle: as last named by then, else as first named. NULL:
 * never heard of. */
const struct thread *threads_find(const struct threads *t, uint32_t id,
                                  uint64_t cycle);

/* The process of thread `id` at a cycle; `unknown` if none is known, and of
 * no thread (0, PROBE_NOBODY). */
uint32_t threads_process(const struct threads *t, uint32_t id, uint64_t cycle,
                         uint32_t unknown);

/* May a thread whose recorded name is `has` be meant by `asked`? A Linux kernel
 * keeps 15 letters of a name. */
bool threads_called(const char *has, const char *asked);

#endif
