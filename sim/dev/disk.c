/* disk.c - what kind of device the disk is, and whose turn it is. Registers:
 * virtio.c; what a request does: disk_request.c. Section numbers are those of
 * VIRTIO 1.1.
 */
#include <assert.h>

#include "include/board.h"
#include "lib/base/mix.h"
#include "lib/base/snap.h"
#include "sim/dev/disk_private.h"

#define BLOCK_DEVICE 2u

#define F_SEG_MAX (1u << 2) /* 5.2.3 */
#define F_RO (1u << 5)
#define F_BLK_SIZE (1u << 6)
#define F_FLUSH (1u << 9)
#define F_INDIRECT (1u << 28) /* 6 */

#define CONFIG_CAPACITY 0 /* 5.2.4 */
#define CONFIG_SEG_MAX 12
#define CONFIG_BLK_SIZE 20
#define SEGMENTS (VIRTQUEUE_MAX - 2) /* besides header and status */

/* What was asked for is dropped. */
static void dropped(void *disk)
{
    struct disk *d = disk;

    d->first = d->count = 0;
    d->due = DISK_IDLE;
}

/* ---- requests ------------------------------------------------------------ */

#define MILLION 1000000u

/* 0 to spread, the same for the same seed and number. */
static uint64_t drawn(const struct disk_latency *l, uint64_t number)
{
    uint64_t seed = (uint64_t)l->seed << 32;

    return mix64(seed + (number + 1) * MIX_STEP) % ((uint64_t)l->spread + 1);
}

uint64_t disk_cycles(const struct disk_latency *l, uint64_t number,
                     uint64_t bytes)
{
    uint64_t cycles =
        l->fixed + bytes / MEDIUM_SECTOR * l->sector + drawn(l, number);

    if (l->scaled)
        cycles = cycles / MILLION * l->millionths +
                 cycles % MILLION * l->millionths / MILLION;
    return cycles || !l->scaled ? cycles : 1;
}

/* The oldest request is served from cycle `at` on. */
static void begin(struct disk *d, uint64_t at)
{
    struct virtqueue_chain c;
    uint64_t bytes;

    if (!d->count)
        return;
    if (!virtqueue_walk(&d->virtio.queue, &d->virtio.memory, at,
                        d->wait[d->first].head, &c)) {
        virtio_damaged(&d->virtio);
        return;
    }
    bytes = c.bytes_in > c.bytes_out ? c.bytes_in : c.bytes_out;
    d->begin = at;
    d->due = at + disk_cycles(&d->latency, d->served, bytes);
}

/* The driver says that there is something in the queue. */
static void notified(void *disk, const struct io_access *a)
{
    struct disk *d = disk;
    uint16_t head;
    bool any;

    while (virtio_is_live(&d->virtio)) {
        if (!virtqueue_take(&d->virtio.queue, &d->virtio.memory, a->at, &head,
                            &any)) {
            virtio_damaged(&d->virtio);
            return;
        }
        if (!any)
            break;
        if (d->count ==
            d->virtio.queue.num) { /* more than it has descriptors */
            virtio_damaged(&d->virtio);
            return;
        }
        d->wait[(d->first + d->count++) % VIRTQUEUE_MAX] =
            (struct disk_request){head, (uint8_t)a->cpu,
                                  d->to.context(d->to.arg, a->cpu), a->at};
    }
    if (d->due == DISK_IDLE && virtio_is_live(&d->virtio))
        begin(d, a->at);
}

void disk_work(struct disk *d)
{
    uint64_t at = d->due;
    struct disk_done done = {.request = d->wait[d->first],
                             .begin = d->begin,
                             .end = at,
                             .number = d->served};
    bool interrupt = false;

    assert(d->count && at != DISK_IDLE);
    if (!disk_serve(d, &done, &interrupt)) {
        virtio_damaged(&d->virtio);
    } else {
        d->first = (d->first + 1) % VIRTQUEUE_MAX;
        d->count--;
        d->served++;
        d->due = DISK_IDLE;
        if (interrupt)
            virtio_used(&d->virtio);
        d->to.done(d->to.arg, &done);
        begin(d, at);
    }
    virtio_settle(&d->virtio, at);
}

/* ---- what it is ----------------------------------------------------------- */

static uint32_t number(const void *disk)
{
    const struct disk *d = disk;

    return d->medium.size ? BLOCK_DEVICE : 0;
}

static uint32_t features(const void *disk)
{
    const struct disk *d = disk;

    return F_SEG_MAX | F_BLK_SIZE | F_FLUSH | F_INDIRECT |
           (d->read_only ? F_RO : 0);
}

/* A byte of the configuration. */
static uint8_t config(const void *disk, uint32_t n)
{
    const struct disk *d = disk;
    uint64_t capacity = d->medium.size / MEDIUM_SECTOR;

    if (n - CONFIG_CAPACITY < 8)
        return (uint8_t)(capacity >> 8 * (n - CONFIG_CAPACITY));
    if (n - CONFIG_SEG_MAX < 4)
        return (uint8_t)(SEGMENTS >> 8 * (n - CONFIG_SEG_MAX));
    if (n - CONFIG_BLK_SIZE < 4)
        return (uint8_t)(MEDIUM_SECTOR >> 8 * (n - CONFIG_BLK_SIZE));
    return 0;
}

static const struct virtio_kind is_disk = {number, features, config, notified,
                                           dropped};

void disk_init(struct disk *d)
{
    d->virtio.kind = &is_disk;
    d->virtio.device = d;
    d->due = DISK_IDLE;
}

bool disk_load(void *disk, const struct io_access *a, uint32_t *value)
{
    const struct disk *d = disk;

    return virtio_load(&d->virtio, a, value);
}

bool disk_store(void *disk, const struct io_access *a, uint32_t value)
{
    struct disk *d = disk;

    return virtio_store(&d->virtio, a, value);
}

/* ---- saved state --------------------------------------------------------- */

static void request_state(struct snap *s, struct disk_request *r)
{
    SNAP_BELOW(s, r->head, VIRTQUEUE_MAX);
    SNAP(s, r->cpu);
    SNAP(s, r->context);
    SNAP(s, r->asked);
}

bool disk_state(struct snap *s, struct disk *d)
{
    snap_begin(s, "disk", 2);
    medium_state(s, &d->medium);
    SNAP_SAME(s, d->read_only);
    SNAP_SKIP(s, d->latency, "knobs");
    SNAP_SKIP(s, d->to, "wired by board_init");
    virtio_state(s, &d->virtio);
    for (unsigned n = 0; n < VIRTQUEUE_MAX; n++)
        request_state(s, &d->wait[n]);
    SNAP_BELOW(s, d->first, VIRTQUEUE_MAX);
    SNAP_BELOW(s, d->count, VIRTQUEUE_MAX + 1);
    SNAP(s, d->begin);
    SNAP(s, d->due);
    SNAP(s, d->served);
    if (snap_loading(s) && d->due != DISK_IDLE &&
        (!d->count || !d->virtio.queue.ready))
        snap_refuse(s, "a request without a queue");
    return snap_end(s);
}
