/* info.c - the page of facts. Bytes, half words and words may be read. */
#include <string.h>

#include "lib/base/big_endian.h"
#include "lib/base/snap.h"
#include "sim/dev/info.h"

static void put(struct info *i, unsigned offset, uint32_t word)
{
    be_put32(i->page + offset, word);
}

bool info_init(struct info *i, const struct info_facts *f)
{
    size_t length = strlen(f->args);

    memset(i, 0, sizeof *i);
    if (length >= INFO_ARGS_MAX)
        return false;
    put(i, INFO_CPUS, f->cpus);
    put(i, INFO_RAM, f->ram);
    put(i, INFO_CLOCK, f->clock);
    put(i, INFO_TIMEBASE, f->timebase);
    put(i, INFO_TB_CYCLES, f->tb_cycles);
    put(i, INFO_SEED, f->seed);
    put(i, INFO_PERFINST, f->perfinst);
    put(i, INFO_INITRD, f->initrd);
    put(i, INFO_INITRD_BYTES, f->initrd_bytes);
    memcpy(&i->page[INFO_ARGS], f->args, length);
    return true;
}

bool info_load(void *info, const struct io_access *a, uint32_t *value)
{
    const struct info *i = info;

    *value = 0;
    for (unsigned byte = 0; byte < a->size; byte++)
        *value = *value << 8 | i->page[a->offset + byte];
    return true;
}

bool info_state(struct snap *s, struct info *i)
{
    snap_begin(s, "info", 1);
    SNAP_ARRAY(s, i->page);
    return snap_end(s);
}
