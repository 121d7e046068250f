/* alarm.c - the real-time timer of a process: alarm, setitimer. When its time
 * has come the process is only marked and a task of it poked, which sends the
 * signal on its way to user mode.
 */
#include "guest/process/process.h"

static void ring(struct deadline *d)
{
    struct process *p = HOLDER(struct process, alarm, d);

    if (p->alarm_period)
        deadline_set(d, clock_due(p->alarm_period));
    p->alarm_rang = true;
    process_poke(p);
}

void alarm_serve(struct process *p)
{
    if (!p->alarm_rang)
        return;
    p->alarm_rang = false;
    signal_process(p, SIGALRM, 0);
}

/* In ns: until the first, and between those that follow. Out: what was left of
 * the old ones. `set`: the new ones hold. */
static void change(struct process *p, uint64_t ns[2], bool set)
{
    uint32_t msr = sched_lock();
    uint64_t now = time_now(), due = p->alarm.due, period = p->alarm_period;

    if (set) {
        p->alarm.pass = ring;
        p->alarm_period = ns[1];
        deadline_set(&p->alarm, ns[0] ? clock_due(ns[0]) : 0);
    }
    sched_unlock(msr);
    ns[0] = due > now ? clock_ns_of(due - now) : 0;
    ns[1] = period;
}

/* Seconds: how many were left, rounded up. */
int32_t call_alarm(struct task *t, const uint32_t *a)
{
    uint64_t ns[2] = {a[0] * SECOND, 0};
    uint32_t rest;

    change(t->process, ns, true);
    return (int32_t)clock_split(ns[0] + SECOND - 1, &rest);
}

/* In front: whether there is a new time; which, the new one, where the old one
 * goes: the period first, in seconds and microseconds. */
int32_t call_itimer(struct task *t, const uint32_t *a)
{
    uint32_t w[4] = {0}, old = a[0] ? a[3] : a[2];
    uint64_t ns[2];

    if (a[1]) /* there is no other than the real time's */
        return -EINVAL;
    if (a[0] && a[2] && !copy_in(t->process->space, w, a[2], sizeof w))
        return -EFAULT;
    if (w[1] >= 1000000 || w[3] >= 1000000 || (int32_t)(w[0] | w[2]) < 0)
        return -EINVAL;
    ns[0] = w[2] * SECOND + w[3] * 1000;
    ns[1] = w[0] * SECOND + w[1] * 1000;
    change(t->process, ns, a[0]);
    for (unsigned n = 0; n < 2; n++) {
        uint32_t rest;

        w[2 - 2 * n] = clock_split(ns[n], &rest);
        w[3 - 2 * n] = rest / 1000;
    }
    return old ? answer(t, old, w, sizeof w) : 0;
}
