/* hash.c - open addressing with linear probing, at most half full. */
#include "lib/base/hash.h"

#include <stdlib.h>

#include "lib/base/grow.h"

/* Multiply by the odd number nearest 2^64 / golden ratio and fold: spreads
 * keys that differ in few bits, such as addresses of instructions. */
static size_t place(uint64_t key, size_t room)
{
    key ^= key >> 32;
    key *= 0x9E3779B97F4A7C15u;
    key ^= key >> 29;
    return (size_t)key & (room - 1);
}

static struct hash_slot *probe(const struct hash *h, uint64_t key)
{
    size_t i = place(key, h->room);

    while (h->slot[i].used && h->slot[i].key != key)
        i = (i + 1) & (h->room - 1);
    return &h->slot[i];
}

static void widen(struct hash *h)
{
    struct hash old = *h;

    h->room = old.room ? old.room * 2 : 64;
    h->slot = grow_zero(h->room, sizeof *h->slot);
    for (size_t i = 0; i < old.room; i++)
        if (old.slot[i].used)
            *probe(h, old.slot[i].key) = old.slot[i];
    free(old.slot);
}

void hash_free(struct hash *h)
{
    free(h->slot);
    *h = (struct hash){0};
}

uint32_t *hash_at(struct hash *h, uint64_t key, bool *fresh)
{
    struct hash_slot *s;

    if (h->used * 2 >= h->room)
        widen(h);
    s = probe(h, key);
    *fresh = !s->used;
    if (*fresh) {
        *s = (struct hash_slot){.key = key, .used = true};
        h->used++;
    }
    return &s->value;
}

const uint32_t *hash_find(const struct hash *h, uint64_t key)
{
    const struct hash_slot *s = h->room ? probe(h, key) : NULL;

    return s && s->used ? &s->value : NULL;
}
