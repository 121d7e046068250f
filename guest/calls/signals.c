/* signals.c - calls about signals that are waited for, and about other stacks;
 * and those behind the first one of a number, which real-time signals and
 * timers queue.
 */
#include <asm/siginfo.h>

#include "guest/calls/calls.h"
#include "guest/kernel/hook.h"

#define SET_BYTES 8
#define SS_DISABLE 2u /* linux/signal.h has it for programs alone */

/* ---- the queue ----------------------------------------------------------- */

#define QUEUED 320 /* MADE_TIMERS of them for timers, one each at most */

/* process_lock; the oldest first. */
static struct queued {
    struct pending *of;
    uint32_t signal;
    struct signal_info info;
} behind[QUEUED];
static uint32_t length;

static void take_out(uint32_t at)
{
    length--;
    for (; at < length; at++)
        behind[at] = behind[at + 1];
}

static void put_behind(struct pending *q, uint32_t signal,
                       const struct signal_info *info)
{
    bool timer = info->code == (uint32_t)SI_TIMER;

    if (timer || (signal >= SIGRTMIN && length < QUEUED - MADE_TIMERS))
        behind[length++] = (struct queued){q, signal, *info};
}
HOOK(repeated, 100, put_behind);

static void go_on(struct task *t, struct pending *q, uint32_t signal)
{
    (void)t;
    for (uint32_t at = 0; at < length; at++) {
        struct signal_info info = behind[at].info;

        if (behind[at].of != q || behind[at].signal != signal)
            continue;
        take_out(at);
        signal_note(q, signal, &info);
        return;
    }
}
HOOK(taken, 200, go_on);

static void forget(const struct pending *q)
{
    for (uint32_t at = 0; at < length;) {
        if (behind[at].of == q)
            take_out(at);
        else
            at++;
    }
}

static void task_parts(struct task *t)
{
    mutex_lock(&process_lock);
    if (t->leaving || t->process->ending)
        forget(&t->pending);
    mutex_unlock(&process_lock);
}
HOOK(parting, 400, task_parts);

static void process_over(struct process *p)
{
    forget(&p->pending);
}
HOOK(ended, 300, process_over);

/* ---- calls --------------------------------------------------------------- */

static uint64_t signals_pending(const struct task *t)
{
    return t->pending.set | t->process->pending.set;
}

int32_t call_rt_sigpending(struct task *t, const uint32_t *a)
{
    mutex_lock(&process_lock);
    timers_look(t);
    mutex_unlock(&process_lock);
    return signal_set_put(t, a[0], signals_pending(t) & t->blocked);
}

void signals_suspend(struct task *t, uint64_t set)
{
    mutex_lock(&process_lock);
    timers_look(t);
    t->suspended = t->blocked;
    t->resuspend = true;
    t->blocked = set & ~NEVER_BLOCKED;
    if (signals_pending(t) & ~t->blocked)
        t->poked = true;
    mutex_unlock(&process_lock);
}

int32_t call_pause(struct task *t, const uint32_t *a)
{
    (void)t, (void)a;
    task_sleep(FOR_EVER);
    return -EINTR;
}

int32_t call_rt_sigsuspend(struct task *t, const uint32_t *a)
{
    uint64_t set;

    if (a[1] != SET_BYTES)
        return -EINVAL;
    if (!signal_set_get(t, a[0], &set))
        return -EFAULT;
    signals_suspend(t, set);
    return call_pause(t, a);
}

int32_t call_sigaltstack(struct task *t, const uint32_t *a)
{
    uint32_t w[3],
        old[3] = {t->stack_base, t->stack_size ? 0 : SS_DISABLE, t->stack_size};

    if (on_other_stack(t, t->frame->r1))
        old[1] = 1;
    if (a[0]) {
        if (!copy_in(t->process->space, w, a[0], sizeof w))
            return -EFAULT;
        if (old[1] == 1)
            return -EPERM;
        if (w[1] & ~(SS_DISABLE | 1u))
            return -EINVAL;
        if (!(w[1] & SS_DISABLE) && w[2] < MINSIGSTKSZ)
            return -ENOMEM;
        t->stack_base = w[1] & SS_DISABLE ? 0 : w[0];
        t->stack_size = w[1] & SS_DISABLE ? 0 : w[2];
    }
    return a[1] ? answer(t, a[1], old, sizeof old) : 0;
}

/* One of these signals, taken; 0: none, and if it is the first look the task
 * waits for them from now on. */
static uint32_t look_for(struct task *t, uint64_t set, bool first)
{
    uint32_t signal;

    mutex_lock(&process_lock);
    timers_look(t);
    signal = signal_take(t, set);
    t->awaited = first && !signal ? set : 0;
    mutex_unlock(&process_lock);
    return signal;
}

/* In front: how wide a time is; which signals, where siginfo goes, how long,
 * the set's size. */
int32_t call_rt_sigtimedwait(struct task *t, const uint32_t *a)
{
    uint32_t info[32] = {0}, signal;
    uint64_t set, ns, end = FOR_EVER;
    enum waking why = WOKEN;
    int32_t error;

    if (a[4] != SET_BYTES)
        return -EINVAL;
    if (!signal_set_get(t, a[1], &set))
        return -EFAULT;
    if (a[3]) {
        error = time_get(t, a[3], a[0], &ns);
        if (error)
            return error;
        end = clock_due(ns);
    }
    signal = look_for(t, set, true);
    if (!signal) {
        why = task_sleep(end);
        signal = look_for(t, set, false);
    }
    if (!signal)
        return why == WAKE_SIGNAL ? -EINTR : -EAGAIN;
    info[0] = signal;
    memcpy(info + 2, &t->info, sizeof t->info);
    return a[2] && answer(t, a[2], info, sizeof info) ? -EFAULT
                                                      : (int32_t)signal;
}

/* A process, a signal, its siginfo. */
int32_t call_rt_sigqueueinfo(struct task *t, const uint32_t *a)
{
    struct signal_info info;
    struct process *p;
    bool full;

    if (a[1] > SIGNALS)
        return -EINVAL;
    if (!copy_in(t->process->space, &info, a[2] + 8, sizeof info))
        return -EFAULT;
    if ((int32_t)info.code >= 0 && a[0] != t->process->number)
        return -EPERM; /* as if the kernel had sent it */
    mutex_lock(&process_lock);
    p = process_find(a[0]);
    full = p && a[1] >= SIGRTMIN && p->pending.set & SIGNAL_BIT(a[1]) &&
           length >= QUEUED - MADE_TIMERS;
    if (p && a[1] && !full)
        signal_process_info(p, a[1], &info);
    mutex_unlock(&process_lock);
    return !p ? -ESRCH : full ? -EAGAIN : 0;
}
