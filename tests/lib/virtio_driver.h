/* virtio_driver.h - the driver's side of a virtio device, for tests of devices:
 * registers and one queue in a small memory. Addresses are physical.
 */
#ifndef TESTS_LIB_VIRTIO_DRIVER_H
#define TESTS_LIB_VIRTIO_DRIVER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/mem/iomap.h"

#define DRIVER_MEMORY 65536u
#define DRIVER_DESC 0x1000u
#define DRIVER_AVAIL 0x2000u
#define DRIVER_USED 0x3000u

struct virtio_driver {
    void *device;
    bool (*load)(void *, const struct io_access *, uint32_t *);
    bool (*store)(void *, const struct io_access *, uint32_t);
    uint64_t now; /* the cycle of the accesses, by CPU 1 */
    uint8_t memory[DRIVER_MEMORY];
};

/* A register, by the processor's order of bytes. */
uint32_t driver_get(struct virtio_driver *d, uint32_t offset);
void driver_set(struct virtio_driver *d, uint32_t offset, uint32_t value);

/* The lowest n bytes of value, little-endian, to memory, and from it. */
void driver_put(struct virtio_driver *d, uint32_t pa, unsigned n,
                uint64_t value);
uint64_t driver_read(const struct virtio_driver *d, uint32_t pa, unsigned n);

/* Descriptor n; flags: 1 another follows, 2 the device writes, 4 indirect. */
void driver_describe(struct virtio_driver *d, unsigned n, uint64_t pa,
                     uint32_t size, unsigned flags, unsigned next);

/* Reset the device and give it a queue of num descriptors. */
void driver_queue(struct virtio_driver *d, uint32_t num);

/* Make the chain at `head` available; of 16 descriptors. */
void driver_offer(struct virtio_driver *d, unsigned head);

#endif
