/* signal.c - signals are sent, wait and are delivered. The system calls about
 * them are in calls/signal.c, what handlers run on is in frame.c.
 */
#include "lib/base/big_endian.h"
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
    case SIGTSTP: /* nothing could let it go on */
    case SIGTTIN:
    case SIGTTOU:
    case SIGSTOP:
        return true;
    default:
        return false;
    }
}

bool signal_ignored(const struct user *u, int signal)
{
    uint32_t handler = u->action[signal].handler;

    return handler == 1 || (handler == 0 && ignored_by_default(signal));
}

/* ---- sending ------------------------------------------------------------- */

static void interrupt(struct user *u, struct thread *t, int signal, cycle_t at)
{
    bool restart = u->action[signal].flags & ABI_SA_RESTART;

    if (t->waiting == WAIT_DISK)
        return; /* delivered when it is done */
    if (t->waiting == WAIT_TIME && t->remain) {
        uint64_t left =
            t->wake_at > at ? user_time(u, t->wake_at) - user_time(u, at) : 0;
        uint8_t b[16];
        unsigned half = t->remain64 ? 8 : 4;

        memset(b, 0, sizeof b);
        be_put32(b + half - 4, (uint32_t)(left / NANO));
        be_put32(b + 2 * half - 4, (uint32_t)(left % NANO));
        space_write(&u->space, t->remain, b, 2 * half);
    }
    if ((restart && t->restartable) || t->waiting == WAIT_LOCK)
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

struct siginfo signal_take(struct user *u, struct pending *p, int signal)
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

struct siginfo *signal_of_timer(struct user *u, struct thread *to,
                                const struct timer *t)
{
    struct pending *p = to ? &to->pending : &u->pending;
    struct siginfo *i = NULL;

    if (t->id < 0 || !t->signal || !(p->set & BIT(t->signal)))
        return NULL;
    i = &p->info[t->signal - 1];
    for (unsigned n = 0; i; n++) {
        if (i->code == ABI_SI_TIMER && i->word[0] == (uint32_t)t->id)
            return i;
        while (n < u->queued &&
               (u->queue[n].of != p || u->queue[n].signal != t->signal))
            n++;
        i = n < u->queued ? &u->queue[n].info : NULL;
    }
    return NULL;
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
    if (signal_ignored(u, signal) && t && !(t->blocked & BIT(signal)) &&
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
        if (set & BIT(n) && !signal_ignored(u, n))
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
        info = signal_take(u, own & BIT(signal) ? &t->pending : &u->pending,
                           signal);
        if (signal_ignored(u, signal))
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

bool signal_write_set(struct call *k, uint32_t at, uint64_t set)
{
    uint8_t b[8];

    be_put32(b, (uint32_t)set);
    be_put32(b + 4, (uint32_t)(set >> 32));
    return space_write(&k->u->space, at, b, 8);
}
