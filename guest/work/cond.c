/* cond.c - conditions, which workloads wait for. Nothing here is inlined: these
 * names are what a reader looks for in a stack.
 */
#include "guest/work/work.h"

__attribute__((noinline)) void cond_wait(struct cond *c, struct mutex *m)
{
    uint32_t msr = sched_lock();

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
