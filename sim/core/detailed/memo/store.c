/* store.c - see store.h. */
#include "sim/core/detailed/memo/store.h"

#include "sim/mem/pages.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS ((size_t)1 << 15)

bool store_init(struct memo_store *s, size_t bytes)
{
    *s = (struct memo_store){.slots = SLOTS};
    s->room = bytes / MEMO_CHUNK ? bytes / MEMO_CHUNK : 1;
    s->slot = calloc(SLOTS, sizeof *s->slot);
    s->chunk = calloc(s->room, sizeof *s->chunk);
    return s->slot && s->chunk;
}

/* Chunks are taken in pairs: a large page. */
#define PAIR (PAGES_LARGE / MEMO_CHUNK)

void store_free(struct memo_store *s)
{
    for (size_t k = 0; k < s->chunks; k += PAIR)
        free(s->chunk[k]);
    free(s->chunk);
    free(s->slot);
    pieces_free(&s->pieces);
    *s = (struct memo_store){0};
}

void store_empty(struct memo_store *s)
{
    if (s->nodes)
        memset(s->slot, 0, s->slots * sizeof *s->slot);
    memset(s->sum, 0, sizeof s->sum);
    s->filled = s->used = s->nodes = 0;
    s->numbers = s->settings = 0;
    pieces_empty(&s->pieces);
}

/* One chunk more, or two where there may be so many. */
static bool chunks_add(struct memo_store *s)
{
    size_t many = s->room - s->chunks < PAIR ? 1 : PAIR;
    uint8_t *p = many == PAIR ? pages_take(PAGES_LARGE)
                              : aligned_alloc(MEMO_LINE, MEMO_CHUNK);

    if (!p)
        return false;
    for (; many; many--, p += MEMO_CHUNK)
        s->chunk[s->chunks++] = p;
    return true;
}

void *store_take(struct memo_store *s, size_t bytes)
{
    size_t align = bytes < MEMO_LINE ? 16 : MEMO_LINE;
    void *p;

    bytes = (bytes + 15) & ~(size_t)15;
    s->used = (s->used + align - 1) & ~(align - 1);
    if (s->filled < s->chunks && s->used + bytes > MEMO_CHUNK) {
        s->filled++;
        s->used = 0;
    }
    if (s->filled == s->chunks) {
        if (s->chunks == s->room || !chunks_add(s))
            return NULL;
        s->used = 0;
    }
    p = memset(s->chunk[s->filled] + s->used, 0, bytes);
    s->used += bytes;
    return p;
}

static size_t key_bytes(const struct memo_key *k)
{
    return sizeof *k + k->n;
}

static inline struct memo_slot *slot_next(const struct memo_store *s,
                                          struct memo_slot *at)
{
    return at + 1 < s->slot + s->slots ? at + 1 : s->slot;
}

struct memo_node *store_find(const struct memo_store *s, uint64_t hash,
                             const struct memo_key *key)
{
    struct memo_slot *at = &s->slot[hash & (s->slots - 1)];

    for (; at->node; at = slot_next(s, at))
        if (at->hash == hash && memcmp(at->node->key, key, key_bytes(key)) == 0)
            return at->node;
    return NULL;
}

/* There is room. */
static void slot_enter(struct memo_store *s, struct memo_slot is)
{
    struct memo_slot *at = &s->slot[is.hash & (s->slots - 1)];

    while (at->node)
        at = slot_next(s, at);
    *at = is;
}

/* So many slots, all free. NULL: the host has no memory. */
static struct memo_slot *slots_take(size_t slots)
{
    size_t bytes = slots * sizeof(struct memo_slot);
    struct memo_slot *p;

    if (bytes % PAGES_LARGE)
        return calloc(slots, sizeof *p);
    p = pages_take(bytes);
    return p ? memset(p, 0, bytes) : NULL;
}

/* False: there is no room for more slots. */
static bool slots_double(struct memo_store *s)
{
    struct memo_slot *old = s->slot, *end = old + s->slots;
    struct memo_slot *more = slots_take(s->slots * 2);

    if (!more)
        return false;
    s->slot = more;
    s->slots *= 2;
    for (struct memo_slot *k = old; k < end; k++)
        if (k->node)
            slot_enter(s, *k);
    free(old);
    return true;
}

struct memo_node *store_add(struct memo_store *s, uint64_t hash,
                            const struct memo_key *key)
{
    struct memo_node *n;

    if (s->nodes + 1 > s->slots / 2 && !slots_double(s))
        return NULL;
    n = store_take(s, sizeof *n);
    if (!n || !(n->key = store_take(s, key_bytes(key))))
        return NULL;
    memcpy(n->key, key, key_bytes(key));
    slot_enter(s, (struct memo_slot){hash, n});
    s->nodes++;
    return n;
}

static unsigned row_of(const struct memo_event *v, unsigned n)
{
    uint32_t hash = n;

    for (unsigned k = 0; k < n; k++)
        hash = (hash ^ v[k].event ^ (uint32_t)v[k].n << 8) * 0x9E3779B1u;
    return hash >> 22;
}
_Static_assert(MEMO_SUMS == 1u << (32 - 22), "a hash names a row");

struct memo_sum *store_sum(const struct memo_store *s,
                           const struct memo_event *v, unsigned n)
{
    struct memo_sum *sum = s->sum[row_of(v, n)];

    while (sum && (sum->n != n || memcmp(sum->event, v, n * sizeof *v) != 0))
        sum = sum->next;
    return sum;
}

struct memo_sum *store_sum_add(struct memo_store *s, const struct memo_event *v,
                               unsigned n)
{
    struct memo_sum **row = &s->sum[row_of(v, n)], *sum;

    sum = store_take(s, sizeof *sum + n * sizeof *v);
    if (!sum)
        return NULL;
    *sum = (struct memo_sum){.next = *row, .n = n};
    memcpy(sum->event, v, n * sizeof *v);
    return *row = sum;
}

unsigned store_setting(struct memo_store *s, struct memo_setting is)
{
    unsigned k = 0;

    while (k < s->settings && (s->setting[k].hid0 != is.hid0 ||
                               s->setting[k].threshold != is.threshold))
        k++;
    if (k == s->settings && k < MEMO_SETTINGS)
        s->setting[s->settings++] = is;
    return k;
}
