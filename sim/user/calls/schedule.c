/* schedule.c - system calls about who runs where and before whom: affinity,
 * policies and priorities, niceness.
 */
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>

void schedule_inherit(struct thread *t, const struct thread *from)
{
    t->affinity = from->affinity;
    if (from->reset_on_fork) {
        t->nice = from->nice > 0 ? from->nice : 0;
        return;
    }
    t->policy = from->policy;
    t->priority = from->priority;
    t->nice = from->nice;
}

int32_t call_sched_yield(struct call *k)
{
    k->u->yielding = k->t;
    return 0;
}

static struct thread *named(struct call *k)
{
    return k->a[0] ? thread_find(k->u, (int)k->a[0]) : k->t;
}

int32_t call_sched_setaffinity(struct call *k)
{
    struct thread *t = named(k);
    uint64_t mask, have = (UINT64_C(1) << k->u->m->with.cpus) - 1;
    uint8_t b[8] = {0};

    if (!t)
        return -ESRCH;
    if (!space_read(&k->u->space, k->a[2], b, k->a[1] < 8 ? k->a[1] : 8))
        return -EFAULT;
    mask = call_pair(be_get32(b + 4), be_get32(b)) & have;
    if (!mask)
        return -EINVAL;
    t->affinity = mask;
    if (t->state == THREAD_RUNNING && t != k->t)
        thread_kick(k->u, t, k->now);
    return 0;
}

int32_t call_sched_getaffinity(struct call *k)
{
    struct thread *t = named(k);
    uint64_t mask;
    uint8_t b[8];

    if (k->a[1] < 4 || k->a[1] % 4)
        return -EINVAL;
    if (!t)
        return -ESRCH;
    mask = t->affinity & ((UINT64_C(1) << k->u->m->with.cpus) - 1);
    be_put32(b, (uint32_t)mask);
    be_put32(b + 4, 0);
    if (!space_write(&k->u->space, k->a[2], b, k->a[1] < 8 ? 4 : 8))
        return -EFAULT;
    return k->a[1] < 8 ? 4 : 8;
}

/* ---- policies ------------------------------------------------------------ */

static bool is_real_time(uint32_t policy)
{
    return policy == ABI_SCHED_FIFO || policy == ABI_SCHED_RR;
}

/* `real` for those that have priorities, 0 for the others, or -EINVAL. */
static int32_t priority(uint32_t policy, int32_t real)
{
    if (is_real_time(policy))
        return real;
    return policy == ABI_SCHED_OTHER || policy == ABI_SCHED_BATCH ||
                   policy == ABI_SCHED_IDLE
               ? 0
               : -EINVAL;
}

int32_t call_sched_priority_max(struct call *k)
{
    return priority(k->a[0], 99);
}

int32_t call_sched_priority_min(struct call *k)
{
    return priority(k->a[0], 1);
}

int32_t call_sched_getparam(struct call *k)
{
    struct thread *t = named(k);

    if ((int32_t)k->a[0] < 0 || !k->a[1])
        return -EINVAL;
    if (!t)
        return -ESRCH;
    return space_write32(&k->u->space, k->a[1], t->priority) ? 0 : -EFAULT;
}

int32_t call_sched_getscheduler(struct call *k)
{
    struct thread *t = named(k);

    if ((int32_t)k->a[0] < 0)
        return -EINVAL;
    if (!t)
        return -ESRCH;
    return (int32_t)(t->policy | (t->reset_on_fork ? ABI_SCHED_RESET : 0));
}

/* The policy and the priority that stands at ea, for the thread of r3. A ready
 * or running thread makes room, or is made room for, when the call is over. */
