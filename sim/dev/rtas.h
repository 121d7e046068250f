/* rtas.h - the firmware's services for a Linux kernel: time of day, power off,
 * restart (LoPAPR 1.1, chapter 7, Run-Time Abstraction Services).
 *
 * A call of the services ends in a store of the physical address of its
 * argument block to the device: token, numbers of arguments and results,
 * arguments, results, a word each. The code that does so is RTAS_CODE, which
 * the boot protocol puts into memory. The device is deterministic: the day
 * begins where the setup says, and runs with the cycles.
 */
#ifndef SIM_DEV_RTAS_H
#define SIM_DEV_RTAS_H

#include <stdbool.h>
#include <stdint.h>

#include "sim/dev/dma.h"
#include "sim/mem/iomap.h"

/* Code that calls the device with the address in r3, then returns. */
#define RTAS_CODE_WORDS 4
void rtas_code(uint32_t code[RTAS_CODE_WORDS]);

struct rtas {
    struct dma_memory memory;
    uint64_t clock; /* cycles a second */
    int64_t epoch;  /* seconds since 1970 at cycle 0 */
    void *arg;
    void (*off)(void *arg, unsigned status, uint64_t at);
};

bool rtas_load(void *rtas, const struct io_access *a, uint32_t *value);
bool rtas_store(void *rtas, const struct io_access *a, uint32_t value);

/* Save or load it: lib/base/snap.h. False: s->why says why. */
struct snap;
bool rtas_state(struct snap *s, struct rtas *r);

#endif
