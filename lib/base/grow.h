/* grow.h - memory for lists that grow: the host either has it or the program
 * says so and ends with status 125. Everything else in lib/ and tools/analysis
 * reports failure to its caller; only this cannot be helped.
 */
#ifndef LIB_BASE_GROW_H
#define LIB_BASE_GROW_H

#include <stddef.h>

/* A list of *room elements of `size` bytes gets room for at least `need`.
 * Returns where it is now; new elements are zero. list NULL: a new list. */
void *grow(void *list, size_t *room, size_t need, size_t size);

/* Zeroed memory, a copy of a string, a copy of its first n bytes. The caller
 * frees. */
void *grow_zero(size_t count, size_t size);
char *grow_text(const char *text);
char *grow_bytes(const char *text, size_t n);

/* The index of a name in a list of *count names, each there once; it is copied
 * to the end if it is not there. Names come in runs: the last is looked at
 * first. The caller frees the names and the list. */
size_t grow_name(char ***list, size_t *count, size_t *room, const char *name);

#endif
