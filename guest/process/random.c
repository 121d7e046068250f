/* random.c - bytes for programs: a stream of the seed, of no cryptographic
 * worth, so that a run can be had again.
 */
#include "guest/process/file.h"

#define STREAM 77

static struct spinlock lock;
static uint32_t state; /* lock */

void random_bytes(uint8_t *to, uint32_t bytes)
{
    uint32_t msr = spin_lock(&lock);

    if (!state)
        state = random_seed(options()->seed, STREAM);
    while (bytes--)
        *to++ = (uint8_t)random_below(&state, 256);
    spin_unlock(&lock, msr);
}
