/* big_endian.h - numbers in memory as the simulated machine has them: most
 * significant byte first, at any address.
 */
#ifndef LIB_BASE_BIG_ENDIAN_H
#define LIB_BASE_BIG_ENDIAN_H

#include <stdint.h>

static inline uint32_t be_get32(const void *at)
{
    const uint8_t *b = at;

    return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 |
           b[3];
}

static inline uint64_t be_get64(const void *at)
{
    const uint8_t *b = at;

    return (uint64_t)be_get32(b) << 32 | be_get32(b + 4);
}

/* The low 16 bits of v. */
static inline void be_put16(void *at, uint32_t v)
{
    uint8_t *b = at;

    b[0] = (uint8_t)(v >> 8);
    b[1] = (uint8_t)v;
}

static inline void be_put32(void *at, uint32_t v)
{
    uint8_t *b = at;

    be_put16(b, v >> 16);
    be_put16(b + 2, v);
}

static inline void be_put64(void *at, uint64_t v)
{
    uint8_t *b = at;

    be_put32(b, (uint32_t)(v >> 32));
    be_put32(b + 4, (uint32_t)v);
}

#endif
