/* call_time.c - clocks and sleep. Monotonic time begins at 0 with the run, the
 * calendar at a fixed second: simrun's knob user_epoch as it is by default.
 */
#include <linux/time.h>

#include "guest/process/process.h"

bool clock_known(uint32_t clock)
{
    return clock <= CLOCK_MONOTONIC ||
           (clock >= CLOCK_MONOTONIC_RAW && clock <= CLOCK_BOOTTIME);
}

uint64_t clock_now(uint32_t clock)
{
    bool calendar = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;

    return clock_ns() + (calendar ? EPOCH * SECOND : 0);
}

int32_t time_put(struct task *t, uint32_t at, uint64_t ns, uint32_t wide)
{
    uint32_t rest, s = clock_split(ns, &rest);
    uint32_t w[4] = {0, s, 0, rest}, narrow[2] = {s, rest};

    return wide ? answer(t, at, w, sizeof w)
                : answer(t, at, narrow, sizeof narrow);
}

int32_t time_get(struct task *t, uint32_t at, uint32_t wide, uint64_t *ns)
{
    uint32_t w[4] = {0};

    if (!copy_in(t->process->space, wide ? w : w + 1, at, wide ? 16 : 8))
        return -EFAULT;
    if (!wide) {
        w[3] = w[2];
        w[0] = (uint32_t)((int32_t)w[1] >> 31);
    }
    if (w[3] >= SECOND || (int32_t)w[0] < 0)
        return -EINVAL;
    *ns = w[1] * SECOND + w[3];
    return 0;
}

/* In front: how wide; the clock, where. */
int32_t call_clock_gettime(struct task *t, const uint32_t *a)
{
    if (!clock_known(a[1]))
        return CALL_ABSENT;
    return time_put(t, a[2], clock_now(a[1]), a[0]);
}

/* In front: how wide; the clock, flags, for how long, where the rest goes if a
 * signal ends it. */
int32_t call_clock_nanosleep(struct task *t, const uint32_t *a)
{
    uint64_t ns, now;
    int32_t error = clock_known(a[1]) ? time_get(t, a[3], a[0], &ns) : -EINVAL;

    if (error)
        return error;
    now = clock_now(a[1]);
    if (a[2] & TIMER_ABSTIME)
        will_wait(STATE_TIMER, OBJECT_DEADLINE,
                  (uint32_t)((int64_t)(ns - now) >> 6), 0);
    else
        ns += now;
    if (task_sleep(clock_due(ns > now ? ns - now : 0)) != WAKE_SIGNAL)
        return 0;
    now = clock_now(a[1]);
    if (!(a[2] & TIMER_ABSTIME) && a[4] &&
        time_put(t, a[4], ns > now ? ns - now : 0, a[0]))
        return -EFAULT;
    return -EINTR;
}

int32_t call_nanosleep(struct task *t, const uint32_t *a)
{
    uint32_t same[5] = {NARROW, CLOCK_MONOTONIC, 0, a[0], a[1]};

    return call_clock_nanosleep(t, same);
}
