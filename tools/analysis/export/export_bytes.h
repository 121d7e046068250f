/* export_bytes.h - a binary record put together field by field.
 * Little-endian whatever the host is, so that a file is the same everywhere.
 */
#ifndef TOOLS_ANALYSIS_EXPORT_EXPORT_BYTES_H
#define TOOLS_ANALYSIS_EXPORT_EXPORT_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* All zero: empty. */
struct bytes {
    unsigned char *data;
    size_t count, room;
};

void bytes_number(struct bytes *b, uint64_t n, unsigned size);
void bytes_copy(struct bytes *b, const void *from, size_t size);
void bytes_zero(struct bytes *b, size_t size);
/* Zeros up to the next multiple of `of`. */
void bytes_pad(struct bytes *b, size_t of);
/* At most `size` - 1 bytes of text, then zeros: `size` bytes in all. */
void bytes_text(struct bytes *b, const char *text, size_t size);
/* Overwrite a number that stands at `at`. */
void bytes_patch(struct bytes *b, size_t at, uint64_t n, unsigned size);
/* Write it all and empty it. */
bool bytes_write(struct bytes *b, FILE *to);
void bytes_free(struct bytes *b);

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
