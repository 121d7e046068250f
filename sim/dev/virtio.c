/* virtio.c - the registers of a virtio device, and how a driver sets it up.
 * Section numbers are those of VIRTIO 1.1.
 */
#include "sim/dev/virtio.h"

#include "include/board.h"
#include "lib/base/snap.h"

#define MAGIC 0x74726976u  /* "virt" */
#define VENDOR 0x6E757273u /* "srun" */

#define STATUS_DRIVER_OK 0x04u /* 2.1 */
#define STATUS_FEATURES_OK 0x08u
#define STATUS_NEEDS_RESET 0x40u
#define STATUS_DRIVER 0x8Fu /* the bits that a driver sets */

#define INTERRUPT_USED 1u /* 4.2.2 */
#define INTERRUPT_CONFIG 2u

#define F_VERSION_1 (1u << 0) /* bit 32 (6) */

bool virtio_is_live(const struct virtio *v)
{
    return v->status & STATUS_DRIVER_OK && !(v->status & STATUS_NEEDS_RESET) &&
           v->queue.ready;
}

void virtio_settle(struct virtio *v, uint64_t at)
{
    bool level = v->interrupts != 0;

    if (level == v->line)
        return;
    v->line = level;
    v->irq(v->arg, level, at);
}

static void drop(struct virtio *v)
{
    if (v->kind->dropped)
        v->kind->dropped(v->device);
}

static void reset(struct virtio *v)
{
    v->status = v->interrupts = 0;
    v->device_select = v->driver_select = v->queue_select = 0;
    v->driver_features[0] = v->driver_features[1] = 0;
    v->queue = (struct virtqueue){0};
    drop(v);
}

void virtio_damaged(struct virtio *v)
{
    v->status |= STATUS_NEEDS_RESET;
    if (v->status & STATUS_DRIVER_OK)
        v->interrupts |= INTERRUPT_CONFIG;
    drop(v);
}

void virtio_used(struct virtio *v)
{
    v->interrupts |= INTERRUPT_USED;
}

/* ---- registers ----------------------------------------------------------- */

static uint32_t offered(const struct virtio *v, uint32_t select)
{
    if (select == 1)
        return F_VERSION_1;
    return select ? 0 : v->kind->features(v->device);
}

/* FEATURES_OK stays only if the driver took what it may and has to take. */
static void set_status(struct virtio *v, uint32_t value)
{
    uint32_t kept = v->status & STATUS_NEEDS_RESET;

    if (!value) {
        reset(v);
        return;
    }
    if (value & STATUS_FEATURES_OK && !(v->status & STATUS_FEATURES_OK) &&
        (v->driver_features[0] & ~offered(v, 0) ||
         v->driver_features[1] != F_VERSION_1))
        value &= ~STATUS_FEATURES_OK;
    v->status = (value & STATUS_DRIVER) | kept;
}

