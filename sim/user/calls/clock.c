/* clock.c - system calls about time. All of it is simulated: cycles since
 * power-on over the clock rate, the calendar beginning at a knob's second.
 */
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

/* A time as programs write it: two words, or (wide) two double words. */
static bool read_time(struct call *k, uint32_t at, bool wide, uint64_t *s,
                      uint64_t *n)
{
    uint8_t b[16];

    if (!space_read(&k->u->space, at, b, wide ? 16 : 8))
        return false;
    *s = wide ? be_get64(b) : (uint64_t)(int64_t)(int32_t)be_get32(b);
    /* of the second double word the upper half is padding */
    *n = wide ? be_get32(b + 12) : be_get32(b + 4);
    return true;
}

static void put_time(uint8_t *b, bool wide, uint64_t ns, uint64_t unit)
{
    if (wide) {
        be_put64(b, ns / NANO);
        be_put64(b + 8, ns % NANO / unit);
    } else {
        be_put32(b, (uint32_t)(ns / NANO));
        be_put32(b + 4, (uint32_t)(ns % NANO / unit));
    }
}

static int32_t write_time(struct call *k, uint32_t at, bool wide, uint64_t ns)
{
    uint8_t b[16];

    put_time(b, wide, ns, 1);
    return space_write(&k->u->space, at, b, wide ? 16 : 8) ? 0 : -EFAULT;
}

/* ---- clocks -------------------------------------------------------------- */

/* CPU time: cycles that threads of ours held a processor. What runs now has
 * not been added up yet. */
static cycle_t clock_used(const struct user *u, const struct thread *only,
                          cycle_t now)
{
    cycle_t sum = only ? only->used : u->used;

    for (unsigned i = 0; i < u->m->with.cpus; i++) {
        const struct thread *t = u->current[i];

        if (t && (!only || t == only) && now > t->since)
            sum += now - t->since;
    }
    return sum;
}

cycle_t clock_spent(struct user *u, const struct timer *t, cycle_t now)
{
    const struct thread *only = t->cpu_of ? thread_find(u, t->cpu_of) : NULL;

    return t->cpu_of && !only ? 0 : clock_used(u, only, now);
}

static uint64_t cpu_time(const struct user *u, const struct thread *only,
                         cycle_t now)
{
    return user_time(u, clock_used(u, only, now));
}

/* A clock of processor time: 2 and 3, or a negative one, which names a process
 * or (bit 2) a thread by its complement. *of: the thread, 0 is the process. */
static bool clock_of_cpu(struct call *k, uint32_t clock, int *of)
{
    int id = (int)~(clock >> 3 | 0xE0000000u);

    *of = clock == 3 ? k->t->tid : 0;
    if (clock == 2 || clock == 3)
        return true;
    if ((int32_t)clock >= 0 || (clock & 3) == 3)
        return false;
    if (!(clock & 4))
        return id == 0 || id == USER_PID;
    *of = id ? id : k->t->tid;
    return thread_find(k->u, *of) != NULL;
}

static bool clock_read(struct call *k, uint32_t clock, uint64_t *ns)
{
    int of;

    if (clock_of_cpu(k, clock, &of)) {
        *ns = cpu_time(k->u, of ? thread_find(k->u, of) : NULL, k->now);
        return true;
    }
    switch (clock) {
    case 0: /* REALTIME, _COARSE, TAI */
    case 5:
    case 11:
        *ns = user_date(k->u, k->now);
        return true;
    case 1: /* MONOTONIC, _RAW, _COARSE, BOOTTIME */
    case 4:
    case 6:
    case 7:
        *ns = user_time(k->u, k->now);
        return true;
    default:
        return false;
    }
}

static int32_t gettime(struct call *k, bool wide)
{
    uint64_t ns;

    if (!clock_read(k, k->a[0], &ns))
        return -EINVAL;
    return write_time(k, k->a[1], wide, ns);
}

