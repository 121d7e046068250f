/* pools_found.h - work that threads share, as it is found in a graph: what
 * pools.c and pools_costs.c have in common.
 */
#ifndef TOOLS_ANALYSIS_RETIME_PLAY_POOLS_FOUND_H
#define TOOLS_ANALYSIS_RETIME_PLAY_POOLS_FOUND_H

#include "tools/analysis/retime/graph.h"

/* A lock is taken at some place, perhaps with waits for a condition, up to when
 * the thread goes on with it. */
struct turn {
    uint32_t lock, caller, thread;
    uint32_t begin, go, give; /* operations; give: or none */
    uint64_t at, given;       /* of `go`, and of `give` */
    bool last;                /* its thread's last one there */
    bool paused;              /* a wait for a condition has given it back */
    bool waits;               /* there was one */
    size_t nth;               /* of its thread's there, from 0 */
};

struct pool {
    size_t first, count; /* pieces, in `turn` */
    uint32_t lock;
    uint32_t word; /* the kernel's lock of what threads wait for; or none */
    /* By so many turns elsewhere for one piece, behind that which is there at
     * first. 0: one for each, and none is. */
    uint32_t answers;
    bool each;   /* each thread has its n-th when n have been put */
    bool fed;    /* by turns elsewhere */
    bool wakes;  /* ... each of which wakes all that wait */
    bool late;   /* ... with the lock given back already */
    bool shared; /* any thread may have any piece */
};

struct pools {
    struct turn *turn; /* by lock, place, then `at` */
    size_t turns, room;
    struct pool *pool;
    size_t pools, pools_room;
    uint32_t
        *begins;     /* by operation: a pool, from 1, a piece of which begins */
    uint32_t *piece; /* ... which */
    uint32_t *feeds; /* ... to which that puts one */
    uint32_t *waits; /* ... in which it waits for a piece */
    /* From where a thread gives the lock back, since a piece is not there yet,
     * in the middle: to where the system finds that it has come since; to being
     * asleep. Both 0: none had to wait. */
    uint64_t looks, asleep;
    uint64_t front; /* ... to where the system call begins */
    uint64_t back;  /* from a CPU again to having the lock */
    uint64_t after; /* ... from the program again */
    /* Of the system call that wakes who waits: all of it; up to the wake-up.
     * Under --user, where the lock is had meanwhile: from the wake-up to giving
     * it back; and from having taken it to the wake-up. */
    uint64_t call, wake, none; /* ... and of one that wakes none */
    uint64_t beside;           /* ... and of the program that it takes */
    int64_t lag;               /* from there to being runnable */
};

static inline const struct scene_hold *hold_of(const struct retime *g,
                                               size_t op)
{
    return &g->scene->hold[g->op[op].hold];
}

static inline bool in_system(const struct retime *g, const struct graph_op *o)
{
    return o->is == GRAPH_RUN && g->scene->stay[o->stay].state == STATE_SYSTEM;
}

/* Of pools_find: what waiting for a piece, and waking who waits, takes; in the
 * middle, cycles. */
void pools_measure(const struct retime *g, struct pools *s);

#endif
