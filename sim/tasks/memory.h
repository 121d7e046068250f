/* memory.h - a Linux kernel's memory, by the addresses that its own pointers
 * have: those of its linear map, which begins at its image, and those that its
 * page tables have, as stacks may.
 */
#ifndef SIM_TASKS_MEMORY_H
#define SIM_TASKS_MEMORY_H

#include "lib/base/big_endian.h"
#include "sim/machine/machine.h"
#include "sim/tasks/description.h"

/* The physical address of one of the kernel's linear map. */
static inline uint32_t kernel_pa(const struct machine *m, uint32_t ea)
{
    return ea - m->with.image->start + m->with.image->entry;
}

/* The word at a physical address; 0 where there is no memory, or none that is
 * aligned. */
static inline uint32_t kernel_word(const struct machine *m, uint32_t pa)
{
    if (pa % 4 || pa > m->ram.size - 4)
        return 0;
    return be_get32(m->ram.bytes + pa);
}

/* The word at any address of the kernel's, as c translates it, which is in the
 * kernel; 0 where there is none. */
uint32_t kernel_word_at(const struct machine *m, const struct core *c,
                        uint32_t ea);

/* Does the task at the physical address pa wait, or end, now that it has left
 * its CPU? One that was about to, and was preempted, may go on. */
bool kernel_task_waits(const struct machine *m,
                       const struct task_description *d, uint32_t pa);

#endif
