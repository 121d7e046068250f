/* disk.c - the registers of the disk, and whose turn it is. What a request
 * does: disk_request.c. Section numbers are those of VIRTIO 1.1.
 */
#include <assert.h>

#include "include/board.h"
#include "lib/base/snap.h"
#include "sim/dev/disk_private.h"

#define MAGIC 0x74726976u  /* "virt" */
#define VENDOR 0x6E757273u /* "srun" */
#define BLOCK_DEVICE 2u

#define STATUS_DRIVER_OK 0x04u /* 2.1 */
#define STATUS_FEATURES_OK 0x08u
#define STATUS_NEEDS_RESET 0x40u
#define STATUS_DRIVER 0x8Fu /* the bits that a driver sets */

#define INTERRUPT_USED 1u /* 4.2.2 */
#define INTERRUPT_CONFIG 2u

#define F_SEG_MAX (1u << 2) /* 5.2.3 */
#define F_RO (1u << 5)
#define F_BLK_SIZE (1u << 6)
#define F_FLUSH (1u << 9)
#define F_INDIRECT (1u << 28) /* 6 */
#define F_VERSION_1 (1u << 0) /* bit 32 */

#define CONFIG_CAPACITY 0 /* 5.2.4 */
#define CONFIG_SEG_MAX 12
#define CONFIG_BLK_SIZE 20
#define SEGMENTS (VIRTQUEUE_MAX - 2) /* besides header and status */

void disk_init(struct disk *d)
{
    d->due = DISK_IDLE;
}

/* ---- wires --------------------------------------------------------------- */

static void settle_line(struct disk *d, uint64_t at)
{
    bool level = d->interrupts != 0;

    if (level == d->line)
        return;
    d->line = level;
    d->to.irq(d->to.arg, level, at);
}

static void reset(struct disk *d)
{
    d->status = d->interrupts = 0;
    d->device_select = d->driver_select = d->queue_select = 0;
    d->driver_features[0] = d->driver_features[1] = 0;
    d->queue = (struct virtqueue){0};
    d->first = d->count = 0;
    d->due = DISK_IDLE;
}

/* The guest's queue makes no sense (2.1.2). What was asked for is dropped. */
static void damaged(struct disk *d)
{
    d->status |= STATUS_NEEDS_RESET;
    if (d->status & STATUS_DRIVER_OK)
        d->interrupts |= INTERRUPT_CONFIG;
    d->first = d->count = 0;
    d->due = DISK_IDLE;
}

/* ---- requests ------------------------------------------------------------ */

static bool is_live(const struct disk *d)
{
    return d->status & STATUS_DRIVER_OK && !(d->status & STATUS_NEEDS_RESET) &&
           d->queue.ready;
}

/* 0 to spread, the same for the same seed and number. A step of a
 * multiplicative generator with its high bits mixed down (Vigna, splitmix64).
 */
static uint64_t drawn(const struct disk_latency *l, uint64_t number)
{
    uint64_t x =
        ((uint64_t)l->seed << 32) + (number + 1) * UINT64_C(0x9E3779B97F4A7C15);

    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) % ((uint64_t)l->spread + 1);
}

uint64_t disk_cycles(const struct disk_latency *l, uint64_t number,
                     uint64_t bytes)
{
    return l->fixed + bytes / MEDIUM_SECTOR * l->sector + drawn(l, number);
}

/* The oldest request is served from cycle `at` on. */
static void begin(struct disk *d, uint64_t at)
{
    struct virtqueue_chain c;
    uint64_t bytes;

    if (!d->count)
        return;
    if (!virtqueue_walk(&d->queue, &d->memory, at, d->wait[d->first].head,
                        &c)) {
        damaged(d);
        return;
    }
    bytes = c.bytes_in > c.bytes_out ? c.bytes_in : c.bytes_out;
    d->begin = at;
    d->due = at + disk_cycles(&d->latency, d->served, bytes);
}

