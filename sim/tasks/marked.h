/* marked.h - programs of a Linux kernel of which something is marked (simrun
 * --mark func:PROGRAM:NAME): their files below a directory of the host, what is
 * marked in them, by the addresses that they were linked to, and whether any
 * process had them.
 */
#ifndef SIM_TASKS_MARKED_H
#define SIM_TASKS_MARKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pmu/markspec/perfinst.h"
#include "pmu/pif/host_marks.h"
#include "sim/machine/loader.h"

#define MARKED_FILES 64u /* at most */

struct marked_file {
    struct image image;
    char *path; /* of the host; owned */
    struct perfinst list;
    struct perfinst_marks on; /* of addresses of the image as it was opened */
    /* The first address space that had it, and how far up it was there; 0: none
     * yet. */
    uint32_t space, up;
};

/* All zero: none. */
struct marked_files {
    struct marked_file *file; /* MARKED_FILES; owned */
    unsigned count;
};

/* The file that `name`, of n bytes, means below `sysroot`: a path that begins
 * with /, or what the file is called; of a shared object libc and libc.so for
 * libc.so.6, too. It is opened when it is wanted first. NULL: `why` has a part
 * of a line. */
struct marked_file *marked_open(struct marked_files *m, const char *sysroot,
                                const char *name, size_t n, char *why,
                                size_t size);
void marked_close(struct marked_files *m);

/* A process has the image, moved `bias` further up than it says, in the address
 * space `space`: what that has of marked programs is added to v, whose list is
 * the caller's to free. False: nothing is marked in it. */
bool marked_mapped(struct marked_files *m, const struct image *i, uint32_t bias,
                   uint32_t space, struct host_view *v);

#endif
