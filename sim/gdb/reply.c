/* reply.c - writes and reads the texts of packets. Knows digits and limits. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "sim/gdb/stub.h"

void reply_add(struct gdb *g, const char *format, ...)
{
    size_t room = sizeof g->reply - g->used;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(g->reply + g->used, room, format, args);
    va_end(args);
    if (n > 0)
        g->used += (size_t)n < room ? (size_t)n : room - 1;
}

void reply_hex(struct gdb *g, const void *bytes, size_t size)
{
    const uint8_t *b = bytes;

    for (size_t k = 0; k < size; k++)
        reply_add(g, "%02x", b[k]);
}

void reply_word(struct gdb *g, uint64_t value, unsigned size)
{
    while (size--)
        reply_add(g, "%02x", (unsigned)(value >> 8 * size & 0xFF));
}

void reply_send(struct gdb *g)
{
    link_send(&g->link, g->reply, g->used);
    g->used = 0;
}

bool scan_over(const struct scan *s)
{
    return s->at == s->end;
}

bool scan_char(struct scan *s, char c)
{
    if (scan_over(s) || *s->at != (uint8_t)c)
        return false;
    s->at++;
    return true;
}

bool scan_text(struct scan *s, const char *text)
{
    size_t length = strlen(text);

    if ((size_t)(s->end - s->at) < length || memcmp(s->at, text, length) != 0)
        return false;
    s->at += length;
    return true;
}

static int digit(uint8_t c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A number of 1 to 16 hexadecimal digits. */
static bool scan_hex(struct scan *s, uint64_t *value)
{
    unsigned digits = 0;

    *value = 0;
    while (!scan_over(s) && digit(*s->at) >= 0) {
        if (++digits > 16)
            return false;
        *value = *value << 4 | (unsigned)digit(*s->at++);
    }
    return digits > 0;
}

bool scan_word(struct scan *s, uint32_t *value)
{
    uint64_t wide;

    if (!scan_hex(s, &wide) || wide > UINT32_MAX)
        return false;
    *value = (uint32_t)wide;
    return true;
}

bool scan_bytes(struct scan *s, uint8_t *bytes, size_t size)
{
    if ((size_t)(s->end - s->at) < 2 * size)
        return false;
    for (size_t k = 0; k < size; k++, s->at += 2) {
        if (digit(s->at[0]) < 0 || digit(s->at[1]) < 0)
            return false;
        bytes[k] = (uint8_t)(digit(s->at[0]) << 4 | digit(s->at[1]));
    }
    return true;
}

bool scan_range(struct scan *s, uint32_t *from, uint32_t *size)
{
    return scan_word(s, from) && scan_char(s, ',') && scan_word(s, size);
}
