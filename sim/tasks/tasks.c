/* tasks.c - see tasks.h. */
#include "sim/tasks/tasks.h"

#include <stdlib.h>
#include <string.h>

#include "include/record_put.h"
#include "lib/base/big_endian.h"
#include "lib/base/grow.h"
#include "lib/base/snap.h"
#include "sim/core/scale.h"
#include "sim/tasks/memory.h"
#include "sim/unwind/walk.h"

#define PF_KTHREAD 0x00200000u /* of Linux */

/* ---- memory -------------------------------------------------------------- */

static uint32_t word_at(const struct tasks *t, uint32_t pa)
{
    return kernel_word(t->machine, pa);
}

/* Is all that is read of a task_struct there in memory? */
static bool is_there(const struct tasks *t, uint32_t pa)
{
    const struct task_description *d = &t->is;
    const uint32_t end[] = {d->thread,           d->pid + 4, d->tgid + 4,
                            d->state + 4,        d->mm + 4,  d->exit_state + 4,
                            d->comm + TASKS_NAME};
    uint32_t size = t->machine->ram.size;

    for (unsigned k = 0; k < sizeof end / sizeof *end; k++)
        if (pa % 4 || pa >= size || end[k] > size - pa)
            return false;
    return true;
}

/* ---- who ----------------------------------------------------------------- */

static uint32_t context_of(const struct tasks *t, unsigned cpu, uint32_t pa)
{
    uint32_t pid = word_at(t, pa + t->is.pid);

    return pid ? pid : TASKS_IDLE + cpu;
}

/* Does the kernel call it one of its own? It may have an address space then,
 * for a while, and a program's, which it works for. */
static bool is_own(const struct tasks *t, uint32_t pa)
{
    return t->is.flags != TASK_UNKNOWN &&
           word_at(t, pa + t->is.flags) & PF_KTHREAD;
}

/* The task at pa as it is now. One of the kernel's own has no address space; so
 * has one that ends, which stays what it was. */
static struct task read_task(const struct tasks *t, unsigned cpu, uint32_t pa,
                             const struct task *was)
{
    uint32_t size = t->is.comm_size < TASKS_NAME ? t->is.comm_size : TASKS_NAME;
    const char *comm = (const char *)t->machine->ram.bytes + pa + t->is.comm;
    struct task k = {.tgid = word_at(t, pa + t->is.tgid)};

    if (!word_at(t, pa + t->is.pid))
        k.role =
            t->idles[cpu] || !t->idling ? THREAD_IS_IDLE : THREAD_IS_DAEMON;
    else if (is_own(t, pa) ||
             (!word_at(t, pa + t->is.mm) &&
              (was->ended || !was->comm[0] || was->role != THREAD_IS_APP)))
        k.role = THREAD_IS_DAEMON;
    else
        k.role = THREAD_IS_APP;
    if (!was->ended) {
        k.mm = was->mm;
        k.version = was->version;
        k.space = was->space;
        k.view = was->view;
    }
    memcpy(k.comm, comm, strnlen(comm, size));
    return k;
}

static struct task *known(struct tasks *t, uint32_t context)
{
    bool fresh;
    uint32_t *at = hash_at(&t->index, context, &fresh);

    if (fresh) {
        *at = (uint32_t)t->count;
        t->task = grow(t->task, &t->room, t->count + 1, sizeof *t->task);
        t->task[t->count++] = (struct task){0};
    }
    return &t->task[*at];
}

/* Record the task at pa, if it is new or has another name. */
static void tell(struct tasks *t, unsigned cpu, uint32_t pa, cycle_t at)
{
    struct experiment_stamp s = {REC_THREAD, cpu, context_of(t, cpu, pa), at};
    uint32_t w[THREAD_WORDS + TASKS_NAME / 4];
    uint32_t *name = record_tail_thread_name(w);
    struct task *was = known(t, s.thread), is = read_task(t, cpu, pa, was);

    if (!was->ended && was->tgid == is.tgid && was->role == is.role &&
        !memcmp(was->comm, is.comm, TASKS_NAME))
        return;
    is.up = was->up;
    is.ups = was->ups;
    *was = is;
    record_put_thread_pid(w, is.tgid);
    record_put_thread_role(w, is.role);
    for (unsigned k = 0; k < TASKS_NAME / 4; k++)
        name[k] = be_get32(is.comm + 4 * k);
    experiment_record(t->experiment, &s, w,
                      record_size_thread_name(TASKS_NAME / 4));
}

