/* host_markers.h - what the marker instructions of a program's island mark: the
 * marker table of the host unit (docs/pif.md, section 3).
 *
 * Outside the machine, shared by all its processors. A pmark *arms* the words
 * behind it; the instruction there is marked when it is armed, and completing
 * it takes that back. So the marks of several threads and of exception
 * handlers do not get into each other's way, as they would in one register
 * that no context switch saves.
 */
#ifndef PMU_PIF_HOST_MARKERS_H
#define PMU_PIF_HOST_MARKERS_H

#include <stdbool.h>
#include <stdint.h>

#include "pmu/markspec/markers.h"

struct host_marker {
    uint32_t indicator, limit;
    uint32_t armed;
    uint64_t count, hits;
    uint64_t before; /* executions that a limit has cleared */
};

struct host_markers {
    const struct markers *of;  /* not owned */
    struct host_marker *entry; /* owned */
    uint32_t *kind;            /* of each word of the island; owned */
    uint8_t *moved;            /* a bit for each word from low on; owned */
    uint32_t low, high;        /* of the homes */
};

enum { HOSTMARKERS_BRANCH, HOSTMARKERS_GATE, HOSTMARKERS_ENTRY };

/* False: the host has no memory, nothing is held. */
bool host_markers_init(struct host_markers *m, const struct markers *of);
void host_markers_free(struct host_markers *m);

/* What stands at pc, which is in the island: a branch between the rest, a
 * pmark, or entry n as HOSTMARKERS_ENTRY + n. */
static inline uint32_t host_markers_kind(const struct host_markers *m,
                                         uint32_t pc)
{
    return m->kind[(pc - m->of->island) / 4];
}

/* The armed mark of the instruction at pc; NULL: it has none. */
static inline struct host_marker *
host_markers_find(const struct host_markers *m, uint32_t pc)
{
    uint32_t kind;

    if (!markers_has(m->of, pc))
        return 0;
    kind = host_markers_kind(m, pc);
    return kind >= HOSTMARKERS_ENTRY && m->entry[kind - HOSTMARKERS_ENTRY].armed
               ? &m->entry[kind - HOSTMARKERS_ENTRY]
               : 0;
}

/* pmark n,k is executed: its words are armed. */
void host_markers_arm(struct host_markers *m, unsigned n, unsigned k);

/* Does a branch stand at pc that the program had not? */
static inline bool host_markers_added(const struct host_markers *m, uint32_t pc)
{
    if (pc - m->low < m->high - m->low)
        return m->moved[(pc - m->low) / 32] >> ((pc - m->low) / 4 % 8) & 1;
    return markers_has(m->of, pc) &&
           host_markers_kind(m, pc) == HOSTMARKERS_BRANCH;
}

/* Save or load it: lib/base/snap.h. False: s->why says why. The program must
 * have the same island. */
struct snap;
bool host_markers_state(struct snap *s, struct host_markers *m);

#endif
