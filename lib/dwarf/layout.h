/* layout.h - where the members of a structure stand, by the DWARF of a program
 * that uses it: for those who read the memory of one that runs. Believes
 * nothing in the file.
 */
#ifndef LIB_DWARF_LAYOUT_H
#define LIB_DWARF_LAYOUT_H

#include "lib/elf/image.h"

struct layout_member {
    const char *name; /* looked for, in structures without a name inside, too */
    uint64_t offset, size; /* bytes from the beginning; 0: not known */
    bool found;
};

/* Fill in n members of `struct structure`, the first of that name that the file
 * describes whole. False: it describes none. */
bool layout_find(const struct elf_image *e, const char *structure,
                 struct layout_member *member, unsigned n);

#endif