/* ---- when ---------------------------------------------------------------- */

/* What became of the task at pa, which leaves its CPU. */
static uint32_t left_as(const struct tasks *t, uint32_t pa)
{
    if (!word_at(t, pa + t->is.pid) ||
        !kernel_task_waits(t->machine, &t->is, pa))
        return THREAD_STATE_READY;
    return word_at(t, pa + t->is.exit_state) ? THREAD_STATE_DEAD
                                             : THREAD_STATE_BLOCKED;
}

static void put_switch(const struct tasks *t, const struct core *c,
                       uint32_t from, uint32_t to)
{
    struct experiment_stamp s = {
        REC_SWITCH, c->number, context_of(t, c->number, to), c->observed_cycle};
    uint32_t w[SWITCH_WORDS + WALK_MOST];
    unsigned n = SWITCH_LEAST;
    bool truncated;

    record_put_switch_pid(w, word_at(t, to + t->is.tgid));
    record_put_switch_out_pid(w, word_at(t, from + t->is.tgid));
    record_put_switch_out_thread(w, context_of(t, c->number, from));
    record_put_switch_out_state(w, left_as(t, from));
    record_put_switch_left(w, c->cpu.pc);
    if (t->stacks) {
        n = stack_walk(c, &t->machine->names, false,
                       record_tail_switch_stack(w), WALK_MOST, &truncated);
        record_put_switch_depth(w, n);
        n = record_size_switch_stack(n);
    }
    experiment_record(t->experiment, &s, w, n);
}

/* The task at pa, which comes to that CPU or leaves it. */
static struct idle_who who_is(struct tasks *t, unsigned cpu, uint32_t pa)
{
    uint32_t context = context_of(t, cpu, pa), role = known(t, context)->role;
    uint32_t left = left_as(t, pa);

    return (struct idle_who){.thread = context,
                             .process = word_at(t, pa + t->is.tgid),
                             .idle = role == THREAD_IS_IDLE,
                             .daemon = role == THREAD_IS_DAEMON,
                             .waits = left != THREAD_STATE_READY,
                             .ended = left == THREAD_STATE_DEAD};
}

/* Who takes idle samples is told that `from` makes way for `to`. */
static void sample_switch(struct tasks *t, const struct core *c, uint32_t from,
                          uint32_t to)
{
    struct idle_who out = who_is(t, c->number, from);
    const struct idle_who in = who_is(t, c->number, to);
    uint32_t pc[WALK_MOST];
    bool truncated;

    if (!t->states.machine || !t->idle->machine)
        return;
    out.pc = pc;
    out.n = stack_walk(c, &t->machine->names, false, pc, WALK_MOST, &truncated);
    idle_samples_switch(t->idle, c->number, c->observed_cycle, &out, &in);
}

/* Its number in records of states, which who is idle has not: 0. */
static uint32_t stated(const struct tasks *t, unsigned cpu, uint32_t pa)
{
    return word_at(t, pa + t->is.pid) || (t->idling && !t->idles[cpu])
               ? context_of(t, cpu, pa)
               : 0;
}

static void set_view(struct machine *m, unsigned cpu,
                     const struct host_view *view)
{
    struct core *c = &m->core[cpu];

    pif_host_view(&c->pif, view);
    if (c->view.stretch == view->stretch && c->view.count == view->count)
        return;
    c->view = *view;
    if (c->with.scale)
        scale_mapped(c->with.scale, view);
}

/* What is marked in the program of the task at pa, which goes on, is in force
 * from now on, wherever threads of its process run. One of the kernel's own
 * keeps the address space there was. */
static void see_marks(struct tasks *t, uint32_t pa)
{
    uint32_t tgid = word_at(t, pa + t->is.tgid);
    const struct host_view view = known(t, tgid)->view;

    for (unsigned n = 0; n < t->machine->with.cpus; n++)
        if (t->now[n] && word_at(t, t->now[n] + t->is.tgid) == tgid &&
            word_at(t, t->now[n] + t->is.mm))
            set_view(t->machine, n, &view);
}

