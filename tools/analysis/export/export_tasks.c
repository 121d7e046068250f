/* export_tasks.c - tasks and their switches for perf. See export_perf.h. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/analysis/export/export_perf.h"
#include "lib/base/grow.h"

#define STRANGERS_MAX 4096

/* ---- who is who ---------------------------------------------------------- */

static void note(uint32_t **list, size_t *count, size_t *room, uint32_t number)
{
    for (size_t i = 0; i < *count; i++)
        if ((*list)[i] == number)
            return;
    *list = grow(*list, room, *count + 1, sizeof **list);
    (*list)[(*count)++] = number;
}

static void note_process(struct perf_writer *w, uint32_t pid)
{
    note(&w->pid, &w->pids, &w->pids_room, pid);
}

/* Is a thread numbered like a process that it is not of? */
static bool clashes(const struct perf_writer *w)
{
    const struct threads *t = &w->e->r->threads;

    for (size_t i = 0; i < t->count; i++)
        for (size_t p = 0; p < w->pids; p++)
            if (t->list[i].id == w->pid[p] && t->list[i].pid != w->pid[p])
                return true;
    return false;
}

/* Threads that only samples and switches name are of the program under --user,
 * else processes of their own. */
static void note_strangers(struct perf_writer *w, unsigned kind)
{
    struct record record;
    struct recfile f;

    if (!recording_records(w->e->r, kind, &f))
        return;
    while (recfile_next(&f, &record))
        if (record.thread && record.thread != PROBE_NOBODY &&
            w->strangers < STRANGERS_MAX &&
            !threads_find(&w->e->r->threads, record.thread, record.cycle)) {
            note(&w->stranger, &w->strangers, &w->strangers_room,
                 record.thread);
            note_process(w, threads_process(&w->e->r->threads, record.thread,
                                            record.cycle, record.thread));
        }
    recording_done(w->e->r, &f);
}

/* "guest.elf" out of "guest.elf.<build-id>". */
static void name_program(struct perf_writer *w)
{
    const char *image = text_lines_get(&w->e->r->log, "image");
    const char *dot = image ? strrchr(image, '.') : NULL;
    int n = dot && dot > image ? (int)(dot - image) : PERF_NAME;

    snprintf(w->program, sizeof w->program, "%.*s",
             n < PERF_NAME ? n : PERF_NAME - 1, image ? image : "program");
}

void perf_tasks_open(struct perf_writer *w)
{
    const struct threads *t = &w->e->r->threads;

    note_process(w, 0);
    for (size_t i = 0; i < t->count; i++)
        note_process(w, t->list[i].pid);
    name_program(w);
    note_strangers(w, REC_PROFILE);
    note_strangers(w, REC_SWITCH);
    if (!clashes(w))
        return;
    w->add = 10;
    for (size_t p = 0; p < w->pids; p++)
        while (w->add <= w->pid[p] && w->add < 1000000000)
            w->add *= 10;
}

void perf_tasks_close(struct perf_writer *w)
{
    free(w->pid);
    free(w->stranger);
    w->pid = w->stranger = NULL;
}

struct perf_task perf_task_of(const struct perf_writer *w, uint32_t thread,
                              uint64_t cycle, unsigned cpu)
{
    const struct thread *t = threads_find(&w->e->r->threads, thread, cycle);
    struct perf_task task = {0};

    if (!thread || thread == PROBE_NOBODY || (t && t->is == THREAD_IS_IDLE)) {
        snprintf(task.name, sizeof task.name, "swapper/%u", cpu);
        return task;
    }
    task.pid = threads_process(&w->e->r->threads, thread, cycle, thread);
    task.tid = thread + (t ? w->add : 0);
    snprintf(task.name, sizeof task.name, "%.15s", t ? t->name : w->program);
    return task;
}

/* ---- context switches ---------------------------------------------------- */

#define SWITCH_PRIORITY 120 /* Linux's default; the guest's are unknown */

#define COMMON                                                                 \
    "format:\n"                                                                \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"     \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"     \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\t"        \
    "signed:0;\n"                                                              \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
#define FIELD_IN(type, offset, size, is_signed)                                \
    "\tfield:" type ";\toffset:" #offset ";\tsize:" #size                      \
    ";\tsigned:" #is_signed ";\n"

static const char switch_format[] =
    "name: sched_switch\nID: 300\n" COMMON FIELD_IN("char prev_comm[16]", 8, 16,
                                                    0)
        FIELD_IN("pid_t prev_pid", 24, 4, 1) FIELD_IN("int prev_prio", 28, 4, 1)
            FIELD_IN("long prev_state", 32, 8, 1)
                FIELD_IN("char next_comm[16]", 40, 16, 0)
                    FIELD_IN("pid_t next_pid", 56, 4, 1)
                        FIELD_IN("int next_prio", 60, 4,
                                 1) "\nprint fmt: \"prev_comm=%s prev_pid=%d "
                                    "prev_prio=%d prev_state=%ld ==> "
                                    "next_comm=%s next_pid=%d next_prio=%d\", "
                                    "REC->prev_comm, REC->prev_pid, "
                                    "REC->prev_prio, REC->prev_state, "
                                    "REC->next_comm, REC->next_pid, "
                                    "REC->next_prio\n";
