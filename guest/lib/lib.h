/* lib.h - text, memory, random numbers: what knows neither kernel nor machine.
 */
#ifndef GUEST_LIB_LIB_H
#define GUEST_LIB_LIB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* random.c: the state of stream number `stream`, never 0; the next number
 * below limit (at least 1). */
uint32_t random_seed(uint32_t seed, uint32_t stream);
uint32_t random_below(uint32_t *state, uint32_t limit);

/* printf.c: %s %c %d %u %x %%, letter by letter through put. */
void format_text(void (*put)(char), const char *format, __builtin_va_list ap);

/* string.c: text_copy ends what it copies with 0 inside `size` bytes;
 * text_number is false unless all of the text is a decimal number of 32 bits;
 * text_split cuts the text at `at` and returns the rest, or NULL. */
uint64_t divide(uint64_t n, uint32_t by);
bool text_equal(const char *a, const char *b);
void text_copy(char *to, const char *from, uint32_t size);
bool text_number(const char *text, uint32_t *value);
char *text_split(char *text, char at);
void *memset(void *to, int value, size_t n);
void *memcpy(void *to, const void *from, size_t n);
int memcmp(const void *a, const void *b, size_t n);

#endif
