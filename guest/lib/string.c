/* string.c - text, memory, and a division that compilers have in a library. */
#include "guest/lib/lib.h"

void *memset(void *to, int value, size_t n)
{
    unsigned char *p = to;

    while (n--)
        *p++ = (unsigned char)value;
    return to;
}

/* By words as long as both ends allow it. */
void *memcpy(void *to, const void *from, size_t n)
{
    unsigned char *p = to;
    const unsigned char *q = from;

    if (((uint32_t)to | (uint32_t)from) % 4 == 0) {
        for (; n >= 4; n -= 4, p += 4, q += 4)
            *(uint32_t *)p = *(const uint32_t *)q;
    }
    while (n--)
        *p++ = *q++;
    return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *p = a, *q = b;

    for (; n; n--, p++, q++) {
        if (*p != *q)
            return *p - *q;
    }
    return 0;
}

bool text_equal(const char *a, const char *b)
{
    while (*a && *a == *b)
        a++, b++;
    return *a == *b;
}

uint32_t text_length(const char *s)
{
    uint32_t n = 0;

    while (s[n])
        n++;
    return n;
}

/* Cut to size - 1 characters, the rest of `to` zero. */
void text_copy(char *to, const char *from, uint32_t size)
{
    uint32_t i = 0;

    for (; i < size - 1 && from[i]; i++)
        to[i] = from[i];
    for (; i < size; i++)
        to[i] = '\0';
}

bool text_number(const char *s, uint32_t *value)
{
    uint32_t n = 0;

    if (!*s)
        return false;
    for (; *s; s++) {
        uint32_t digit = (uint32_t)(*s - '0');

        if (digit > 9 || n > (UINT32_MAX - digit) / 10)
            return false;
        n = n * 10 + digit;
    }
    *value = n;
    return true;
}

bool text_size(char *s, uint32_t *bytes)
{
    uint32_t end = text_length(s), shift = 0;

    if (end && (s[end - 1] == 'K' || s[end - 1] == 'M')) {
        shift = s[end - 1] == 'K' ? 10 : 20;
        s[end - 1] = '\0';
    }
    if (!text_number(s, bytes) || *bytes > UINT32_MAX >> shift)
        return false;
    *bytes <<= shift;
    return true;
}

char *text_split(char *s, char at)
{
    for (; *s; s++) {
        if (*s == at) {
            *s = '\0';
            return s + 1;
        }
    }
    return NULL;
}

/* Long division, a bit at a time. */
uint64_t divide(uint64_t n, uint32_t by)
{
    uint64_t quotient = 0, rest = 0;

    if (n >> 32 == 0)
        return (uint32_t)n / by;
    for (int i = 0; i < 64; i++) {
        rest = rest << 1 | n >> 63;
        n <<= 1;
        quotient <<= 1;
        if (rest >= by) {
            rest -= by;
            quotient |= 1;
        }
    }
    return quotient;
}
