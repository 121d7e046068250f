/* replace_file.h - write a file so that what was there stays until all of it is
 * written: beside it, under another name, which is then given up for its own.
 */
#ifndef LIB_BASE_REPLACE_FILE_H
#define LIB_BASE_REPLACE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct replace {
    FILE *to;      /* what to write to; can be sought in */
    char *name;    /* the file that it is to become; NULL: it is that file */
    char *forming; /* its name until then */
};

/* Begin to write `path`. A link is followed; the file keeps its mode. A device
 * or a pipe, and a file in a directory that takes no other, are written as
 * they are. False: errno says why, nothing was touched and `r` needs no end. */
bool replace_open(struct replace *r, const char *path);

/* No more comes. If `good` and all of it is on the disk, it takes its place;
 * false: errno says why, and what was there before still is. */
bool replace_close(struct replace *r, bool good);

#endif
