/* power.h - a word that ends the run with an exit status. */
#ifndef SIM_DEV_POWER_H
#define SIM_DEV_POWER_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/mem/iomap.h"

struct power {
    void *arg;
    void (*off)(void *arg, unsigned status, uint64_t at);
};

bool power_load(void *power, const struct io_access *a, uint32_t *value);
bool power_store(void *power, const struct io_access *a, uint32_t value);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool power_state(struct snap *s, struct power *p);

#endif
