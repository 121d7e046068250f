/* kalloc.c - memory upwards from the kernel's end; stacks alone come back. */
#include "guest/kernel/defs.h"

static struct spinlock lock;
static uint32_t next_free, ram_end;
static uint32_t stacks; /* free ones, each with the next in its first word */

/* The loader puts the initrd at the end of memory. */
static uint32_t memory_end(void)
{
    uint32_t initrd = io_read(BOARD_INFO + INFO_INITRD);

    return initrd ? initrd : io_read(BOARD_INFO + INFO_RAM);
}

void kalloc_init(void)
{
    next_free = (uint32_t)image_end;
    ram_end = memory_end();
}

void kalloc_share(uint32_t bytes, uint32_t *start, uint32_t *end)
{
    uint32_t msr = spin_lock(&lock);

    *start = *end = ram_end;
    if (bytes < ram_end - next_free)
        *start = ram_end = (next_free + bytes + 15) & ~15u;
    spin_unlock(&lock, msr);
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
