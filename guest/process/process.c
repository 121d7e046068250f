/* process.c - processes and their tasks: making, ending, who is whose child.
 * The first process is everybody's last parent; when it ends, so does the run.
 */
#include "guest/process/process.h"

#include "guest/kernel/hook.h"
#include "guest/process/file.h"

#define FIRST_NUMBER 1000 /* as under simrun --user */

struct mutex process_lock;
struct process processes[PROCESSES];
static struct task tasks[MAX_THREADS]; /* by the thread's slot */
static volatile uint32_t last_number = FIRST_NUMBER - 1;

uint32_t number_new(void)
{
    return atomic_add(&last_number, 1) + 1;
}

/* The task of a slot; NULL: none, or it is dead, whose slot stays as it is
 * until sched_lock is had. */
static struct task *alive(unsigned slot)
{
    const struct thread *t = thread_at(slot);

    return t && t->state != STATE_DEAD && tasks[slot].thread == t ? &tasks[slot]
                                                                  : NULL;
}

struct task *task_alive(uint32_t number)
{
    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        struct task *t = alive(slot);

        if (t && t->number == number && !t->parted)
            return t;
    }
    return NULL;
}

struct task *task_of(const struct thread *t)
{
    struct task *task = &tasks[(t->tid - 1) % MAX_THREADS];

    return task->thread == t ? task : NULL;
}

struct task *task_current(void)
{
    return &tasks[(current->tid - 1) % MAX_THREADS];
}

struct process *process_find(uint32_t number)
{
    FOR_PROCESSES(p)
    {
        if (p->state != PROCESS_FREE && p->number == number)
            return p;
    }
    return NULL;
}

struct task *task_numbered(struct task *t, uint32_t number)
{
    if (!number || number == t->number)
        return t;
    for (struct task *k = t->process->tasks; k; k = k->next) {
        if (k->number == number)
            return k;
    }
    return NULL;
}

/* What a child has from its parent. */
static void inherit(struct process *p, const struct process *parent)
{
    memcpy(p->files, parent->files, sizeof p->files);
    for (unsigned n = 0; n < FILES; n++) {
        if (p->files[n])
            file_keep(p->files[n]);
    }
    p->close_on_exec = parent->close_on_exec;
    memcpy(p->action, parent->action, sizeof p->action);
    p->mask = parent->mask;
    p->directory = parent->directory;
    if (p->directory)
        atomic_add(&p->directory->users, 1);
    memcpy(p->name, parent->name, sizeof p->name);
    p->file = parent->file;
}

struct process *process_new(struct process *parent, struct space *space)
{
    struct process *p = processes;

    mutex_lock(&process_lock);
    while (p < processes + PROCESSES && p->state != PROCESS_FREE)
        p++;
    if (p < processes + PROCESSES) {
        memset(p, 0, sizeof *p);
        p->state = PROCESS_LIVE;
        p->number = number_new();
        p->parent = parent;
        p->space = space;
        p->mask = 022;
        if (parent)
            inherit(p, parent);
    } else {
        p = NULL;
    }
    mutex_unlock(&process_lock);
    return p;
}

/* process_lock is held. */
static void files_close(struct process *p)
{
    for (uint32_t n = 0; n < FILES; n++) {
        if (p->files[n])
            file_drop(p->files[n]);
        p->files[n] = NULL;
    }
    if (p->directory)
        node_drop(p->directory);
    p->directory = NULL;
}

void process_forget(struct process *p)
{
    mutex_lock(&process_lock);
    files_close(p);
    p->state = PROCESS_FREE;
    mutex_unlock(&process_lock);
}

/* ---- tasks --------------------------------------------------------------- */

static void task_main(uint32_t task)
{
    struct task *t = (struct task *)task;

    irq_save();
    hooks_call(&user_hooks, this_cpu(), current);
    user_run(&t->start, &t->frame);
    t->fp_here = false; /* its frame is gone: a switch may not write to it */
    irq_restore(MSR_RUN | MSR_EE);
    task_end();
}

static unsigned app_threads(void)
{
    unsigned n = 0;

    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        const struct thread *t = thread_at(slot);

        n += t && t->kind == THREAD_IS_APP;
    }
    return n;
}

/* The dead keep their slots until they are needed. process_lock is held. */
static bool room(void)
{
    if (app_threads() < TASKS)
        return true;
    threads_reap();
    return app_threads() < TASKS;
}

