/* iomap.h - which device answers at a physical address that is not memory.
 * Knows ranges and functions; a device registers itself, the core asks.
 */
#ifndef SIM_MEM_IOMAP_H
#define SIM_MEM_IOMAP_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/types.h"

#define IOMAP_REGIONS 16

/* One access: offset from the region's base, size 1, 2 or 4 bytes, by CPU
 * number `cpu`, at processor cycle `at`. False: no device answers (TEA). */
struct io_access {
    uint32_t offset;
    unsigned size;
    unsigned cpu;
    uint64_t at;
};

struct io_region {
    pa_t base;
    uint32_t size;
    void *dev; /* not owned */
    bool (*load)(void *dev, const struct io_access *a, uint32_t *value);
    bool (*store)(void *dev, const struct io_access *a, uint32_t value);
};

struct iomap {
    unsigned count;
    struct io_region region[IOMAP_REGIONS];
};

/* Add a region; ranges must not overlap (asserted). */
void iomap_attach(struct iomap *m, struct io_region r);

/* Offer an access at pa to its device; a->offset is filled in here. */
bool iomap_load(const struct iomap *m, pa_t pa, struct io_access *a,
                uint32_t *value);
bool iomap_store(const struct iomap *m, pa_t pa, struct io_access *a,
                 uint32_t value);

#endif
