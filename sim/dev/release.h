/* release.h - one word a CPU: the address at which it starts. */
#ifndef SIM_DEV_RELEASE_H
#define SIM_DEV_RELEASE_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/mem/iomap.h"

#define RELEASE_CPUS 8

/* Word n reads 0 while CPU n is parked, then the address it started at. */
struct release {
    unsigned cpus;
    uint32_t entry[RELEASE_CPUS];
    bool running[RELEASE_CPUS];
    void *arg;
    void (*start)(void *arg, unsigned cpu, uint32_t entry, uint64_t at);
};

/* CPU 0 runs from `entry` on; the others are parked. */
void release_init(struct release *r, unsigned cpus, uint32_t entry, void *arg,
                  void (*start)(void *, unsigned, uint32_t, uint64_t));

/* A parked CPU starts at `entry`, at cycle `at`; one that runs goes on. */
void release_go(struct release *r, unsigned cpu, uint32_t entry, uint64_t at);

bool release_load(void *release, const struct io_access *a, uint32_t *value);
bool release_store(void *release, const struct io_access *a, uint32_t value);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool release_state(struct snap *s, struct release *r);

#endif
