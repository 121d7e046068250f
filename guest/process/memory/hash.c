/* hash.c - the page table that the processors search: groups of eight entries,
 * found by a hash of segment and page (604e user's manual, 5.5; Programming
 * Environments, 7.6). It is a cache of the spaces' own tables: an entry that
 * finds no room takes the place of another, whose page faults again.
 *
 * A CPU looks into the table at any time, so the first word, with the valid
 * bit, is written last and cleared first. tlbie goes out on the bus to all
 * CPUs, one at a time; tlbsync waits until they have obeyed.
 */
#include "guest/process/mm.h"

#define SPR_SDR1 25
#define GROUP 8 /* entries */
#define GROUP_BYTES 64u
#define SMALLEST 0x10000u
#define LARGEST 0x2000000u

#define PTE_VALID 0x80000000u
#define PTE_SECOND 0x40u
#define PTE_REFERENCED 0x100u
#define PTE_CHANGED 0x80u
#define PTE_COHERENT 0x10u /* WIMG: M */
#define PTE_MAY_WRITE 2u   /* PP, with the segment's key on */
#define PTE_MAY_READ 3u

struct pte {
    volatile uint32_t name, place;
};

static struct spinlock lock; /* of the table, and of tlbie */
static struct pte *page_table;
static uint32_t groups;
static uint32_t victim; /* lock: which of a full group goes next */

/* As large as the processor's book advises: a group for two pages. */
uint32_t hash_bytes(uint32_t memory)
{
    uint32_t bytes = SMALLEST;

    while (bytes < memory / 128 && bytes < LARGEST)
        bytes *= 2;
    return bytes;
}

static void hash_cpu(struct cpu *c)
{
    (void)c;
    mtspr(SPR_SDR1,
          (uint32_t)page_table | ((groups * GROUP_BYTES - 1) >> 16 & 0x1FF));
    __asm__ volatile("isync" : : : "memory");
}

void hash_init(uint32_t base, uint32_t bytes)
{
    page_table = (struct pte *)base;
    groups = bytes / GROUP_BYTES;
    cpus_call(hash_cpu);
}

/* Numbers of neighbours are spread over the table: an odd factor loses none. */
uint32_t hash_vsid(uint32_t space, uint32_t segment)
{
    return (space * 16 + segment) * 0x5555D3u & 0xFFFFFFu;
}

static uint32_t hash_of(uint32_t vsid, uint32_t at)
{
    return (vsid & 0x7FFFF) ^ (at >> 12 & 0xFFFF);
}

static struct pte *group(uint32_t hash)
{
    return page_table + (hash & (groups - 1)) * GROUP;
}

static uint32_t name_of(uint32_t vsid, uint32_t at, uint32_t second)
{
    return PTE_VALID | vsid << 7 | second | (at >> 22 & 0x3F);
}

/* The page's entry; NULL: it has none. */
static struct pte *find(uint32_t vsid, uint32_t at)
{
    uint32_t hash = hash_of(vsid, at);

    for (uint32_t second = 0; second <= PTE_SECOND; second += PTE_SECOND) {
        struct pte *p = group(second ? ~hash : hash);

        for (int n = 0; n < GROUP; n++, p++) {
            if (p->name == name_of(vsid, at, second))
                return p;
        }
    }
    return NULL;
}

/* tlbie takes its set from the address alone; the segment does not matter. */
static void invalidate(struct pte *p, uint32_t at)
{
    struct frame *f = frame_of(p->place & ~PAGE_MASK);

    p->name = 0;
    __asm__ volatile("sync\n\ttlbie %0\n\teieio\n\ttlbsync\n\tsync"
                     :
                     : "r"(at)
                     : "memory");
    if (p->place & PTE_REFERENCED)
        f->referenced = true;
    if (p->place & PTE_CHANGED)
        f->changed = true;
}

static struct pte *free_entry(struct pte *p)
{
    for (int n = 0; n < GROUP; n++, p++) {
        if (!(p->name & PTE_VALID))
            return p;
    }
    return NULL;
}

/* The page index's low 10 bits of an entry in the first group of its hash. */
static uint32_t address_of(const struct pte *p, uint32_t hash)
{
    uint32_t low = ((p->name >> 7 & 0x7FFFF) ^ hash) & 0x3FF;

    return (p->name & 0x3F) << 22 | low << 12;
}

/* A full pair of groups loses an entry of the first. */
static struct pte *displace(uint32_t hash)
{
    struct pte *p = group(hash) + (victim++ % GROUP);

    invalidate(p, address_of(p, p->name & PTE_SECOND ? ~hash : hash));
    return p;
}

void hash_put(uint32_t space, uint32_t at, uint32_t frame, bool write)
{
    uint32_t vsid = hash_vsid(space, at >> 28), hash = hash_of(vsid, at);
    uint32_t msr = spin_lock(&lock), second = 0;
    struct pte *p = find(vsid, at);

    if (p)
        invalidate(p, at);
    p = free_entry(group(hash));
    if (!p) {
        p = free_entry(group(~hash));
        second = p ? PTE_SECOND : 0;
    }
    if (!p)
        p = displace(hash);
    p->place = frame | PTE_COHERENT | (write ? PTE_MAY_WRITE : PTE_MAY_READ);
    __asm__ volatile("eieio" : : : "memory");
    p->name = name_of(vsid, at, second);
    __asm__ volatile("sync" : : : "memory");
    spin_unlock(&lock, msr);
}

void hash_drop(uint32_t space, uint32_t at)
{
    uint32_t vsid = hash_vsid(space, at >> 28);
    uint32_t msr = spin_lock(&lock);
    struct pte *p = find(vsid, at);

    if (p)
        invalidate(p, at);
    spin_unlock(&lock, msr);
}
