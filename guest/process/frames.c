/* frames.c - pages of memory: a count of owners each, and a list of free ones.
 * kalloc keeps a fixed share for stacks of kernel threads, so that no process
 * can make it fail. Memory that was never handed out is not on the list: it
 * begins at `fresh`, and is not touched before it is wanted.
 */
#include "guest/process/mm.h"

#define KERNEL_SHARE (4u << 20) /* 256 stacks take half of it */

static struct spinlock lock;
static uint32_t base, end;  /* fixed after boot */
static uint32_t fresh;      /* lock */
static uint32_t free_list;  /* lock; each with the next in its first word */
static uint32_t free_count; /* lock; fresh ones included */
static uint32_t *owners;    /* atomic; by (frame - base) / PAGE */

static uint32_t *owners_of(uint32_t frame)
{
    return &owners[(frame - base) / PAGE];
}

void frames_init(void)
{
    uint32_t first, bytes;

    kalloc_share(KERNEL_SHARE, &first, &end);
    end &= ~PAGE_MASK;
    bytes = hash_bytes(end - first);
    first = (first + bytes - 1) & ~(bytes - 1);
    if (first + bytes >= end)
        panic("processes do not fit into the memory: give --mem=8M or more");
    hash_init(first, bytes);
    owners = (uint32_t *)(first + bytes);
    base = (uint32_t)owners + (end - first) / PAGE * sizeof *owners;
    base = fresh = (base + PAGE_MASK) & ~PAGE_MASK;
    if (base >= end)
        panic("processes do not fit into the memory: give --mem=8M or more");
    free_count = (end - base) / PAGE;
}

uint32_t frame_take(void)
{
    uint32_t msr = spin_lock(&lock);
    uint32_t frame = free_list;

    if (frame) {
        free_list = *(uint32_t *)frame;
    } else if (fresh < end) {
        frame = fresh;
        fresh += PAGE;
    }
    if (frame) {
        free_count--;
        *owners_of(frame) = 1;
    }
    spin_unlock(&lock, msr);
    for (uint32_t at = 0; frame && at < PAGE; at += CACHE_LINE)
        cache_zero(frame + at);
    return frame;
}

void frame_keep(uint32_t frame)
{
    atomic_add(owners_of(frame), 1);
}

void frame_drop(uint32_t frame)
{
    uint32_t msr;

    if (atomic_add(owners_of(frame), 0xFFFFFFFF) != 1)
        return;
    msr = spin_lock(&lock);
    *(uint32_t *)frame = free_list;
    free_list = frame;
    free_count++;
    spin_unlock(&lock, msr);
}

uint32_t frame_owners(uint32_t frame)
{
    return *(volatile uint32_t *)owners_of(frame);
}

uint32_t frames_free(void)
{
    return *(volatile uint32_t *)&free_count;
}

uint32_t frames_all(void)
{
    return (end - base) / PAGE;
}