int32_t call_clock_gettime(struct call *k)
{
    return gettime(k, false);
}

int32_t call_clock_gettime64(struct call *k)
{
    return gettime(k, true);
}

static int32_t getres(struct call *k, bool wide)
{
    uint64_t ns;

    if (!clock_read(k, k->a[0], &ns))
        return -EINVAL;
    ns = k->a[0] == 5 || k->a[0] == 6 ? 4000000 : 1;
    return k->a[1] ? write_time(k, k->a[1], wide, ns) : 0;
}

int32_t call_clock_getres(struct call *k)
{
    return getres(k, false);
}

int32_t call_clock_getres64(struct call *k)
{
    return getres(k, true);
}

int32_t call_gettimeofday(struct call *k)
{
    uint8_t b[8];

    if (k->a[0]) {
        put_time(b, false, user_date(k->u, k->now), 1000);
        if (!space_write(&k->u->space, k->a[0], b, 8))
            return -EFAULT;
    }
    memset(b, 0, 8);
    if (k->a[1] && !space_write(&k->u->space, k->a[1], b, 8))
        return -EFAULT;
    return 0;
}

int32_t call_time(struct call *k)
{
    uint32_t now = (uint32_t)(user_date(k->u, k->now) / NANO);

    if (k->a[0] && !space_write32(&k->u->space, k->a[0], now))
        return -EFAULT;
    return (int32_t)now;
}

int32_t call_times(struct call *k)
{
    uint8_t b[16];

    memset(b, 0, sizeof b);
    be_put32(b, (uint32_t)(cpu_time(k->u, NULL, k->now) / 10000000));
    if (k->a[0] && !space_write(&k->u->space, k->a[0], b, sizeof b))
        return -EFAULT;
    return (int32_t)(user_time(k->u, k->now) / 10000000 & INT32_MAX);
}

int32_t call_getrusage(struct call *k)
{
    int32_t who = (int32_t)k->a[0];
    uint8_t b[72];

    if (who < -1 || who > 1)
        return -EINVAL;
    memset(b, 0, sizeof b);
    if (who != -1)
        put_time(b, false, cpu_time(k->u, who == 1 ? k->t : NULL, k->now),
                 1000);
    return space_write(&k->u->space, k->a[1], b, sizeof b) ? 0 : -EFAULT;
}

/* ---- sleeping ------------------------------------------------------------ */

static int32_t sleep_until(struct call *k, cycle_t at, uint32_t remain,
                           bool wide)
{
    if (at <= k->now)
        return 0;
    if (signal_waits(k->u, k->t))
        return -EINTR;
    k->t->remain = remain;
    k->t->remain64 = wide;
    k->t->deadline = false;
    k->t->restartable = false;
    thread_block(k, WAIT_TIME, at);
    return CALL_BLOCKED;
}

int32_t call_nanosleep(struct call *k)
{
    uint64_t s, n;

    if (!read_time(k, k->a[0], false, &s, &n))
        return -EFAULT;
    if (n >= NANO || s > INT32_MAX)
        return -EINVAL;
    return sleep_until(k, user_limit(k, s * NANO + n), k->a[1], false);
}

static int32_t clock_sleep(struct call *k, bool wide)
{
    uint64_t s, n, now;
    int32_t status = 0;
    int64_t left;

    if (!clock_read(k, k->a[0], &now))
        return -EINVAL;
    if (k->a[0] == 3)
        return -EOPNOTSUPP;
    if (!read_time(k, k->a[2], wide, &s, &n))
        return -EFAULT;
    if (n >= NANO || s > INT64_MAX / NANO)
        return -EINVAL;
    if (!(k->a[1] & 1))
        return sleep_until(k, user_limit(k, s * NANO + n), k->a[3], wide);
    left = (int64_t)(s * NANO + n - now);
    if (left > 0)
        status = sleep_until(k, user_limit(k, (uint64_t)left), 0, wide);
    k->t->deadline = true;
    k->t->deadline_in = (uint32_t)(left / 64 - (left <= 0));
    if (left <= 0)
        tell_passed(k->u, k->t, k->now);
    return status;
}

