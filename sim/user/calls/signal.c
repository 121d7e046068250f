/* signal.c - signals: who gets one, what it does, and the calls
 * that go with them. What handlers run on is in frame.c.
 */
#include "sim/user/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

struct siginfo siginfo_kill(const struct user *u, int code, int tid)
{
    (void)u;
    return (struct siginfo){code, {(uint32_t)tid, 0, 0}};
}

static bool ignored_by_default(int signal)
{
    switch (signal) {
    case SIGCHLD:
    case SIGCONT:
    case SIGURG:
    case SIGWINCH:
    case SIGTSTP: /* there is nobody who could let it go on */
    case SIGTTIN:
    case SIGTTOU:
    case SIGSTOP:
        return true;
    default:
        return false;
    }
}

static bool ignored(const struct user *u, int signal)
{
    uint32_t handler = u->action[signal].handler;

    return handler == 1 || (handler == 0 && ignored_by_default(signal));
}

/* ---- sending ------------------------------------------------------------- */

static void interrupt(struct user *u, struct thread *t, int signal, cycle_t at)
{
    bool restart = u->action[signal].flags & ABI_SA_RESTART;

    if (t->waiting == WAIT_TIME && t->remain) {
        uint64_t left =
            t->wake_at > at ? user_time(u, t->wake_at) - user_time(u, at) : 0;
        uint8_t b[16];
        unsigned half = t->remain64 ? 8 : 4;

        memset(b, 0, sizeof b);
        abi_put32(b + half - 4, (uint32_t)(left / NANO));
        abi_put32(b + 2 * half - 4, (uint32_t)(left % NANO));
        space_write(&u->space, t->remain, b, 2 * half);
    }
    if (restart && t->restartable)
        thread_again(u, t, at);
    else
        thread_wake(u, t, -EINTR, at);
}

/* Real-time signals queue: one more of a signal that waits already. False:
 * the queue is full. */
static bool queue_up(struct user *u, const struct pending *p, int signal,
                     const struct siginfo *info)
{
    if (u->queued == USER_QUEUE)
        return false;
    u->queue[u->queued++] = (struct queued){signal, p, *info};
    return true;
}

/* Take a waiting signal out of a set; the next of its kind moves up. */
static struct siginfo take_pending(struct user *u, struct pending *p,
                                   int signal)
{
    struct siginfo info = p->info[signal - 1];

    p->set &= ~BIT(signal);
    for (unsigned n = 0; n < u->queued; n++)
        if (u->queue[n].of == p && u->queue[n].signal == signal) {
            p->set |= BIT(signal);
            p->info[signal - 1] = u->queue[n].info;
            u->queued--;
            memmove(&u->queue[n], &u->queue[n + 1],
                    (u->queued - n) * sizeof u->queue[0]);
            break;
        }
    return info;
}

static bool takes(const struct thread *t, int signal)
{
    if (t->state == THREAD_FREE)
        return false;
    if (t->state == THREAD_BLOCKED && t->waiting == WAIT_SIGNAL &&
        t->wait_set & BIT(signal))
        return true;
    return !(t->blocked & BIT(signal));
}

static struct thread *receiver(struct user *u, int signal)
{
    for (unsigned i = 0; i < u->threads; i++)
        if (takes(&u->thread[i], signal))
            return &u->thread[i];
    return NULL;
}

static bool waits_for(const struct thread *t, int signal)
{
    return t->state == THREAD_BLOCKED && t->waiting == WAIT_SIGNAL &&
           t->wait_set & BIT(signal);
}

void signal_forget(struct user *u, struct pending *p, uint64_t set)
{
    unsigned kept = 0;

    p->set &= ~set;
    for (unsigned n = 0; n < u->queued; n++)
        if (u->queue[n].of != p || !(set & BIT(u->queue[n].signal)))
            u->queue[kept++] = u->queue[n];
    u->queued = kept;
}

bool signal_send(struct user *u, struct thread *t, int signal,
                 const struct siginfo *info, cycle_t at)
{
    struct pending *p = t ? &t->pending : &u->pending;

    if (!t)
        t = receiver(u, signal);
    if (ignored(u, signal) && t && !(t->blocked & BIT(signal)) &&
        !waits_for(t, signal))
        return true;
    if (!(p->set & BIT(signal))) {
        p->set |= BIT(signal);
        p->info[signal - 1] = *info;
    } else if (signal >= 32 && !queue_up(u, p, signal, info)) {
        return false;
    }
    if (!t || !takes(t, signal))
        return true;
    if (t->state == THREAD_RUNNING)
        thread_kick(u, t, at);
    else if (waits_for(t, signal))
        thread_again(u, t, at); /* it finds it pending */
    else if (t->state == THREAD_BLOCKED)
        interrupt(u, t, signal, at);
    return true;
}