/* SPRG3 was written: the registers are still the outgoing task's. */
static void sprg3(void *arg, struct core *c)
{
    struct tasks *t = arg;
    uint32_t *now = &t->now[c->number], from = *now;
    uint32_t to = c->cpu.sprg[3] - t->is.thread;

    if (to == from || !is_there(t, to))
        return;
    if (from)
        tell(t, c->number, from, c->observed_cycle);
    tell(t, c->number, to, c->observed_cycle);
    if (from) {
        put_switch(t, c, from, to);
        sample_switch(t, c, from, to);
    }
    if (from && left_as(t, from) == THREAD_STATE_DEAD)
        known(t, context_of(t, c->number, from))->ended = true;
    task_states_switched(&t->states, c, to, stated(t, c->number, to));
    *now = to;
    if (t->programs.marked)
        see_marks(t, to);
    t->began[c->number] = c->observed_cycle;
    c->context = context_of(t, c->number, to);
}

/* The task at pa, which was in user mode, has another program than its process
 * had, or other shared objects; since the kernel last came out of there. */
static void tell_program(struct tasks *t, const struct core *c, uint32_t pa)
{
    struct experiment_stamp s = {REC_PROGRAM, c->number,
                                 context_of(t, c->number, pa),
                                 t->began[c->number]};
    uint32_t tgid = word_at(t, pa + t->is.tgid), mm = word_at(t, pa + t->is.mm);
    uint32_t version = task_programs_version(&t->programs, mm);
    struct task *process = known(t, tgid);
    uint32_t space, w[PROGRAM_WORDS];

    if ((process->mm == mm && process->version == version) || !mm)
        return;
    process->mm = mm;
    process->version = version;
    space = task_programs_space(&t->programs, mm);
    if (process->space == space)
        return;
    process->space = space;
    process->view = task_programs_view(&t->programs, space);
    record_put_program_space_pid(w, tgid);
    record_put_program_space_at(w, 0);
    record_put_program_space_space(w, space);
    experiment_record(t->experiment, &s, w, PROGRAM_WORDS);
}

/* ---- system calls that take a program's stack away ----------------------- */

static bool takes_stack(uint32_t call)
{
    static const uint32_t calls[] = {1, 11, 234,
                                     362}; /* exit, execve,
                                            * exit_group, execveat */

    for (unsigned k = 0; k < sizeof calls / sizeof *calls; k++)
        if (calls[k] == call)
            return true;
    return false;
}

static void forget_stack(struct task *k)
{
    free(k->up);
    k->up = NULL;
    k->ups = 0;
}

/* The task k came from its program, by e; c has its registers. */
static void keep_stack(const struct tasks *t, struct task *k,
                       const struct core *c, enum exc e)
{
    uint32_t pc[WALK_MOST];
    bool truncated;
    unsigned n;

    forget_stack(k);
    if (e != EXC_SC || !takes_stack(c->cpu.gpr[0]))
        return;
    n = stack_walk(c, &t->machine->names, false, pc, WALK_MOST, &truncated);
    if (truncated || n < 2)
        return;
    k->ups = n - 1;
    k->up = grow_zero(k->ups, sizeof *k->up);
    memcpy(k->up, pc + 1, k->ups * sizeof *k->up);
}

unsigned tasks_whole_stack(const struct tasks *t, const struct core *c,
                           uint32_t *pc, unsigned n, bool *truncated)
{
    const uint32_t *at = *truncated ? hash_find(&t->index, c->context) : NULL;
    const struct task *k = at ? &t->task[*at] : NULL;

    if (!k || !k->ups || !n || pc[n - 1] != k->up[0] ||
        n + k->ups - 1 > WALK_MOST)
        return n;
    memcpy(pc + n, k->up + 1, (k->ups - 1) * sizeof *pc);
    *truncated = false;
    return n + k->ups - 1;
}

/* A program that was replaced has another name from its first exception on. */
static void entered(void *arg, struct core *c, enum exc e, ea_t pc, cycle_t at)
{
    struct tasks *t = arg;

    (void)pc;
    if (!t->now[c->number])
        return;
    tell(t, c->number, t->now[c->number], at);
    task_states_entered(&t->states, c, e, at);
    if (!(c->cpu.srr1 & MSR_PR))
        return;
    keep_stack(t, known(t, context_of(t, c->number, t->now[c->number])), c, e);
    if (!t->programs.machine)
        return;
    tell_program(t, c, t->now[c->number]);
    t->began[c->number] = at;
}