int32_t call_clock_nanosleep(struct call *k)
{
    return clock_sleep(k, false);
}

int32_t call_clock_nanosleep64(struct call *k)
{
    return clock_sleep(k, true);
}

/* ---- timers -------------------------------------------------------------- */

static uint64_t left_of(const struct call *k, const struct timer *t)
{
    cycle_t spent;

    if (t->cpu && t->due != CYCLE_NEVER) {
        spent = clock_spent(k->u, t, k->now);
        return t->due > spent ? user_time(k->u, t->due - spent) : 1;
    }
    if (t->at == CYCLE_NEVER)
        return 0;
    return t->at > k->now ? user_time(k->u, t->at) - user_time(k->u, k->now)
                          : 1;
}

static void set_timer(struct call *k, struct timer *t, uint64_t value,
                      uint64_t interval)
{
    if (t->cpu)
        t->due = value ? user_after(k->u, clock_spent(k->u, t, k->now), value)
                       : CYCLE_NEVER;
    else
        t->at = value ? user_after(k->u, k->now, value) : CYCLE_NEVER;
    t->interval = interval ? user_after(k->u, 0, interval) : 0;
    t->overrun = 0;
}

/* ITIMER_REAL, ITIMER_VIRTUAL or ITIMER_PROF. The last two are the same here:
 * the system's own time is not told apart. */
static struct timer *interval_timer(struct call *k, uint32_t which)
{
    static const unsigned at[3] = {0, USER_VIRTUAL, USER_PROFILE};
    static const int signals[3] = {SIGALRM, SIGVTALRM, SIGPROF};
    struct timer *t = &k->u->timer[at[which]];

    t->used = true;
    t->signal = signals[which];
    t->id = -1;
    t->cpu = which != 0;
    return t;
}

int32_t call_alarm(struct call *k)
{
    struct timer *t = interval_timer(k, 0);
    uint64_t left = left_of(k, t);

    set_timer(k, t, k->a[0] * NANO, 0);
    return (int32_t)((left + NANO - 1) / NANO);
}

/* interval, then value; in units of `unit` ns */
static bool read_interval(struct call *k, uint32_t at, bool wide, uint64_t unit,
                          uint64_t ns[2], int *error)
{
    *error = EFAULT;
    for (unsigned n = 0; n < 2; n++) {
        uint64_t s, part;

        if (!read_time(k, at + n * (wide ? 16 : 8), wide, &s, &part))
            return false;
        if (part >= NANO / unit || s > INT64_MAX / NANO) {
            *error = EINVAL;
            return false;
        }
        ns[n] = s * NANO + part * unit;
    }
    return true;
}

static int32_t write_interval(struct call *k, uint32_t at, bool wide,
                              uint64_t unit, const struct timer *t,
                              uint64_t left)
{
    uint8_t b[32];
    uint32_t half = wide ? 16 : 8;

    put_time(b, wide, user_time(k->u, t->interval), unit);
    put_time(b + half, wide, left, unit);
    return space_write(&k->u->space, at, b, 2 * half) ? 0 : -EFAULT;
}

int32_t call_setitimer(struct call *k)
{
    uint64_t ns[2] = {0, 0}, left;
    struct timer *t, old;
    int error;

    if (k->a[0] > 2)
        return -EINVAL;
    t = interval_timer(k, k->a[0]);
    old = *t;
    left = left_of(k, t);
    if (k->a[1] && !read_interval(k, k->a[1], false, 1000, ns, &error))
        return -error;
    set_timer(k, t, ns[1], ns[0]);
    return k->a[2] ? write_interval(k, k->a[2], false, 1000, &old, left) : 0;
}

