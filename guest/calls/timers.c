/* timers.c - timers of processes: the one of the real time (alarm, setitimer)
 * and those that a program makes (timer_create). When the time of one has come
 * it is only marked, and a task of the process poked, which sends the signal on
 * its way to user mode. A periodic one goes on when the signal is taken: with
 * the first time to come, and it tells how many there were meanwhile. So
 * however short a period, there is one interrupt for each signal that a program
 * takes.
 */
#include <asm/siginfo.h>
#include <linux/time.h>

#include "guest/calls/calls.h"
#include "guest/kernel/hook.h"

#define MADE MADE_TIMERS
#define MOST_MISSED INT32_MAX
#define REST (SECOND / 100) /* ns: where no signal comes of it */

enum {
    TO_PROCESS = SIGEV_SIGNAL,
    TO_NONE = SIGEV_NONE,
    TO_TASK = SIGEV_THREAD_ID
};

struct timer_of {
    struct deadline deadline; /* sched_lock, and the next five */
    uint64_t due;             /* when it rings, or rang last */
    uint64_t period, step;    /* ns, and ticks; 0: once */
    bool rang;                /* the signal is not sent yet */
    bool waits;               /* it is sent, and not taken yet */
    struct process *process;  /* NULL: free */
    /* process_lock: */
    uint32_t clock, signal, value, missed;
    uint32_t to, task; /* the task's number, TO_TASK */
};

/* The first ones are the real-time timers, by the process's place. */
static struct timer_of timers[PROCESSES + MADE];

#define FOR_TIMERS(x)                                                          \
    for (struct timer_of *x = timers; x < timers + PROCESSES + MADE; x++)

static struct timer_of *alarm_of(struct process *p)
{
    return &timers[p - processes];
}

/* Go on with the first time that is `rest` ticks from now or later. Returns how
 * many there were until then, with the one that rang. sched_lock is held. */
static uint64_t rearm(struct timer_of *x, uint64_t rest)
{
    uint64_t over = time_now() + rest - x->due, n = 1;

    if (x->step <= UINT32_MAX)
        n += divide(over, (uint32_t)x->step);
    else
        while (n * x->step <= over)
            n++;
    x->due += n * x->step;
    deadline_set(&x->deadline, x->due);
    return n;
}

/* A task that takes its signal now; NULL: none does. *kept: one blocks it, and
 * so it has to wait. sched_lock is held. */
static struct task *taker(const struct timer_of *x, bool *kept)
{
    uint64_t bit = SIGNAL_BIT(x->signal);
    struct task *found = NULL;

    *kept = false;
    for (unsigned slot = 0; slot < MAX_THREADS; slot++) {
        const struct thread *thread = thread_at(slot);
        struct task *k = thread ? task_of(thread) : NULL;

        if (!k || k->process != x->process || thread->state == STATE_DEAD ||
            (x->to == TO_TASK && k->number != x->task))
            continue;
        *kept = *kept || k->blocked & bit;
        if (!found && !(k->blocked & ~k->awaited & bit))
            found = k;
    }
    return found;
}

static void ring(struct deadline *d)
{
    struct timer_of *x = HOLDER(struct timer_of, deadline, d);
    bool kept;
    struct task *k = taker(x, &kept);

    if (x->to != TO_NONE && (kept || !signal_ignored(x->process, x->signal))) {
        x->rang = true;
        if (k)
            task_poke_locked(k);
    } else if (x->period) {
        (void)rearm(x, clock_due(REST) - time_now());
    }
}

/* In ns: until the first, and between those that follow. Out: what was left of
 * the old ones. `set`: the new ones hold. */