struct task *task_new(struct process *p, const struct user_frame *start)
{
    return task_new_as(p, start, THREAD_IS_APP, PRIO_APP, ALL_CPUS);
}

struct task *task_new_as(struct process *p, const struct user_frame *start,
                         uint8_t kind, uint8_t prio, uint32_t mask)
{
    struct task *t = NULL;

    mutex_lock(&process_lock);
    if (room()) {
        bool made = kind == THREAD_IS_APP && task_of(current);
        struct thread *thread =
            thread_make(made ? current->name : p->name, p->number, kind, prio,
                        mask, task_main, 0);

        t = &tasks[(thread->tid - 1) % MAX_THREADS];
        memset(t, 0, sizeof *t);
        t->thread = thread;
        t->process = p;
        t->number =
            p->tasks && kind == THREAD_IS_APP ? number_new() : p->number;
        t->start = *start;
        thread->arg = (uint32_t)t;
        t->next = p->tasks;
        p->tasks = t;
    }
    mutex_unlock(&process_lock);
    return t;
}

void task_start(struct task *t)
{
    thread_start(t->thread);
}

/* ---- the end ------------------------------------------------------------- */

/* process_lock is held. */
void process_end(struct process *p, uint32_t status)
{
    if (p->ending)
        return;
    p->ending = true;
    p->status = status;
    for (struct task *t = p->tasks; t; t = t->next)
        task_poke(t);
}

bool memory_over(void)
{
    struct process *most = NULL;
    uint32_t pages = 0, n;

    if (!mutex_try(&process_lock))
        return true; /* its owner may wait for memory: another time */
    FOR_PROCESSES(p)
    {
        if (p->state != PROCESS_LIVE || !p->tasks)
            continue;
        n = p->ending ? UINT32_MAX : space_pages(p->space);
        if (n >= pages)
            most = p;
        pages = n > pages ? n : pages;
    }
    if (most && !most->ending)
        kprintf("process %u (%s): killed, since memory is exhausted\n",
                most->number, most->name);
    FOR_PROCESSES(p) /* a child of vfork has its parent's */
    {
        if (most && p->state == PROCESS_LIVE && p->space == most->space)
            process_end(p, SIGKILL);
    }
    mutex_unlock(&process_lock);
    return most;
}

/* The parent ignores SIGCHLD, so its children leave no status to wait for. */
static bool unwanted(const struct process *parent)
{
    const struct action *a = &parent->action[SIGCHLD - 1];

    return a->handler == 1 || a->flags & 2 /* SA_NOCLDWAIT */;
}

static void tell_parent(struct process *p)
{
    p->state = unwanted(p->parent) ? PROCESS_FREE : PROCESS_ENDED;
    signal_process(p->parent, SIGCHLD, p->number);
    event_happen(&p->parent->children);
}

/* Children of one that ends are the first process's. */
static void give_away(const struct process *p)
{
    FOR_PROCESSES(q)
    {
        if (q->state == PROCESS_FREE || q->parent != p)
            continue;
        q->parent = processes;
        if (q->state == PROCESS_ENDED)
            tell_parent(q);
    }
}

/* Its last task has left. process_lock is held. */
static void process_over(struct process *p)
{
    uint32_t status = p->status;

    FOR_TABLE (hook, ended)
        (*hook)(p);
    files_close(p);
    if (p == processes)
        run_over(status & 0x7F ? 128 + (status & 0x7F) : status >> 8 & 0xFF);
    space_free(p->space);
    p->space = NULL;
    give_away(p);
    tell_parent(p);
}

static void task_unlink(struct task *t)
{
    struct task **place = &t->process->tasks;

    while (*place != t)
        place = &(*place)->next;
    *place = t->next;
}

void task_end(void)
{
    struct task *t = task_current();
    struct process *p = t->process;

    FOR_TABLE (hook, parting)
        (*hook)(t);
    if (t->clear_tid && fill_out(p->space, t->clear_tid, 4))
        futex_wake(p->space, t->clear_tid, 1, 0xFFFFFFFF);
    mutex_lock(&process_lock);
    task_unlink(t);
    if (!p->tasks) {
        if (!p->ending)
            p->status = t->status;
        process_over(p);
    }
    t->thread = NULL;
    mutex_unlock(&process_lock);
}
