/* pages.h - memory for tables that are read here and there: on large pages of
 * the host, where it has them, so that its TLB reaches all of it.
 */
#ifndef SIM_MEM_PAGES_H
#define SIM_MEM_PAGES_H

#include <stddef.h>

#define PAGES_LARGE ((size_t)2 << 20) /* of x86-64, and of most others */

/* `bytes`, a multiple of PAGES_LARGE, aligned to it, of any content. The
 * caller's, who gives them back to free(). NULL: the host has no memory. */
void *pages_take(size_t bytes);

/* `bytes`, a multiple of PAGES_LARGE, aligned to it, all of them 0: what is not
 * touched costs nothing. The caller's, who gives them back to pages_unmap().
 * NULL: the host has no memory. */
void *pages_map(size_t bytes);
/* The same of memory for code that is written while simrun runs. */
void *pages_map_code(size_t bytes);
void pages_unmap(void *p, size_t bytes); /* or NULL: none */

#endif
