/* frames.c - pages of memory: what is known of each, and a list of free ones.
 * kalloc keeps a fixed share for stacks of kernel threads, so that no process
 * can make it fail. Memory that was never handed out is not on the list: it
 * begins at `fresh`, and is not touched before it is wanted.
 */
#include "guest/kernel/hook.h"
#include "guest/process/disk.h"
#include "guest/process/mm.h"

#define LEAST (256u << 10)      /* for processes: a few working sets */
#define KERNEL_SHARE (4u << 20) /* 256 stacks take half of it */

const struct page_watch *page_watch;

static struct spinlock lock;
static uint32_t base, end;   /* fixed after boot */
static uint32_t fresh;       /* lock */
static uint32_t free_list;   /* lock; each with the next in its first word */
static uint32_t free_count;  /* lock; fresh ones included */
static struct frame *frames; /* by (frame - base) / PAGE */
static uint32_t most;        /* bytes for processes, by the boot line */

static bool take_memory(char *value)
{
    return text_size(value, &most) && most >= LEAST;
}
BOOT_WORD_KIND(920, take_memory, "memory", "BYTES|nK|nM", WORD_FOR_ALL);

struct frame *frame_of(uint32_t frame)
{
    return &frames[(frame - base) / PAGE];
}

void frames_init(void)
{
    uint32_t first, bytes;

    kalloc_share(KERNEL_SHARE, &first, &end);
    end &= ~PAGE_MASK;
    bytes = hash_bytes(end - first);
    first = (first + bytes - 1) & ~(bytes - 1);
    frames = (struct frame *)(first + bytes);
    base = (uint32_t)frames + (end - first) / PAGE * sizeof *frames;
    base = WHOLE_PAGES(base);
    if (base < end)
        hash_init(first, bytes);
    if (page_watch && base < end)
        base += page_watch->reserve(
            base, most && most < end - base ? most : end - base);
    if (base >= end)
        panic("processes do not fit into the memory: give --mem=8M or more");
    fresh = base;
    if (most && most < end - base)
        end = base + (most & ~PAGE_MASK);
    free_count = (end - base) / PAGE;
}

static uint32_t take(uint32_t keep)
{
    uint32_t msr = spin_lock(&lock);
    uint32_t frame = free_count > keep ? free_list : 0;

    if (frame) {
        free_list = *(uint32_t *)frame;
    } else if (free_count > keep) {
        frame = fresh;
        fresh += PAGE;
    }
    if (frame) {
        free_count--;
        *frame_of(frame) = (struct frame){.owners = 1};
    }
    spin_unlock(&lock, msr);
    for (uint32_t at = 0; frame && at < PAGE; at += CACHE_LINE)
        cache_zero(frame + at);
    return frame;
}

uint32_t frame_take(void)
{
    return take(0);
}

uint32_t frame_take_user(void)
{
    return take(FRAMES_KEPT);
}

void frame_keep(uint32_t frame)
{
    atomic_add(&frame_of(frame)->owners, 1);
}

bool frame_drop(uint32_t frame)
{
    uint32_t msr;

    if (atomic_add(&frame_of(frame)->owners, 0xFFFFFFFF) != 1)
        return false;
    if (page_watch)
        page_watch->left(frame);
    if (frame_of(frame)->slot)
        slot_drop(frame_of(frame)->slot);
    msr = spin_lock(&lock);
    *(uint32_t *)frame = free_list;
    free_list = frame;
    free_count++;
    spin_unlock(&lock, msr);
    return true;
}

uint32_t frames_free(void)
{
    return *(volatile uint32_t *)&free_count;
}

uint32_t frames_all(void)
{
    return (end - base) / PAGE;
}
