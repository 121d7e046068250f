/* lines.h - the source line of each instruction of an ELF file, from its DWARF
 * line tables (.debug_line). Believes nothing in the file; a file without them
 * has no lines.
 *
 * A row of a line table holds up to the next row of its sequence; of several
 * rows for one address the last. Addresses are those of the file, as linked.
 */
#ifndef LIB_DWARF_LINES_H
#define LIB_DWARF_LINES_H

#include "lib/elf/image.h"

/* Addresses from `from` on, before `to`, are of one line. */
struct line_range {
    uint64_t from, to;
    uint32_t file;      /* index of its name in the table */
    uint32_t line;      /* from 1 */
    uint32_t statement; /* of the last row for `from` that begins a statement,
                         * as debuggers say; else as line */
};

/* All zero: no lines. */
struct line_table {
    struct line_range *range; /* in order of the file; owned */
    size_t count, room;
    const struct line_range **by_address; /* the same, by `from`; owned */
    char **file; /* names as the compiler was given them, each once; owned */
    size_t files, files_room;
};

/* Read the line tables of all units. The image may be closed afterwards; the
 * caller frees. */
void line_table_read(struct line_table *t, const struct elf_image *e);
void line_table_free(struct line_table *t);

/* The range that covers an address; NULL: its line is not known. */
const struct line_range *line_table_find(const struct line_table *t,
                                         uint64_t address);

/* The latest version of DWARF that a unit of the file is in; 0: it has none. */
unsigned line_table_version(const struct elf_image *e);

#endif
