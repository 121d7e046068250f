/* virtqueue.h - a split virtqueue in the guest's memory, as a device sees it.
 *
 * Structures and rules: Virtual I/O Device (VIRTIO) 1.1, section 2.6; all of it
 * little-endian, also for a big-endian processor. Believes nothing that the
 * guest wrote: every function that reads memory checks it, and false means that
 * the queue is damaged, which the device answers with DEVICE_NEEDS_RESET.
 */
#ifndef SIM_DEV_VIRTQUEUE_H
#define SIM_DEV_VIRTQUEUE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/dev/dma.h"

#define VIRTQUEUE_MAX 128 /* descriptors; a power of two */

struct virtqueue {
    uint32_t num;               /* descriptors: a power of two */
    uint64_t desc, avail, used; /* physical addresses */
    uint16_t taken;             /* entries of `avail` so far */
    uint16_t returned;          /* ... of `used` */
    bool ready;
};

/* A piece of memory that a chain of descriptors names. */
struct virtqueue_piece {
    uint32_t pa, size;
};

struct virtqueue_chain {
    struct virtqueue_piece piece[VIRTQUEUE_MAX];
    unsigned readable, count;     /* the writable ones are behind them */
    uint64_t bytes_out, bytes_in; /* of the readable, of the writable */
};

/* Where everything of the queue lies in memory, aligned as it must be? */
bool virtqueue_sound(const struct virtqueue *q, const struct dma_memory *m);

/* The head of the next chain that the driver made available, in *head; *any is
 * false if there is none. False: the ring is damaged. */
bool virtqueue_take(struct virtqueue *q, const struct dma_memory *m,
                    uint64_t at, uint16_t *head, bool *any);

/* The pieces of the chain that begins at `head`. False: it is damaged - a
 * loop, too long, outside memory, readable behind writable. */
bool virtqueue_walk(const struct virtqueue *q, const struct dma_memory *m,
                    uint64_t at, uint16_t head, struct virtqueue_chain *c);

/* The device is done with the chain and has written `size` bytes. *interrupt:
 * the driver wants to hear of it. */
void virtqueue_return(struct virtqueue *q, const struct dma_memory *m,
                      uint64_t at, uint16_t head, uint32_t size,
                      bool *interrupt);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool virtqueue_state(struct snap *s, struct virtqueue *q);

#endif
