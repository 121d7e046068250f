/* virtio.h - the registers that every virtio device of the board has: version
 * 2, memory-mapped, with one queue.
 *
 * Virtual I/O Device (VIRTIO) 1.1, sections 2 and 4.2. Registers are
 * little-endian: the value that a load of a word gets has the lowest byte
 * first. What makes no sense sets DEVICE_NEEDS_RESET. What a device is, and
 * what it does with its queue, is its own: disk.c, entropy.c.
 */
#ifndef SIM_DEV_VIRTIO_H
#define SIM_DEV_VIRTIO_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/dev/virtqueue.h"
#include "sim/mem/iomap.h"

/* What tells one device from another. `device` is its structure. */
struct virtio_kind {
    /* Its number (5); 0: a driver leaves it alone, and stores do nothing. */
    uint32_t (*number)(const void *device);
    uint32_t (*features)(const void *device); /* the lower 32 that it offers */
    /* Byte n of its configuration; NULL: it has none. */
    uint8_t (*config)(const void *device, uint32_t n);
    /* The driver says that there is something in the queue. */
    void (*notified)(void *device, const struct io_access *a);
    /* The queue ends, damaged or by the driver: what was asked for is dropped.
     * NULL: the device keeps nothing. */
    void (*dropped)(void *device);
};

struct virtio {
    const struct virtio_kind *kind;
    void *device;
    struct dma_memory memory;
    void *arg;
    void (*irq)(void *arg, bool level, uint64_t at);
    uint32_t status, interrupts;
    uint32_t device_select, driver_select, queue_select;
    uint32_t driver_features[2];
    struct virtqueue queue;
    bool line; /* the interrupt output */
};

/* Has the driver set it up, and made no mistake so far? */
bool virtio_is_live(const struct virtio *v);

/* The guest's queue makes no sense (2.1.2). */
void virtio_damaged(struct virtio *v);

/* A request was handed back, and the driver wants to hear of it. */
void virtio_used(struct virtio *v);

/* The interrupt output follows what the above have done, at cycle `at`. Stores
 * do so by themselves. */
void virtio_settle(struct virtio *v, uint64_t at);

bool virtio_load(const struct virtio *v, const struct io_access *a,
                 uint32_t *value);
bool virtio_store(struct virtio *v, const struct io_access *a, uint32_t value);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool virtio_state(struct snap *s, struct virtio *v);

#endif