static void change(struct timer_of *x, uint64_t ns[2], bool set)
{
    uint32_t msr = sched_lock();
    uint64_t now = time_now(), due = x->due, step = x->step, period = x->period;

    if (due <= now && step <= UINT32_MAX && step) /* it waits for its signal */
        due += (1 + divide(now - due, (uint32_t)step)) * step;
    if (set) {
        x->deadline.pass = ring;
        x->period = ns[1];
        x->step = ns[1] ? clock_due(ns[1]) - now : 0;
        x->rang = x->waits = false;
        x->due = ns[0] ? clock_due(ns[0]) : 0;
        deadline_set(&x->deadline, x->due);
    }
    sched_unlock(msr);
    ns[0] = due > now ? clock_ns_of(due - now) : 0;
    ns[1] = period;
}

/* ---- ringing ------------------------------------------------------------- */

/* process_lock is held. */
static void send(struct task *t, struct timer_of *x)
{
    struct signal_info info = {.code = (uint32_t)SI_TIMER,
                               .from = (uint32_t)(x - timers - PROCESSES),
                               .value = x->value};
    struct task *to = x->to == TO_TASK ? task_numbered(t, x->task) : NULL;
    struct pending *q = to ? &to->pending : &t->process->pending;
    uint32_t msr;

    if (x == alarm_of(t->process))
        signal_process(t->process, SIGALRM, 0);
    else if (to)
        signal_task_info(to, x->signal, &info);
    else if (x->to == TO_PROCESS)
        signal_process_info(t->process, x->signal, &info);
    msr = sched_lock();
    x->waits = q->set & SIGNAL_BIT(x->signal);
    if (!x->waits && x->period)
        (void)rearm(x, clock_due(REST) - time_now());
    sched_unlock(msr);
}

void timers_look(struct task *t)
{
    FOR_TIMERS(x)
    {
        uint32_t msr;

        if (x->process != t->process || !x->rang)
            continue;
        msr = sched_lock();
        x->rang = false;
        sched_unlock(msr);
        send(t, x);
    }
}
HOOK(poked, 100, timers_look);

/* The signal of one was taken: it goes on. */
static void taken(struct task *t, struct pending *q, uint32_t signal)
{
    bool made_one = t->info.code == (uint32_t)SI_TIMER && t->info.from < MADE;
    struct timer_of *x =
        made_one ? &timers[PROCESSES + t->info.from] : alarm_of(t->process);
    uint64_t missed = 0;
    uint32_t msr;

    (void)q;
    if (x->process != t->process || !x->waits || x->signal != signal)
        return;
    msr = sched_lock();
    x->waits = false;
    if (x->period)
        missed = rearm(x, 0) - 1;
    sched_unlock(msr);
    x->missed = missed < MOST_MISSED ? (uint32_t)missed : MOST_MISSED;
    if (made_one)
        t->info.more = x->missed;
}
HOOK(taken, 100, taken);

static void give_back(struct timer_of *x)
{
    uint32_t msr = sched_lock();

    deadline_set(&x->deadline, 0);
    x->process = NULL;
    x->rang = x->waits = false;
    sched_unlock(msr);
}

static void over(struct process *p)
{
    FOR_TIMERS(x)
    {
        if (x->process == p)
            give_back(x);
    }
}
HOOK(ended, 100, over);

/* Those that the program before has made are gone. */
static void renew(const struct process *p, const struct node *unused)
{
    (void)unused;
    for (struct timer_of *x = timers + PROCESSES; x < timers + PROCESSES + MADE;
         x++) {
        if (x->process == p)
            give_back(x);
    }
}
HOOK(program, 130, renew);

/* ---- the real-time timer ------------------------------------------------- */

static void change_alarm(struct task *t, uint64_t ns[2], bool set)
{
    struct timer_of *x = alarm_of(t->process);

    x->process = t->process;
    x->signal = SIGALRM;
    change(x, ns, set);
}

