/* lend.c - locks whose owner runs before all that those who wait for it run
 * before (FUTEX_LOCK_PI). The word of a lock is its owner's number with two
 * bits. sched_lock guards the list of those who wait; words are changed under
 * it, too, while the space's lock holds their pages.
 */
#include <linux/futex.h>

#include "guest/calls/calls.h"
#include "guest/kernel/hook.h"

#define WAITS (-603) /* results beside 0 and -errno: it is in the list; */
#define AGAIN (-604) /* the word has changed meanwhile */

struct lender {
    struct lender *next;
    struct futex_key key;
    struct task *t, *owner;
    struct event event;
    bool given, died; /* the lock is t's; its owner did not give it back */
};

static struct lender *first; /* sched_lock; longest waiting first */

#define FOR_LENDERS(l) for (struct lender *l = first; l; l = l->next)

uint8_t lent_level(const struct task *k)
{
    uint8_t level = 0;

    FOR_LENDERS(l)
    {
        if (l->owner == k && l->t->thread->prio > level)
            level = l->t->thread->prio;
    }
    return level;
}

struct task *lent_to(const struct task *k)
{
    FOR_LENDERS(l)
    {
        if (l->t == k)
            return l->owner;
    }
    return NULL;
}

static void cut(const struct lender *l)
{
    struct lender **at = &first;

    while (*at != l)
        at = &(*at)->next;
    *at = l->next;
}

/* The next owner of a lock: the one of the highest level that waits. */
static struct lender *best(struct futex_key key)
{
    struct lender *next = NULL;

    FOR_LENDERS(l)
    {
        const struct thread *a = l->t->thread, *b = next ? next->t->thread : a;

        if (futex_same(l->key, key) &&
            (!next || a->prio > b->prio ||
             (a->prio == b->prio && l->t->priority > next->t->priority)))
            next = l;
    }
    return next;
}

/* `to`, which waits, has the lock. */
static void give(struct lender *to, bool died)
{
    cut(to);
    to->given = true;
    to->died = died;
    FOR_LENDERS(l)
    {
        if (futex_same(l->key, to->key))
            l->owner = to->t;
    }
    event_happen_locked(&to->event);
    task_settle(to->t);
}

int32_t lock_pass(struct task *t, uint32_t at, uint32_t bits)
{
    struct space *s = t->process->space;
    uint32_t *word = (uint32_t *)page_lock(s, at, MAY_WRITE), msr, mine;
    struct lender *next = NULL;

    if (!word)
        return -EFAULT;
    msr = sched_lock();
    mine = (*word & FUTEX_TID_MASK) == t->number;
    if (mine)
        next = best(futex_key(s, at));
    if (next) {
        give(next, false);
        bits |= next->t->number | (best(next->key) ? FUTEX_WAITERS : 0);
        task_settle(t);
    }
    if (mine)
        *(volatile uint32_t *)word = bits;
    sched_unlock(msr);
    mutex_unlock(&s->lock);
    return mine ? 0 : -EPERM;
}

/* Have the lock of a word, or be in the list. */
static int32_t enter(struct lender *l, volatile uint32_t *word, bool wait)
{
    uint32_t old = *word, number = old & FUTEX_TID_MASK;
    uint32_t now = number ? old | FUTEX_WAITERS : old | l->t->number;
    struct lender **last = &first;
    const struct task *k;

    l->owner = number ? task_alive(number) : l->t;
    if (number == l->t->number)
        return -EDEADLK;
    if (!l->owner || (number && !wait))
        return l->owner ? -EAGAIN : -ESRCH;
    for (k = l->owner; number && k && k != l->t;)
        k = lent_to(k);
    if (number && k)
        return -EDEADLK;
    if (atomic_swap_if(word, old, now) != old)
        return AGAIN;
    if (!number)
        return 0;
    while (*last)
        last = &(*last)->next;
    *last = l;
    task_settle(l->owner);
    return WAITS;
}

static int32_t lock(struct task *t, uint32_t at, bool wait, uint64_t until)
{
    struct space *s = t->process->space;
    struct lender l = {.t = t};
    enum waking why;
    uint32_t msr;
    int32_t r;

    do {
        uint32_t word = page_lock(s, at, MAY_WRITE);

        if (!word)
            return -EFAULT;
        msr = sched_lock();
        l.key = futex_key(s, at);
        r = enter(&l, (volatile uint32_t *)word, wait);
        sched_unlock(msr);
        mutex_unlock(&s->lock);
    } while (r == AGAIN);
    if (r != WAITS)
        return r;
    will_wait(STATE_LOCK, OBJECT_USER, at, l.owner->number);
    why = event_wait(&l.event, 0, until);
    msr = sched_lock();
    if (!l.given) {
        cut(&l);
        task_settle(l.owner);
    }
    sched_unlock(msr);
    if (l.died) {
        uint32_t word = t->number | FUTEX_WAITERS | FUTEX_OWNER_DIED;

        (void)copy_out(s, at, &word, sizeof word);
    }
    return l.given ? 0 : why == WAKE_TIME ? -ETIMEDOUT : CALL_RESTART;
}

int32_t futex_lend(struct task *t, const uint32_t *front)
{
    const uint32_t *a = front + 1;
    uint32_t op = a[1] & FUTEX_CMD_MASK;
    uint64_t until = FOR_EVER;
    int32_t error = 0;

    if (op == FUTEX_UNLOCK_PI)
        return lock_pass(t, a[0], 0);
    if (op == FUTEX_LOCK_PI || op == FUTEX_LOCK_PI2)
        error = futex_until(
            t, a[3], op == FUTEX_LOCK_PI ? a[1] | FUTEX_CLOCK_REALTIME : a[1],
            *front, &until);
    else if (op != FUTEX_TRYLOCK_PI)
        error = -ENOSYS;
    return error ? error : lock(t, a[0], op != FUTEX_TRYLOCK_PI, until);
}

/* The longest waiting of those who wait for a lock of t's; NULL: none does. */
static struct lender *waits_for(const struct task *t)
{
    FOR_LENDERS(l)
    {
        if (l->owner == t)
            return l;
    }
    return NULL;
}

/* Locks that others wait for and t did not give back: the next owner learns
 * so. */
static void part(struct task *t)
{
    uint32_t msr = sched_lock();
    const struct lender *l;

    t->parted = true;
    while ((l = waits_for(t)))
        give(best(l->key), true);
    sched_unlock(msr);
}
HOOK(parting, 200, part);
