/* call_signal.c - system calls about signals. */
#include "guest/process/errno.h"
#include "guest/process/process.h"

#define SET_BYTES 8
#define SS_DISABLE 2u
#define LEAST_STACK 2048

enum { BLOCK, UNBLOCK, SETMASK };

/* Sets are two words, the low one first. */
static bool get_set(struct task *t, uint32_t at, uint64_t *set)
{
    uint32_t w[2];

    if (!copy_in(t->process->space, w, at, sizeof w))
        return false;
    *set = (uint64_t)w[1] << 32 | w[0];
    return true;
}

static bool put_set(struct task *t, uint32_t at, uint64_t set)
{
    uint32_t w[2] = {(uint32_t)set, (uint32_t)(set >> 32)};

    return copy_out(t->process->space, at, w, sizeof w);
}

/* handler, flags, restorer, mask */
int32_t call_rt_sigaction(struct task *t, const uint32_t *a)
{
    uint32_t w[5], old[5];
    struct action *action = &t->process->action[a[0] - 1];

    if (a[0] < 1 || a[0] > SIGNALS || a[3] != SET_BYTES)
        return -EINVAL;
    if (a[1] && (a[0] == SIGKILL || a[0] == SIGSTOP))
        return -EINVAL;
    if (a[1] && !copy_in(t->process->space, w, a[1], sizeof w))
        return -EFAULT;
    mutex_lock(&process_lock);
    old[0] = action->handler;
    old[1] = action->flags;
    old[2] = action->restorer;
    old[3] = (uint32_t)action->mask;
    old[4] = (uint32_t)(action->mask >> 32);
    if (a[1])
        *action =
            (struct action){w[0], w[1], w[2], (uint64_t)w[4] << 32 | w[3]};
    mutex_unlock(&process_lock);
    return a[2] && !copy_out(t->process->space, a[2], old, sizeof old) ? -EFAULT
                                                                       : 0;
}

int32_t call_rt_sigprocmask(struct task *t, const uint32_t *a)
{
    uint64_t old = t->blocked, set = 0;

    if (a[3] != SET_BYTES || (a[1] && a[0] > SETMASK))
        return -EINVAL;
    if (a[1] && !get_set(t, a[1], &set))
        return -EFAULT;
    if (a[1]) {
        mutex_lock(&process_lock);
        if (a[0] == BLOCK)
            set |= t->blocked;
        else if (a[0] == UNBLOCK)
            set = t->blocked & ~set;
        t->blocked = set & ~NEVER_BLOCKED;
        mutex_unlock(&process_lock);
        t->poked = true; /* look at what is pending */
    }
    return a[2] && !put_set(t, a[2], old) ? -EFAULT : 0;
}

int32_t call_rt_sigpending(struct task *t, const uint32_t *a)
{
    uint64_t set = (t->pending | t->process->pending) & t->blocked;

    return put_set(t, a[0], set) ? 0 : -EFAULT;
}

int32_t call_rt_sigsuspend(struct task *t, const uint32_t *a)
{
    uint64_t set;

    if (a[1] != SET_BYTES)
        return -EINVAL;
    if (!get_set(t, a[0], &set))
        return -EFAULT;
    mutex_lock(&process_lock);
    t->suspended = t->blocked;
    t->resuspend = true;
    t->blocked = set & ~NEVER_BLOCKED;
    if ((t->pending | t->process->pending) & ~t->blocked)
        t->poked = true;
    mutex_unlock(&process_lock);
    task_sleep(FOR_EVER);
    return -EINTR;
}

int32_t call_pause(struct task *t, const uint32_t *a)
{
    (void)t, (void)a;
    task_sleep(FOR_EVER);
    return -EINTR;
}

int32_t call_kill(struct task *t, const uint32_t *a)
{
    struct process *p;
    int32_t number = (int32_t)a[0];

    if (a[1] > SIGNALS)
        return -EINVAL;
    if (number <= 0)
        number = (int32_t)t->process->number; /* groups of one */
    mutex_lock(&process_lock);
    p = process_find((uint32_t)number);
    if (p && a[1])
        signal_process(p, a[1], t->process->number);
    mutex_unlock(&process_lock);
    return p ? 0 : -ESRCH;
}

/* process 0: whichever has the task. */
static int32_t to_task(struct task *t, uint32_t process, uint32_t number,
                       uint32_t signal)
{
    struct task *found = NULL;

    if (signal > SIGNALS || (int32_t)number <= 0)
        return -EINVAL;
    mutex_lock(&process_lock);
    for (struct task *k = t->process->tasks; k; k = k->next) {
        if (k->number == number && (!process || process == t->process->number))
            found = k;
    }
    if (found && signal)
        signal_task(found, signal, t->process->number);
    mutex_unlock(&process_lock);
    return found ? 0 : -ESRCH;
}

int32_t call_tkill(struct task *t, const uint32_t *a)
{
    return to_task(t, 0, a[0], a[1]);
}

int32_t call_tgkill(struct task *t, const uint32_t *a)
{
    return to_task(t, a[0], a[1], a[2]);
}

int32_t call_sigaltstack(struct task *t, const uint32_t *a)
{
    uint32_t w[3],
        old[3] = {t->stack_base, t->stack_size ? 0 : SS_DISABLE, t->stack_size};
    uint32_t sp = t->frame->r1;

    if (t->stack_size && sp > t->stack_base &&
        sp - t->stack_base <= t->stack_size)
        old[1] = 1;
    if (a[0]) {
        if (!copy_in(t->process->space, w, a[0], sizeof w))
            return -EFAULT;
        if (old[1] == 1)
            return -EPERM;
        if (w[1] & ~(SS_DISABLE | 1u))
            return -EINVAL;
        if (!(w[1] & SS_DISABLE) && w[2] < LEAST_STACK)
            return -ENOMEM;
        t->stack_base = w[1] & SS_DISABLE ? 0 : w[0];
        t->stack_size = w[1] & SS_DISABLE ? 0 : w[2];
    }
    return a[1] && !copy_out(t->process->space, a[1], old, sizeof old) ? -EFAULT
                                                                       : 0;
}
