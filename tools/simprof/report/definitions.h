/* definitions.h - index objects and memory objects by name: what an expression
 * over a record makes of it. Some are there from the start. */
#ifndef TOOLS_SIMPROF_REPORT_DEFINITIONS_H
#define TOOLS_SIMPROF_REPORT_DEFINITIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/analysis/experiment/recording.h"

/* How a value is called. */
enum definition_shape {
    DEFINITION_NUMBER,   /* of an index object */
    DEFINITION_MEMORY,   /* of a memory object: hexadecimal in front */
    DEFINITION_ADDRESS,  /* the first byte of something as large as `size` */
    DEFINITION_PHYSICAL, /* the same, of a physical address */
    DEFINITION_SET,      /* a set of the data cache */
    DEFINITION_VARIABLE, /* the first byte of a variable */
    DEFINITION_MEMBER    /* ... of what is inside one */
};

struct definition {
    char *name, *text; /* text: an expression of expr.h */
    bool memory;       /* of records with a data address only */
    enum definition_shape shape;
    unsigned size;
};

/* All zero: none. */
struct definitions {
    struct definition *list;
    size_t count, room;
};

/* Memory objects of the machine that ran: line, page and larger pages, by
 * effective and by physical address, variables and their members, and set.
 * set is there only if the log says how large its data cache was. */
void definitions_machine(struct definitions *d, const struct recording *r);

/* Add one. False: why (size bytes) says what is wrong with it. */
bool definitions_add(struct definitions *d, const char *name, const char *text,
                     bool memory, char *why, size_t size);
void definitions_free(struct definitions *d);

/* NULL: there is none of this name and kind. */
const struct definition *definitions_find(const struct definitions *d,
                                          const char *name, bool memory);

#endif
