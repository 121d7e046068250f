/* doubt.c - when what is predicted may not hold; see retime.h. */
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/causes/convoys.h"
#include "tools/analysis/retime/graph.h"

#define CIRCLED 20 /* a part in so many of the run */
#define PART 2     /* a convoy counts from a part in so many of the run */
#define ANYWHERE 8 /* a part in so many of the run */

/* Under --user what a system call is charged with is in a thread's running, so
 * that none of it counts as handing over. To hand something on takes two: one
 * that wakes, one that waits. */
static bool hands_on(const struct retime *g, const struct locks_convoy *c)
{
    return locks_is_convoy(c) || (2 * c->relays > c->waits &&
                                  2 * g->call * c->relays > c->relayed / 3);
}

/* Cycles in which threads ran in functions that take a program's lock, which is
 * none that they spin for, while others had it: those of the system calls in
 * which they meet. Under --user these are charged for, and not run. */
static uint64_t meets_in_calls(const struct retime *g)
{
    const struct scene *s = g->scene;
    uint64_t sum = 0;

    for (size_t n = 0; n < s->spins && g->spins && !g->call; n++) {
        uint32_t lock = s->spin[n].lock;

        if (lock != SCENE_NONE && s->lock[lock].kind == OBJECT_USER &&
            !g->spins[lock])
            sum += s->spin[n].to - s->spin[n].from;
    }
    return sum;
}

bool graph_convoys(const struct retime *g)
{
    const struct scene *s = g->scene;
    struct locks l = {.scene = s};
    struct places places;
    uint64_t sum = 0;

    if (meets_in_calls(g) > s->r->end / PART)
        return true;
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
                        const struct spend *s, enum graph_locks locks)
{
    struct retime_prediction p, other;

    return !graph_replay(g, change, s, GRAPH_RECORDED, locks, &p) ||
           !graph_replay(g, change, s, GRAPH_ANEW, locks, &other) ||
           is_far(g, p.elapsed, other.elapsed);
}

bool graph_keeps_orders(const struct retime *g)
{
    const struct scene *s = g->scene;

    for (size_t n = 0; n < s->holds; n++)
        if (graph_keeps_order(g, s->hold[n].lock))
            return true;
    return false;
}

/* Does it come to another time with who comes to a lock of the kernel's first
 * found anew, too? */
static bool locks_count(const struct retime *g,
                        const struct retime_change *change,
                        const struct spend *s, uint64_t elapsed)
{
    uint64_t other;

    return graph_play_all_locks(g, change, s, &other) &&
           is_far(g, elapsed, other);
}

/* The cycles that a change takes from what threads run, and wait for a time or
 * a device, all together; below 0 if it adds some. */
static int64_t taken_away(const struct retime *g, const struct spend *s)
{
    int64_t sum = 0;

    for (size_t n = 0; n < g->ops; n++) {
        const struct graph_op *o = &g->op[n];

        if (o->is == GRAPH_RUN)
            sum += (int64_t)(o->to - o->from) -
                   (int64_t)graph_interrupted(g, o, spend_run(s, o));
        else if (o->is == GRAPH_WAIT && o->target == GRAPH_NONE)
            sum += (int64_t)(o->to - o->from) - (int64_t)spend_wait(s, o);
    }
    return sum;
}

/* Is what is predicted twice as far from what a change takes away as a
 * prediction may be off? Calls of the system come and go with it. */
static bool is_far_from(const struct retime *g, int64_t gain, int64_t taken)
{
    int64_t off = gain < taken ? taken - gain : gain - taken;

    return off > taken / 5 && off > (int64_t)(retime_recorded(g) / 25);
}

/* What a change of times alone comes to, of which not all cycles count, or of
 * which more do than there are. */
static enum retime_doubt doubt_of_sum(const struct retime *g,
                                      const struct retime_change *change,
                                      const struct spend *s, uint64_t elapsed)
{
    int64_t gain = (int64_t)retime_recorded(g) - (int64_t)elapsed;
    int64_t taken = taken_away(g, s);

    if (change->cpus || change->masks || taken <= 0 ||
        !is_far_from(g, gain, taken))
        return RETIME_HOLDS;
    return gain > taken                      ? RETIME_BEYOND
           : graph_plays_locks(g, change, s) ? RETIME_HOLDS
                                             : RETIME_ORDER;
}

/* Do those who write wait for a lock that the change is about, for a fiftieth
 * of the run or more, and nothing is recorded of those who read? */
