/* export_perf.h - what the parts of the perf.data writer share: the tasks of
 * the experiment as perf numbers them, and tracepoints of sched.
 *
 * perf's task 0 is the idle task of every CPU, so the guest's idle threads,
 * and what ran before there were threads, become that. To perf the number of
 * a process is also that of its first thread: where the guest numbers a
 * thread as it does another process, all threads are renumbered, by adding a
 * power of ten.
 */
#ifndef TOOLS_ANALYSIS_EXPORT_EXPORT_PERF_H
#define TOOLS_ANALYSIS_EXPORT_EXPORT_PERF_H

#include <stdio.h>

#include "lib/base/bytes.h"
#include "tools/analysis/export/export.h"

#define PERF_NAME 16          /* bytes of a task's name, with its end */
#define PERF_SWITCH_EVENT 300 /* and the next two: wake-up, run time */
#define PERF_CPUS 256

struct perf_writer {
    struct export *e;
    FILE *to;
    struct bytes b; /* the record being put together */
    uint32_t *pid;  /* processes, each once */
    size_t pids, pids_room;
    uint32_t *stranger; /* threads that no record names, each once */
    size_t strangers, strangers_room;
    char program[PERF_NAME];
    uint32_t add;              /* to thread numbers */
    uint64_t first, last;      /* cycles of records */
    uint64_t since[PERF_CPUS]; /* the last switch there */
    uint32_t on[PERF_CPUS];    /* ... and who came; 0: none was */
};

struct perf_task {
    uint32_t pid, tid;
    char name[PERF_NAME];
};

void perf_tasks_open(struct perf_writer *w);
void perf_tasks_close(struct perf_writer *w);
struct perf_task perf_task_of(const struct perf_writer *w, uint32_t thread,
                              uint64_t cycle, unsigned cpu);

/* The raw part of a sched_switch sample. state: THREAD_STATE_. */
void perf_put_switch(struct bytes *b, struct perf_task out, struct perf_task in,
                     uint32_t state);

/* ... of sched_wakeup, and of sched_stat_runtime, in ns. */
void perf_put_wakeup(struct bytes *b, struct perf_task waker,
                     struct perf_task woken, uint32_t cpu);
void perf_put_runtime(struct bytes *b, struct perf_task task, uint64_t ns);

/* The description of tracepoints that perf reads their raw parts by. */
void perf_put_formats(struct bytes *b);

#endif
