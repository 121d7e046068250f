/* marks.h - the metadata of programs (docs/pif.md 11) and the shadow storage of
 * their pages, by file (docs/guest.md).
 */
#ifndef GUEST_PROF_MARKS_MARKS_H
#define GUEST_PROF_MARKS_MARKS_H

#include "guest/process/file.h"

/* One entry of a section .perfinst: whole words from `from` to before `end`. */
struct entry {
    struct entry *next; /* in the order of the section */
    uint32_t from, end, flags;
    bool data; /* accesses, not executions */
};

/* The page of a program with that address: what is counted in it, wherever the
 * page is. */
struct segment {
    struct segment *next;
    uint32_t at;
    uint32_t frame;         /* where the page is; 0: out */
    uint32_t returns;       /* how often it came back */
    struct shadow *shadows; /* of its lines that have marks */
};

/* A file of the RAM disk that was executed. */
struct marked {
    struct marked *next;
    const struct node *file; /* fixed, as are name and entries */
    const char *name;
    struct entry *entries;
    struct segment *segments; /* the lock of marks.c */
};

/* marks.c: memory of zeros that is never given back; NULL: there is no more. */
void *marks_alloc(uint32_t bytes);

/* metadata.c: the entries of the program's section, none if it has no section;
 * s is what it was loaded to. False: a line says what is wrong with it. */
bool metadata_read(struct marked *m, const struct space *s);

#endif
