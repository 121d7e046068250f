/* kalloc.c - memory, handed out upwards from the end of the kernel. Only stacks
 * are taken back, in a list of their own.
 */
#include "guest/kernel/defs.h"

static struct spinlock lock;
static uint32_t next_free, ram_end;
static uint32_t stacks; /* free ones, each with the next in its first word */

void kalloc_init(void)
{
    next_free = (uint32_t)kernel_end;
    ram_end = io_read(BOARD_INFO + INFO_RAM);
}

/* 16-aligned and zero: the machine's memory starts as zeros. */
void *kalloc(uint32_t size)
{
    uint32_t msr = spin_lock(&lock);
    uint32_t at = next_free;

    size = (size + 15) & ~15u;
    if (size > ram_end - at)
        panic("out of memory: %u bytes wanted, %u left", size, ram_end - at);
    next_free = at + size;
    spin_unlock(&lock, msr);
    return (void *)at;
}

uint32_t kalloc_stack(void)
{
    uint32_t msr = spin_lock(&lock);
    uint32_t stack = stacks;

    if (stack)
        stacks = *(uint32_t *)stack;
    spin_unlock(&lock, msr);
    return stack ? stack : (uint32_t)kalloc(STACK_SIZE);
}

void kfree_stack(uint32_t stack)
{
    uint32_t msr = spin_lock(&lock);

    *(uint32_t *)stack = stacks;
    stacks = stack;
    spin_unlock(&lock, msr);
}