static int32_t set_policy(struct call *k, uint32_t policy, uint32_t ea)
{
    struct thread *t = named(k);
    uint32_t level;

    if ((int32_t)k->a[0] < 0 || !ea)
        return -EINVAL;
    if (!space_read32(&k->u->space, ea, &level))
        return -EFAULT;
    if (!t)
        return -ESRCH;
    if (priority(policy, 0) < 0 || level > (uint32_t)priority(policy, 99) ||
        (is_real_time(policy) && level == 0))
        return -EINVAL;
    t->policy = policy;
    t->priority = level;
    k->u->ranked |= policy != ABI_SCHED_OTHER && policy != ABI_SCHED_BATCH;
    return 0;
}

int32_t call_sched_setscheduler(struct call *k)
{
    uint32_t policy = k->a[1] & ~ABI_SCHED_RESET;
    struct thread *t = named(k);
    int32_t r = set_policy(k, policy, k->a[2]);

    if (r == 0)
        t->reset_on_fork = k->a[1] & ABI_SCHED_RESET;
    return r;
}

int32_t call_sched_setparam(struct call *k)
{
    const struct thread *t = named(k);

    return set_policy(k, t ? t->policy : ABI_SCHED_OTHER, k->a[1]);
}

/* A slice, or 0 if there are none. */
static int32_t interval(struct call *k, bool wide)
{
    const struct thread *t = named(k);
    uint64_t ns = 0;
    uint8_t b[16] = {0};

    if ((int32_t)k->a[0] < 0)
        return -EINVAL;
    if (!t)
        return -ESRCH;
    if (t->policy != ABI_SCHED_FIFO)
        ns = user_time(k->u, thread_slice_length(k->u, t));
    be_put32(b + (wide ? 4 : 0), (uint32_t)(ns / NANO));
    be_put32(b + (wide ? 12 : 4), (uint32_t)(ns % NANO));
    return space_write(&k->u->space, k->a[1], b, wide ? 16 : 8) ? 0 : -EFAULT;
}

int32_t call_sched_rr_get_interval(struct call *k)
{
    return interval(k, false);
}

int32_t call_sched_rr_get_interval64(struct call *k)
{
    return interval(k, true);
}

/* ---- niceness ------------------------------------------------------------ */

#define NICE_LEAST (-20)
#define NICE_MOST 19

static int nice_within(int64_t n)
{
    return n < NICE_LEAST ? NICE_LEAST : n > NICE_MOST ? NICE_MOST : (int)n;
}

/* r3 is 0: r4 is a thread; 1, 2: a group or a user, which is all of them if it
 * is ours (process and group 1000, user 0). Is t one of those meant? */
static bool meant(const struct call *k, const struct thread *t)
{
    if (t->state == THREAD_FREE)
        return false;
    if (k->a[0] == 0)
        return k->a[1] ? t->tid == (int)k->a[1] : t == k->t;
    return k->a[1] == 0 || (k->a[0] == 1 && k->a[1] == USER_PID);
}

int32_t call_getpriority(struct call *k)
{
    int least = NICE_MOST + 1;

    if (k->a[0] > 2)
        return -EINVAL;
    for (unsigned i = 0; i < k->u->threads; i++)
        if (meant(k, &k->u->thread[i]) && k->u->thread[i].nice < least)
            least = k->u->thread[i].nice;
    return least > NICE_MOST ? -ESRCH : 20 - least;
}

int32_t call_setpriority(struct call *k)
{
    bool any = false;

    if (k->a[0] > 2)
        return -EINVAL;
    for (unsigned i = 0; i < k->u->threads; i++)
        if (meant(k, &k->u->thread[i])) {
            k->u->thread[i].nice = nice_within((int32_t)k->a[2]);
            any = true;
        }
    return any ? 0 : -ESRCH;
}

int32_t call_nice(struct call *k)
{
    k->t->nice = nice_within((int64_t)k->t->nice + (int32_t)k->a[0]);
    return 0;
}

/* ---- places -------------------------------------------------------------- */

int32_t call_getcpu(struct call *k)
{
    struct space *s = &k->u->space;

    if ((k->a[0] && !space_write32(s, k->a[0], k->core->number)) ||
        (k->a[1] && !space_write32(s, k->a[1], 0)))
        return -EFAULT;
    return 0;
}
