/* mutex.c - locks that block, and conditions.
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

/* The scheduler lock is held. */
static __attribute__((noinline)) void mutex_hand_over(struct mutex *m)
{
    struct thread *t = m->waiters.head;

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
    if ((m->owner & ~WAITED) != (uint32_t)current)
        panic("%s unlocks a mutex of somebody else", current->name);
    mutex_hand_over(m);
    sched_unlock(msr);
}

/* Release m and wait until a thread signals; in and out: m is ours. */
__attribute__((noinline)) void cond_wait(struct cond *c, struct mutex *m)
{
    uint32_t msr = sched_lock();

    if ((m->owner & ~WAITED) != (uint32_t)current)
        panic("%s waits with a mutex of somebody else", current->name);
    mutex_hand_over(m);
    thread_block(&c->waiters);
    sched_unlock(msr);
    mutex_lock(m);
}

__attribute__((noinline)) void cond_signal(struct cond *c)
{
    uint32_t msr = sched_lock();

    thread_wake(&c->waiters);
    sched_unlock(msr);
}

__attribute__((noinline)) void cond_broadcast(struct cond *c)
{
    uint32_t msr = sched_lock();

    while (thread_wake(&c->waiters))
        continue;
    sched_unlock(msr);
}
