/* inlines.h - the calls that the compiler inlined in an ELF file
 * (DW_TAG_inlined_subroutine), and where its functions were written. Believes
 * nothing in the file. Addresses are those of the file, as linked.
 */
#ifndef LIB_DWARF_INLINES_H
#define LIB_DWARF_INLINES_H

#include "lib/elf/image.h"

/* A function that was inlined somewhere. */
struct inline_function {
    char *linkage; /* its name to the linker; NULL: it has none; owned */
    char *name;    /* in its scopes, geo::Shape::area, without parameters;
                    * owned */
};

#define INLINE_NO_FILE UINT32_MAX

/* Addresses from `from` on, before `to`, hold an inlined call. */
struct inline_call {
    uint64_t from, to;
    unsigned depth;    /* inlined calls that it stands in */
    uint32_t function; /* index of the one that was inlined */
    uint32_t file;     /* of the call: index, or INLINE_NO_FILE */
    uint32_t line;     /* ... from 1; 0: unknown */
};

/* A part of a function, where its code begins; f.cold is one, too. */
struct inline_part {
    uint64_t from;
    uint32_t file; /* index of the file it is written in */
    uint32_t line;
};

/* All zero: nothing was inlined. */
struct inline_table {
    struct inline_function *function; /* in order of the file */
    size_t functions, functions_room;
    struct inline_call *call; /* by from, the longest first */
    size_t calls, calls_room;
    uint64_t *reach;          /* furthest end of calls 0 to i */
    struct inline_part *part; /* by from */
    size_t parts, parts_room;
    char **file; /* names as the compiler was given them, each once */
    size_t files, files_room;
};

/* Read all units. The image may be closed afterwards; the caller frees. */
void inline_table_read(struct inline_table *t, const struct elf_image *e);
void inline_table_free(struct inline_table *t);

/* The inlined calls that an address stands in, the innermost first: their
 * indices, `most` at most; how many. */
size_t inline_table_calls(const struct inline_table *t, uint64_t address,
                          size_t *call, size_t most);
/* The part of a function that begins at an address; NULL: unknown. */
const struct inline_part *inline_table_part(const struct inline_table *t,
                                            uint64_t address);

#endif
