/* host_marks.h - what the host marked: the shadow storage of the host unit.
 *
 * Outside the machine, shared by all its processors, by effective address.
 * Instructions and data have marks of their own at the same address.
 */
#ifndef PMU_PIF_HOST_MARKS_H
#define PMU_PIF_HOST_MARKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One marked word. */
struct host_mark {
    uint32_t ea; /* a multiple of 4 */
    bool data;
    uint32_t indicator, limit;
    uint64_t count, hits;
    uint64_t before; /* executions or accesses that a limit has cleared */
    uint32_t since;  /* ... of all processors since then */
};

struct host_marks {
    struct host_mark *mark; /* owned; blocks together, in order of insertion */
    size_t count, room;
    uint32_t *slot; /* hash of blocks: index + 1 of a block */
    size_t slots;
    uint32_t bytes; /* of a block: a cache line; a mark a word */
};

/* Nothing is marked yet; the machine has cache lines of `bytes`. */
void host_marks_init(struct host_marks *m, uint32_t bytes);
void host_marks_free(struct host_marks *m);

/* Add `indicator` to the mark of a word; a limit that is not 0 replaces the
 * one it had. False: no memory on the host. */
bool host_marks_add(struct host_marks *m, uint32_t ea, bool data,
                    uint32_t indicator, uint32_t limit);

/* Index of that block, for host_marks_at; -1: none. */
long host_marks_find(const struct host_marks *m, uint32_t ea, bool data);
struct host_mark *host_marks_at(const struct host_marks *m, uint32_t block);
/* The word of ea, or NULL. */
struct host_mark *host_marks_word(const struct host_marks *m, uint32_t ea,
                                  bool data);

/* Save or load it: lib/base/snap.h. False: s->why says why. The same words must
 * have been marked when the machine was made. */
struct snap;
bool host_marks_state(struct snap *s, struct host_marks *m);

#endif
