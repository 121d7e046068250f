/* robust.c - locks that a thread has when it ends: it says in a list of its own
 * which they are, so that the next one who wants one learns of it.
 */
#include <linux/futex.h>

#include "guest/calls/calls.h"
#include "guest/kernel/hook.h"

/* Bytes: the first entry, the offset from an entry to its word, one more entry
 * that is being taken or given back. */
#define HEAD 12
#define LENDS 1u /* in an entry's address: such a lock (lend.c) */

int32_t call_set_robust_list(struct task *t, const uint32_t *a)
{
    if (a[1] != HEAD)
        return -EINVAL;
    t->robust = a[0];
    return 0;
}

/* Of a task, 0: the caller; where the address and the length go. */
int32_t call_get_robust_list(struct task *t, const uint32_t *a)
{
    uint32_t length = HEAD, at = 0;
    struct task *k;

    mutex_lock(&process_lock);
    k = task_numbered(t, a[0]);
    at = k ? k->robust : 0;
    mutex_unlock(&process_lock);
    return !k ? -ESRCH : answer(t, a[2], &length, 4) | answer(t, a[1], &at, 4);
}

/* A lock of the list, if it is t's: its word says so, and one who waits looks.
 * `begun`: t was about to take it or to give it back. */
static void leave(struct task *t, uint32_t at, bool lends, bool begun)
{
    struct space *s = t->process->space;
    uint32_t old, place, now;

    do {
        place = at & 3 ? 0 : page_lock(s, at, MAY_WRITE);
        if (!place)
            return;
        old = *(volatile uint32_t *)place;
        now = (old & FUTEX_TID_MASK) != t->number || lends
                  ? old
                  : (old & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
        place = atomic_swap_if((volatile uint32_t *)place, old, now) == old;
        mutex_unlock(&s->lock);
    } while (!place);
    if (lends)
        (void)lock_pass(t, at, FUTEX_OWNER_DIED);
    else if (now != old ? old & FUTEX_WAITERS : begun && !old)
        futex_wake(s, at, 1, 0xFFFFFFFF);
}

static void leave_all(struct task *t)
{
    struct space *s = t->process->space;
    uint32_t head[HEAD / 4], entry, next, left = ROBUST_LIST_LIMIT;

    if (!t->robust || !copy_in(s, head, t->robust, HEAD))
        return;
    for (entry = *head; (entry & ~LENDS) != t->robust && left--; entry = next) {
        bool more = copy_in(s, &next, entry & ~LENDS, 4);

        if (entry != head[2])
            leave(t, (entry & ~LENDS) + head[1], entry & LENDS, false);
        if (!more)
            break;
    }
    if (head[2])
        leave(t, (head[2] & ~LENDS) + head[1], head[2] & LENDS, true);
}
HOOK(parting, 100, leave_all);
