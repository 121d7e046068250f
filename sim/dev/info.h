/* info.h - facts about the machine, read only: layout in board.h. */
#ifndef SIM_DEV_INFO_H
#define SIM_DEV_INFO_H

#include <stdbool.h>
#include <stdint.h>

#include "include/board.h"
#include "sim/mem/iomap.h"

struct info_facts {
    uint32_t cpus, ram, clock, timebase, tb_cycles, seed, perfinst;
    uint32_t initrd, initrd_bytes; /* address 0: none */
    const char *args;              /* at most INFO_ARGS_MAX - 1 bytes */
};

struct info {
    uint8_t page[BOARD_INFO_SIZE]; /* as the guest sees it, big-endian */
};

/* False: the arguments are too long. */
bool info_init(struct info *i, const struct info_facts *f);

bool info_load(void *info, const struct io_access *a, uint32_t *value);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool info_state(struct snap *s, struct info *i);

#endif
