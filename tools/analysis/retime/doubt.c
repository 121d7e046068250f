/* doubt.c - when what is predicted may not hold; see retime.h. */
#include <stdlib.h>

#include "tools/analysis/causes/convoys.h"
#include "tools/analysis/retime/graph.h"

#define MET 64 /* meeting counts from a part in so many of the run */
#define PART 2 /* a convoy counts from a part in so many of the run */

/* Under --user what a system call is charged with is in a thread's running, so
 * that none of it counts as handing over. To hand something on takes two: one
 * that wakes, one that waits. */
static bool hands_on(const struct retime *g, const struct locks_convoy *c)
{
    return locks_is_convoy(c) || (2 * c->relays > c->waits &&
                                  2 * g->call * c->relays > c->relayed / 3);
}

bool graph_convoys(const struct retime *g)
{
    const struct scene *s = g->scene;
    struct locks l = {.scene = s};
    struct places places;
    uint64_t sum = 0;

    places_open(&places, s->r, s);
    convoys_find(&l, s, &places, 0, s->r->end);
    for (size_t n = 0; n < l.convoys; n++)
        if (hands_on(g, &l.convoy[n]))
            sum += l.convoy[n].relayed;
    free(l.convoy);
    places_close(&places);
    return sum > s->r->end / PART;
}

/* Is another time further off than a prediction may be? */
static bool is_far(const struct retime *g, uint64_t elapsed, uint64_t other)
{
    uint64_t run = retime_recorded(g);
    uint64_t gain = elapsed < run ? run - elapsed : elapsed - run;
    uint64_t off = elapsed < other ? other - elapsed : elapsed - other;

    return off > gain / 10 && off > run / 50;
}

/* Does it come to another time with who waits longest first? */
static bool turns_count(const struct retime *g,
                        const struct retime_change *change,
                        const struct spend *s, bool locks)
{
    uint64_t elapsed, other;

    return !graph_replay(g, change, s, GRAPH_RECORDED, locks, &elapsed) ||
           !graph_replay(g, change, s, GRAPH_ANEW, locks, &other) ||
           is_far(g, elapsed, other);
}

/* Are locks of the kernel's recorded? Who waits for one of these goes on in the
 * recorded order. */
static bool of_kernel(const struct scene *s)
{
    for (size_t n = 0; n < s->holds; n++)
        if (s->lock[s->hold[n].lock].kind == OBJECT_KERNEL)
            return true;
    return false;
}

/* The cycles that a change takes from what threads run, and wait for a time or
 * a device, all together; below 0 if it adds some. */
static int64_t taken_away(const struct retime *g, const struct spend *s)
{
    int64_t sum = 0;

    for (size_t n = 0; n < g->ops; n++) {
        const struct graph_op *o = &g->op[n];

        if (o->is == GRAPH_RUN)
            sum += (int64_t)(o->to - o->from) - (int64_t)spend_run(s, o);
        else if (o->is == GRAPH_WAIT && o->target == GRAPH_NONE)
            sum += (int64_t)(o->to - o->from) - (int64_t)spend_wait(s, o);
    }
    return sum;
}

/* Is what is predicted far from what a change takes away? */
static bool is_far_from(const struct retime *g, int64_t gain, int64_t taken)
{
    int64_t off = gain < taken ? taken - gain : gain - taken;

    return off > taken / 10 && off > (int64_t)(retime_recorded(g) / 50);
}

/* How often threads waited for a lock of the kernel's. */
static uint64_t kernel_waits(const struct scene *s)
{
    uint64_t waits = 0;

    for (size_t n = 0; n < s->stays; n++)
        waits += s->stay[n].state == STATE_LOCK &&
                 s->stay[n].lock != SCENE_NONE &&
                 s->lock[s->stay[n].lock].kind == OBJECT_KERNEL;
    return waits;
}

/* What a change of times alone comes to, of which not all cycles count, or of
 * which more do than there are; or threads meet that did not. */
static enum retime_doubt doubt_of_sum(const struct retime *g,
                                      const struct retime_change *change,
                                      const struct spend *s, uint64_t elapsed)
{
    int64_t gain = (int64_t)retime_recorded(g) - (int64_t)elapsed;
    int64_t taken = taken_away(g, s);
    uint64_t met;
    bool far, ends;

    if (change->cpus || change->masks || taken <= 0)
        return RETIME_HOLDS;
    far = is_far_from(g, gain, taken);
    if (far && gain > taken)
        return RETIME_BEYOND;
    ends = graph_plays_locks(g, change, s, &met);
    if (far && !ends)
        return RETIME_ORDER;
    return ends && 2 * met > kernel_waits(g->scene) &&
                   met * (g->meet[0].wait + g->meet[0].wake) >
                       retime_recorded(g) / MET
               ? RETIME_MEETS
               : RETIME_HOLDS;
}

enum retime_doubt retime_doubt(const struct retime *g,
                               const struct retime_change *change,
                               uint64_t elapsed)
{
    struct spend *s;
    enum retime_doubt why = RETIME_HOLDS;

    if (!graph_changes(change))
        return why;
    s = spend_open(g, change);
    if (graph_polls(g, s))
        why = RETIME_POLLS;
    else if (graph_looks(g, s))
        why = RETIME_LOOKS;
    else if (elapsed == retime_recorded(g))
        why = RETIME_HOLDS;
    else if (g->convoy)
        why = RETIME_CONVOY;
    else if (turns_count(g, change, s, false) &&
             (of_kernel(g->scene) || turns_count(g, change, s, true)))
        why = RETIME_ORDER;
    else
        why = doubt_of_sum(g, change, s, elapsed);
    spend_close(s);
    return why;
}
