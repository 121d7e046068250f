/* metadata.h - what the program brings along about itself: its sections
 * .perfinst, one behind the other, read only (docs/board.md). Knows bytes, not
 * what they mean.
 */
#ifndef SIM_DEV_METADATA_H
#define SIM_DEV_METADATA_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/mem/iomap.h"

struct metadata {
    const unsigned char *bytes; /* not owned */
    uint32_t size;
};

/* Bytes, half words and words; behind the last byte is zero. */
bool metadata_load(void *metadata, const struct io_access *a, uint32_t *value);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool metadata_state(struct snap *s, struct metadata *m);

#endif
