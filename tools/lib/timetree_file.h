/* timetree_file.h - a time tree with the stacks it is about, kept as the file
 * `timetree` in the experiment it was made from.
 *
 * The file is a header, then arrays one after the other, little-endian, each
 * beginning at a multiple of 8 bytes; it is mapped, not read, so a query
 * touches only the pages that it needs. Stack types are numbered in the order
 * in which they first occur. A stack is a node of a tree of calls whose frames
 * are names, so that nothing but this file is needed to report on it.
 */
#ifndef TOOLS_LIB_TIMETREE_FILE_H
#define TOOLS_LIB_TIMETREE_FILE_H

#include "tools/lib/recording.h"
#include "tools/lib/timetree.h"

#define TIMETREE_FILE "timetree"
#define TIMETREE_SOURCE 96

/* A node of the tree of calls; call 0 is its root, others stand behind their
 * parent. */
struct timetree_call {
    uint32_t parent, name;
};

struct timetree_file {
    struct timetree tree;
    char source[TIMETREE_SOURCE]; /* "cycles, thread 5": what was sampled */
    uint64_t seen;     /* bytes of the record file it was made from */
    uint64_t kind;     /* REC_ kind of that file */
    uint32_t *call_of; /* by type: the stack's leaf */
    struct timetree_call *call;
    uint64_t calls;
    uint64_t *name; /* by number: where it begins in `text` */
    uint64_t names;
    char *text; /* names, each ended by 0 */
    uint64_t text_size;
    void *map; /* of the file; NULL: the arrays are our own */
    size_t map_size;
};

/* What is to be built from an experiment. */
struct timetree_choice {
    struct timetree_options with;
    const char *event; /* NULL: the first counter; or to-idle, from-idle */
    bool one_thread;
    uint32_t thread;
    long cpu; /* -1: all */
};

/* Build from the experiment's records. False: why (size bytes) says why not;
 * nothing is held. What is wrong with records joins r->problems. */
bool timetree_file_build(struct timetree_file *f, struct recording *r,
                         const struct timetree_choice *c, char *why,
                         size_t size);

/* Write it into directory `dir`, whole or not at all. False: errno. */
bool timetree_file_write(const struct timetree_file *f, int dir);

enum timetree_file_state {
    TIMETREE_FILE_OK,
    TIMETREE_FILE_MISSING,
    TIMETREE_FILE_UNREADABLE, /* errno says why */
    TIMETREE_FILE_DAMAGED     /* or of another version: build it again */
};

enum timetree_file_state timetree_file_open(struct timetree_file *f, int dir);
void timetree_file_close(struct timetree_file *f);

static inline const char *timetree_name(const struct timetree_file *f,
                                        uint32_t call)
{
    return f->text + f->name[f->call[call].name];
}

#endif
