/* define.h - index objects and memory objects by name: what an expression
 * over a record makes of it. Some are there from the start. */
#ifndef TOOLS_SIMPROF_DEFINE_H
#define TOOLS_SIMPROF_DEFINE_H

#include <stdbool.h>
#include <stddef.h>

#include "tools/lib/recording.h"

/* How a value is called. */
enum define_shape {
    DEFINE_NUMBER,   /* of an index object */
    DEFINE_MEMORY,   /* of a memory object: hexadecimal in front */
    DEFINE_ADDRESS,  /* the first byte of something as large as `size` */
    DEFINE_PHYSICAL, /* the same, of a physical address */
    DEFINE_SET       /* a set of the data cache */
};

struct define {
    char *name, *text; /* text: an expression of expr.h */
    bool memory;       /* of records with a data address only */
    enum define_shape shape;
    unsigned size;
};

/* All zero: none. */
struct defines {
    struct define *list;
    size_t count, room;
};

/* Memory objects of the machine that ran: line, page and larger pages, by
 * effective and by physical address, and set.
 * set is there only if the log says how large its data cache was. */
void defines_machine(struct defines *d, const struct recording *r);

/* Add one. False: why (size bytes) says what is wrong with it. */
bool defines_add(struct defines *d, const char *name, const char *text,
                 bool memory, char *why, size_t size);
void defines_free(struct defines *d);

/* NULL: there is none of this name and kind. */
const struct define *defines_find(const struct defines *d, const char *name,
                                  bool memory);

#endif
