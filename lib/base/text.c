/* text.c - formatting of numbers, reading of numbers, taming of names. */
#include "lib/base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *text_count(char out[TEXT_NUMBER], uint64_t n)
{
    char digits[TEXT_NUMBER];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, n);
    int to = 0;

    for (int i = 0; i < length; i++) {
        if (i && (length - i) % 3 == 0)
            out[to++] = ',';
        out[to++] = digits[i];
    }
    out[to] = '\0';
    return out;
}

const char *text_percent(char out[TEXT_NUMBER], uint64_t part, uint64_t whole)
{
    uint64_t tenths = 0;

    if (whole)
        tenths =
            (uint64_t)(((unsigned __int128)part * 1000 + whole / 2) / whole);
    if (tenths >= 1000 && part < whole)
        tenths = 999;
    snprintf(out, TEXT_NUMBER, "%" PRIu64 ".%u", tenths / 10,
             (unsigned)(tenths % 10));
    return out;
}

const char *text_time(char out[TEXT_NUMBER], uint64_t cycles, uint64_t hz)
{
    static const struct {
        uint64_t in_second;
        const char *name;
    } unit[] = {{1, "s"}, {1000, "ms"}, {1000000, "us"}, {1000000000, "ns"}};
    unsigned __int128 thousandths = 0;
    size_t i;

    out[0] = '\0';
    if (!hz)
        return out;
    for (i = 0; i < 4; i++) {
        unsigned __int128 exact =
            (unsigned __int128)cycles * unit[i].in_second * 1000;

        thousandths = (exact + hz / 2) / hz;
        if (thousandths >= 1000 || i == 3)
            break;
    }
    snprintf(out, TEXT_NUMBER, "%" PRIu64 ".%03u %s",
             (uint64_t)(thousandths / 1000), (unsigned)(thousandths % 1000),
             unit[i].name);
    return out;
}

/* What c is as a digit; 99: none. */
static unsigned digit_of(char c)
{
    return c >= '0' && c <= '9'   ? (unsigned)(c - '0')
           : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
           : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
                                  : 99;
}

bool text_digits(const char *text, size_t length, uint64_t *n)
{
    bool hex =
        length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    unsigned base = hex ? 16 : 10;

    *n = 0;
    for (size_t k = hex ? 2 : 0; k < length; k++) {
        unsigned digit = digit_of(text[k]);

        if (digit >= base || *n > (UINT64_MAX - digit) / base)
            return false;
        *n = *n * base + digit;
    }
    return length > 0;
}

bool text_number(const char *text, uint64_t *n)
{
    return text_digits(text, strlen(text), n);
}

char *text_part(char **rest, char until)
{
    char *part = *rest + strspn(*rest, " "), *end = strchr(part, until);

    *rest = end ? end + 1 : NULL;
    if (!end)
        end = part + strlen(part);
    while (end > part && end[-1] == ' ')
        end--;
    *end = '\0';
    return part;
}

bool text_cpu_list(const char *text, uint64_t *mask)
{
    *mask = 0;
    while (*text) {
        size_t length = strcspn(text, ","), dash = strcspn(text, "-,");
        uint64_t from, to;

        if (!text_digits(text, dash, &from))
            return false;
        to = from;
        if (dash < length &&
            !text_digits(text + dash + 1, length - dash - 1, &to))
            return false;
        if (from > to || to >= 64)
            return false;
        for (; from <= to; from++)
            *mask |= UINT64_C(1) << from;
        text += length;
        if (*text && !*++text)
            return false;
    }
    return *mask != 0;
}

/* "12.345" in units of 10^-9; *end behind it. False: none, or too large. */
static bool read_decimal(const char *text, const char **end,
                         unsigned __int128 *billionths)
{
    unsigned __int128 n = 0;
    unsigned places = 0;
    bool point = false, any = false;

    for (;; text++) {
        if (*text == '.' && !point) {
            point = true;
        } else if (isdigit((unsigned char)*text) && places < 9) {
            n = n * 10 + (unsigned)(*text - '0');
            places += point;
            any = true;
            if (n >> 64)
                return false;
        } else if (!isdigit((unsigned char)*text)) {
            break;
        }
    }
    for (; places < 9; places++)
        n *= 10;
    *end = text;
    *billionths = n;
    return any;
}

bool text_cycles(const char *text, uint64_t hz, uint64_t *n)
{
    static const struct {
        const char *name;
        uint64_t second; /* of them; 0: cycles */
    } unit[] = {{"ns", 1000000000},
                {"us", 1000000},
                {"ms", 1000},
                {"s", 1},
                {"cycles", 0}};
    bool below = text[0] == '-';
    unsigned __int128 it, half;
    const char *end;

    *n = 0;
    if (text_number(text + below, n)) {
        *n = below ? 0 : *n;
        return true;
    }
    if (!read_decimal(text + below, &end, &it))
        return false;
    end += *end == ' ';
    for (size_t i = 0; i < sizeof unit / sizeof unit[0]; i++) {
        if (strcmp(end, unit[i].name) || (unit[i].second && !hz))
            continue;
        half = (unsigned __int128)1000000000 *
               (unit[i].second ? unit[i].second : 1);
        it = unit[i].second ? it * hz : it;
        it = (it + half / 2) / half;
        *n = below ? 0 : (uint64_t)it;
        return !(it >> 64);
    }
    return false;
}

/* Length of the well-formed UTF-8 sequence of two or more bytes at s, or 0.
 * C1 controls (U+0080 to U+009F) count as ill-formed: terminals obey them. */
static size_t utf8_length(const unsigned char *s)
{
    size_t n = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
               : s[0] >= 0xE0 && s[0] <= 0xEF ? 3
               : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                              : 0;

    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xC0) != 0x80)
            return 0;
    if (s[0] == 0xC2 && s[1] < 0xA0)
        return 0;
    return n;
}

const char *text_path(char *out, size_t size, const char *path)
{
    size_t length = strlen(path);
    const char *from = path, *slash;

    if (length < size) {
        memcpy(out, path, length + 1);
        return out;
    }
    from += length - (size - 3);
    slash = strchr(from, '/');
    if (slash)
        from = slash;
    while ((*from & 0xC0) == 0x80) /* not within a character of UTF-8 */
        from++;
    memcpy(out, "..", 2);
    memcpy(out + 2, from, strlen(from) + 1);
    return out;
}

void text_printable(char *text)
{
    unsigned char *s = (unsigned char *)text;

    while (*s) {
        size_t length = utf8_length(s);

        if (length) {
            s += length;
            continue;
        }
        if (*s < 0x20 || *s >= 0x7F)
            *s = '?';
        s++;
    }
}
