/* ram.c - main memory and the decoded records made from it.
 * Knows bytes and which pages hold decoded code. Holds no tags and no clock;
 * what a miss costs is the cache's and the core's business.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <string.h>
#include <sys/mman.h>

#include "sim/mem/ram.h"

#define PAGE 4096u

/* Address space without memory behind it: pages come when touched. */
static void *map_sparse(size_t size)
{
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    return p == MAP_FAILED ? NULL : p;
}

static size_t records_size(const struct ram *r)
{
    return (size_t)(r->size / 4) * sizeof(struct insn);
}

bool ram_init(struct ram *r, uint32_t size, const char **why)
{
    assert(size && size % PAGE == 0);
    *r = (struct ram){.size = size};
    r->bytes = map_sparse(size);
    r->insns = map_sparse(records_size(r));
    r->code_page = map_sparse(size / PAGE);
    if (r->bytes && r->insns && r->code_page)
        return true;
    ram_free(r);
    *why = "the host gives no address space for that much memory, ask for less";
    return false;
}

void ram_free(struct ram *r)
{
    if (r->bytes)
        munmap(r->bytes, r->size);
    if (r->insns)
        munmap(r->insns, records_size(r));
    if (r->code_page)
        munmap(r->code_page, r->size / PAGE);
    *r = (struct ram){0};
}

struct insn *ram_insn(struct ram *r, pa_t pa)
{
    struct insn *i = &r->insns[pa / 4];
    const uint8_t *b = &r->bytes[pa];

    if (i->exec)
        return i;
    isa_decode(i, (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
                      (uint32_t)b[2] << 8 | b[3]);
    r->code_page[pa / PAGE] = 1;
    return i;
}

void ram_forget(struct ram *r, pa_t pa, unsigned size)
{
    uint64_t word = pa / 4, end = ((uint64_t)pa + size + 3) / 4;

    if (end > r->size / 4)
        end = r->size / 4;
    for (; word < end; word++)
        if (r->insns[word].exec) {
            memset(&r->insns[word], 0, sizeof r->insns[word]);
            r->forgotten++;
        }
}
