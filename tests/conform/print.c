/* print.c - printf without floating point, and what else writes to the
 * console of the bare board; the other half of libc.c.
 */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "include/board.h"

void _exit(int status);

void *stdout, *stderr;

struct sink {
    char *at; /* NULL: the console */
    size_t room, count;
};

static void put(struct sink *k, char c)
{
    if (!k->at)
        *(volatile char *)BOARD_UART = c;
    else if (k->count + 1 < k->room)
        k->at[k->count] = c;
    k->count++;
}

struct format {
    int left, zero, plus, space, other;
    int width, precision; /* -1: none */
    int longs;
};

static const char *read_format(const char *s, struct format *f, va_list *args)
{
    *f = (struct format){.precision = -1};
    for (;; s++)
        if (*s == '-')
            f->left = 1;
        else if (*s == '0')
            f->zero = 1;
        else if (*s == '+')
            f->plus = 1;
        else if (*s == ' ')
            f->space = 1;
        else if (*s == '#')
            f->other = 1;
        else
            break;
    for (; *s >= '0' && *s <= '9'; s++)
        f->width = f->width * 10 + *s - '0';
    if (*s == '*') {
        f->width = va_arg(*args, int);
        s++;
    }
    if (*s == '.') {
        f->precision = 0;
        if (s[1] == '*') {
            f->precision = va_arg(*args, int);
            s += 2;
        } else {
            for (s++; *s >= '0' && *s <= '9'; s++)
                f->precision = f->precision * 10 + *s - '0';
        }
    }
    for (;; s++)
        if (*s == 'l')
            f->longs++;
        else if (*s == 'h')
            f->longs--;
        else if (*s == 'j')
            f->longs = 2;
        else if (*s != 'z' && *s != 't')
            return s;
}

static void put_padded(struct sink *k, const struct format *f,
                       const char *prefix, const char *text, int length)
{
    int zeros = 0, pad;

    pad = f->width - length - (int)strlen(prefix);
    if (f->zero && !f->left && pad > 0) {
        zeros = pad;
        pad = 0;
    }
    for (; !f->left && pad > 0; pad--)
        put(k, ' ');
    while (*prefix)
        put(k, *prefix++);
    while (zeros--)
        put(k, '0');
    while (length--)
        put(k, *text++);
    for (; f->left && pad > 0; pad--)
        put(k, ' ');
}

static void put_number(struct sink *k, struct format *f, char kind,
                       unsigned long long v)
{
    char text[80], *at = text + sizeof text;
    const char *prefix = "";
    unsigned base = kind == 'o' ? 8 : kind == 'd' || kind == 'u' ? 10 : 16;
    int digits = 0;

    if (kind == 'd') {
        prefix = f->plus ? "+" : f->space ? " " : "";
        if ((long long)v < 0) {
            prefix = "-";
            v = -v;
        }
    }
    if (base == 16 && f->other && v)
        prefix = kind == 'X' ? "0X" : "0x";
    for (; v || (digits < f->precision && digits < 60) ||
           (!digits && f->precision);
         v /= base, digits++)
        *--at =
            (kind == 'X' ? "0123456789ABCDEF" : "0123456789abcdef")[v % base];
    if (kind == 'o' && f->other && (!digits || *at != '0')) {
        *--at = '0';
        digits++;
    }
    if (f->precision >= 0)
        f->zero = 0;
    put_padded(k, f, prefix, at, digits);
}

static unsigned long long number(va_list *args, const struct format *f,
                                 int sign)
{
    unsigned long long v;

    if (f->longs >= 2)
        return va_arg(*args, unsigned long long);
    v = va_arg(*args, unsigned int);
    if (f->longs == -1)
        v &= 0xFFFF;
    if (f->longs == -2)
        v &= 0xFF;
    if (!sign)
        return v;
    if (f->longs == -1)
        return (unsigned long long)(int16_t)v;
    if (f->longs == -2)
        return (unsigned long long)(signed char)v;
    return (unsigned long long)(int32_t)v;
}

static void print(struct sink *k, const char *s, va_list *args)
{
    struct format f;
    const char *text;
    char c;

    for (; *s; s++) {
        if (*s != '%') {
            put(k, *s);
            continue;
        }
        s = read_format(s + 1, &f, args);
        switch (*s) {
        case 'd':
        case 'i':
            put_number(k, &f, 'd', number(args, &f, 1));
            break;
        case 'u':
        case 'o':
        case 'x':
        case 'X':
            put_number(k, &f, *s, number(args, &f, 0));
            break;
        case 'p':
            f.other = 1;
            put_number(k, &f, 'x', va_arg(*args, uintptr_t));
            break;
        case 'c':
            c = (char)va_arg(*args, int);
            put_padded(k, &f, "", &c, 1);
            break;
        case 's':
            text = va_arg(*args, const char *);
            put_padded(k, &f, "", text,
                       (int)strnlen(text, (size_t)f.precision));
            break;
        case '%':
            put(k, '%');
            break;
        default:
            _exit(99); /* floating point is not printed here */
        }
    }
}

int vsnprintf(char *to, size_t room, const char *s, va_list args)
{
    static char nowhere[1];
    struct sink k = {room ? to : nowhere, room, 0};
    va_list mine;

    va_copy(mine, args);
    print(&k, s, &mine);
    va_end(mine);
    if (room)
        to[k.count < room ? k.count : room - 1] = 0;
    return (int)k.count;
}

int vsprintf(char *to, const char *s, va_list args)
{
    return vsnprintf(to, INT32_MAX, s, args);
}

int snprintf(char *to, size_t room, const char *s, ...)
{
    va_list args;
    int n;

    va_start(args, s);
    n = vsnprintf(to, room, s, args);
    va_end(args);
    return n;
}

int sprintf(char *to, const char *s, ...)
{
    va_list args;
    int n;

    va_start(args, s);
    n = vsnprintf(to, INT32_MAX, s, args);
    va_end(args);
    return n;
}

int vprintf(const char *s, va_list args)
{
    struct sink k = {NULL, 0, 0};
    va_list mine;

    va_copy(mine, args);
    print(&k, s, &mine);
    va_end(mine);
    return (int)k.count;
}

int vfprintf(void *file, const char *s, va_list args)
{
    (void)file;
    return vprintf(s, args);
}

int printf(const char *s, ...)
{
    va_list args;
    int n;

    va_start(args, s);
    n = vprintf(s, args);
    va_end(args);
    return n;
}

int fprintf(void *file, const char *s, ...)
{
    va_list args;
    int n;

    (void)file;
    va_start(args, s);
    n = vprintf(s, args);
    va_end(args);
    return n;
}

int putchar(int c)
{
    *(volatile char *)BOARD_UART = (char)c;
    return (unsigned char)c;
}

int putc(int c, void *file)
{
    (void)file;
    return putchar(c);
}

int fputc(int c, void *file)
{
    return putc(c, file);
}

int fputs(const char *s, void *file)
{
    (void)file;
    while (*s)
        putchar(*s++);
    return 1;
}

int puts(const char *s)
{
    fputs(s, NULL);
    putchar('\n');
    return 1;
}

size_t fwrite(const char *s, size_t size, size_t n, void *file)
{
    (void)file;
    for (size_t i = 0; i < size * n; i++)
        putchar(s[i]);
    return n;
}

int fflush(void *file)
{
    (void)file;
    return 0;
}
