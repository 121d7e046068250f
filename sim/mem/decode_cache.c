/* decode_cache.c - see decode_cache.h. */
#include "sim/mem/decode_cache.h"

#include <string.h>
#include <sys/mman.h>

static size_t records_size(const struct ram *r)
{
    return (size_t)(r->size / 4) * sizeof(struct insn);
}

bool decode_cache_init(struct decode_cache *d, const struct ram *r,
                       const char **why)
{
    *d = (struct decode_cache){.ram = r};
    d->insns = ram_map(records_size(r));
    d->code_page = ram_map(r->size / DECODE_PAGE);
    if (d->insns && d->code_page)
        return true;
    decode_cache_free(d);
    *why = RAM_NO_ROOM;
    return false;
}

void decode_cache_free(struct decode_cache *d)
{
    if (d->insns)
        munmap(d->insns, records_size(d->ram));
    if (d->code_page)
        munmap(d->code_page, d->ram->size / DECODE_PAGE);
    *d = (struct decode_cache){0};
}

struct insn *decode_cache_at(struct decode_cache *d, pa_t pa)
{
    struct insn *i = &d->insns[pa / 4];
    const uint8_t *b = &d->ram->bytes[pa];

    if (i->exec)
        return i;
    isa_decode(i, (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 |
                      (uint32_t)b[2] << 8 | b[3]);
    d->code_page[pa / DECODE_PAGE] = 1;
    return i;
}

void decode_cache_forget(struct decode_cache *d, pa_t pa, unsigned size)
{
    uint64_t word = pa / 4, end = ((uint64_t)pa + size + 3) / 4;

    if (end > d->ram->size / 4)
        end = d->ram->size / 4;
    for (; word < end; word++)
        if (d->insns[word].exec) {
            memset(&d->insns[word], 0, sizeof d->insns[word]);
            d->forgotten++;
        }
}
