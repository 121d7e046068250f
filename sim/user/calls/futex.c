/* futex.c - waiting on a word of memory, and waking who waits. Words are known
 * by their physical address.
 */
#include "lib/base/big_endian.h"
#include "sim/user/process.h"

#include <errno.h>

static bool futex_pa(struct call *k, uint32_t at, pa_t *pa, int32_t *error)
{
    struct space *s = &k->u->space;
    uint32_t left;
    uint8_t *b;

    *error = -EINVAL;
    if (at & 3)
        return false;
    *error = -EFAULT;
    b = space_bytes(s, at, SPACE_READ, &left);
    if (!b)
        return false;
    *pa = (pa_t)(b - s->ram->bytes);
    return true;
}

/* The limit of a wait: an interval, or (absolute) a time of a clock. */
static int32_t futex_limit(struct call *k, bool wide, bool absolute,
                           bool calendar, cycle_t *until)
{
    uint64_t s, n, now;
    uint8_t b[16];

    *until = CYCLE_NEVER;
    if (!k->a[3])
        return 0;
    if (!space_read(&k->u->space, k->a[3], b, wide ? 16 : 8))
        return -EFAULT;
    s = wide ? be_get64(b) : (uint64_t)(int32_t)be_get32(b);
    n = wide ? be_get32(b + 12) : be_get32(b + 4);
    if (n >= NANO || s > INT64_MAX / NANO)
        return -EINVAL;
    n += s * NANO;
    if (absolute) {
        now = calendar ? user_date(k->u, k->now) : user_time(k->u, k->now);
        n = n > now ? n - now : 0;
    }
    *until = user_limit(k, n);
    return 0;
}

static int32_t futex_wait(struct call *k, bool wide, uint32_t bits,
                          bool absolute)
{
    struct thread *t = k->t;
    cycle_t until;
    uint32_t value;
    int32_t error;
    pa_t pa;

    if (!bits)
        return -EINVAL;
    error = futex_limit(k, wide, absolute, k->a[1] & 0x100, &until);
    if (error || !futex_pa(k, k->a[0], &pa, &error))
        return error;
    space_read32(&k->u->space, k->a[0], &value);
    if (value != k->a[2])
        return -EAGAIN;
    if (until <= k->now)
        return -ETIMEDOUT;
    if (signal_waits(k->u, t))
        return -EINTR;
    t->futex_pa = pa;
    t->futex_bits = bits;
    t->futex_value = value;
    t->futex_plain = !absolute;
    t->queued = ++k->u->queue_tick;
    t->restartable = !k->a[3];
    thread_block(k, WAIT_FUTEX, until);
    return CALL_BLOCKED;
}

static int32_t futex_wake(struct call *k, uint32_t bits)
{
    int32_t error;
    pa_t pa;

    if (!bits)
        return -EINVAL;
    if (!futex_pa(k, k->a[0], &pa, &error))
        return error;
    return thread_futex_wake(k->u, pa, (int)k->a[2] > 0 ? (int)k->a[2] : 1,
                             bits, k->now);
}

/* Wake some, let others wait on a second word. */
static int32_t futex_requeue(struct call *k, bool compare)
{
    int32_t error, woken, moved = 0;
    pa_t from, to;
    uint32_t value;

    if (!futex_pa(k, k->a[0], &from, &error) ||
        !futex_pa(k, k->a[4], &to, &error))
        return error;
    if ((int32_t)k->a[2] < 0 || (int32_t)k->a[3] < 0)
        return -EINVAL;
    space_read32(&k->u->space, k->a[0], &value);
    if (compare && value != k->a[5])
        return -EAGAIN;
    woken = thread_futex_wake(k->u, from, (int)k->a[2], 0xFFFFFFFFu, k->now);
    for (unsigned i = 0; i < k->u->threads && moved < (int32_t)k->a[3]; i++) {
        struct thread *t = &k->u->thread[i];

        if (t->state == THREAD_BLOCKED && t->waiting == WAIT_FUTEX &&
            t->futex_pa == from) {
            t->futex_pa = to;
            moved++;
        }
    }
    return compare ? woken + moved : woken;
}

static bool compares(uint32_t how, int32_t a, int32_t b)
{
    switch (how) {
    case 0:
        return a == b;
    case 1:
        return a != b;
    case 2:
        return a < b;
    case 3:
        return a <= b;
    case 4:
        return a > b;
    default:
        return a >= b;
    }
}

/* Change a second word, wake on the first, and on the second if what was
 * there compares. The operation stands in r8: op, cmp, oparg, cmparg. */
