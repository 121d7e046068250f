/* host_marks.h - what the host marked: the shadow storage of the host unit.
 *
 * Outside the machine, shared by all its processors, by effective address.
 * Instructions and data have marks of their own at the same address. Those of a
 * program, which an operating system in the machine may put anywhere, and into
 * several address spaces at a time, are by the addresses that it was linked to;
 * a processor's view says where it is in the address space of the moment.
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
    uint16_t program; /* whose address it is; 0: everyone's */
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

/* `size` bytes from `start` on are a program's, `up` bytes above where it was
 * linked to. All three are multiples of a page. */
struct host_stretch {
    uint32_t start, size, up;
    uint16_t program; /* from 1 */
};

/* Where the marked programs of an address space are. All zero: it has none. */
struct host_view {
    const struct host_stretch *stretch; /* not owned */
    size_t count;
};

/* Add `indicator` to the mark of a word; a limit that is not 0 replaces the
 * one it had. False: no memory on the host. */
bool host_marks_add(struct host_marks *m, uint16_t program, uint32_t ea,
                    bool data, uint32_t indicator, uint32_t limit);

/* Index of the block of ea as `v` sees it, for host_marks_at; -1: none. */
long host_marks_find(const struct host_marks *m, const struct host_view *v,
                     uint32_t ea, bool data);
struct host_mark *host_marks_at(const struct host_marks *m, uint32_t block);
/* The word at ea, or NULL. */
struct host_mark *host_marks_word(const struct host_marks *m, uint16_t program,
                                  uint32_t ea, bool data);

/* Save or load it: lib/base/snap.h. False: s->why says why. The same words must
 * have been marked when the machine was made. */
struct snap;
bool host_marks_state(struct snap *s, struct host_marks *m);

#endif
