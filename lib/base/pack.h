/* pack.h - numbers in few bytes, and sums over bytes.
 * A number takes a byte for every 7 bits, lowest first; all but the last have
 * the top bit. Readers never go past the end, whatever the bytes are.
 */
#ifndef LIB_BASE_PACK_H
#define LIB_BASE_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define PACK_MOST 10 /* bytes of one number */

struct pack_bytes {
    unsigned char *byte;
    uint64_t size;
    size_t room; /* 0: not ours to free */
};

/* Room for `more` bytes behind those that are there. Unlike what grow() makes
 * it is not cleared: of hundreds of megabytes only the pages that are used
 * shall be there. */
void pack_room(struct pack_bytes *p, size_t more);

/* There is room. */
static inline void pack_put(struct pack_bytes *p, uint64_t n)
{
    while (n >= 0x80) {
        p->byte[p->size++] = (unsigned char)(n | 0x80);
        n >>= 7;
    }
    p->byte[p->size++] = (unsigned char)n;
}

/* Small numbers of either sign. */
static inline uint64_t pack_signed(int64_t n)
{
    return (uint64_t)n << 1 ^ (n < 0 ? UINT64_MAX : 0);
}

static inline int64_t pack_unsigned(uint64_t n)
{
    return (int64_t)(n >> 1 ^ (n & 1 ? UINT64_MAX : 0));
}

/* Where a reader is. */
struct pack_reader {
    const unsigned char *at, *end;
    bool bad; /* it ended inside a number */
};

static inline uint64_t pack_get(struct pack_reader *r)
{
    uint64_t n = 0;

    for (unsigned shift = 0; shift < 64; shift += 7) {
        unsigned char byte;

        if (r->at == r->end)
            break;
        byte = *r->at++;
        n |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return n;
    }
    r->bad = true;
    return 0;
}

/* A sum of bytes that a change of any bit changes. */
static inline uint64_t pack_sum(uint64_t sum, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;

    sum ^= size * 0x9E3779B97F4A7C15u;
    for (; size; at += 8, size -= size < 8 ? size : 8) {
        uint64_t word = 0;

        memcpy(&word, at, size < 8 ? size : 8);
        sum = (sum ^ word) * 0xD6E8FEB86659FD93u;
        sum ^= sum >> 32;
    }
    return sum;
}

#endif
