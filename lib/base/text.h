/* text.h - numbers and names as a person reads them. No doubles: what is
 * printed is the same on every host.
 */
#ifndef LIB_BASE_TEXT_H
#define LIB_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TEXT_NUMBER 32 /* room that any of these needs */

/* "12,345,678" */
const char *text_count(char out[TEXT_NUMBER], uint64_t n);

/* part of whole in percent with one digit, rounded to nearest: "12.3". Only
 * all of it is "100.0"; what misses a little is "99.9". whole 0: "0.0". */
const char *text_percent(char out[TEXT_NUMBER], uint64_t part, uint64_t whole);

/* Cycles as time at hz: "12.345 ms", four digits or more, unit by size.
 * hz 0: "". */
const char *text_time(char out[TEXT_NUMBER], uint64_t cycles, uint64_t hz);

/* The one rule for numbers that a user writes: decimal, leading zeros or not,
 * or hexadecimal behind 0x; no sign, no space, never octal. False: it is
 * neither, or more than 64 bits. The whole string, or `length` bytes. */
bool text_number(const char *text, uint64_t *n);
bool text_digits(const char *text, size_t length, uint64_t *n);

/* A list of processors, such as "0,2-3", as a bit each, processor 0 lowest.
 * False: it is none, is empty, or has a number above 63. */
bool text_cpu_list(const char *text, uint64_t *mask);

/* The next part of *rest, which it changes, up to a character or the end, and
 * without blanks around it; *rest is what is behind, NULL where nothing is. */
char *text_part(char **rest, char until);

/* A time as cycles at hz: a number of cycles, or decimal with ns, us, ms, s or
 * cycles behind it, rounded to the nearest cycle. Below 0 it is 0, when the run
 * begins. False: it is none, or of seconds where hz is 0. */
bool text_cycles(const char *text, uint64_t hz, uint64_t *n);

/* A path, with a line behind it or not, in fewer than `size` bytes, 8 or more:
 * of a longer one the directories in front are left out, "../dir/file.c:17".
 * Returns out. */
const char *text_path(char *out, size_t size, const char *path);

/* Bytes that a terminal must not see become '?'. UTF-8 is left alone. */
void text_printable(char *text);

#endif
