/* hash.h - a map from 64-bit keys to 32-bit numbers.
 * Open addressing, no deletion, no iteration: order never leaves it, so no
 * report can depend on it.
 */
#ifndef LIB_BASE_HASH_H
#define LIB_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hash_slot {
    uint64_t key;
    uint32_t value;
    bool used;
};

/* All zero: an empty map. */
struct hash {
    struct hash_slot *slot;
    size_t room; /* a power of two, or 0 */
    size_t used;
};

void hash_free(struct hash *h);

/* Where the value of key stands; *fresh says whether it was just made (then
 * it is 0). The pointer holds until the next call. */
uint32_t *hash_at(struct hash *h, uint64_t key, bool *fresh);

/* NULL: no such key. */
const uint32_t *hash_find(const struct hash *h, uint64_t key);

#endif
