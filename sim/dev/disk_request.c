/* disk_request.c - what a request asks of the disk, and its data on their way:
 * VIRTIO 1.1, section 5.2.6. Where a chain is cut into descriptors is the
 * driver's choice (2.6.4.1): the first 16 bytes that can be read are the
 * header, the last one that can be written is the status.
 */
#include <string.h>

#include "sim/dev/disk_private.h"

#define HEADER 16u

/* A place in the readable or the writable bytes of a chain. */
struct place {
    const struct virtqueue_chain *chain;
    unsigned piece;
    uint32_t offset;
};

/* The next bytes from there on, at most `size`, in one piece of memory; how
 * many in *now. There are that many (the caller knows). */
static uint32_t next_bytes(struct place *p, uint64_t size, uint32_t *now)
{
    const struct virtqueue_piece *piece = &p->chain->piece[p->piece];
    uint32_t pa;

    while (p->offset == piece->size) {
        piece = &p->chain->piece[++p->piece];
        p->offset = 0;
    }
    pa = piece->pa + p->offset;
    *now = piece->size - p->offset;
    if (*now > size)
        *now = (uint32_t)size;
    p->offset += *now;
    return pa;
}

/* From the guest's memory. */
static void fetch(struct disk *d, struct place *p, uint64_t at, void *to,
                  uint32_t size)
{
    uint8_t *out = to;
    uint32_t now;

    for (; size; size -= now) {
        uint32_t pa = next_bytes(p, size, &now);

        d->virtio.memory.touch(d->virtio.memory.arg, pa, now, false, at);
        memcpy(out, d->virtio.memory.bytes + pa, now);
        out += now;
    }
}

/* To the guest's memory. */
static void deliver(struct disk *d, struct place *p, uint64_t at,
                    const void *from, uint32_t size)
{
    const uint8_t *in = from;
    uint32_t now;

    for (; size; size -= now) {
        uint32_t pa = next_bytes(p, size, &now);

        memcpy(d->virtio.memory.bytes + pa, in, now);
        d->virtio.memory.touch(d->virtio.memory.arg, pa, now, true, at);
        in += now;
    }
}

/* The part of `size` bytes of the disk that is in one page. */
static uint32_t in_page(uint64_t at, uint64_t size)
{
    uint64_t left = MEDIUM_PAGE - at % MEDIUM_PAGE;

    return (uint32_t)(left < size ? left : size);
}

/* Data between disk and memory; *moved counts them. False: what is on the disk
 * cannot be had. */
static bool move(struct disk *d, struct place *p, const struct disk_done *done,
                 uint64_t size, uint64_t *moved)
{
    uint64_t from = done->sector * MEDIUM_SECTOR;
    bool out = done->type == DISK_OUT;

    while (*moved < size) {
        uint32_t now = in_page(from + *moved, size - *moved);
        uint8_t *bytes = medium_at(&d->medium, from + *moved, now, out);

        if (!bytes)
            return false;
        if (out)
            fetch(d, p, done->end, bytes, now);
        else
            deliver(d, p, done->end, bytes, now);
        *moved += now;
    }
    return true;
}

/* Reads and writes: whole sectors, on the disk. */
static uint32_t transfer(struct disk *d, struct place *p,
                         struct disk_done *done, uint64_t size)
{
    uint64_t moved = 0;
    bool ok;

    if (size % MEDIUM_SECTOR || done->sector > MEDIUM_MAX / MEDIUM_SECTOR ||
        !medium_has(&d->medium, done->sector * MEDIUM_SECTOR, size) ||
        (done->type == DISK_OUT && d->read_only))
        return DISK_ERROR;
    ok = move(d, p, done, size, &moved);
    done->bytes = (uint32_t)moved;
    return ok ? DISK_OK : DISK_ERROR;
}

static uint32_t identify(struct disk *d, struct place *p,
                         struct disk_done *done, uint64_t size)
{
    static const char name[DISK_NAME] = "simrun disk";

    if (size < DISK_NAME)
        return DISK_ERROR;
    deliver(d, p, done->end, name, DISK_NAME);
    done->bytes = DISK_NAME;
    return DISK_OK;
}

/* What is asked for, at `in` and `out` behind the header and before the
 * status. */
static uint32_t carry_out(struct disk *d, struct disk_done *done,
                          struct place *out, uint64_t bytes_out,
                          struct place *in, uint64_t bytes_in)
{
    switch (done->type) {
    case DISK_IN:
        return transfer(d, in, done, bytes_in);
    case DISK_OUT:
        return transfer(d, out, done, bytes_out);
    case DISK_FLUSH: /* what is written is written: sim/mem/medium.h */
        return DISK_OK;
    case DISK_GET_ID:
        return identify(d, in, done, bytes_in);
    default:
        return DISK_UNSUPPORTED;
    }
}

static uint64_t little(const uint8_t *bytes, unsigned n)
{
    uint64_t value = 0;

    while (n--)
        value = value << 8 | bytes[n];
    return value;
}

/* The status: the very last byte that can be written. */
static void put_status(struct disk *d, const struct virtqueue_chain *c,
                       uint64_t at, uint8_t status)
{
    unsigned n = c->count - 1;
    uint32_t pa;

    while (!c->piece[n].size)
        n--;
    pa = c->piece[n].pa + c->piece[n].size - 1;
    d->virtio.memory.bytes[pa] = status;
    d->virtio.memory.touch(d->virtio.memory.arg, pa, 1, true, at);
}

bool disk_serve(struct disk *d, struct disk_done *done, bool *interrupt)
{
    struct virtqueue_chain c;
    struct place out = {&c, 0, 0}, in;
    uint8_t header[HEADER];
    uint32_t written;

    if (!virtqueue_walk(&d->virtio.queue, &d->virtio.memory, done->end,
                        done->request.head, &c) ||
        c.bytes_out < HEADER || c.bytes_in < 1)
        return false;
    in = (struct place){&c, c.readable, 0};
    fetch(d, &out, done->end, header, HEADER);
    done->type = (uint32_t)little(header, 4);
    done->sector = little(header + 8, 8);
    done->status =
        carry_out(d, done, &out, c.bytes_out - HEADER, &in, c.bytes_in - 1);
    put_status(d, &c, done->end, (uint8_t)done->status);
    written = done->type == DISK_OUT ? 0 : done->bytes;
    virtqueue_return(&d->virtio.queue, &d->virtio.memory, done->end,
                     done->request.head, written + 1, interrupt);
    return true;
}
