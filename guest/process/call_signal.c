/* call_signal.c - system calls about signals. */
#include "guest/process/process.h"

#define SET_BYTES 8

bool signal_set_get(struct task *t, uint32_t at, uint64_t *set)
{
    uint32_t w[2];

    if (!copy_in(t->process->space, w, at, sizeof w))
        return false;
    *set = signal_set(w[0], w[1]);
    return true;
}

int32_t signal_set_put(struct task *t, uint32_t at, uint64_t set)
{
    uint32_t w[2] = {(uint32_t)set, (uint32_t)(set >> 32)};

    return answer(t, at, w, sizeof w);
}

int32_t call_rt_sigaction(struct task *t, const uint32_t *a)
{
    struct action new, old, *action = &t->process->action[a[0] - 1];

    if (a[0] < 1 || a[0] > SIGNALS || a[3] != SET_BYTES)
        return -EINVAL;
    if (a[1] && (a[0] == SIGKILL || a[0] == SIGSTOP))
        return -EINVAL;
    if (a[1] && !copy_in(t->process->space, &new, a[1], sizeof new))
        return -EFAULT;
    mutex_lock(&process_lock);
    old = *action;
    if (a[1])
        *action = new;
    mutex_unlock(&process_lock);
    return a[2] ? answer(t, a[2], &old, sizeof old) : 0;
}

int32_t call_rt_sigprocmask(struct task *t, const uint32_t *a)
{
    uint64_t old = t->blocked, set = 0;

    if (a[3] != SET_BYTES || (a[1] && a[0] > SIG_SETMASK))
        return -EINVAL;
    if (a[1] && !signal_set_get(t, a[1], &set))
        return -EFAULT;
    if (a[1]) {
        mutex_lock(&process_lock);
        if (a[0] == SIG_BLOCK)
            set |= t->blocked;
        else if (a[0] == SIG_UNBLOCK)
            set = t->blocked & ~set;
        t->blocked = set & ~NEVER_BLOCKED;
        mutex_unlock(&process_lock);
        t->poked = true; /* look at what is pending */
    }
    return a[2] ? signal_set_put(t, a[2], old) : 0;
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

/* Process (0: its own), task, signal. */
int32_t call_tgkill(struct task *t, const uint32_t *a)
{
    struct task *found = NULL;

    if (a[2] > SIGNALS || (int32_t)a[1] <= 0)
        return -EINVAL;
    mutex_lock(&process_lock);
    if (!a[0] || a[0] == t->process->number)
        found = task_numbered(t, a[1]);
    if (found && a[2])
        signal_task(found, a[2], t->process->number);
    mutex_unlock(&process_lock);
    return found ? 0 : -ESRCH;
}