static const char wakeup_format[] =
    "name: sched_wakeup\nID: 301\n" COMMON FIELD_IN("char comm[16]", 8, 16, 0)
        FIELD_IN("pid_t pid", 24, 4, 1) FIELD_IN("int prio", 28, 4, 1)
            FIELD_IN("int target_cpu", 32, 4,
                     1) "\nprint fmt: \"comm=%s pid=%d prio=%d "
                        "target_cpu=%03d\", REC->comm, "
                        "REC->pid, REC->prio, REC->target_cpu\n";
static const char runtime_format[] =
    "name: sched_stat_runtime\nID: 302\n" COMMON FIELD_IN(
        "char comm[16]", 8, 16, 0) FIELD_IN("pid_t pid", 24, 4,
                                            1) FIELD_IN("u64 runtime", 32, 8, 0)
        FIELD_IN("u64 vruntime", 40, 8,
                 0) "\nprint fmt: \"comm=%s pid=%d runtime=%Lu [ns] "
                    "vruntime=%Lu [ns]\", "
                    "REC->comm, REC->pid, (unsigned long long)REC->runtime, "
                    "(unsigned long long)REC->vruntime\n";

/* Linux's letters: R can run, S sleeps until something wakes it, X is dead. A
 * wait for a device has no letter of its own: the record does not tell it from
 * a wait for a lock. */
static uint64_t linux_state(uint32_t state)
{
    return state == THREAD_STATE_BLOCKED || state == THREAD_STATE_SLEEPING ? 1
           : state == THREAD_STATE_DEAD                                    ? 16
                                                                           : 0;
}

/* What all begin with: bytes of raw data, the padding at their end included. */
static void put_common(struct bytes *b, uint32_t size, unsigned event,
                       struct perf_task task)
{
    bytes_u32(b, size);
    bytes_u16(b, event);
    bytes_u16(b, 0);
    bytes_u32(b, task.tid);
}

void perf_put_wakeup(struct bytes *b, struct perf_task waker,
                     struct perf_task woken, uint32_t cpu)
{
    put_common(b, 36, PERF_SWITCH_EVENT + 1, waker);
    bytes_text(b, woken.name, PERF_NAME);
    bytes_u32(b, woken.tid);
    bytes_u32(b, SWITCH_PRIORITY);
    bytes_u32(b, cpu);
}

void perf_put_runtime(struct bytes *b, struct perf_task task, uint64_t ns)
{
    put_common(b, 52, PERF_SWITCH_EVENT + 2, task);
    bytes_text(b, task.name, PERF_NAME);
    bytes_u32(b, task.tid);
    bytes_u32(b, 0);
    bytes_u64(b, ns);
    bytes_u64(b, 0); /* virtual run time */
    bytes_u32(b, 0);
}

void perf_put_switch(struct bytes *b, struct perf_task out, struct perf_task in,
                     uint32_t state)
{
    put_common(b, 68, PERF_SWITCH_EVENT, out);
    bytes_text(b, out.name, PERF_NAME);
    bytes_u32(b, out.tid);
    bytes_u32(b, SWITCH_PRIORITY);
    bytes_u64(b, linux_state(state));
    bytes_text(b, in.name, PERF_NAME);
    bytes_u32(b, in.tid);
    bytes_u32(b, SWITCH_PRIORITY);
    bytes_u32(b, 0);
}

/* A name and a text with its length in front, as ftrace has them. */
static void put_part(struct bytes *b, const char *name, const char *text)
{
    if (name)
        bytes_copy(b, name, strlen(name) + 1);
    bytes_u64(b, strlen(text));
    bytes_copy(b, text, strlen(text));
}

void perf_put_formats(struct bytes *b)
{
    bytes_copy(b, "\x17\x08\x44tracing0.6", 14); /* with its zero */
    bytes_number(b, 0, 1);                       /* little-endian */
    bytes_number(b, 8, 1);                       /* bytes of a long */
    bytes_u32(b, 4096);                          /* bytes of a page */
    put_part(b, "header_page",
             "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
             "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
             "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
             "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n");
    put_part(b, "header_event",
             "# compressed entry header\n"
             "\ttype_len    :    5 bits\n"
             "\ttime_delta  :   27 bits\n"
             "\tarray       :   32 bits\n");
    bytes_u32(b, 0); /* formats of ftrace itself */
    bytes_u32(b, 1); /* systems */
    bytes_copy(b, "sched", 6);
    bytes_u32(b, 3); /* formats in it */
    put_part(b, NULL, switch_format);
    put_part(b, NULL, wakeup_format);
    put_part(b, NULL, runtime_format);
    bytes_u32(b, 0); /* kallsyms */
    bytes_u32(b, 0); /* printk formats */
    bytes_u64(b, 0); /* saved command lines */
}
