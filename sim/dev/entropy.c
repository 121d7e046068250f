/* entropy.c - requests for random bytes, served at once. */
#include "sim/dev/entropy.h"

#include "lib/base/mix.h"
#include "lib/base/snap.h"

#define ENTROPY_DEVICE 4u

#define F_INDIRECT (1u << 28) /* 6 */

#define MOST 4096u /* bytes of a request; a device may give fewer (5.4.6.1) */

static uint32_t number(const void *entropy)
{
    (void)entropy;
    return ENTROPY_DEVICE;
}

static uint32_t features(const void *entropy)
{
    (void)entropy;
    return F_INDIRECT;
}

/* Each piece begins with a word of the row that no other has a byte of. */
static void fill(struct entropy *e, uint32_t pa, uint32_t size, uint64_t at)
{
    struct dma_memory *m = &e->virtio.memory;
    uint64_t word = 0;

    for (uint32_t n = 0; n < size; n++, word >>= 8) {
        if (n % sizeof word == 0)
            word = mix64(e->seed + ++e->drawn * MIX_STEP);
        m->bytes[pa + n] = (uint8_t)word;
    }
    m->touch(m->arg, pa, size, true, at);
}

/* The chain at `head` is filled and handed back. False: it makes no sense. */
static bool serve(struct entropy *e, uint16_t head, uint64_t at)
{
    struct virtio *v = &e->virtio;
    struct virtqueue_chain c;
    uint32_t filled = 0;
    bool interrupt;

    if (!virtqueue_walk(&v->queue, &v->memory, at, head, &c))
        return false;
    for (unsigned n = c.readable; n < c.count; n++) {
        uint32_t left = MOST - filled, size = c.piece[n].size;

        size = size < left ? size : left;
        fill(e, c.piece[n].pa, size, at);
        filled += size;
    }
    virtqueue_return(&v->queue, &v->memory, at, head, filled, &interrupt);
    if (interrupt)
        virtio_used(v);
    return true;
}

static void notified(void *entropy, const struct io_access *a)
{
    struct entropy *e = entropy;
    struct virtio *v = &e->virtio;
    unsigned served = 0;
    uint16_t head;
    bool any = true;

    while (virtio_is_live(v) && any)
        if (!virtqueue_take(&v->queue, &v->memory, a->at, &head, &any) ||
            (any && (served++ == v->queue.num || !serve(e, head, a->at))))
            virtio_damaged(v);
}

static const struct virtio_kind is_entropy = {
    .number = number, .features = features, .notified = notified};

void entropy_init(struct entropy *e)
{
    e->virtio.kind = &is_entropy;
    e->virtio.device = e;
}

bool entropy_load(void *entropy, const struct io_access *a, uint32_t *value)
{
    const struct entropy *e = entropy;

    return virtio_load(&e->virtio, a, value);
}

bool entropy_store(void *entropy, const struct io_access *a, uint32_t value)
{
    struct entropy *e = entropy;

    return virtio_store(&e->virtio, a, value);
}

bool entropy_state(struct snap *s, struct entropy *e)
{
    snap_begin(s, "entropy", 1);
    SNAP_SKIP(s, e->seed, "a knob");
    SNAP(s, e->drawn);
    virtio_state(s, &e->virtio);
    return snap_end(s);
}
