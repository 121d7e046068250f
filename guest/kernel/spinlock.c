/* spinlock.c - mutual exclusion between CPUs, interrupts off meanwhile.
 * Tickets keep the order of arrival, so that no CPU starves.
 */
#include "guest/kernel/defs.h"

uint32_t spin_lock(struct spinlock *l)
{
    uint32_t msr = irq_save();
    uint32_t ticket = atomic_add(&l->next, 1);

    while (l->owner != ticket)
        continue;
    __asm__ volatile("isync" : : : "memory");
    return msr;
}

void spin_unlock(struct spinlock *l, uint32_t msr)
{
    __asm__ volatile("sync" : : : "memory");
    l->owner++;
    irq_restore(msr);
}
