/* timetree_put.h - the names, calls and types of a time tree that is being
 * made, each in the order in which it is first met. */
#ifndef TOOLS_ANALYSIS_TIMETREE_TIMETREE_PUT_H
#define TOOLS_ANALYSIS_TIMETREE_TIMETREE_PUT_H

#include "lib/base/hash.h"
#include "tools/analysis/timetree/timetree_file.h"

/* All zero but f: nothing was put yet. */
struct timetree_put {
    struct timetree_file *f;
    struct hash known;   /* sum of a name to name */
    struct hash type_at; /* call to type */
    size_t names_room, types_room, text_room, calls_room;
};

/* The number of a name. */
uint32_t timetree_put_name(struct timetree_put *p, const char *name);

/* A new call; its number. The first is the root. */
uint32_t timetree_put_call(struct timetree_put *p,
                           const struct timetree_call *call);

/* The type of the stacks that end in a call. */
uint32_t timetree_put_type(struct timetree_put *p, uint32_t call);

void timetree_put_free(struct timetree_put *p);

/* Make the tree of idleness (--event=idle): samples of both kinds, each in the
 * tree of calls below what it says about its CPU and period, and when idle
 * threads ran and periods ended. f->source is set. False: why not. */
bool timetree_idle_build(struct timetree_file *f, struct recording *r,
                         const struct timetree_choice *c, char *why,
                         size_t size);

#endif
