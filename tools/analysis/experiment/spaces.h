/* spaces.h - whose addresses are which: processes of a Linux kernel have one
 * space of addresses or another, by time (program.rec with `at` 0), and lines
 * of the map are of one of them.
 */
#ifndef TOOLS_ANALYSIS_EXPERIMENT_SPACES_H
#define TOOLS_ANALYSIS_EXPERIMENT_SPACES_H

#include "tools/analysis/experiment/threads.h"

/* Process pid has the space from that cycle on. */
struct space {
    uint32_t pid, space;
    uint64_t from;
    size_t serial; /* order in the file */
};

/* All zero: all addresses are everyone's. */
struct spaces {
    const struct threads *threads; /* not owned */
    struct space *list;            /* by pid, then time */
    struct space *latest;          /* by time */
    size_t count, room;
};

/* Take one REC_PROGRAM; then, once, put them in order. */
void spaces_add(struct spaces *s, const struct record *r);
void spaces_order(struct spaces *s, const struct threads *threads);
void spaces_free(struct spaces *s);

/* That of a thread at a cycle; of thread 0, the one that any process got last;
 * 0: none. */
uint32_t spaces_at(const struct spaces *s, uint32_t thread, uint64_t cycle);

#endif
