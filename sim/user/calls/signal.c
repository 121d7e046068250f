/* signal.c - the system calls about signals: actions, masks, waiting, kill.
 * Sending and delivery are in sim/user/signal.c.
 */
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <signal.h>

int32_t call_rt_sigaction(struct call *k)
{
    struct space *s = &k->u->space;
    uint32_t signal = k->a[0];
    struct action old, *a;
    uint8_t b[20];

    if (signal < 1 || signal > ABI_SIGNALS || k->a[3] != 8)
        return -EINVAL;
    if (k->a[1] && BIT(signal) & NEVER_BLOCKED)
        return -EINVAL;
    a = &k->u->action[signal];
    old = *a;
    if (k->a[1]) {
        if (!space_read(s, k->a[1], b, sizeof b))
            return -EFAULT;
        a->handler = be_get32(b);
        a->flags = be_get32(b + 4);
        a->mask =
            call_pair(be_get32(b + 16), be_get32(b + 12)) & ~NEVER_BLOCKED;
    }
    if (k->a[2]) {
        be_put32(b, old.handler);
        be_put32(b + 4, old.flags);
        be_put32(b + 8, 0);
        be_put32(b + 12, (uint32_t)old.mask);
        be_put32(b + 16, (uint32_t)(old.mask >> 32));
        if (!space_write(s, k->a[2], b, sizeof b))
            return -EFAULT;
    }
    if (signal_ignored(k->u, (int)signal))
        signal_forget(k->u, &k->u->pending, BIT(signal));
    return 0;
}

/* A set of signals in the program's memory. */
static bool signal_read_set(struct call *k, uint32_t at, uint64_t *set)
{
    uint8_t b[8];

    if (!space_read(&k->u->space, at, b, 8))
        return false;
    *set = call_pair(be_get32(b + 4), be_get32(b));
    return true;
}

int32_t call_rt_sigprocmask(struct call *k)
{
    uint64_t set = 0, old = k->t->blocked;

    if (k->a[3] != 8)
        return -EINVAL;
    if (k->a[1]) {
        if (!signal_read_set(k, k->a[1], &set))
            return -EFAULT;
        set &= ~NEVER_BLOCKED;
        if (k->a[0] == 0)
            k->t->blocked |= set;
        else if (k->a[0] == 1)
            k->t->blocked &= ~set;
        else if (k->a[0] == 2)
            k->t->blocked = set;
        else
            return -EINVAL;
    }
    if (k->a[2] && !signal_write_set(k, k->a[2], old))
        return -EFAULT;
    return 0;
}

int32_t call_rt_sigpending(struct call *k)
{
    uint64_t set = (k->t->pending.set | k->u->pending.set) & k->t->blocked;

    if (k->a[1] > 8)
        return -EINVAL;
    return signal_write_set(k, k->a[0], set) ? 0 : -EFAULT;
}

int32_t call_rt_sigsuspend(struct call *k)
{
    struct thread *t = k->t;
    uint64_t set;

    if (k->a[1] != 8)
        return -EINVAL;
    if (!signal_read_set(k, k->a[0], &set))
        return -EFAULT;
    t->saved_mask = t->blocked;
    t->restore_mask = true;
    t->blocked = set & ~NEVER_BLOCKED;
    if (signal_waits(k->u, t))
        return -EINTR;
    t->wait_set = 0;
    t->restartable = false;
    thread_block(k, WAIT_SIGNAL, CYCLE_NEVER);
    return CALL_BLOCKED;
}

int32_t call_pause(struct call *k)
{
    if (signal_waits(k->u, k->t))
        return -EINTR;
    k->t->wait_set = 0;
    k->t->restartable = false;
    thread_block(k, WAIT_SIGNAL, CYCLE_NEVER);
    return CALL_BLOCKED;
}

/* One of the set that is pending: its number. */
static int32_t take_waited(struct call *k, uint64_t set)
{
    struct thread *t = k->t;
    uint64_t have = (t->pending.set | k->u->pending.set) & set;
    struct siginfo info;
    uint8_t b[ABI_SIGINFO];
    int signal;

    if (!have)
        return 0;
    signal = __builtin_ctzll(have) + 1;
    info = signal_take(
        k->u, t->pending.set & BIT(signal) ? &t->pending : &k->u->pending,
        signal);
    frame_info(b, signal, &info);
    if (k->a[1] && !space_write(&k->u->space, k->a[1], b, sizeof b))
        return -EFAULT;
    return signal;
}

