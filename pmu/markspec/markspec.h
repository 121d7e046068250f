/* markspec.h - between markspec.c and actions.c only: words of a mark. */
#ifndef PMU_MARKSPEC_MARKSPEC_H
#define PMU_MARKSPEC_MARKSPEC_H

#include <stdarg.h>

#include "pmu/markspec/perfinst.h"

/* Say what is wrong with the text at an offset. */
void markspec_wrong(struct perfinst_error *e, size_t at, const char *format,
                    va_list args) __attribute__((format(printf, 3, 0)));

/* Are the n bytes this word? */
bool markspec_is(const char *at, size_t n, const char *word);

/* n bytes as a number of 32 bits, decimal or hexadecimal after 0x. */
bool markspec_number(const char *at, size_t n, uint32_t *value);

#endif
