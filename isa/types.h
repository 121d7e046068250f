/* types.h - the widths that share a type but not a meaning. */
#ifndef ISA_TYPES_H
#define ISA_TYPES_H

#include <stdint.h>

typedef uint32_t ea_t; /* effective address, bytes */
typedef uint32_t pa_t; /* physical address, bytes */

#endif
