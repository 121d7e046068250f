/* work.h - what workloads have in common; guest/kernel/hook.h has WORK, which
 * enters one.
 */
#ifndef GUEST_WORK_WORK_H
#define GUEST_WORK_WORK_H

#include "guest/kernel/hook.h"

/* Microseconds, rounded down. */
static inline uint32_t ticks_to_us(uint64_t ticks)
{
    return (uint32_t)divide(ticks * machine.tick_cycles, machine.mhz);
}

/* Create an application's thread "role.number" (number below 100) that runs
 * run(number). */
struct thread *thread_numbered(const char *role, uint32_t number, uint32_t pid,
                               uint32_t mask, void (*run)(uint32_t));

struct cond {
    struct waitq waiters;
};

/* Release m, which the caller owns, wait until a thread signals, own it again.
 * The condition may have changed by then: test it in a loop. */
void cond_wait(struct cond *c, struct mutex *m);
/* Wake the longest waiter, or all of them; nothing if there is none. */
void cond_signal(struct cond *c);
void cond_broadcast(struct cond *c);

#endif