void signal_force(struct call *k, int signal, const struct siginfo *info)
{
    struct thread *t = k->t;
    struct action *a = &k->u->action[signal];

    if (t->blocked & BIT(signal) || a->handler == 1) {
        a->handler = 0;
        t->blocked &= ~BIT(signal);
    }
    t->pending.set |= BIT(signal);
    t->pending.info[signal - 1] = *info;
}

bool signal_waits(const struct user *u, const struct thread *t)
{
    uint64_t set = (t->pending.set | u->pending.set) & ~t->blocked;

    for (int n = 1; n <= ABI_SIGNALS; n++)
        if (set & BIT(n) && !ignored(u, n))
            return true;
    return false;
}

static void run_handler(struct call *k, int signal, const struct siginfo *info)
{
    struct user *u = k->u;
    struct thread *t = k->t;
    struct action *slot = &u->action[signal], a = *slot;
    struct frame f = {signal, info, &a,
                      t->restore_mask ? t->saved_mask : t->blocked};
    struct cpu *c = &k->core->cpu;

    if (!(a.flags & ABI_SA_SIGINFO ? frame_push_rt(k, &f)
                                   : frame_push_plain(k, &f))) {
        struct siginfo fault = {1, {c->gpr[1], 0, 0}};

        user_kill(u, k->core, SIGSEGV, &fault);
        return;
    }
    t->restore_mask = false;
    t->blocked |= a.mask | (a.flags & ABI_SA_NODEFER ? 0 : BIT(signal));
    t->blocked &= ~NEVER_BLOCKED;
    if (a.flags & ABI_SA_RESETHAND)
        slot->handler = 0;
    c->gpr[3] = (uint32_t)signal;
    c->pc = a.handler & ~3u;
    c->fpscr = 0;
}

void signal_deliver(struct call *k)
{
    struct user *u = k->u;
    struct thread *t = k->t;

    while (!u->over) {
        uint64_t own = t->pending.set & ~t->blocked;
        uint64_t set = own | (u->pending.set & ~t->blocked);
        struct siginfo info;
        int signal;

        if (!set)
            break;
        signal = __builtin_ctzll(set) + 1;
        info = take_pending(u, own & BIT(signal) ? &t->pending : &u->pending,
                            signal);
        if (ignored(u, signal))
            continue;
        if (u->action[signal].handler == 0)
            user_kill(u, k->core, signal, &info);
        else
            run_handler(k, signal, &info);
    }
    if (t->restore_mask) {
        t->restore_mask = false;
        t->blocked = t->saved_mask;
    }
}

/* ---- system calls -------------------------------------------------------- */

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
        a->handler = abi_get32(b);
        a->flags = abi_get32(b + 4);
        a->mask =
            call_pair(abi_get32(b + 16), abi_get32(b + 12)) & ~NEVER_BLOCKED;
    }
    if (k->a[2]) {
        abi_put32(b, old.handler);
        abi_put32(b + 4, old.flags);
        abi_put32(b + 8, 0);
        abi_put32(b + 12, (uint32_t)old.mask);
        abi_put32(b + 16, (uint32_t)(old.mask >> 32));
        if (!space_write(s, k->a[2], b, sizeof b))
            return -EFAULT;
    }
    if (ignored(k->u, (int)signal))
        signal_forget(k->u, &k->u->pending, BIT(signal));
    return 0;
}

/* A set of signals in the program's memory. */
static bool signal_read_set(struct call *k, uint32_t at, uint64_t *set)
{
    uint8_t b[8];

    if (!space_read(&k->u->space, at, b, 8))
        return false;
    *set = call_pair(abi_get32(b + 4), abi_get32(b));
    return true;
}

bool signal_write_set(struct call *k, uint32_t at, uint64_t set)
{
    uint8_t b[8];

    abi_put32(b, (uint32_t)set);
    abi_put32(b + 4, (uint32_t)(set >> 32));
    return space_write(&k->u->space, at, b, 8);
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
    info = take_pending(
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
        s = wide ? abi_get64(b) : abi_get32(b);
        n = wide ? abi_get32(b + 12) : abi_get32(b + 4);
        if (n >= NANO || s > INT32_MAX)
            return -EINVAL;
        /* begun again by a signal, the limit stands */
        until = user_after(k->u, k->now, s * NANO + n);
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
        return pid == -1 ? -EPERM : -ESRCH; /* nobody else is here */
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
    info.code = (int)abi_get32(b + 8);
    for (unsigned n = 0; n < 3; n++)
        info.word[n] = abi_get32(b + 12 + 4 * n);
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
