/* sched.c - calls about processors and how tasks share them. The kernel's
 * levels are few: SCHED_FIFO and SCHED_RR have three, priority 1, 2, and 3 and
 * above, and take turns at each; below all others is one for what is nice,
 * SCHED_BATCH and SCHED_IDLE.
 */
#include <linux/sched.h>

#include "guest/calls/calls.h"

#define NICE_LEVEL (PRIO_APP - 1)
#define REAL_TIME_LEVEL (PRIO_MAIN + 1)
#define REAL_TIME_LEVELS 3
#define REAL_TIME_MOST 99
#define NICE_MOST 19
#define SLICE_NS 1000000

int32_t call_setaffinity(struct task *t, const uint32_t *a)
{
    uint32_t mask, all = (1u << machine_cpus()) - 1;
    struct task *k;

    if (a[1] < 4)
        return -EINVAL;
    if (!copy_in(t->process->space, &mask, a[2], 4))
        return -EFAULT;
    if (!(mask & all))
        return -EINVAL;
    mutex_lock(&process_lock);
    k = task_numbered(t, a[0]);
    if (k)
        thread_set_mask(k->thread, mask & all);
    mutex_unlock(&process_lock);
    return k ? 0 : -ESRCH;
}

int32_t call_getaffinity(struct task *t, const uint32_t *a)
{
    uint32_t mask = 0;
    struct task *k;

    if (a[1] < 4 || a[1] & 3)
        return -EINVAL;
    mutex_lock(&process_lock);
    k = task_numbered(t, a[0]);
    if (k)
        mask = k->thread->mask;
    mutex_unlock(&process_lock);
    if (!k)
        return -ESRCH;
    return answer(t, a[2], &mask, sizeof mask) ? -EFAULT : 4;
}

/* The CPU, and node 0. It may be another one by now. */
int32_t call_getcpu(struct task *t, const uint32_t *a)
{
    uint32_t cpu = this_cpu()->number;

    if (a[0] && answer(t, a[0], &cpu, sizeof cpu))
        return -EFAULT;
    return a[1] && !fill_out(t->process->space, a[1], 4) ? -EFAULT : 0;
}

int32_t call_sched_yield(struct task *t, const uint32_t *a)
{
    (void)t, (void)a;
    thread_yield();
    return 0;
}

/* ---- levels --------------------------------------------------------------- */

static uint8_t level_of(const struct task *t)
{
    if (t->priority)
        return REAL_TIME_LEVEL - 1 +
               (t->priority < REAL_TIME_LEVELS ? t->priority
                                               : REAL_TIME_LEVELS);
    return t->policy == SCHED_NORMAL && t->nice <= 0 ? PRIO_APP : NICE_LEVEL;
}

/* Another level, and place in the queues. */
static void place(struct thread *t, uint8_t level)
{
    struct runq *q = t->cpu ? &t->cpu->runq : NULL;

    if (q && t->state == STATE_READY) {
        waitq_remove(&q->prio[t->prio], t);
        if (!q->prio[t->prio].head)
            q->bits &= ~(1u << t->prio);
    }
    t->prio = level;
    if (q && t->state == STATE_READY) {
        waitq_push(&q->prio[t->prio], t);
        q->bits |= 1u << t->prio;
    }
    if (q && (t->state == STATE_READY || t->state == STATE_RUNNING)) {
        t->cpu->need_resched = true;
        if (t->cpu != this_cpu())
            pic_ipi(t->cpu->number);
    }
}

void task_settle(struct task *k)
{
    for (; k; k = lent_to(k)) {
        uint8_t own = level_of(k), lent = lent_level(k);

        own = own > lent ? own : lent;
        if (own != k->thread->prio)
            place(k->thread, own);
    }
}

/* Its policy was changed. process_lock is held. */
static void settle(struct task *k)
{
    uint32_t msr = sched_lock();

    task_settle(k);
    sched_unlock(msr);
}

