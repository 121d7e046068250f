/* pages.c - see pages.h. */
#define _GNU_SOURCE
#include "sim/mem/pages.h"

#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static void large(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(p, bytes, MADV_HUGEPAGE); /* a hint; refused: none are */
#else
    (void)p, (void)bytes;
#endif
}

void *pages_take(size_t bytes)
{
    void *p = aligned_alloc(PAGES_LARGE, bytes);

    if (p)
        large(p, bytes);
    return p;
}

static void *map(size_t bytes, int prot)
{
    uint8_t *p = mmap(NULL, bytes + PAGES_LARGE, prot,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    size_t front;

    if (p == MAP_FAILED)
        return NULL;
    front = -(uintptr_t)p & (PAGES_LARGE - 1);
    if (front)
        munmap(p, front);
    if (front < PAGES_LARGE)
        munmap(p + front + bytes, PAGES_LARGE - front);
    large(p + front, bytes);
    return p + front;
}

void *pages_map(size_t bytes)
{
    return map(bytes, PROT_READ | PROT_WRITE);
}

void *pages_map_code(size_t bytes)
{
    return map(bytes, PROT_READ | PROT_WRITE | PROT_EXEC);
}

void pages_unmap(void *p, size_t bytes)
{
    if (p)
        munmap(p, bytes);
}
