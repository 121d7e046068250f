/* lib.h - text, memory, random numbers: neither kernel nor machine. */
#ifndef GUEST_LIB_LIB_H
#define GUEST_LIB_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- random.c ------------------------------------------------------------ */

/* The first state of stream `stream` of a seed; never 0. */
uint32_t random_seed(uint32_t seed, uint32_t stream);
/* A number below limit, which is 1 at least; *state goes on. */
uint32_t random_below(uint32_t *state, uint32_t limit);

/* ---- printf.c ------------------------------------------------------------ */

/* Write the text, letter by letter, through put. Knows %s %u %x %%,
 * without flags, widths or precisions. */
void format_text(void (*put)(char), const char *format, __builtin_va_list ap);

/* ---- string.c ------------------------------------------------------------ */

/* n / by, rounded down; the quotient of 64 bits needs no library. */
uint64_t divide(uint64_t n, uint32_t by);
bool text_equal(const char *a, const char *b);
uint32_t text_length(const char *text);
/* Copy what fits into `size` bytes, the 0 at its end included. */
void text_copy(char *to, const char *from, uint32_t size);
/* False: not all of the text is a decimal number of 32 bits. */
bool text_number(const char *text, uint32_t *value);
/* The same with K or M behind it, for 2^10 or 2^20: bytes. May be cut up. */
bool text_size(char *text, uint32_t *bytes);
/* Cut the text at the first `at`: the rest behind it; NULL: it has none. */
char *text_split(char *text, char at);
/* As in C. */
void *memset(void *to, int value, size_t n);
void *memcpy(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);

#endif
