/* path.h - the critical path of a run: what its end waited for, backwards.
 *
 * While the thread runs, its cycles are on the path; while it was blocked,
 * those of its waker, from the wake-up back; of a wait that no thread ended (a
 * time, a device), the wait itself; while it was runnable, the way to its CPU.
 * So every cycle from the path's beginning to its end is on it once. What
 * others ran on that CPU meanwhile is not on it, but told beside it.
 */
#ifndef TOOLS_ANALYSIS_CAUSES_PATH_H
#define TOOLS_ANALYSIS_CAUSES_PATH_H

#include "tools/analysis/causes/causes.h"
#include "tools/analysis/profile/slices.h"

/* Cycles of the path that are one thread's. */
struct path_thread {
    uint32_t thread;
    uint64_t cycles;
};

struct path {
    struct causes c; /* roots and their total; classes and shapes are none */
    struct causes taken; /* the same of what others ran, while a thread on the
                          * path was runnable, on the CPU that it came to */
    uint32_t last;       /* the thread it begins with, backwards */
    uint64_t from, to;
    uint64_t changes;           /* from one thread to another */
    struct path_thread *thread; /* most first */
    size_t threads;
    /* By lock (scene_stay.lock): cycles that are on the path since a thread
     * further on waited for it then. Of several that do the one nearest. */
    uint64_t *lock;
    /* By stack (scene.frames): cycles on the path that a thread runs there by
     * samples, without the system, or waits for a time. */
    uint64_t *stack;
    uint64_t *taken_stack;  /* the same of `taken` */
    uint64_t *taken_thread; /* by thread: cycles that it is of `taken` */
};

/* Of the interval r is set to; backwards from `thread`, or, SCENE_NONE, from
 * the one that runs at its end, else from the last that ended. Nobody did: the
 * path is empty. */
void path_find(struct path *p, const struct scene *s, struct places *places,
               uint32_t thread);
void path_free(struct path *p);

/* Of paths that end at the edges of slices, what lies in one slice. Where two
 * are at the same thread at an edge they go on as one. */
struct path_leg {
    uint32_t slice;
    uint32_t next;       /* the leg in the slice before; SCENE_NONE: none */
    uint64_t cycles;     /* of the path */
    size_t first, locks; /* in path_legs.charge */
};

struct path_charge {
    uint32_t lock;
    uint64_t cycles;
};

struct path_legs {
    struct path_leg *leg;
    size_t count, room;
    struct path_charge *charge; /* path.lock, of a leg */
    size_t charges, charges_room;
    uint32_t *last; /* by slice: the leg of the path that ends with it */
};

/* The legs of the paths that path_find has, with SCENE_NONE, of all intervals
 * from one edge of slices to another. */
void path_legs_find(struct path_legs *p, const struct scene *s,
                    struct places *places, const struct slices *slices);
void path_legs_free(struct path_legs *p);

#endif
