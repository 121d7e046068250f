/* bytes.c - see bytes.h. */
#include "lib/base/bytes.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"

static unsigned char *more(struct bytes *b, size_t size)
{
    b->data = grow(b->data, &b->room, b->count + size, 1);
    b->count += size;
    return b->data + b->count - size;
}

void bytes_number(struct bytes *b, uint64_t n, unsigned size)
{
    more(b, size);
    bytes_patch(b, b->count - size, n, size);
}

void bytes_copy(struct bytes *b, const void *from, size_t size)
{
    if (size)
        memcpy(more(b, size), from, size);
}

void bytes_zero(struct bytes *b, size_t size)
{
    if (size)
        memset(more(b, size), 0, size);
}

void bytes_pad(struct bytes *b, size_t of)
{
    bytes_zero(b, (of - b->count % of) % of);
}

void bytes_text(struct bytes *b, const char *text, size_t size)
{
    size_t n = strnlen(text, size - 1);

    bytes_copy(b, text, n);
    bytes_zero(b, size - n);
}

void bytes_patch(struct bytes *b, size_t at, uint64_t n, unsigned size)
{
    for (unsigned i = 0; i < size; i++)
        b->data[at + i] = (unsigned char)(n >> 8 * i);
}

bool bytes_write(struct bytes *b, FILE *to)
{
    bool good = fwrite(b->data, 1, b->count, to) == b->count;

    b->count = 0;
    return good;
}

void bytes_free(struct bytes *b)
{
    free(b->data);
    *b = (struct bytes){0};
}
