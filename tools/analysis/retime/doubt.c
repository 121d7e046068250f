/* doubt.c - when what is predicted may not hold; see retime.h. */
#include <stdlib.h>

#include "tools/analysis/causes/convoys.h"
#include "tools/analysis/retime/graph.h"

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
    spend_close(s);
    return why;
}
