/* ram.h - main memory: big-endian bytes at physical 0 up. Knows neither
 * instructions (sim/mem/decode_cache.h) nor tags nor a clock.
 */
#ifndef SIM_MEM_RAM_H
#define SIM_MEM_RAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Why there is none, for a person. */
#define RAM_NO_ROOM                                                            \
    "the host gives no address space for that much memory, ask for less"

struct ram {
    uint8_t *bytes; /* zeros at first; mapped once, sparse on the host: a page
                       costs nothing until it is touched */
    uint32_t size;  /* bytes, a multiple of 4 KB */
};

/* `size` bytes, a multiple of 4 KB. False: the host has no room; *why says so
 * in words, not owned by the caller. */
bool ram_init(struct ram *r, uint32_t size, const char **why);
/* Of memory that is all zeros, too. */
void ram_free(struct ram *r);

/* `size` bytes of address space without memory behind it, zeros: pages come
 * when touched. NULL: the host has none. Owner unmaps. */
void *ram_map(size_t size);

/* Save or load it: lib/base/snap.h. False: s->why says why. Pages of zeros take
 * no room. */
struct snap;
bool ram_state(struct snap *s, struct ram *r);

#endif