/* The driver says that there is something in the queue. */
static void notified(struct disk *d, const struct io_access *a)
{
    uint16_t head;
    bool any;

    while (is_live(d)) {
        if (!virtqueue_take(&d->queue, &d->memory, a->at, &head, &any)) {
            damaged(d);
            return;
        }
        if (!any)
            break;
        if (d->count == d->queue.num) { /* more than it has descriptors */
            damaged(d);
            return;
        }
        d->wait[(d->first + d->count++) % VIRTQUEUE_MAX] =
            (struct disk_request){head, (uint8_t)a->cpu,
                                  d->to.context(d->to.arg, a->cpu), a->at};
    }
    if (d->due == DISK_IDLE && is_live(d))
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
        damaged(d);
    } else {
        d->first = (d->first + 1) % VIRTQUEUE_MAX;
        d->count--;
        d->served++;
        d->due = DISK_IDLE;
        if (interrupt)
            d->interrupts |= INTERRUPT_USED;
        d->to.done(d->to.arg, &done);
        begin(d, at);
    }
    settle_line(d, at);
}

/* ---- registers ----------------------------------------------------------- */

static uint32_t offered(const struct disk *d, uint32_t select)
{
    if (select == 1)
        return F_VERSION_1;
    return select ? 0
                  : F_SEG_MAX | F_BLK_SIZE | F_FLUSH | F_INDIRECT |
                        (d->read_only ? F_RO : 0);
}

/* FEATURES_OK stays only if the driver took what it may and has to take. */
static void set_status(struct disk *d, uint32_t value)
{
    uint32_t kept = d->status & STATUS_NEEDS_RESET;

    if (!value) {
        reset(d);
        return;
    }
    if (value & STATUS_FEATURES_OK && !(d->status & STATUS_FEATURES_OK) &&
        (d->driver_features[0] & ~offered(d, 0) ||
         d->driver_features[1] != F_VERSION_1))
        value &= ~STATUS_FEATURES_OK;
    d->status = (value & STATUS_DRIVER) | kept;
}

static void set_ready(struct disk *d, uint32_t value)
{
    struct virtqueue *q = &d->queue;

    if (!(value & 1)) {
        q->ready = false;
        d->count = 0;
        d->due = DISK_IDLE;
    } else if (!q->ready && !virtqueue_sound(q, &d->memory)) {
        damaged(d);
    } else if (!q->ready) {
        q->taken = q->returned = 0;
        q->ready = true;
    }
}

static void set_half(uint64_t *value, bool high, uint32_t half)
{
    *value = high ? (*value & UINT32_MAX) | (uint64_t)half << 32
                  : (*value & ~(uint64_t)UINT32_MAX) | half;
}

/* The queue's registers, of queue 0; while it is ready they are fixed. */
static void set_queue(struct disk *d, uint32_t offset, uint32_t value)
{
    struct virtqueue *q = &d->queue;

    if (d->queue_select || q->ready)
        return;
    switch (offset) {
    case DISK_QUEUE_NUM:
        q->num = value;
        break;
    case DISK_QUEUE_DESC:
    case DISK_QUEUE_DESC + 4:
        set_half(&q->desc, offset & 4, value);
        break;
    case DISK_QUEUE_DRIVER:
    case DISK_QUEUE_DRIVER + 4:
        set_half(&q->avail, offset & 4, value);
        break;
    case DISK_QUEUE_DEVICE:
    case DISK_QUEUE_DEVICE + 4:
        set_half(&q->used, offset & 4, value);
        break;
    }
}

static void write_register(struct disk *d, const struct io_access *a,
                           uint32_t value)
{
    switch (a->offset) {
    case DISK_FEATURES_SEL:
        d->device_select = value;
        break;
    case DISK_DRIVER_FEATURES:
        if (!(d->status & STATUS_FEATURES_OK) && d->driver_select < 2)
            d->driver_features[d->driver_select] = value;
        break;
    case DISK_DRIVER_SEL:
        d->driver_select = value;
        break;
    case DISK_QUEUE_SEL:
        d->queue_select = value;
        break;
    case DISK_QUEUE_READY:
        if (!d->queue_select)
            set_ready(d, value);
        break;
    case DISK_QUEUE_NOTIFY:
        if (!value)
            notified(d, a);
        break;
    case DISK_INTERRUPT_ACK:
        d->interrupts &= ~value;
        break;
    case DISK_STATUS:
        set_status(d, value);
        break;
    default:
        set_queue(d, a->offset, value);
        break;
    }
}