/* A task, or -1 as the policy: as it is; where its priority is told. */
static int32_t set_policy(struct task *t, uint32_t number, int32_t policy,
                          uint32_t at)
{
    bool real_time;
    uint32_t priority;
    struct task *k;
    int32_t error = -EINVAL;

    if (!at || (int32_t)number < 0)
        return -EINVAL;
    if (!copy_in(t->process->space, &priority, at, sizeof priority))
        return -EFAULT;
    mutex_lock(&process_lock);
    k = task_numbered(t, number);
    if (k && policy < 0)
        policy = k->policy;
    real_time = policy == SCHED_FIFO || policy == SCHED_RR;
    if (!k)
        error = -ESRCH;
    else if (real_time
                 ? priority - 1 < REAL_TIME_MOST
                 : !priority && (policy == SCHED_NORMAL ||
                                 policy == SCHED_BATCH || policy == SCHED_IDLE))
        error = 0;
    if (!error) {
        k->policy = (uint8_t)policy;
        k->priority = (uint8_t)priority;
        settle(k);
    }
    mutex_unlock(&process_lock);
    return error;
}

int32_t call_sched_setscheduler(struct task *t, const uint32_t *a)
{
    uint32_t policy = a[1] & ~(uint32_t)SCHED_RESET_ON_FORK;

    return (int32_t)policy < 0 ? -EINVAL
                               : set_policy(t, a[0], (int32_t)policy, a[2]);
}

int32_t call_sched_setparam(struct task *t, const uint32_t *a)
{
    return set_policy(t, a[0], -1, a[1]);
}

/* In front: whether the priority is asked for; the task, where it goes. */
int32_t call_sched_get(struct task *t, const uint32_t *a)
{
    uint32_t policy = 0, priority = 0;
    struct task *k;

    mutex_lock(&process_lock);
    k = (int32_t)a[1] < 0 ? NULL : task_numbered(t, a[1]);
    if (k) {
        policy = k->policy;
        priority = k->priority;
    }
    mutex_unlock(&process_lock);
    if (!k)
        return (int32_t)a[1] < 0 ? -EINVAL : -ESRCH;
    return a[0] ? answer(t, a[2], &priority, sizeof priority) : (int32_t)policy;
}

/* In front: what holds for SCHED_FIFO and SCHED_RR; the policy. */
int32_t call_sched_bound(struct task *t, const uint32_t *a)
{
    (void)t;
    if (a[1] == SCHED_FIFO || a[1] == SCHED_RR)
        return (int32_t)a[0];
    return a[1] == SCHED_NORMAL || a[1] == SCHED_BATCH || a[1] == SCHED_IDLE
               ? 0
               : -EINVAL;
}

/* In front: how wide a time is. */
int32_t call_sched_interval(struct task *t, const uint32_t *a)
{
    return time_put(t, a[2], SLICE_NS, a[0]);
}

/* In front: whether it is set; of what kind (0: a task), which, how nice. */
int32_t call_priority(struct task *t, const uint32_t *a)
{
    int32_t nice = (int32_t)a[3], error = -ESRCH;
    struct task *k;

    if (a[1])
        return a[1] > 2 ? -EINVAL : -ESRCH;
    nice = nice > NICE_MOST        ? NICE_MOST
           : nice < -NICE_MOST - 1 ? -NICE_MOST - 1
                                   : nice;
    mutex_lock(&process_lock);
    k = task_numbered(t, a[2]);
    if (k && a[0]) {
        k->nice = (int8_t)nice;
        settle(k);
    }
    if (k)
        error = a[0] ? 0 : NICE_MOST + 1 - k->nice;
    mutex_unlock(&process_lock);
    return error;
}

int32_t call_nice(struct task *t, const uint32_t *a)
{
    const uint32_t same[4] = {1, 0, 0, (uint32_t)(t->nice + (int32_t)a[0])};

    return call_priority(t, same);
}