static void watched(void *arg, struct core *c)
{
    struct tasks *t = arg;
    uint32_t now = t->now[c->number];

    if (c->cpu.pc == t->idling) {
        t->idles[c->number] = true;
        if (now)
            tell(t, c->number, now, c->observed_cycle);
        task_states_idles(&t->states, c);
    }
    task_programs_watched(&t->programs, c,
                          now ? word_at(t, now + t->is.mm) : 0);
    task_states_watched(&t->states, c);
    task_modules_watched(&t->modules, c);
}

static void to_user(void *arg, struct core *c)
{
    struct tasks *t = arg;
    uint32_t now = t->now[c->number];

    t->began[c->number] = c->observed_cycle;
    if (t->programs.machine && t->programs.marked && now) {
        tell_program(t, c, now);
        see_marks(t, now);
    }
    if (t->states.machine)
        task_states_to_user(&t->states, c);
}

static void end(void *arg, cycle_t at)
{
    const struct tasks *t = arg;

    (void)at;
    task_states_end(&t->states);
}

/* Hear when processors begin to idle. */
static void watch_idling(struct tasks *t)
{
    uint32_t end, pa;

    if (!names_extent(&t->machine->names, "cpu_startup_entry", &t->idling,
                      &end))
        return;
    pa = kernel_pa(t->machine, t->idling);
    for (unsigned n = 0; n < t->machine->with.cpus; n++)
        if (pa % 4 || pa > t->machine->ram.size - 4 ||
            !core_watch(&t->machine->core[n], pa))
            t->idling = 0;
}

/* ---- life ---------------------------------------------------------------- */

bool tasks_open(struct tasks *t, struct machine *m, struct experiment *e,
                const char *sysroot, struct marked_files *marked,
                struct stack_numbers *numbers, struct idle_samples *idle,
                char *why, size_t size)
{
    bool states;

    *t = (struct tasks){.experiment = e, .stacks = numbers, .idle = idle};
    if (!m->with.image->is_kernel)
        return true;
    if (!task_description_read(&t->is, m->with.image, &m->names, why, size))
        return false;
    t->machine = m;
    states = !numbers || task_states_open(&t->states, m, e, numbers, idle,
                                          &t->is, why, size);
    t->observer = (struct observer){
        .arg = t, .sprg3 = sprg3, .entered = entered, .watched = watched};
    watch_idling(t);
    task_modules_open(&t->modules, m, e);
    t->observer.to_user = to_user;
    if (t->states.machine)
        t->observer.end = end;
    for (unsigned n = 0; n < m->with.cpus; n++)
        core_watch_sprg3(&m->core[n]);
    machine_observe(m, &t->observer, true);
    return task_programs_open(&t->programs, m, e, sysroot, marked, t->is.mm,
                              why, size) &&
           states;
}

void tasks_close(struct tasks *t)
{
    task_programs_close(&t->programs);
    task_modules_close(&t->modules);
    task_states_close(&t->states);
    for (size_t k = 0; k < t->count; k++)
        free(t->task[k].up);
    hash_free(&t->index);
    free(t->task);
    *t = (struct tasks){0};
}

bool tasks_state(struct snap *s, struct tasks *t)
{
    snap_begin(s, "tasks", 2);
    SNAP_SKIP(s, t->machine, "plugged in by tasks_open");
    SNAP_SKIP(s, t->experiment, "plugged in by tasks_open");
    SNAP_SKIP(s, t->is, "of the kernel's file");
    SNAP_SKIP(s, t->stacks, "compared by recorder_state");
    SNAP_SKIP(s, t->idle, "plugged in by tasks_open");
    SNAP_SKIP(s, t->observer, "made by tasks_open");
    SNAP_ARRAY(s, t->now);
    SNAP_ARRAY(s, t->began);
    SNAP_SKIP(s, t->idling, "of the kernel's file");
    SNAP_ARRAY(s, t->idles);
    SNAP_SKIP(s, t->programs, "names, of those that begin later");
    SNAP_SKIP(s, t->modules, "names, of those that are loaded later");
    task_states_state(s, &t->states);
    SNAP_SKIP(s, t->index, "another experiment begins without any");
    SNAP_SKIP(s, t->task, "another experiment begins without any");
    SNAP_SKIP(s, t->count, "another experiment begins without any");
    SNAP_SKIP(s, t->room, "another experiment begins without any");
    return snap_end(s);
}
