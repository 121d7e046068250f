/* pages.c - see pages.h. */
#define _GNU_SOURCE
#include "sim/mem/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

void *pages_take(size_t bytes)
{
    void *p = aligned_alloc(PAGES_LARGE, bytes);

    if (p)
        pages_large(p, bytes);
    return p;
}

void pages_large(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    (void)madvise(p, bytes, MADV_HUGEPAGE); /* a hint; refused: none are */
#else
    (void)p, (void)bytes;
#endif
}