static void set_ready(struct virtio *v, uint32_t value)
{
    struct virtqueue *q = &v->queue;

    if (!(value & 1)) {
        q->ready = false;
        drop(v);
    } else if (!q->ready && !virtqueue_sound(q, &v->memory)) {
        virtio_damaged(v);
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
static void set_queue(struct virtio *v, uint32_t offset, uint32_t value)
{
    struct virtqueue *q = &v->queue;

    if (v->queue_select || q->ready)
        return;
    switch (offset) {
    case VIRTIO_QUEUE_NUM:
        q->num = value;
        break;
    case VIRTIO_QUEUE_DESC:
    case VIRTIO_QUEUE_DESC + 4:
        set_half(&q->desc, offset & 4, value);
        break;
    case VIRTIO_QUEUE_DRIVER:
    case VIRTIO_QUEUE_DRIVER + 4:
        set_half(&q->avail, offset & 4, value);
        break;
    case VIRTIO_QUEUE_DEVICE:
    case VIRTIO_QUEUE_DEVICE + 4:
        set_half(&q->used, offset & 4, value);
        break;
    }
}

static void write_register(struct virtio *v, const struct io_access *a,
                           uint32_t value)
{
    switch (a->offset) {
    case VIRTIO_FEATURES_SEL:
        v->device_select = value;
        break;
    case VIRTIO_DRIVER_FEATURES:
        if (!(v->status & STATUS_FEATURES_OK) && v->driver_select < 2)
            v->driver_features[v->driver_select] = value;
        break;
    case VIRTIO_DRIVER_SEL:
        v->driver_select = value;
        break;
    case VIRTIO_QUEUE_SEL:
        v->queue_select = value;
        break;
    case VIRTIO_QUEUE_READY:
        if (!v->queue_select)
            set_ready(v, value);
        break;
    case VIRTIO_QUEUE_NOTIFY:
        if (!value)
            v->kind->notified(v->device, a);
        break;
    case VIRTIO_INTERRUPT_ACK:
        v->interrupts &= ~value;
        break;
    case VIRTIO_STATUS:
        set_status(v, value);
        break;
    default:
        set_queue(v, a->offset, value);
        break;
    }
}

static uint32_t read_register(const struct virtio *v, uint32_t offset)
{
    switch (offset) {
    case VIRTIO_MAGIC:
        return MAGIC;
    case VIRTIO_VERSION:
        return 2;
    case VIRTIO_DEVICE:
        return v->kind->number(v->device);
    case VIRTIO_VENDOR:
        return VENDOR;
    case VIRTIO_FEATURES:
        return offered(v, v->device_select);
    case VIRTIO_QUEUE_NUM_MAX:
        return v->queue_select ? 0 : VIRTQUEUE_MAX;
    case VIRTIO_QUEUE_READY:
        return !v->queue_select && v->queue.ready;
    case VIRTIO_INTERRUPTS:
        return v->interrupts;
    case VIRTIO_STATUS:
        return v->status;
    case VIRTIO_SHM_LENGTH: /* no shared memory: all ones (4.2.2) */
    case VIRTIO_SHM_LENGTH + 4:
        return UINT32_MAX;
    default: /* write only, reserved, or CONFIG_GENERATION, which stays 0 */
        return 0;
    }
}

bool virtio_load(const struct virtio *v, const struct io_access *a,
                 uint32_t *value)
{
    if (a->offset < VIRTIO_CONFIG && (a->size != 4 || a->offset % 4))
        return false;
    if (a->offset < VIRTIO_CONFIG) {
        *value = __builtin_bswap32(read_register(v, a->offset));
        return true;
    }
    *value = 0;
    for (unsigned k = 0; v->kind->config && k < a->size; k++)
        *value = *value << 8 |
                 v->kind->config(v->device, a->offset - VIRTIO_CONFIG + k);
    return true;
}

bool virtio_store(struct virtio *v, const struct io_access *a, uint32_t value)
{
    if (a->offset >= VIRTIO_CONFIG) /* nothing of it can be written */
        return true;
    if (a->size != 4 || a->offset % 4)
        return false;
    if (v->kind->number(v->device))
        write_register(v, a, __builtin_bswap32(value));
    virtio_settle(v, a->at);
    return true;
}

/* ---- saved state --------------------------------------------------------- */

bool virtio_state(struct snap *s, struct virtio *v)
{
    snap_begin(s, "virtio", 1);
    SNAP_SKIP(s, v->kind, "a table of functions");
    SNAP_SKIP(s, v->device, "wired by board_init");
    SNAP_SKIP(s, v->memory, "wired by board_init");
    SNAP_SKIP(s, v->arg, "wired by board_init");
    SNAP_SKIP(s, v->irq, "wired by board_init");
    SNAP(s, v->status);
    SNAP(s, v->interrupts);
    SNAP(s, v->device_select);
    SNAP(s, v->driver_select);
    SNAP(s, v->queue_select);
    SNAP_ARRAY(s, v->driver_features);
    virtqueue_state(s, &v->queue);
    SNAP(s, v->line);
    if (snap_loading(s) && v->queue.ready &&
        !virtqueue_sound(&v->queue, &v->memory))
        snap_refuse(s, "a queue outside of memory");
    return snap_end(s);
}
