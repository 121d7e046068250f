/* metadata.c - see metadata.h. */
#include "lib/base/snap.h"
#include "sim/dev/metadata.h"

bool metadata_load(void *metadata, const struct io_access *a, uint32_t *value)
{
    const struct metadata *m = metadata;

    *value = 0;
    for (unsigned byte = 0; byte < a->size; byte++) {
        uint32_t at = a->offset + byte;

        *value = *value << 8 | (at < m->size ? m->bytes[at] : 0);
    }
    return true;
}

bool metadata_state(struct snap *s, struct metadata *m)
{
    snap_begin(s, "metadata", 1);
    SNAP_SAME(s, m->size);
    SNAP_SKIP(s, m->bytes, "of the program's file");
    return snap_end(s);
}
