/* used.c - processor time: how long each thread had a CPU, and so each process.
 * What was used in user mode and what in the system is not told apart.
 */
#include <linux/resource.h>
#include <linux/time.h>
#include <linux/times.h>

#include "guest/calls/calls.h"
#include "guest/kernel/hook.h"

#define HUNDREDTH (SECOND / 100)

/* In ticks. sched_lock: by the thread's slot, without the time since it was
 * given the CPU; by CPU, when the thread that runs there was. */
static uint64_t of_thread[MAX_THREADS], since[MAX_CPUS];
static uint32_t whose[MAX_THREADS]; /* sched_lock: of which thread, by tid */
/* process_lock: by the process's place, of its threads that have left; of its
 * children that have ended. */
static uint64_t of_left[PROCESSES], of_children[PROCESSES];

/* A thread begins with nothing. */
static uint64_t *place(const struct thread *k)
{
    uint32_t slot = (k->tid - 1) % MAX_THREADS;

    if (whose[slot] != k->tid) {
        whose[slot] = k->tid;
        of_thread[slot] = 0;
    }
    return &of_thread[slot];
}

static void leaves(struct cpu *c, const struct thread *k)
{
    uint64_t now = time_now();

    *place(k) += now - since[c->number];
    since[c->number] = now;
}

/* Where there are no processes nothing is done at a switch. */
static void begin(const struct process *p, const struct node *file)
{
    static struct hook switched;

    (void)p;
    (void)file;
    if (switched.call)
        return;
    switched.call = leaves;
    for (unsigned n = 0; n < MAX_CPUS; n++)
        since[n] = time_now();
    hook_add(&switch_hooks, &switched);
}
HOOK(program, 140, begin);

/* From then on what it used is the process's; a program that it becomes begins
 * with nothing of its own. */
static void parts(struct task *t)
{
    uint32_t msr;

    mutex_lock(&process_lock);
    msr = sched_lock();
    leaves(this_cpu(), t->thread);
    of_left[t->process - processes] += *place(t->thread);
    *place(t->thread) = 0;
    sched_unlock(msr);
    mutex_unlock(&process_lock);
}
HOOK(parting, 300, parts);

static void over(struct process *p)
{
    uint64_t *own = of_left + (p - processes),
             *young = of_children + (p - processes);

    if (p->parent)
        of_children[p->parent - processes] += *own + *young;
    *own = *young = 0;
}
HOOK(ended, 200, over);

/* ---- asking: process_lock is held ---------------------------------------- */

static uint64_t thread_used(const struct thread *k)
{
    uint32_t msr = sched_lock();
    uint64_t n = *place(k);

    if (k->state == STATE_RUNNING)
        n += time_now() - since[k->cpu->number];
    sched_unlock(msr);
    return n;
}

static uint64_t process_used(const struct process *p)
{
    uint64_t n = of_left[p - processes];

    for (const struct task *k = p->tasks; k; k = k->next)
        n += thread_used(k->thread);
    return n;
}

/* What a clock of processor time says; false: it is none. Those of others have
 * numbers that are made of theirs. */
static bool used_by(struct task *t, uint32_t clock, uint64_t *ticks)
{
    bool of_task = clock == CLOCK_THREAD_CPUTIME_ID;
    const struct process *p = t->process;
    const struct task *k = t;

    if ((int32_t)clock < 0 && (clock & 3) == 2) {
        uint32_t number = (uint32_t)(~(int32_t)clock >> 3);

        of_task = clock & 4;
        if (of_task)
            k = task_numbered(t, number);
        else if (number)
            p = process_find(number);
    } else if (!of_task && clock != CLOCK_PROCESS_CPUTIME_ID) {
        return false;
    }
    if (!k || !p)
        return false;
    *ticks = of_task ? thread_used(k->thread) : process_used(p);
    return true;
}

/* ---- calls --------------------------------------------------------------- */

/* In front: how wide a time is; the clock, where it goes. */
int32_t call_clock_used(struct task *t, const uint32_t *a)
{
    uint64_t ticks;
    bool good;

    mutex_lock(&process_lock);
    good = used_by(t, a[1], &ticks);
    mutex_unlock(&process_lock);
    return good ? time_put(t, a[2], clock_ns_of(ticks), a[0]) : -EINVAL;
}

int32_t call_clock_getres(struct task *t, const uint32_t *a)
{
    uint64_t ticks;
    bool good;

    mutex_lock(&process_lock);
    good = clock_known(a[1]) || used_by(t, a[1], &ticks);
    mutex_unlock(&process_lock);
    return !good ? -EINVAL : a[2] ? time_put(t, a[2], 1, a[0]) : 0;
}

/* Of usage there is what is counted: processor time, page faults since exec,
 * and how often the thread, or the threads that there are, had been given a
 * CPU; why they had to leave it is not told apart. */
int32_t call_getrusage(struct task *t, const uint32_t *a)
{
    const struct process *p = t->process;
    struct rusage used = {.ru_minflt = 0};
    uint64_t ticks = 0;
    uint32_t rest;

    mutex_lock(&process_lock);
    if (a[0] == RUSAGE_THREAD) {
        ticks = thread_used(t->thread);
        used.ru_nvcsw = (int32_t)t->thread->dispatches;
    } else if (a[0] == RUSAGE_SELF) {
        ticks = process_used(p);
        used.ru_minflt = (int32_t)(p->space->faults - p->space->reads);
        used.ru_majflt = (int32_t)p->space->reads;
        for (const struct task *k = p->tasks; k; k = k->next)
            used.ru_nvcsw += (int32_t)k->thread->dispatches;
    } else {
        ticks = of_children[p - processes];
    }
    mutex_unlock(&process_lock);
    used.ru_utime.tv_sec = (int32_t)clock_split(clock_ns_of(ticks), &rest);
    used.ru_utime.tv_usec = (int32_t)(rest / 1000);
    return answer(t, a[1], &used, sizeof used);
}

int32_t call_times(struct task *t, const uint32_t *a)
{
    uint64_t own, young;
    struct tms used = {.tms_utime = 0};

    mutex_lock(&process_lock);
    own = process_used(t->process);
    young = of_children[t->process - processes];
    mutex_unlock(&process_lock);
    used.tms_utime = (int32_t)divide(clock_ns_of(own), HUNDREDTH);
    used.tms_cutime = (int32_t)divide(clock_ns_of(young), HUNDREDTH);
    if (a[0] && answer(t, a[0], &used, sizeof used))
        return -EFAULT;
    return (int32_t)divide(clock_ns(), HUNDREDTH);
}
