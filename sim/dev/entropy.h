/* entropy.h - a virtio entropy device: random bytes by the machine's seed.
 *
 * Virtual I/O Device (VIRTIO) 1.1, section 5.4; registers: virtio.h. A request
 * is served when the driver tells of it: its writable bytes are filled with the
 * next ones of a row that follows from the seed, so that a run is the same
 * twice.
 */
#ifndef SIM_DEV_ENTROPY_H
#define SIM_DEV_ENTROPY_H

#include "sim/dev/virtio.h"

struct entropy {
    uint64_t seed;
    uint64_t drawn; /* words so far */
    struct virtio virtio;
};

/* The seed, and of virtio memory, arg and irq are set. */
void entropy_init(struct entropy *e);

bool entropy_load(void *entropy, const struct io_access *a, uint32_t *value);
bool entropy_store(void *entropy, const struct io_access *a, uint32_t value);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool entropy_state(struct snap *s, struct entropy *e);

#endif
