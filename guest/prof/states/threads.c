/* threads.c - records of what there always is: threads and their programs,
 * every switch from one to another, and each CPU's counters at the end.
 */
#include "guest/kernel/hook.h"
#include "guest/prof/states/trace.h"
#include "guest/process/file.h"

static void put_thread(struct thread *t)
{
    uint32_t r[TRACE_HEAD + THREAD_WORDS + NAME_SIZE / 4], *w = r + TRACE_HEAD;

    record_put_thread_pid(w, t->pid);
    record_put_thread_role(w, t->kind);
    memcpy(record_tail_thread_name(w), t->name, NAME_SIZE);
    trace_put(this_cpu(), r, REC_THREAD, t->tid,
              record_size_thread_name(NAME_SIZE / 4));
}
HOOK(thread, 900, put_thread);
HOOK(renamed, 900, put_thread);

/* Names of addresses come from the file; the thread has the program's name. */
static void put_program(const struct process *p, const struct node *file)
{
    uint32_t r[TRACE_HEAD + PROGRAM_WORDS + NAME_SIZE / 4], *w = r + TRACE_HEAD;

    record_put_program_pid(w, p->number);
    record_put_program_at(w, (uint32_t)file->bytes);
    record_put_program_size(w, file->size);
    memcpy(record_tail_program_name(w), p->name, NAME_SIZE);
    trace_put(this_cpu(), r, REC_PROGRAM, current->tid,
              record_size_program_name(NAME_SIZE / 4));
    if (p->tasks)
        put_thread(p->tasks->thread);
}
HOOK(program, 110, put_program);

static void put_switch(const struct cpu *c, const struct thread *out,
                       const struct thread *in)
{
    uint32_t r[TRACE_HEAD + SWITCH_LEAST], *w = r + TRACE_HEAD;
    bool there = out->kind == THREAD_IS_IDLE;

    record_put_switch_pid(w, in->pid);
    record_put_switch_out_pid(w, out->pid);
    record_put_switch_out_thread(w, out->tid);
    record_put_switch_out_state(w, there ? STATE_READY : out->state);
    record_put_switch_left(w, (uint32_t)__builtin_return_address(0));
    trace_put(c, r, REC_SWITCH, in->tid, SWITCH_LEAST);
    trace_context(in); /* at once: what is charged agrees with the record */
}
HOOK(switched, 100, put_switch);

static bool put_counters(void)
{
    uint32_t r[TRACE_HEAD + STAT_WORDS], *w = r + TRACE_HEAD;

    FOR_CPUS (c) {
        for (uint32_t i = 1; i < STATS; i++) {
            record_put_stat_counter(w, i);
            record_put_stat_value(w, c->stat[i]);
            trace_put(c, r, REC_STAT, 0, STAT_WORDS);
        }
    }
    return true;
}
HOOK(report, 100, put_counters);
