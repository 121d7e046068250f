/* export_lines.h - the source line of an address, by the line table of the
 * archive that was loaded there. One address is asked for often: answers are
 * kept by the caller, not here.
 */
#ifndef TOOLS_LIB_EXPORT_LINES_H
#define TOOLS_LIB_EXPORT_LINES_H

#include "tools/lib/recording.h"

struct export_lines {
    struct recording *r;
    struct export_lines_file {
        int fd;              /* -1: none */
        struct Dwarf *dwarf; /* NULL: no line table */
    } * file;                /* by image of the load map */
};

struct export_line {
    const char *source; /* path as compiled; NULL: unknown. Held by lines */
    unsigned line;      /* 0: unknown */
};

void export_lines_open(struct export_lines *l, struct recording *r);
void export_lines_close(struct export_lines *l);

/* The line of pc at a cycle. *image is the load object's number, -1: none. */
struct export_line export_lines_find(struct export_lines *l, uint32_t pc,
                                     uint64_t cycle, long *image);

#endif
