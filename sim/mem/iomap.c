/* iomap.c - which device answers at a physical address.
 * Knows ranges; what an access means is the device's business.
 */
#include <assert.h>
#include <stddef.h>

#include "sim/mem/iomap.h"

void iomap_attach(struct iomap *m, struct io_region r)
{
    assert(m->count < IOMAP_REGIONS && r.size);
    assert((uint64_t)r.base + r.size <= UINT64_C(1) << 32);
    for (unsigned i = 0; i < m->count; i++)
        assert(r.base + (r.size - 1) < m->region[i].base ||
               m->region[i].base + (m->region[i].size - 1) < r.base);
    m->region[m->count++] = r;
}

/* The region that holds the whole access, or NULL. */
static const struct io_region *find(const struct iomap *m, pa_t pa,
                                    struct io_access *a)
{
    for (unsigned i = 0; i < m->count; i++) {
        const struct io_region *r = &m->region[i];

        if (pa - r->base < r->size && a->size <= r->size - (pa - r->base)) {
            a->offset = pa - r->base;
            return r;
        }
    }
    return NULL;
}

bool iomap_load(const struct iomap *m, pa_t pa, struct io_access *a,
                uint32_t *value)
{
    const struct io_region *r = find(m, pa, a);

    return r && r->load && r->load(r->dev, a, value);
}

bool iomap_store(const struct iomap *m, pa_t pa, struct io_access *a,
                 uint32_t value)
{
    const struct io_region *r = find(m, pa, a);

    return r && r->store && r->store(r->dev, a, value);
}