/* Seconds: how many were left, rounded up. */
int32_t call_alarm(struct task *t, const uint32_t *a)
{
    uint64_t ns[2] = {a[0] * SECOND, 0};
    uint32_t rest;

    change_alarm(t, ns, true);
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
    change_alarm(t, ns, a[0]);
    for (unsigned n = 0; n < 2; n++) {
        uint32_t rest;

        w[2 - 2 * n] = clock_split(ns[n], &rest);
        w[3 - 2 * n] = rest / 1000;
    }
    return old ? answer(t, old, w, sizeof w) : 0;
}

/* ---- those that a program makes ------------------------------------------ */

/* NULL: the process has none of that number. process_lock is held. */
static struct timer_of *made(const struct task *t, uint32_t number)
{
    struct timer_of *x = &timers[PROCESSES + (number < MADE ? number : 0)];

    return number < MADE && x->process == t->process ? x : NULL;
}

/* The clock, how it tells (value, signal, to whom, which task), where its
 * number goes. */
int32_t call_timer_create(struct task *t, const uint32_t *a)
{
    uint32_t how[4] = {0, SIGALRM, TO_PROCESS, 0}, number = 0;

    if (a[1] && !copy_in(t->process->space, how, a[1], sizeof how))
        return -EFAULT;
    if (!clock_known(a[0]) || how[1] > SIGNALS ||
        (how[2] != TO_NONE && !how[1]) ||
        (how[2] != TO_PROCESS && how[2] != TO_NONE && how[2] != TO_TASK))
        return -EINVAL;
    mutex_lock(&process_lock);
    while (number < MADE && timers[PROCESSES + number].process)
        number++;
    if (number < MADE)
        timers[PROCESSES + number] =
            (struct timer_of){.process = t->process,
                              .clock = a[0],
                              .value = a[1] ? how[0] : number,
                              .signal = how[1],
                              .to = how[2],
                              .task = how[3]};
    mutex_unlock(&process_lock);
    return number == MADE ? -EAGAIN : answer(t, a[2], &number, sizeof number);
}

int32_t call_timer_delete(struct task *t, const uint32_t *a)
{
    struct timer_of *x;

    mutex_lock(&process_lock);
    x = made(t, a[0]);
    if (x)
        give_back(x);
    mutex_unlock(&process_lock);
    return x ? 0 : -EINVAL;
}

int32_t call_timer_getoverrun(struct task *t, const uint32_t *a)
{
    const struct timer_of *x = made(t, a[0]);

    return x ? (int32_t)x->missed : -EINVAL;
}

/* A pair of times in user memory is the period and the time. */
static int32_t put_times(struct task *t, uint32_t at, const uint64_t ns[2],
                         uint32_t wide)
{
    int32_t error = time_put(t, at, ns[1], wide);

    return error ? error : time_put(t, at + (wide ? 16 : 8), ns[0], wide);
}

/* In front: how wide a time is; which, flags, the new times, where the old ones
 * go. */
int32_t call_timer_settime(struct task *t, const uint32_t *a)
{
    uint64_t ns[2], now;
    int32_t error = time_get(t, a[3], a[0], &ns[1]);
    struct timer_of *x;

    if (!error)
        error = time_get(t, a[3] + (a[0] ? 16 : 8), a[0], &ns[0]);
    if (error)
        return error;
    mutex_lock(&process_lock);
    x = made(t, a[1]);
    if (x && a[2] & TIMER_ABSTIME && ns[0]) {
        now = clock_now(x->clock);
        ns[0] = ns[0] > now ? ns[0] - now : 1;
    }
    if (x)
        change(x, ns, true);
    mutex_unlock(&process_lock);
    if (!x)
        return -EINVAL;
    return a[4] ? put_times(t, a[4], ns, a[0]) : 0;
}

int32_t call_timer_gettime(struct task *t, const uint32_t *a)
{
    uint64_t ns[2];
    struct timer_of *x;

    mutex_lock(&process_lock);
    x = made(t, a[1]);
    if (x)
        change(x, ns, false);
    mutex_unlock(&process_lock);
    return x ? put_times(t, a[2], ns, a[0]) : -EINVAL;
}
