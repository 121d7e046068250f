/* layout.h - where the members of structures stand, by the DWARF of a program
 * that uses them: for those who read the memory of one that runs. Believes
 * nothing in the file.
 */
#ifndef LIB_DWARF_LAYOUT_H
#define LIB_DWARF_LAYOUT_H

#include "lib/elf/image.h"

struct layout_member {
    const char *structure; /* "task_struct" */
    const char *name;      /* ... there, or in what has no name in it */
    uint64_t offset, size; /* bytes from the beginning; 0: not known */
    bool described;        /* the file describes such a structure whole */
    bool found;            /* ... which has the member */
};

/* Fill in n members. Of several structures of one name the first is meant. */
void layout_find(const struct elf_image *e, struct layout_member *member,
                 unsigned n);

#endif
