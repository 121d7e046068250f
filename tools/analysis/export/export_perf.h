/* export_perf.h - what the parts of the perf.data writer share: the tasks of
 * the experiment as perf numbers them, and the tracepoint sched_switch.
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

#define PERF_NAME 16 /* bytes of a task's name, with its end */
#define PERF_SWITCH_EVENT 300

struct perf_writer {
    struct export *e;
    FILE *to;
    struct bytes b; /* the record being put together */
    uint32_t *pid;  /* processes, each once */
    size_t pids, pids_room;
    size_t strangers; /* the first of those that no thread record names */
    char program[PERF_NAME];
    uint32_t add;         /* to thread numbers */
    uint64_t first, last; /* cycles of records */
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

/* The description of tracepoints that perf reads their raw parts by. */
void perf_put_formats(struct bytes *b);

#endif
