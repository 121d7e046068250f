/* timetree_file.h - a time tree with the stacks it is about, kept as a file
 * `timetree.WHAT` in the experiment it was made from: timetree.cycles,
 * timetree.to-idle, timetree.cycles.thread10. An experiment may have many.
 *
 * The file is a header, then arrays one after the other, little-endian, each
 * beginning at a multiple of 8 bytes; it is mapped, not read, so a query
 * touches only the pages that it needs. Stack types are numbered in the order
 * in which they first occur. A stack is a node of a tree of calls whose frames
 * have names, so that nothing but this file is needed to report on it.
 */
#ifndef TOOLS_ANALYSIS_TIMETREE_TIMETREE_FILE_H
#define TOOLS_ANALYSIS_TIMETREE_TIMETREE_FILE_H

#include "tools/analysis/experiment/recording.h"
#include "tools/analysis/timetree/timetree.h"

#define TIMETREE_FILE "timetree"
#define TIMETREE_SOURCE 144
#define TIMETREE_IDLE "idle" /* source: all that `simprof idle` is made of */

/* How the function of a call is found again: it is that of `pc` at `cycle`,
 * or the root of a stack that could not be walked to its end, or what that
 * function is an outlined part of - what that is a part of, at one more, and so
 * on. */
enum timetree_call_is { TIMETREE_AT, TIMETREE_TRUNCATED, TIMETREE_ORIGIN };

/* In a tree of idleness the calls below the root are labels, `is` being
 * TIMETREE_LABEL + CPU * TIMETREE_LABELS + one of these; stacks stand below
 * labels of samples. A sample's weight is one and, if it explains its period,
 * the idle cycles of that; of the others one and their length, and they stand
 * at their end. */
#define TIMETREE_LABEL 0x80000000u

/* A call that is none: the CPU napped. */
#define TIMETREE_NAPPING 0x7FFFFFFFu

enum timetree_label {
    TIMETREE_STINT,       /* the idle thread ran */
    TIMETREE_PERIOD,      /* an idle period */
    TIMETREE_SWITCHES,    /* the CPU's first context switch */
    TIMETREE_TO,          /* a to-idle sample */
    TIMETREE_TO_EXPLAINS, /* the first to-idle one of its period */
    TIMETREE_TO_OPENS,    /* ... and the first of both kinds */
    TIMETREE_FROM,
    TIMETREE_FROM_OPENS,
    TIMETREE_LABELS
};

/* A node of the tree of calls; call 0 is its root, others stand behind their
 * parent. */
struct timetree_call {
    uint32_t parent, name, pc;
    uint32_t is; /* TIMETREE_..., TIMETREE_ORIGIN being the first of many */
    uint64_t cycle;
};

/* The records that a tree was made from. */
struct timetree_origin {
    uint64_t kind;    /* REC_ kind of the file */
    uint64_t size;    /* of the file */
    uint64_t sum;     /* over places in it, and what the log says of them */
    uint64_t number;  /* the counter's, or IDLE_KIND_, or 0: of idleness */
    uint64_t strange; /* records that were damaged, or of no known counter */
};

struct timetree_file {
    struct timetree tree;
    char source[TIMETREE_SOURCE]; /* "cycles, thread 5": what was sampled */
    struct timetree_origin origin;
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
    const char
        *event; /* NULL: the first counter; or to-idle, from-idle, idle */
    bool may_be_empty; /* without samples it is built, too */
    bool one_thread;
    uint32_t thread;
    long cpu; /* -1: all */
    /* NULL, or: is this record wanted? And what it is called by. */
    bool (*wants)(void *arg, const struct record *record);
    void *arg;
    const char *where;
};

/* Build from the experiment's records. False: why (size bytes) says why not;
 * nothing is held. What is wrong with records joins r->problems. */
bool timetree_file_build(struct timetree_file *f, struct recording *r,
                         const struct timetree_choice *c, char *why,
                         size_t size);

/* What a choice means in this experiment: "cycles, thread 5". False: it means
 * nothing, and why says so. */
bool timetree_file_source(const struct recording *r,
                          const struct timetree_choice *c,
                          char source[TIMETREE_SOURCE], char *why, size_t size);

/* "timetree.cycles.thread5" */
void timetree_file_name(const char *source, char name[TIMETREE_SOURCE + 16]);

/* Write it into directory `dir`, whole or not at all. False: errno. */
bool timetree_file_write(const struct timetree_file *f, int dir);

enum timetree_file_state {
    TIMETREE_FILE_OK,
    TIMETREE_FILE_MISSING,
    TIMETREE_FILE_UNREADABLE, /* errno says why */
    TIMETREE_FILE_DAMAGED     /* or of another version: build it again */
};

/* Open the tree of a source. */
enum timetree_file_state timetree_file_open(struct timetree_file *f, int dir,
                                            const char *source);
void timetree_file_close(struct timetree_file *f);

/* Note size and sum of the records of f->origin.kind as they are now. */
void timetree_file_origin(struct timetree_file *f, const struct recording *r);

/* Are the records still those that it was made from? */
bool timetree_file_fresh(const struct timetree_file *f,
                         const struct recording *r);

/* Is it a tree of idleness? */
static inline bool timetree_file_idleness(const struct timetree_file *f)
{
    return f->origin.kind == REC_IDLE && !f->origin.number;
}

static inline const char *timetree_name(const struct timetree_file *f,
                                        uint32_t call)
{
    return f->text + f->name[f->call[call].name];
}

#endif