static bool readers_count(const struct retime *g, const struct spend *s)
{
    const struct scene *scene = g->scene;
    uint64_t waited = 0;

    for (size_t n = 0; !g->take && n < scene->stays; n++) {
        const struct scene_stay *t = &scene->stay[n];

        if (scene_blocked(t) && scene_wants_lock(t) && !t->shared &&
            scene->lock[t->lock].readers && spend_is_lock(s, t->lock))
            waited += t->to - t->from;
    }
    return waited > retime_recorded(g) / 50;
}

static int by_beginning(const void *a, const void *b)
{
    const struct scene_stay *const *x = a, *const *y = b;

    return (*x)->from < (*y)->from ? -1 : (*x)->from > (*y)->from;
}

/* Is it about how long a lock is held, which is known only while others wait
 * for it, and is that not most of the run? */
static bool held_unseen(const struct retime *g,
                        const struct retime_change *change,
                        const struct spend *s)
{
    const struct scene *scene = g->scene;
    const struct scene_stay **wait;
    uint64_t seen = 0, until = 0;
    size_t waits = 0;
    bool any = false;

    for (unsigned n = 0; n < change->count; n++)
        any |= change->scaled[n].lock;
    if (g->take || !any)
        return false;
    wait = grow_zero(scene->stays + 1, sizeof *wait);
    for (size_t n = 0; n < scene->stays; n++) {
        const struct scene_stay *t = &scene->stay[n];

        if (scene_blocked(t) && scene_wants_lock(t) &&
            spend_is_lock(s, t->lock))
            wait[waits++] = t;
    }
    if (waits)
        qsort(wait, waits, sizeof *wait, by_beginning);
    for (size_t n = 0; n < waits; n++) {
        uint64_t from = wait[n]->from > until ? wait[n]->from : until;

        seen += wait[n]->to > from ? wait[n]->to - from : 0;
        until = wait[n]->to > until ? wait[n]->to : until;
    }
    free(wait);
    return seen < retime_recorded(g) / 4 * 3;
}

/* Is the run to be shorter with fewer CPUs, or with times that are all longer?
 */
static bool is_odd(const struct retime *g, const struct retime_change *c,
                   uint64_t elapsed)
{
    bool longer = c->cpus <= 0 && !c->masks;

    for (unsigned n = 0; n < c->count; n++)
        longer &= c->scaled[n].millionths >= RETIME_UNIT;
    return longer && elapsed + retime_recorded(g) / 50 < retime_recorded(g);
}

enum retime_doubt retime_doubt(const struct retime *g,
                               const struct retime_change *change,
                               const struct retime_prediction *p)
{
    uint64_t elapsed = p->elapsed;
    struct spend *s;
    enum retime_doubt why = RETIME_HOLDS;

    if (!graph_changes(change))
        return why;
    s = spend_open(g, change);
    if (graph_polls(g, s))
        why = RETIME_POLLS;
    else if (graph_looks(g, change, s))
        why = RETIME_LOOKS;
    else if (readers_count(g, s))
        why = RETIME_READERS;
    else if (held_unseen(g, change, s))
        why = RETIME_HELD;
    else if (elapsed == retime_recorded(g))
        why = RETIME_HOLDS;
    else if (g->convoy)
        why = RETIME_CONVOY;
    else if (turns_count(g, change, s, GRAPH_NO_LOCKS) &&
             (graph_keeps_orders(g) ||
              turns_count(g, change, s, GRAPH_PROGRAMS_LOCKS)))
        why = RETIME_ORDER;
    else if (is_odd(g, change, elapsed) || graph_overtakes(g) ||
             g->circled > retime_recorded(g) / CIRCLED)
        why = RETIME_ORDER;
    else
        why = doubt_of_sum(g, change, s, elapsed);
    /* Where recorded orders hide all of it that says as little. */
    if (why == RETIME_HOLDS &&
        (elapsed != retime_recorded(g) ||
         taken_away(g, s) > (int64_t)(retime_recorded(g) / 25)) &&
        (locks_count(g, change, s, elapsed) ||
         is_far(g, elapsed, elapsed + graph_plays_off(g))))
        why = RETIME_MEETS;
    if (why == RETIME_HOLDS && is_far(g, p->least, p->most))
        why = RETIME_PLAYS;
    if (why == RETIME_HOLDS &&
        spend_anywhere(s) > retime_recorded(g) / ANYWHERE)
        why = RETIME_WHERE;
    spend_close(s);
    return why;
}