static int32_t wait_signal(struct call *k, bool wide)
{
    struct thread *t = k->t;
    cycle_t until = CYCLE_NEVER;
    uint8_t b[16];
    uint64_t set;
    int32_t r;

    if (k->a[3] != 8)
        return -EINVAL;
    if (!signal_read_set(k, k->a[0], &set))
        return -EFAULT;
    r = take_waited(k, set);
    if (r)
        return r;
    if (k->a[2]) {
        uint64_t s, n;

        if (!space_read(&k->u->space, k->a[2], b, wide ? 16 : 8))
            return -EFAULT;
        s = wide ? be_get64(b) : be_get32(b);
        n = wide ? be_get32(b + 12) : be_get32(b + 4);
        if (n >= NANO || s > INT32_MAX)
            return -EINVAL;
        /* begun again by a signal, the limit stands */
        until = user_limit(k, s * NANO + n);
        if (s == 0 && n == 0)
            return -EAGAIN;
    }
    if (signal_waits(k->u, t))
        return -EINTR;
    t->wait_set = set & ~NEVER_BLOCKED;
    t->restartable = false;
    thread_block(k, WAIT_SIGNAL, until);
    return CALL_BLOCKED;
}

int32_t call_rt_sigtimedwait(struct call *k)
{
    return wait_signal(k, false);
}

int32_t call_rt_sigtimedwait64(struct call *k)
{
    return wait_signal(k, true);
}

int32_t call_sigaltstack(struct call *k)
{
    struct thread *t = k->t;
    struct space *s = &k->u->space;
    ea_t sp = k->core->cpu.gpr[1];
    uint8_t b[12], old[12];

    frame_stack(old, t, sp);
    if (k->a[0]) {
        int32_t error;

        if (!space_read(s, k->a[0], b, sizeof b))
            return -EFAULT;
        error = frame_alternate(t, b, sp);
        if (error)
            return error;
    }
    if (k->a[1] && !space_write(s, k->a[1], old, sizeof old))
        return -EFAULT;
    return 0;
}

/* ---- kill ---------------------------------------------------------------- */

static bool is_signal(uint32_t n)
{
    return n <= ABI_SIGNALS;
}

int32_t call_kill(struct call *k)
{
    struct user *u = k->u;
    struct siginfo info = siginfo_kill(u, ABI_SI_USER, USER_PID);
    int32_t pid = (int32_t)k->a[0];

    if (pid != USER_PID && pid != 0 && pid != -USER_PID)
        return pid == -1 ? -EPERM : -ESRCH; /* there are no others */
    if (!is_signal(k->a[1]))
        return -EINVAL;
    if (k->a[1])
        signal_send(u, NULL, (int)k->a[1], &info, k->now);
    return 0;
}

static int32_t kill_thread(struct call *k, int32_t tid, uint32_t signal)
{
    struct thread *t = thread_find(k->u, tid);
    struct siginfo info = siginfo_kill(k->u, ABI_SI_TKILL, USER_PID);

    if (tid <= 0 || !is_signal(signal))
        return -EINVAL;
    if (!t)
        return -ESRCH;
    if (signal)
        signal_send(k->u, t, (int)signal, &info, k->now);
    return 0;
}

int32_t call_tkill(struct call *k)
{
    return kill_thread(k, (int32_t)k->a[0], k->a[1]);
}

int32_t call_tgkill(struct call *k)
{
    int32_t tgid = (int32_t)k->a[0];

    if (tgid <= 0)
        return -EINVAL;
    if (tgid != USER_PID && (int32_t)k->a[1] > 0 && is_signal(k->a[2]))
        return -ESRCH;
    return kill_thread(k, (int32_t)k->a[1], k->a[2]);
}

static int32_t queue_info(struct call *k, struct thread *t, uint32_t signal,
                          uint32_t at)
{
    struct siginfo info;
    uint8_t b[24];

    if (!space_read(&k->u->space, at, b, sizeof b))
        return -EFAULT;
    if (!is_signal(signal))
        return -EINVAL;
    info.code = (int)be_get32(b + 8);
    for (unsigned n = 0; n < 3; n++)
        info.word[n] = be_get32(b + 12 + 4 * n);
    if (info.code >= 0 || info.code == ABI_SI_TKILL)
        return -EPERM;
    if (signal && !signal_send(k->u, t, (int)signal, &info, k->now))
        return -EAGAIN;
    return 0;
}

int32_t call_rt_sigqueueinfo(struct call *k)
{
    if ((int32_t)k->a[0] != USER_PID)
        return -ESRCH;
    return queue_info(k, NULL, k->a[1], k->a[2]);
}

int32_t call_rt_tgsigqueueinfo(struct call *k)
{
    struct thread *t = thread_find(k->u, (int32_t)k->a[1]);

    if ((int32_t)k->a[0] <= 0 || (int32_t)k->a[1] <= 0)
        return -EINVAL;
    if ((int32_t)k->a[0] != USER_PID || !t)
        return -ESRCH;
    return queue_info(k, t, k->a[2], k->a[3]);
}
