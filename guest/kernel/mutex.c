/* mutex.c - locks that spin, then block.
 * A free mutex costs one atomic exchange each way. One that threads block for
 * is handed to the longest waiter: none starves, and none wakes in vain.
 * Nothing here is inlined: these names are what a reader looks for in a stack.
 */
#include "guest/kernel/defs.h"

#define WAITED 1u /* bit of `owner`: there are waiters */
#define SPINS 200 /* some 2,000 cycles, as two switches take */

bool mutex_try(struct mutex *m)
{
    bool got = !atomic_swap_if(&m->owner, 0, (uint32_t)current);

    if (got)
        __asm__ volatile("isync" : : : "memory");
    return got;
}

/* Cheaper than two switches: while its owner runs, and no thread blocks. */
static bool mutex_spin(struct mutex *m)
{
    for (unsigned n = 0; n < SPINS; n++) {
        const struct thread *owner = (const struct thread *)m->owner;

        if (!owner && mutex_try(m))
            return true;
        if ((uint32_t)owner & WAITED ||
            (owner && owner->state != STATE_RUNNING))
            return false;
    }
    return false;
}

__attribute__((noinline)) void mutex_lock(struct mutex *m)
{
    uint32_t msr, owner;

    if (mutex_try(m) || mutex_spin(m))
        return;
    msr = sched_lock();
    do /* say that a thread blocks, if it is not released meanwhile */
        owner = m->owner;
    while (owner ? atomic_swap_if(&m->owner, owner, owner | WAITED) != owner
                 : !mutex_try(m));
    if (owner) {
        will_wait(STATE_LOCK, OBJECT_KERNEL, (uint32_t)m,
                  ((const struct thread *)(owner & ~WAITED))->tid);
        thread_block(&m->waiters); /* wakes as the owner */
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
