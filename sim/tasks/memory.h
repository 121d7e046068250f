/* memory.h - a Linux kernel's memory, by the addresses that its own pointers
 * have: those of its linear map, which begins at its image.
 */
#ifndef SIM_TASKS_MEMORY_H
#define SIM_TASKS_MEMORY_H

#include "sim/machine/machine.h"

/* The physical address of one of the kernel's. */
static inline uint32_t kernel_pa(const struct machine *m, uint32_t ea)
{
    return ea - m->with.image->start + m->with.image->entry;
}

/* The word at a physical address; 0 where there is no memory, or none that is
 * aligned. */
static inline uint32_t kernel_word(const struct machine *m, uint32_t pa)
{
    const uint8_t *b = m->ram.bytes + pa;

    if (pa % 4 || pa > m->ram.size - 4)
        return 0;
    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

#endif
