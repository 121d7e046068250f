/* disk.h - a virtio block device, version 2 (memory-mapped, modern).
 *
 * Registers, configuration and requests: Virtual I/O Device (VIRTIO) 1.1,
 * sections 4.2 and 5.2. One queue. Registers are little-endian: the value that
 * a load of a word gets has the lowest byte first. Requests are served one
 * behind the other, in the order in which the driver made them available; each
 * takes the time that the setup says and moves all its data at its end.
 * Without a disk the device answers with device number 0, which tells a driver
 * to leave it alone. What makes no sense sets DEVICE_NEEDS_RESET.
 */
#ifndef SIM_DEV_DISK_H
#define SIM_DEV_DISK_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/dev/virtio.h"
#include "sim/mem/medium.h"

#define DISK_IDLE UINT64_MAX
#define DISK_NAME 20 /* bytes of the serial number */

/* Outcomes and types of requests: 5.2.6. */
enum { DISK_OK, DISK_ERROR, DISK_UNSUPPORTED };
enum { DISK_IN = 0, DISK_OUT = 1, DISK_FLUSH = 4, DISK_GET_ID = 8 };

/* Cycles that a request takes: fixed + sectors * sector + 0 to spread, drawn
 * by the seed and the number of the request; `scaled`: so many millionths of
 * that, a cycle at least. */
struct disk_latency {
    uint32_t fixed, sector, spread, seed;
    bool scaled;
    uint32_t millionths;
};

/* How long request `number` takes that moves so many bytes, whole sectors. */
uint64_t disk_cycles(const struct disk_latency *l, uint64_t number,
                     uint64_t bytes);

/* A request that the driver made available. */
struct disk_request {
    uint16_t head;    /* of its chain */
    uint8_t cpu;      /* that told the device of it, */
    uint32_t context; /* ... whom it was running, */
    uint64_t asked;   /* ... and when */
};

/* ... and what came of it. */
struct disk_done {
    struct disk_request request;
    uint64_t begin, end; /* cycles in which it was served */
    uint32_t type, status, bytes;
    uint64_t sector;
    uint64_t number; /* requests done before it */
};

struct disk_wires {
    void *arg;
    uint32_t (*context)(void *arg, unsigned cpu);
    void (*done)(void *arg, const struct disk_done *d);
};

struct disk {
    struct medium medium;
    bool read_only;
    struct disk_latency latency;
    struct virtio virtio;
    struct disk_wires to;
    /* Requests that are not done, the oldest first; that one is served. */
    struct disk_request wait[VIRTQUEUE_MAX];
    uint32_t first, count;
    uint64_t begin, due; /* of the one that is served; DISK_IDLE: none is */
    uint64_t served;     /* so far */
};

/* The medium, read_only, latency, the wires, and of virtio memory, arg and irq
 * are set. */
void disk_init(struct disk *d);

bool disk_load(void *disk, const struct io_access *a, uint32_t *value);
bool disk_store(void *disk, const struct io_access *a, uint32_t value);

/* The cycle at which something happens by itself, or DISK_IDLE. */
static inline uint64_t disk_due(const struct disk *d)
{
    return d->due;
}

/* It is cycle disk_due. */
void disk_work(struct disk *d);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool disk_state(struct snap *s, struct disk *d);

#endif