static uint32_t read_register(const struct disk *d, uint32_t offset)
{
    switch (offset) {
    case DISK_MAGIC:
        return MAGIC;
    case DISK_VERSION:
        return 2;
    case DISK_DEVICE:
        return d->medium.size ? BLOCK_DEVICE : 0;
    case DISK_VENDOR:
        return VENDOR;
    case DISK_FEATURES:
        return offered(d, d->device_select);
    case DISK_QUEUE_NUM_MAX:
        return d->queue_select ? 0 : VIRTQUEUE_MAX;
    case DISK_QUEUE_READY:
        return !d->queue_select && d->queue.ready;
    case DISK_INTERRUPTS:
        return d->interrupts;
    case DISK_STATUS:
        return d->status;
    case DISK_SHM_LENGTH: /* no shared memory: all ones (4.2.2) */
    case DISK_SHM_LENGTH + 4:
        return UINT32_MAX;
    default: /* write only, reserved, or CONFIG_GENERATION, which stays 0 */
        return 0;
    }
}

/* A byte of the configuration. */
static uint8_t config_byte(const struct disk *d, uint32_t n)
{
    uint64_t capacity = d->medium.size / MEDIUM_SECTOR;

    if (n - CONFIG_CAPACITY < 8)
        return (uint8_t)(capacity >> 8 * (n - CONFIG_CAPACITY));
    if (n - CONFIG_SEG_MAX < 4)
        return (uint8_t)(SEGMENTS >> 8 * (n - CONFIG_SEG_MAX));
    if (n - CONFIG_BLK_SIZE < 4)
        return (uint8_t)(MEDIUM_SECTOR >> 8 * (n - CONFIG_BLK_SIZE));
    return 0;
}

bool disk_load(void *disk, const struct io_access *a, uint32_t *value)
{
    const struct disk *d = disk;

    if (a->offset < DISK_CONFIG && (a->size != 4 || a->offset % 4))
        return false;
    if (a->offset < DISK_CONFIG) {
        *value = __builtin_bswap32(read_register(d, a->offset));
        return true;
    }
    *value = 0;
    for (unsigned k = 0; k < a->size; k++)
        *value = *value << 8 | config_byte(d, a->offset - DISK_CONFIG + k);
    return true;
}

bool disk_store(void *disk, const struct io_access *a, uint32_t value)
{
    struct disk *d = disk;

    if (a->offset >= DISK_CONFIG) /* nothing of it can be written */
        return true;
    if (a->size != 4 || a->offset % 4)
        return false;
    if (d->medium.size)
        write_register(d, a, __builtin_bswap32(value));
    settle_line(d, a->at);
    return true;
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
    snap_begin(s, "disk", 1);
    medium_state(s, &d->medium);
    SNAP_SAME(s, d->read_only);
    SNAP_SKIP(s, d->latency, "knobs");
    SNAP_SKIP(s, d->memory, "wired by board_init");
    SNAP_SKIP(s, d->to, "wired by board_init");
    SNAP(s, d->status);
    SNAP(s, d->interrupts);
    SNAP(s, d->device_select);
    SNAP(s, d->driver_select);
    SNAP(s, d->queue_select);
    SNAP_ARRAY(s, d->driver_features);
    virtqueue_state(s, &d->queue);
    SNAP(s, d->line);
    for (unsigned n = 0; n < VIRTQUEUE_MAX; n++)
        request_state(s, &d->wait[n]);
    SNAP_BELOW(s, d->first, VIRTQUEUE_MAX);
    SNAP_BELOW(s, d->count, VIRTQUEUE_MAX + 1);
    SNAP(s, d->begin);
    SNAP(s, d->due);
    SNAP(s, d->served);
    if (snap_loading(s) &&
        ((d->queue.ready && !virtqueue_sound(&d->queue, &d->memory)) ||
         (d->due != DISK_IDLE && (!d->count || !d->queue.ready))))
        snap_refuse(s, "a request without a queue");
    return snap_end(s);
}
