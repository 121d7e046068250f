/* shared.h - files that are mapped. A page of a file that several shared
 * mappings have lies in one frame, found through whichever has it, so that all
 * of them see what one stores. Calls that read or change the file itself are
 * kept in step with those frames: what was stored goes to the file before it is
 * read, and frames take what is written to it.
 *
 * Other programs on the host see what was stored after msync, munmap or the
 * end. Private mappings have what was there when a page was first touched.
 */
#ifndef SIM_USER_MM_SHARED_H
#define SIM_USER_MM_SHARED_H

#include "lib/base/hash.h"
#include "sim/user/mm/space.h"

/* The object behind a mapping: a file, or (host -1) memory that has no name. */
struct space_file {
    struct space_file *next;
    int host;                /* owned */
    uint64_t device, number; /* of the file on the host */
    unsigned regions;        /* that it is behind */
    unsigned pages;          /* in memory */
    struct hash frame;       /* of its pages in memory, by number; 0: none */
    struct hash users;       /* how many shared mappings have that page */
};

/* The object for the host's file, made if need be; of `host` a duplicate is
 * kept. -1: for new nameless memory. NULL: *error. */
struct space_file *shared_open(struct space *s, int host, int *error);
/* One region more or less is on it (NULL: on none); with the last it goes. */
void shared_hold(struct space_file *f);
void shared_drop(struct space *s, struct space_file *f);

/* The frame in which shared mappings have the page of r; 0: none. */
pa_t shared_frame(const struct region *r, ea_t page);
/* One more shared mapping has the page of r, in this frame. */
void shared_take(const struct region *r, ea_t page, pa_t frame);
/* One less; true: it was the last. */
bool shared_leave(const struct region *r, ea_t page);
/* Fill a frame with a page of r's file. False: the file ends before it. */
bool shared_fill(struct space *s, const struct region *r, ea_t page,
                 pa_t frame);
/* Write back what was stored to pages of r from `from` up to `to`. 0 or an
 * error number. *cleaned is set if processors have to forget. */
int shared_write_back(struct space *s, const struct region *r, ea_t from,
                      ea_t to, bool *cleaned);

#endif
