/* timetree.h - a hierarchical time tree over call-stack samples, so that a
 * report on any interval of a run reads few of them.
 *
 * The root's interval is the whole run. An interval with fewer than M samples
 * is a leaf and holds them; any other is split into N, and its node keeps the
 * most frequent stack types, as few as make up P percent of its samples, with
 * their counts. Descent `literal`: children see all samples of their interval,
 * a node's `other` is what it dropped, and kept and other add up; what was
 * dropped stands behind what was kept, out of the way, for who wants to be
 * exact. Descent `inherit`: what a node drops its descendants never see, and
 * it is gone.
 *
 * Intervals are [from, to); only those that end where the root does are
 * closed. Nodes stand in depth-first order, so their samples do, too.
 */
#ifndef TOOLS_ANALYSIS_TIMETREE_TIMETREE_H
#define TOOLS_ANALYSIS_TIMETREE_TIMETREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tools/analysis/timetree/stream.h"

/* ---- the tree ------------------------------------------------------------ */

#define TIMETREE_LEAF 1
#define TIMETREE_FORCED 2 /* M samples or more, but it cannot be split */
#define TIMETREE_EVEN 4   /* every sample has the usual weight */

struct timetree_node {
    uint64_t from, to;
    uint64_t first, held;  /* its samples in the stream */
    uint64_t raw;          /* samples of the interval, also dropped above */
    uint64_t kept;         /* sum of the entries it keeps */
    uint64_t at;           /* its entries in the packed bytes */
    uint32_t bytes, sum;   /* so many, and the sum of them */
    uint32_t entries;      /* kept ones; a leaf: of all its types */
    uint32_t all;          /* with those dropped */
    uint32_t skip;         /* the node behind its descendants */
    uint32_t flags, depth; /* depth: 1 at the root */
    uint32_t zero;
};

/* A stack type of a node: how many samples of it, and their weight. */
struct timetree_entry {
    uint32_t type, count;
    uint64_t weight;
};

struct timetree_options {
    uint64_t m;   /* 0: one in 500 of all samples, at least 100 */
    unsigned p;   /* percent, 1 to 99 */
    unsigned n;   /* at least 2 */
    bool inherit; /* else literal */
};

struct timetree {
    struct timetree_options with;
    uint64_t from, to; /* of the root */
    uint32_t types;    /* are 0 to types - 1 */
    struct timetree_node *node;
    struct pack_bytes entry; /* most frequent first, then lowest type */
    struct stream stream;
    uint64_t nodes;
    size_t node_room; /* 0: not ours to free */
};

/* Build from samples in [from, to]; the stream belongs to the tree then. */
void timetree_build(struct timetree *t, struct stream *s, uint32_t types,
                    uint64_t from, uint64_t to,
                    const struct timetree_options *with);
void timetree_free(struct timetree *t);

/* The entries of a node: those that it keeps, or all; `list` has room for so
 * many. False: they are damaged. */
bool timetree_entries(const struct timetree *t, uint32_t node, bool all,
                      struct timetree_entry *list);

/* Does the tree hold together: every number within what it counts, intervals
 * tiled by their children, sums right? What was read from a file is not to be
 * used before. Entries and samples are checked when they are read. */
bool timetree_sound(const struct timetree *t);

/* Is all of it, down to the last entry and sample, as it should be? */
bool timetree_whole(const struct timetree *t);

/* ---- queries ------------------------------------------------------------- */

enum timetree_relation { TIMETREE_OUTSIDE, TIMETREE_PARTLY, TIMETREE_INSIDE };

struct timetree_query {
    uint64_t from, to; /* [from, to); to at the root's end: all of it */
    bool count_leaves; /* count samples of leaves inside one by one */
    bool exact;        /* also what nodes dropped; not of `inherit` */
    /* NULL, or told of every node that is looked at, in order. */
    void (*visit)(void *arg, const struct timetree *t, uint32_t node,
                  enum timetree_relation relation);
    void *arg;
};

struct timetree_answer {
    uint64_t *count, *weight; /* by type; timetree_forget frees */
    uint64_t counted;         /* sum of counts */
    uint64_t other; /* samples known to be in the interval, type not */
    uint64_t maybe; /* inherit: dropped ones of leaves partly inside */
    uint64_t read;  /* samples looked at one by one */
    uint64_t merged, visited; /* nodes */
    bool damaged;             /* the tree is: this is no answer */
};

/* The types' counts in an interval. */
void timetree_ask(const struct timetree *t, const struct timetree_query *q,
                  struct timetree_answer *a);
void timetree_forget(struct timetree_answer *a);

/* The same by visiting every sample of the interval, for comparison. */
void timetree_scan(const struct timetree *t, uint64_t from, uint64_t to,
                   struct timetree_answer *a);

/* ---- one sample ---------------------------------------------------------- */

struct timetree_found {
    bool any, damaged;
    struct stream_sample sample;
    uint64_t read; /* samples looked at one by one */
};

/* The first sample at `from` or later whose type is wanted (by type); of a
 * literal tree. Nodes that hold none are passed over. */
void timetree_next(const struct timetree *t, uint64_t from, const bool *wanted,
                   struct timetree_found *found);

#endif
