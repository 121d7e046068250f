/* pages.c - see pages.h. */
#define _GNU_SOURCE
#include "sim/mem/pages.h"

#include <stdlib.h>
#include <sys/mman.h>

void *pages_take(size_t bytes)
{
    void *p = aligned_alloc(PAGES_LARGE, bytes);

#ifdef MADV_HUGEPAGE
    if (p)
        (void)madvise(p, bytes, MADV_HUGEPAGE); /* a hint; refused: none are */
#endif
    return p;
}
