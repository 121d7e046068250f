/* call_time.c - clocks and sleep. Monotonic time begins at 0 with the run, the
 * calendar at a fixed second: simrun's knob user_epoch as it is by default.
 */
#include "guest/process/errno.h"
#include "guest/process/process.h"

#define EPOCH 1000000000ULL
#define SECOND 1000000000ULL
#define ABSOLUTE 1u

enum {
    CLOCK_REALTIME,
    CLOCK_MONOTONIC,
    CLOCK_RAW = 4,
    CLOCK_REALTIME_COARSE,
    CLOCK_MONOTONIC_COARSE,
    CLOCK_BOOTTIME
};

static bool clock_known(uint32_t clock)
{
    return clock <= CLOCK_MONOTONIC ||
           (clock >= CLOCK_RAW && clock <= CLOCK_BOOTTIME);
}

static uint64_t clock_now(uint32_t clock)
{
    bool calendar = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;

    return clock_ns() + (calendar ? EPOCH * SECOND : 0);
}

/* Seconds and nanoseconds, of 32 bits or of 64. */
static bool put_time(struct task *t, uint32_t at, uint64_t ns, bool wide)
{
    uint64_t s = divide(ns, (uint32_t)SECOND);
    uint32_t w[4] = {(uint32_t)(s >> 32), (uint32_t)s, 0,
                     (uint32_t)(ns - s * SECOND)};
    uint32_t narrow[2] = {w[1], w[3]};

    return wide ? copy_out(t->process->space, at, w, sizeof w)
                : copy_out(t->process->space, at, narrow, sizeof narrow);
}

/* 0, -EFAULT, -EINVAL */
static int32_t get_time(struct task *t, uint32_t at, bool wide, uint64_t *ns)
{
    uint32_t w[4], s, rest;

    if (!copy_in(t->process->space, w, at, wide ? 16 : 8))
        return -EFAULT;
    s = wide ? w[1] : w[0];
    rest = wide ? w[3] : w[1];
    if (rest >= SECOND || (wide ? (int32_t)w[0] < 0 : (int32_t)s < 0))
        return -EINVAL;
    *ns = s * SECOND + rest;
    return 0;
}

static int32_t get(struct task *t, const uint32_t *a, bool wide)
{
    if (!clock_known(a[0]))
        return -EINVAL;
    return put_time(t, a[1], clock_now(a[0]), wide) ? 0 : -EFAULT;
}

int32_t call_clock_gettime(struct task *t, const uint32_t *a)
{
    return get(t, a, false);
}

int32_t call_clock_gettime64(struct task *t, const uint32_t *a)
{
    return get(t, a, true);
}

static int32_t resolution(struct task *t, const uint32_t *a, bool wide)
{
    if (!clock_known(a[0]))
        return -EINVAL;
    return !a[1] || put_time(t, a[1], 1, wide) ? 0 : -EFAULT;
}

int32_t call_clock_getres(struct task *t, const uint32_t *a)
{
    return resolution(t, a, false);
}

int32_t call_clock_getres64(struct task *t, const uint32_t *a)
{
    return resolution(t, a, true);
}

int32_t call_gettimeofday(struct task *t, const uint32_t *a)
{
    uint64_t ns = clock_now(CLOCK_REALTIME);
    uint64_t s = divide(ns, (uint32_t)SECOND);
    uint32_t w[2] = {(uint32_t)s, (uint32_t)(ns - s * SECOND) / 1000};

    if (a[0] && !copy_out(t->process->space, a[0], w, sizeof w))
        return -EFAULT;
    return a[1] && !fill_out(t->process->space, a[1], 8) ? -EFAULT : 0;
}

int32_t call_time(struct task *t, const uint32_t *a)
{
    uint32_t s = (uint32_t)divide(clock_now(CLOCK_REALTIME), (uint32_t)SECOND);

    return a[0] && !copy_out(t->process->space, a[0], &s, 4) ? -EFAULT
                                                             : (int32_t)s;
}

/* Until `ns` by the clock; what is left goes to `rest` if a signal comes. */
static int32_t sleep(struct task *t, uint32_t clock, uint64_t ns, uint32_t rest,
                     bool wide)
{
    uint64_t now = clock_now(clock);

    if (task_sleep(clock_due(ns > now ? ns - now : 0)) != WAKE_SIGNAL)
        return 0;
    now = clock_now(clock);
    if (rest && !put_time(t, rest, ns > now ? ns - now : 0, wide))
        return -EFAULT;
    return -EINTR;
}

static int32_t sleep_by(struct task *t, const uint32_t *a, bool wide)
{
    uint64_t ns;
    int32_t error;

    if (!clock_known(a[0]))
        return -EINVAL;
    error = get_time(t, a[2], wide, &ns);
    if (error)
        return error;
    if (a[1] & ABSOLUTE)
        return sleep(t, a[0], ns, 0, wide);
    return sleep(t, a[0], clock_now(a[0]) + ns, a[3], wide);
}

int32_t call_clock_nanosleep(struct task *t, const uint32_t *a)
{
    return sleep_by(t, a, false);
}

int32_t call_clock_nanosleep64(struct task *t, const uint32_t *a)
{
    return sleep_by(t, a, true);
}

int32_t call_nanosleep(struct task *t, const uint32_t *a)
{
    uint64_t ns;
    int32_t error = get_time(t, a[0], false, &ns);

    if (error)
        return error;
    return sleep(t, CLOCK_MONOTONIC, clock_now(CLOCK_MONOTONIC) + ns, a[1],
                 false);
}
