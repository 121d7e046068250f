/* bytes.h - a binary record put together field by field.
 * Little-endian whatever the host is, so that a file is the same everywhere.
 */
#ifndef LIB_BASE_BYTES_H
#define LIB_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All zero: empty. */
struct bytes {
    unsigned char *data;
    size_t count, room;
};

/* Append the low `size` bytes of n, 1 to 8, the lowest first. */
void bytes_number(struct bytes *b, uint64_t n, unsigned size);
/* Append `size` bytes of `from`, or as many zeros. */
void bytes_copy(struct bytes *b, const void *from, size_t size);
void bytes_zero(struct bytes *b, size_t size);
/* Zeros up to the next multiple of `of`. */
void bytes_pad(struct bytes *b, size_t of);
/* At most `size` - 1 bytes of text, then zeros: `size` bytes in all. */
void bytes_text(struct bytes *b, const char *text, size_t size);
/* Overwrite the number of `size` bytes that stands at offset `at`. */
void bytes_patch(struct bytes *b, size_t at, uint64_t n, unsigned size);
/* Write it all and empty it. False: errno. */
bool bytes_write(struct bytes *b, FILE *to);
/* Free the memory and empty it. */
void bytes_free(struct bytes *b);

/* Append a number of 2, 4 or 8 bytes. */
static inline void bytes_u16(struct bytes *b, uint64_t n)
{
    bytes_number(b, n, 2);
}

static inline void bytes_u32(struct bytes *b, uint64_t n)
{
    bytes_number(b, n, 4);
}

static inline void bytes_u64(struct bytes *b, uint64_t n)
{
    bytes_number(b, n, 8);
}

#endif
