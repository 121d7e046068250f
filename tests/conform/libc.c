/* libc.c - as much of a C library as conformance programs ask for on the
 * bare board: memory, strings, exit; printing is in print.c. Plain on
 * purpose: what it is linked with is under test. Compiled with -fno-builtin
 * -fno-tree-loop-distribute-patterns, or memcpy would call itself.
 */
#include <stddef.h>
#include <stdint.h>

#include "include/board.h"

#define HEAP (64u << 20)

/* ---- the end ------------------------------------------------------------- */

static void (*at_exit[32])(void);
static unsigned at_exit_count;

int atexit(void (*f)(void))
{
    if (at_exit_count == 32)
        return -1;
    at_exit[at_exit_count++] = f;
    return 0;
}

void _exit(int status)
{
    for (;;)
        *(volatile uint32_t *)BOARD_POWER = (uint32_t)status & 255;
}

void exit(int status)
{
    while (at_exit_count)
        at_exit[--at_exit_count]();
    _exit(status);
}

void abort(void)
{
    _exit(134);
}

void __assert_fail(const char *what, const char *file, unsigned line,
                   const char *function)
{
    (void)what, (void)file, (void)line, (void)function;
    abort();
}

void __stack_chk_fail(void)
{
    abort();
}

int *__errno_location(void)
{
    static int number;

    return &number;
}

/* ---- memory -------------------------------------------------------------- */

void *memcpy(void *to, const void *from, size_t n)
{
    char *t = to;
    const char *f = from;

    while (n--)
        *t++ = *f++;
    return to;
}

void *mempcpy(void *to, const void *from, size_t n)
{
    return (char *)memcpy(to, from, n) + n;
}

void *memmove(void *to, const void *from, size_t n)
{
    char *t = to;
    const char *f = from;

    if (t < f)
        return memcpy(to, from, n);
    while (n--)
        t[n] = f[n];
    return to;
}

void bcopy(const void *from, void *to, size_t n)
{
    memmove(to, from, n);
}

void *memset(void *to, int byte, size_t n)
{
    char *t = to;

    while (n--)
        *t++ = (char)byte;
    return to;
}

void bzero(void *to, size_t n)
{
    memset(to, 0, n);
}

int memcmp(const void *a, const void *b, size_t n)
{
    const unsigned char *x = a, *y = b;

    for (; n--; x++, y++)
        if (*x != *y)
            return *x - *y;
    return 0;
}

void *memchr(const void *a, int byte, size_t n)
{
    const unsigned char *x = a;

    for (; n--; x++)
        if (*x == (unsigned char)byte)
            return (void *)x;
    return NULL;
}

struct block {
    size_t size, used;
};

static _Alignas(16) char heap[HEAP];
static size_t heap_top;

/* Blocks in a row, the last one given back; that is enough here. */
void *malloc(size_t n)
{
    struct block *b;

    if (n > HEAP - 64 || heap_top + n + 32 > HEAP)
        return NULL;
    b = (struct block *)(heap + heap_top);
    b->size = n;
    heap_top += (n + sizeof *b + 15) / 16 * 16;
    return memset((char *)b + 16, 0xA5, n);
}

void free(void *p)
{
    struct block *b = (struct block *)((char *)p - 16);

    if (p && (char *)p + (b->size + sizeof *b + 15) / 16 * 16 - 16 ==
                 heap + heap_top)
        heap_top = (size_t)((char *)b - heap);
}

void *calloc(size_t n, size_t size)
{
    void *p = malloc(n * size);

    return p ? memset(p, 0, n * size) : NULL;
}

void *realloc(void *p, size_t n)
{
    size_t old = p ? ((struct block *)((char *)p - 16))->size : 0;
    void *q = malloc(n);

    return q && p ? memcpy(q, p, old < n ? old : n) : q;
}

/* ---- strings ------------------------------------------------------------- */

size_t strlen(const char *s)
{
    size_t n = 0;

    while (s[n])
        n++;
    return n;
}

size_t strnlen(const char *s, size_t most)
{
    size_t n = 0;

    while (n < most && s[n])
        n++;
    return n;
}

char *stpcpy(char *to, const char *from)
{
    while ((*to = *from++))
        to++;
    return to;
}

char *strcpy(char *to, const char *from)
{
    stpcpy(to, from);
    return to;
}

char *stpncpy(char *to, const char *from, size_t n)
{
    size_t length = strnlen(from, n);

    memset(to + length, 0, n - length);
    return mempcpy(to, from, length);
}

char *strncpy(char *to, const char *from, size_t n)
{
    stpncpy(to, from, n);
    return to;
}

char *strcat(char *to, const char *from)
{
    stpcpy(to + strlen(to), from);
    return to;
}

char *strncat(char *to, const char *from, size_t n)
{
    char *end = mempcpy(to + strlen(to), from, strnlen(from, n));

    *end = 0;
    return to;
}

int strncmp(const char *a, const char *b, size_t n)
{
    for (; n--; a++, b++)
        if (*a != *b || !*a)
            return (unsigned char)*a - (unsigned char)*b;
    return 0;
}

int strcmp(const char *a, const char *b)
{
    return strncmp(a, b, SIZE_MAX);
}

char *strchr(const char *s, int c)
{
    for (;; s++) {
        if (*s == (char)c)
            return (char *)s;
        if (!*s)
            return NULL;
    }
}

char *index(const char *s, int c)
{
    return strchr(s, c);
}

char *strrchr(const char *s, int c)
{
    char *last = NULL;

    do
        if (*s == (char)c)
            last = (char *)s;
    while (*s++);
    return last;
}

char *rindex(const char *s, int c)
{
    return strrchr(s, c);
}

char *strstr(const char *s, const char *what)
{
    size_t n = strlen(what);

    for (;; s++) {
        if (!strncmp(s, what, n))
            return (char *)s;
        if (!*s)
            return NULL;
    }
}

size_t strspn(const char *s, const char *set)
{
    size_t n = 0;

    while (s[n] && strchr(set, s[n]))
        n++;
    return n;
}

size_t strcspn(const char *s, const char *set)
{
    size_t n = 0;

    while (s[n] && !strchr(set, s[n]))
        n++;
    return n;
}

char *strpbrk(const char *s, const char *set)
{
    s += strcspn(s, set);
    return *s ? (char *)s : NULL;
}

char *strdup(const char *s)
{
    char *to = malloc(strlen(s) + 1);

    return to ? strcpy(to, s) : NULL;
}

int atoi(const char *s)
{
    int n = 0, minus = *s == '-';

    for (s += minus; *s >= '0' && *s <= '9'; s++)
        n = n * 10 + *s - '0';
    return minus ? -n : n;
}

int abs(int n)
{
    return n < 0 ? -n : n;
}

long labs(long n)
{
    return n < 0 ? -n : n;
}

long long llabs(long long n)
{
    return n < 0 ? -n : n;
}
