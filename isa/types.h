/* types.h - the widths that share a type but not a meaning, and how often a
 * test succeeds. */
#ifndef ISA_TYPES_H
#define ISA_TYPES_H

#include <stdint.h>

typedef uint32_t ea_t; /* effective address, bytes */
typedef uint32_t pa_t; /* physical address, bytes */

/* x is true nearly always, or nearly never. */
#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)

#endif