int32_t call_getitimer(struct call *k)
{
    struct timer *t;

    if (k->a[0] > 2)
        return -EINVAL;
    t = interval_timer(k, k->a[0]);
    return write_interval(k, k->a[1], false, 1000, t, left_of(k, t));
}

int32_t call_timer_create(struct call *k)
{
    struct timer *t = NULL;
    uint64_t now;
    uint8_t b[16];
    uint32_t id;
    int of;
    bool cpu = clock_of_cpu(k, k->a[0], &of);

    for (id = 1; id < USER_TIMERS; id++)
        if (!k->u->timer[id].used) {
            t = &k->u->timer[id];
            break;
        }
    if (!clock_read(k, k->a[0], &now))
        return -EINVAL;
    if (!t)
        return -EAGAIN;
    *t = (struct timer){.signal = SIGALRM,
                        .id = (int)id,
                        .at = CYCLE_NEVER,
                        .due = CYCLE_NEVER,
                        .cpu = cpu,
                        .cpu_of = of};
    t->value = id;
    t->calendar = k->a[0] == 0;
    if (k->a[1]) {
        if (!space_read(&k->u->space, k->a[1], b, 16))
            return -EFAULT;
        t->value = be_get32(b);
        t->signal = (int)be_get32(b + 4);
        switch (be_get32(b + 8)) { /* sigev_notify */
        case 1:
            t->signal = 0;
            break;
        case 4:
            t->tid = (int)be_get32(b + 12);
            if (!thread_find(k->u, t->tid))
                return -EINVAL;
            break;
        case 0:
        case 2:
            break;
        default:
            return -EINVAL;
        }
        if (be_get32(b + 8) != 1 && (t->signal < 1 || t->signal > ABI_SIGNALS))
            return -EINVAL;
    }
    if (!space_write32(&k->u->space, k->a[2], id))
        return -EFAULT;
    t->used = true;
    return 0;
}

static struct timer *timer_of(struct call *k)
{
    uint32_t id = k->a[0];

    return id > 0 && id < USER_TIMERS && k->u->timer[id].used ? &k->u->timer[id]
                                                              : NULL;
}

static int32_t settime(struct call *k, bool wide)
{
    struct timer *t = timer_of(k), old;
    uint64_t ns[2], now, left;
    int error;

    if (!t || !k->a[2])
        return -EINVAL;
    if (!read_interval(k, k->a[2], wide, 1, ns, &error))
        return -error;
    old = *t;
    left = left_of(k, t);
    if (k->a[1] & 1 && ns[1]) { /* absolute; what is past comes at once */
        now = t->calendar ? user_date(k->u, k->now)
              : t->cpu    ? user_time(k->u, clock_spent(k->u, t, k->now))
                          : user_time(k->u, k->now);
        ns[1] = ns[1] > now ? ns[1] - now : 1;
    }
    set_timer(k, t, ns[1], ns[0]);
    return k->a[3] ? write_interval(k, k->a[3], wide, 1, &old, left) : 0;
}

int32_t call_timer_settime(struct call *k)
{
    return settime(k, false);
}

int32_t call_timer_settime64(struct call *k)
{
    return settime(k, true);
}

int32_t call_timer_gettime(struct call *k)
{
    struct timer *t = timer_of(k);

    return t ? write_interval(k, k->a[1], false, 1, t, left_of(k, t)) : -EINVAL;
}

int32_t call_timer_gettime64(struct call *k)
{
    struct timer *t = timer_of(k);

    return t ? write_interval(k, k->a[1], true, 1, t, left_of(k, t)) : -EINVAL;
}

int32_t call_timer_getoverrun(struct call *k)
{
    struct timer *t = timer_of(k);

    return t ? (int32_t)t->overrun : -EINVAL;
}

int32_t call_timer_delete(struct call *k)
{
    struct timer *t = timer_of(k);

    if (!t)
        return -EINVAL;
    *t = (struct timer){.at = CYCLE_NEVER, .due = CYCLE_NEVER};
    return 0;
}
