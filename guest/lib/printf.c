/* printf.c - %s %u %x %%, and nothing else. */
#include <stdarg.h>

#include "guest/lib/lib.h"

static void put_number(void (*put)(char), uint32_t n, uint32_t base)
{
    char digits[12];
    int count = 0;

    do {
        digits[count++] = "0123456789abcdef"[n % base];
        n /= base;
    } while (n);
    while (count)
        put(digits[--count]);
}

static void put_string(void (*put)(char), const char *s)
{
    while (*s)
        put(*s++);
}

void format_text(void (*put)(char), const char *format, va_list ap)
{
    for (; *format; format++) {
        if (*format != '%') {
            put(*format);
            continue;
        }
        switch (*++format) {
        case 's':
            put_string(put, va_arg(ap, const char *));
            break;
        case 'u':
            put_number(put, va_arg(ap, uint32_t), 10);
            break;
        case 'x':
            put_number(put, va_arg(ap, uint32_t), 16);
            break;
        default:
            put(*format);
        }
    }
}
