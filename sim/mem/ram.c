/* ram.c - see ram.h. */
#define _GNU_SOURCE
#include <assert.h>
#include <sys/mman.h>

#include "sim/mem/ram.h"

#define PAGE 4096u

void *ram_map(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

bool ram_init(struct ram *r, uint32_t size, const char **why)
{
    assert(size && size % PAGE == 0);
    *r = (struct ram){.size = size};
    r->bytes = ram_map(size);
    if (r->bytes)
        return true;
    *r = (struct ram){0};
    *why = RAM_NO_ROOM;
    return false;
}

void ram_free(struct ram *r)
{
    if (r->bytes)
        munmap(r->bytes, r->size);
    *r = (struct ram){0};
}