static int32_t futex_wake_op(struct call *k)
{
    uint32_t op = k->a[5], old, value, arg = op >> 12 & 0xFFF;
    int32_t error, woken;
    pa_t first, second;

    if (!futex_pa(k, k->a[0], &first, &error) ||
        !futex_pa(k, k->a[4], &second, &error))
        return error;
    if (op >> 31)
        arg = 1u << (arg & 31);
    else
        arg = (uint32_t)((int32_t)(arg << 20) >> 20);
    space_read32(&k->u->space, k->a[4], &old);
    switch (op >> 28 & 7) {
    case 0:
        value = arg;
        break;
    case 1:
        value = old + arg;
        break;
    case 2:
        value = old | arg;
        break;
    case 3:
        value = old & ~arg;
        break;
    case 4:
        value = old ^ arg;
        break;
    default:
        return -ENOSYS;
    }
    if ((op >> 24 & 15) > 5)
        return -ENOSYS;
    if (!space_write32(&k->u->space, k->a[4], value))
        return -EFAULT;
    woken = thread_futex_wake(k->u, first, (int)k->a[2], 0xFFFFFFFFu, k->now);
    if (compares(op >> 24 & 15, (int32_t)old, (int32_t)(op << 20) >> 20))
        woken +=
            thread_futex_wake(k->u, second, (int)k->a[3], 0xFFFFFFFFu, k->now);
    return woken;
}

/* ---- locks that lend a priority ------------------------------------------ */

/* Would waiting for a lock of `owner` wait for the thread of the call? */
static bool goes_round(const struct call *k, const struct thread *owner)
{
    while (owner && owner != k->t) {
        if (owner->state != THREAD_BLOCKED || owner->waiting != WAIT_LOCK)
            return false;
        owner = thread_find(k->u, owner->owner);
    }
    return owner;
}

/* The word is 0 or its owner's number, with bits: taken here if it has none. */
static int32_t lock_take(struct call *k, uint32_t word)
{
    uint32_t mine = (word & ~ABI_FUTEX_TID) | (uint32_t)k->t->tid;

    return space_write32(&k->u->space, k->a[0], mine) ? 0 : -EFAULT;
}

static int32_t lock_look(struct call *k, pa_t *pa, uint32_t *word)
{
    int32_t error;

    if (!futex_pa(k, k->a[0], pa, &error))
        return error;
    space_read32(&k->u->space, k->a[0], word);
    if ((*word & ABI_FUTEX_TID) == (uint32_t)k->t->tid)
        return -EDEADLK;
    return 0;
}

/* Take the lock, or wait for it to be passed on: the owner runs before those
 * that the thread would run before. */
static int32_t lock_pi(struct call *k, bool wide, bool calendar)
{
    const struct thread *owner;
    cycle_t until;
    uint32_t word;
    int32_t r = futex_limit(k, wide, true, calendar, &until);
    pa_t pa;

    if (!r)
        r = lock_look(k, &pa, &word);
    if (r)
        return r;
    if (!(word & ABI_FUTEX_TID))
        return lock_take(k, word);
    owner = thread_find(k->u, (int)(word & ABI_FUTEX_TID));
    if (!owner)
        return -ESRCH;
    if (goes_round(k, owner))
        return -EDEADLK;
    if (!space_write32(&k->u->space, k->a[0], word | ABI_FUTEX_WAITERS))
        return -EFAULT;
    if (until <= k->now)
        return -ETIMEDOUT;
    if (signal_waits(k->u, k->t))
        return CALL_RETRY;
    k->t->futex_pa = pa;
    k->t->owner = owner->tid;
    k->t->queued = ++k->u->queue_tick;
    thread_block(k, WAIT_LOCK, until);
    return CALL_BLOCKED;
}

static int32_t trylock_pi(struct call *k)
{
    uint32_t word;
    pa_t pa;
    int32_t r = lock_look(k, &pa, &word);

    if (r)
        return r;
    if (!(word & ABI_FUTEX_TID))
        return lock_take(k, word);
    return thread_find(k->u, (int)(word & ABI_FUTEX_TID)) ? -EAGAIN : -ESRCH;
}

static int32_t unlock_pi(struct call *k)
{
    uint32_t word;
    int32_t error;
    pa_t pa;

    if (!futex_pa(k, k->a[0], &pa, &error))
        return error;
    space_read32(&k->u->space, k->a[0], &word);
    if ((word & ABI_FUTEX_TID) != (uint32_t)k->t->tid)
        return -EPERM;
    if (!thread_lock_pass(k->u, pa, k->a[0], 0, k->now) &&
        !space_write32(&k->u->space, k->a[0], 0))
        return -EFAULT;
    return 0;
}

static int32_t futex(struct call *k, bool wide)
{
    switch (k->a[1] & 0x7F) {
    case 0:
        return futex_wait(k, wide, 0xFFFFFFFFu, false);
    case 1:
        return futex_wake(k, 0xFFFFFFFFu);
    case 3:
        return futex_requeue(k, false);
    case 4:
        return futex_requeue(k, true);
    case 5:
        return futex_wake_op(k);
    case 6:
        return lock_pi(k, wide, true);
    case 7:
        return unlock_pi(k);
    case 8:
        return trylock_pi(k);
    case 9:
        return futex_wait(k, wide, k->a[5], true);
    case 10:
        return futex_wake(k, k->a[5]);
    case 13:
        return lock_pi(k, wide, k->a[1] & 0x100);
    default: /* no conditions whose mutex lends a priority */
        return -ENOSYS;
    }
}

int32_t call_futex(struct call *k)
{
    return futex(k, false);
}

int32_t call_futex64(struct call *k)
{
    return futex(k, true);
}
