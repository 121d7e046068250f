/* random.c - bytes for programs: a stream of the seed, not for cryptography. */
#include "guest/process/file.h"

#define STREAM 77
#define CHUNK 128 /* bytes on the way to a program */

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

int32_t random_read(struct task *t, uint32_t to, uint32_t bytes)
{
    uint8_t chunk[CHUNK];
    uint32_t done = 0;

    while (done < bytes) {
        uint32_t n = bytes - done < CHUNK ? bytes - done : CHUNK;

        random_bytes(chunk, n);
        if (!copy_out(t->process->space, to + done, chunk, n))
            return done ? (int32_t)done : -EFAULT;
        done += n;
    }
    return (int32_t)done;
}
