/* virtqueue.c - see virtqueue.h. Section numbers are those of VIRTIO 1.1. */
#include "sim/dev/virtqueue.h"

#include <assert.h>

#include "lib/base/snap.h"

#define DESC_BYTES 16u /* 2.6.5 */
#define DESC_NEXT 1u
#define DESC_WRITE 2u
#define DESC_INDIRECT 4u
#define AVAIL_NO_INTERRUPT 1u
#define RING_HEAD 4u /* flags and idx, in front of the entries */
#define USED_BYTES 8u

static bool in_memory(const struct dma_memory *m, uint64_t pa, uint64_t size)
{
    return pa <= m->size && size <= m->size - pa;
}

static uint64_t get(const struct dma_memory *m, uint64_t pa, unsigned n)
{
    uint64_t value = 0;

    assert(in_memory(m, pa, n));
    while (n--)
        value = value << 8 | m->bytes[pa + n];
    return value;
}

static void put(const struct dma_memory *m, uint64_t pa, unsigned n,
                uint32_t value)
{
    assert(in_memory(m, pa, n));
    for (unsigned k = 0; k < n; k++)
        m->bytes[pa + k] = (uint8_t)(value >> 8 * k);
}

bool virtqueue_sound(const struct virtqueue *q, const struct dma_memory *m)
{
    return q->num && q->num <= VIRTQUEUE_MAX && !(q->num & (q->num - 1)) &&
           q->desc % 16 == 0 && q->avail % 2 == 0 && q->used % 4 == 0 &&
           in_memory(m, q->desc, q->num * DESC_BYTES) &&
           in_memory(m, q->avail, RING_HEAD + 2 * q->num + 2) &&
           in_memory(m, q->used, RING_HEAD + USED_BYTES * q->num + 2);
}

bool virtqueue_take(struct virtqueue *q, const struct dma_memory *m,
                    uint64_t at, uint16_t *head, bool *any)
{
    uint64_t entry = q->avail + RING_HEAD + 2 * (q->taken & (q->num - 1));
    uint16_t ahead;

    m->touch(m->arg, (uint32_t)q->avail, RING_HEAD, false, at);
    ahead = (uint16_t)(get(m, q->avail + 2, 2) - q->taken);
    *any = ahead != 0;
    if (!ahead)
        return true;
    if (ahead > q->num)
        return false;
    m->touch(m->arg, (uint32_t)entry, 2, false, at);
    *head = (uint16_t)get(m, entry, 2);
    q->taken++;
    return *head < q->num;
}

/* A table of descriptors: the queue's own, or the one that an indirect
 * descriptor names. */
struct table {
    uint64_t pa;
    uint32_t count;
    bool indirect;
};

/* One more piece. False: it does not belong there. */
static bool add(struct virtqueue_chain *c, const struct dma_memory *m,
                uint64_t pa, uint32_t size, bool write)
{
    if (c->count == VIRTQUEUE_MAX || !in_memory(m, pa, size) ||
        (!write && c->readable != c->count))
        return false;
    c->piece[c->count++] = (struct virtqueue_piece){(uint32_t)pa, size};
    if (write) {
        c->bytes_in += size;
    } else {
        c->readable++;
        c->bytes_out += size;
    }
    return true;
}

/* The table that a descriptor names instead of a piece: only in the queue's
 * own, and the last of its chain (2.6.5.3.1). */
static bool enter(struct table *t, const struct dma_memory *m, uint64_t pa,
                  uint32_t size, unsigned flags)
{
    if (t->indirect || flags & DESC_NEXT || !size || size % DESC_BYTES ||
        !in_memory(m, pa, size))
        return false;
    *t = (struct table){pa, size / DESC_BYTES, true};
    return true;
}

bool virtqueue_walk(const struct virtqueue *q, const struct dma_memory *m,
                    uint64_t at, uint16_t head, struct virtqueue_chain *c)
{
    struct table t = {q->desc, q->num, false};
    uint32_t n = head;

    c->readable = c->count = 0;
    c->bytes_out = c->bytes_in = 0;
    for (unsigned seen = 0; seen <= VIRTQUEUE_MAX; seen++) {
        uint64_t desc = t.pa + n * DESC_BYTES, pa;
        uint32_t size;
        unsigned flags;

        m->touch(m->arg, (uint32_t)desc, DESC_BYTES, false, at);
        pa = get(m, desc, 8);
        size = (uint32_t)get(m, desc + 8, 4);
        flags = (unsigned)get(m, desc + 12, 2);
        if (flags & DESC_INDIRECT) {
            if (!enter(&t, m, pa, size, flags))
                return false;
            n = 0;
            continue;
        }
        if (!add(c, m, pa, size, flags & DESC_WRITE))
            return false;
        if (!(flags & DESC_NEXT))
            return true;
        n = (uint32_t)get(m, desc + 14, 2);
        if (n >= t.count)
            return false;
    }
    return false; /* a loop */
}

void virtqueue_return(struct virtqueue *q, const struct dma_memory *m,
                      uint64_t at, uint16_t head, uint32_t size,
                      bool *interrupt)
{
    uint64_t entry =
        q->used + RING_HEAD + USED_BYTES * (q->returned & (q->num - 1));

    put(m, entry, 4, head);
    put(m, entry + 4, 4, size);
    m->touch(m->arg, (uint32_t)entry, USED_BYTES, true, at);
    q->returned++;
    put(m, q->used + 2, 2, q->returned);
    m->touch(m->arg, (uint32_t)q->used, RING_HEAD, true, at);
    m->touch(m->arg, (uint32_t)q->avail, 2, false, at);
    *interrupt = !(get(m, q->avail, 2) & AVAIL_NO_INTERRUPT);
}

bool virtqueue_state(struct snap *s, struct virtqueue *q)
{
    snap_begin(s, "virtqueue", 1);
    SNAP(s, q->num);
    SNAP(s, q->desc);
    SNAP(s, q->avail);
    SNAP(s, q->used);
    SNAP(s, q->taken);
    SNAP(s, q->returned);
    SNAP(s, q->ready);
    return snap_end(s);
}
