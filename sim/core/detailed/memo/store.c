/* store.c - see store.h. */
#include "sim/core/detailed/memo/store.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS ((size_t)1 << 16)

bool store_init(struct memo_store *s, size_t bytes)
{
    *s = (struct memo_store){.slots = SLOTS};
    s->room = bytes / MEMO_CHUNK ? bytes / MEMO_CHUNK : 1;
    s->slot = calloc(s->slots, sizeof *s->slot);
    s->chunk = calloc(s->room, sizeof *s->chunk);
    return s->slot && s->chunk;
}

void store_free(struct memo_store *s)
{
    for (size_t k = 0; k < s->chunks; k++)
        free(s->chunk[k]);
    free(s->chunk);
    free(s->slot);
    *s = (struct memo_store){0};
}

void store_empty(struct memo_store *s)
{
    memset(s->slot, 0, s->slots * sizeof *s->slot);
    s->filled = s->used = s->nodes = 0;
}

void *store_take(struct memo_store *s, size_t bytes)
{
    void *p;

    bytes = (bytes + 15) & ~(size_t)15;
    if (s->filled < s->chunks && s->used + bytes > MEMO_CHUNK) {
        s->filled++;
        s->used = 0;
    }
    if (s->filled == s->chunks) {
        if (s->chunks == s->room)
            return NULL;
        s->chunk[s->chunks] = malloc(MEMO_CHUNK);
        if (!s->chunk[s->chunks])
            return NULL;
        s->chunks++;
        s->used = 0;
    }
    p = memset(s->chunk[s->filled] + s->used, 0, bytes);
    s->used += bytes;
    return p;
}

static size_t key_bytes(const struct memo_key *k)
{
    return sizeof *k + k->n * sizeof *k->v;
}

struct memo_node *store_find(const struct memo_store *s, uint64_t hash,
                             const struct memo_key *key)
{
    struct memo_node *n = s->slot[hash & (s->slots - 1)];

    while (n && (n->hash != hash || memcmp(n->key, key, key_bytes(key)) != 0))
        n = n->same;
    return n;
}

/* Without room for more slots the old ones do. */
static void slots_double(struct memo_store *s)
{
    size_t more = s->slots * 2;
    struct memo_node **slot = calloc(more, sizeof *slot), *n, *next;

    if (!slot)
        return;
    for (size_t k = 0; k < s->slots; k++)
        for (n = s->slot[k]; n; n = next) {
            next = n->same;
            n->same = slot[n->hash & (more - 1)];
            slot[n->hash & (more - 1)] = n;
        }
    free(s->slot);
    s->slot = slot;
    s->slots = more;
}

struct memo_node *store_add(struct memo_store *s, uint64_t hash,
                            const struct memo_key *key)
{
    struct memo_node *n = store_take(s, sizeof *n), **slot;

    if (!n || !(n->key = store_take(s, key_bytes(key))))
        return NULL;
    if (s->nodes++ > s->slots)
        slots_double(s);
    memcpy(n->key, key, key_bytes(key));
    n->hash = hash;
    slot = &s->slot[hash & (s->slots - 1)];
    n->same = *slot;
    *slot = n;
    return n;
}
