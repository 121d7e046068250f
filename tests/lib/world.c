/* world.c - "prog": its symbols and what its instructions are. */
#include "tests/lib/world.h"

#include "isa/role.h"

/* A program of code from 0x1000 on (straight, 4 KiB) and data at 0x8000. */
static const struct perfinst_place places[] = {{0x1000, 0x1000, true, false},
                                               {0x8000, 0x100, false, true}};
static const struct perfinst_symbol symbols[] = {
    {"start", NULL, NULL, 0x1000, 0x40, true, false},
    {"loop", NULL, NULL, 0x1010, 0x10, false, true},
    {"work", NULL, NULL, 0x1040, 0x300, true, false},
    {"work_more", NULL, NULL, 0x1340, 0x20, true, false},
    {"twice", NULL, NULL, 0x1400, 8, true, false},
    {"twice", NULL, NULL, 0x1500, 8, true, false},
    {"table", NULL, NULL, 0x8000, 0x40, false, false},
    {"byte", NULL, NULL, 0x8041, 1, false, false},
    {"short_one", NULL, NULL, 0x8046, 4, false, false},
};

/* Of every four instructions the second is a load, the fourth a call, every
 * fourth of those of work. */
static unsigned roles(void *arg, uint32_t address, uint32_t *target)
{
    (void)arg;
    *target = address % 64 == 12 ? 0x1040 : address;
    return address % 16 == 4    ? 1u << ROLE_LOAD
           : address % 16 == 12 ? 1u << ROLE_CALL | 1u << ROLE_BRANCH
                                : 0;
}

const struct perfinst_world small_world = {
    .file = "prog",
    .place = places,
    .places = 2,
    .symbol = symbols,
    .symbols = sizeof symbols / sizeof symbols[0],
    .roles = roles,
};
