/* mutex.c - locks that block.
 * A free mutex costs one atomic exchange each way. One that is wanted
 * is handed to the longest waiter when it is released: no waiter starves, and
 * none wakes in vain. Nothing here is inlined: these names are what a reader
 * looks for in a stack.
 */
#include "guest/kernel/defs.h"

#define WAITED 1u /* bit of `owner`: there are waiters */

bool mutex_try(struct mutex *m)
{
    bool got = !atomic_swap_if(&m->owner, 0, (uint32_t)current);

    if (got)
        __asm__ volatile("isync" : : : "memory");
    return got;
}

/* Say that a thread waits. False: it was released meanwhile. */
static bool mutex_mark(struct mutex *m)
{
    for (;;) {
        uint32_t owner = m->owner;

        if (!owner)
            return false;
        if (owner & WAITED ||
            atomic_swap_if(&m->owner, owner, owner | WAITED) == owner)
            return true;
    }
}

__attribute__((noinline)) void mutex_lock(struct mutex *m)
{
    uint32_t msr;

    if (mutex_try(m))
        return;
    msr = sched_lock();
    while (!mutex_try(m)) {
        if (mutex_mark(m)) {
            will_wait(STATE_LOCK, OBJECT_KERNEL, (uint32_t)m,
                      ((const struct thread *)(m->owner & ~WAITED))->tid);
            thread_block(&m->waiters); /* wakes as the owner */
            break;
        }
    }
    sched_unlock(msr);
}

__attribute__((noinline)) void mutex_hand_over(struct mutex *m)
{
    struct thread *t = m->waiters.head;

    if ((m->owner & ~WAITED) != (uint32_t)current)
        panic("%s releases a mutex of another thread", current->name);
    __asm__ volatile("sync" : : : "memory");
    m->owner = t ? (uint32_t)t | (t->next ? WAITED : 0) : 0;
    if (t)
        thread_wake(&m->waiters);
}

__attribute__((noinline)) void mutex_unlock(struct mutex *m)
{
    uint32_t msr;

    __asm__ volatile("sync" : : : "memory");
    if (atomic_swap_if(&m->owner, (uint32_t)current, 0) == (uint32_t)current)
        return;
    msr = sched_lock();
    mutex_hand_over(m);
    sched_unlock(msr);
}
