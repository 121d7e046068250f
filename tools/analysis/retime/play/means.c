/* means.c - what plays of the graph come to, with locks played anew, beside the
 * recorded run: nothing changed, and with a change.
 *
 * Where threads come to a lock at nearly the same time, who has it first, and
 * whether the other sleeps, hangs on a few cycles, and for long after. There a
 * play is one of many that are as likely. It shows by a play in which what is
 * run takes a little more, now and then: if that comes to something else, the
 * mean of several is what is predicted.
 */
#include "tools/analysis/retime/play/replay.h"

#include <stdlib.h>

#include "lib/base/grow.h"

/* Parts in so many of the run: how far it may be off with locks played anew,
 * and be right about a change; where threads try to take them again and again,
 * and who comes first is soon another; by how much two plays may differ that
 * come to the same; and how long threads wait for a CPU, at least, where
 * several are made under --user. */
#define NEAR 12
#define TRIED 8
#define SAME 200
#define CROWDED 4

/* With a change a thread that is woken for a lock may find it taken again and
 * again in one more of so many times; behind that several plays are made. */
#define VAIN 8

bool graph_changes(const struct retime_change *c)
{
    for (unsigned n = 0; n < c->count; n++)
        if (c->scaled[n].millionths != RETIME_UNIT)
            return true;
    return c->cpus || c->masks ||
           (c->device != RETIME_NO_FACTOR && c->device != RETIME_UNIT);
}

/* Nothing changed: the cycles; 0: it comes to no end. */
static uint64_t unchanged(const struct retime *g, struct replay_how how)
{
    struct retime_change none = retime_change_none();
    struct spend *s = spend_open(g, &none);
    uint64_t elapsed = 0;

    if (!replay_play(g, &none, s, how, &elapsed))
        elapsed = 0;
    spend_close(s);
    return elapsed;
}

/* Is a thread played that works until a word is written? It has the CPU by time
 * slices, which are played with locks alone. */
static bool works(const struct retime *g)
{
    for (uint32_t n = 0; n < g->scene->polls; n++)
        if (g->scene->poll[n].works && g->scene->poll[n].runs)
            return true;
    return false;
}

uint64_t retime_played(const struct retime *g)
{
    struct replay_how how = {GRAPH_RECORDED, GRAPH_NO_LOCKS, 0, NULL, NULL};

    if (works(g))
        how.locks = GRAPH_PROGRAMS_LOCKS;
    return unchanged(g, how);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

/* Do threads wait for a CPU, all together, for that part of the run? Who comes
 * to a lock first then also decides who has a CPU, and for how long. */
static bool is_crowded(const struct retime *g)
{
    uint64_t waited = 0;

    for (size_t n = 0; n < g->ops; n++)
        if (g->op[n].is == GRAPH_DISPATCH && g->op[n].queued)
            waited += g->op[n].to - g->op[n].from;
    return waited > g->scene->r->end / CROWDED;
}

static bool falls_asleep_for_locks(const struct retime *g)
{
    for (unsigned n = 0; n < GRAPH_LOCKS; n++)
        if (g->mutex[n].enter)
            return true;
    return false;
}

/* Is a play one of many that are as likely? */
static bool hangs_on_little(const struct retime *g)
{
    return falls_asleep_for_locks(g) ? !g->call || is_crowded(g)
                                     : g->meets_all && is_crowded(g);
}

/* The n-th play in which what is run is held, from 0. */
static struct replay_how held(enum graph_order order, unsigned n)
{
    return (struct replay_how){order, GRAPH_PROGRAMS_LOCKS,
                               UINT64_C(0x9e3779b97f4a7c15) * (n + 1), NULL,
                               NULL};
}

/* 0: one of them comes to no end. */
static uint64_t mean(const uint64_t *of)
{
    uint64_t sum = 0;

    for (unsigned n = 0; n < GRAPH_HELD; n++) {
        if (!of[n])
            return 0;
        sum += of[n];
    }
    return sum / GRAPH_HELD;
}

#define CIRCLES 4 /* plays, at most */

/* Of waits in a circle the first takes as long as it did (graph.h, circled).
 * False: there were none. */
static bool unlink_circles(struct retime *g, struct replay_how how)
{
    bool any = false;

    how.circle = grow_zero(g->ops + 1, sizeof *how.circle);
    unchanged(g, how);
    for (size_t n = 0; n < g->ops; n++) {
        struct graph_op *o = &g->op[n];

        if (o->is == GRAPH_WAKE && o->target != GRAPH_NONE &&
            how.circle[o->target])
            o->target = GRAPH_NONE;
        if (!how.circle[n])
            continue;
        if (o->target != GRAPH_NONE) {
            g->circled += o->to - o->from;
            any = true;
        }
        o->target = o->poll = GRAPH_NONE;
    }
    free(how.circle);
    return any;
}

void graph_play_unchanged(struct retime *g)
{
    struct replay_tries woken = {0};
    struct replay_how how = {GRAPH_RECORDED, GRAPH_PROGRAMS_LOCKS, 0, NULL,
                             NULL};
    struct replay_how all = {GRAPH_RECORDED, GRAPH_ALL_LOCKS, 0, NULL, NULL};

    if (!g->take)
        return;
    for (unsigned n = 0; n < CIRCLES && g->scene->polls; n++)
        if (!unlink_circles(g, how))
            break;
    how.woken = &woken;
    g->played = unchanged(g, how);
    how.woken = NULL;
    g->woken = woken.all;
    g->vain = woken.vain;
    for (unsigned n = 0; n < GRAPH_HELD && hangs_on_little(g); n++)
        g->held[n] = unchanged(g, held(GRAPH_RECORDED, n));
    if (!g->call && graph_keeps_orders(g))
        g->unchanged = unchanged(g, all);
}

uint64_t graph_plays_off(const struct retime *g)
{
    uint64_t run = g->scene->r->end, off = apart(g->played, run);
    uint64_t of_mean = apart(mean(g->held), run);

    return !g->take ? 0 : off < of_mean || g->call ? off : of_mean;
}

/* Do threads that have waited for a lock let others run meanwhile, so that they
 * soon come in another order? */
static bool lets_run(const struct retime *g)
{
    for (uint32_t n = 0; n < g->scene->locks; n++)
        if (g->yields[n] && g->scene->lock[n].waits)
            return true;
    return false;
}

/* ... and by how much it may be. */
static uint64_t may_be_off(const struct retime *g)
{
    return g->scene->r->end / (g->tries || lets_run(g) ? TRIED : NEAR);
}

/* What a play comes to in the time of the run, of which one with nothing
 * changed is another part. */
static uint64_t of_run(uint64_t run, uint64_t now, uint64_t before)
{
    return (uint64_t)((unsigned __int128)run * now / before);
}

static struct retime_prediction all_same(uint64_t elapsed)
{
    return (struct retime_prediction){elapsed, elapsed, elapsed};
}

/* Are threads that are woken for a lock late for it far more often than with
 * nothing changed? */
static bool is_vain(const struct retime *g, const struct replay_tries *t)
{
    size_t all = t->all > g->woken ? t->all : g->woken;

    return t->vain > g->vain && t->vain - g->vain > all / VAIN;
}

/* Replaces a prediction by the mean of several, if another one of them is apart
 * from it; under --user it stays, as a play follows the run more closely. There
 * they are also made if threads are late in `vain`. */
static void take_mean(const struct retime *g,
                      const struct retime_change *change, const struct spend *s,
                      enum graph_order order, bool vain,
                      struct retime_prediction *p)
{
    uint64_t run = g->scene->r->end, base = mean(g->held), now[GRAPH_HELD];
    uint64_t first = g->held[0];

    if (!base && vain)
        base = first = g->played;
    if (apart(base, run) > run / NEAR)
        return;
    for (unsigned n = 0; n < GRAPH_HELD; n++) {
        if (!replay_play(g, change, s, held(order, n), &now[n]))
            return;
        if (!n && apart(of_run(run, now[0], first), p->elapsed) <= run / SAME)
            return;
    }
    if (!g->call)
        *p = all_same(of_run(run, mean(now), base));
    for (unsigned n = 0; n < GRAPH_HELD; n++) {
        uint64_t one = of_run(run, now[n], base);

        p->least = one < p->least ? one : p->least;
        p->most = one > p->most ? one : p->most;
    }
}

/* With nothing changed every event has its recorded cycle, also where cycles of
 * two CPUs are a turn apart, which tells of no lock who had it first. With
 * locks played anew it is another one, by as much as with nothing changed.
 * Where locks that are waited for anew lead to nowhere, since who had to let
 * others go on waits in an order that is not the recorded one, they are left
 * out. */
bool graph_replay(const struct retime *g, const struct retime_change *change,
                  const struct spend *s, enum graph_order order,
                  enum graph_locks locks, struct retime_prediction *p)
{
    struct replay_tries woken = {0};
    struct replay_how how = {order, locks, 0, NULL, &woken};
    uint64_t elapsed = 0;
    bool done;

    if (!graph_changes(change)) {
        *p = all_same(g->scene->r->end);
        return true;
    }
    if (locks == GRAPH_NO_LOCKS || !g->take ||
        graph_plays_off(g) > may_be_off(g) ||
        !replay_play(g, change, s, how, &elapsed)) {
        how.locks = GRAPH_NO_LOCKS;
        done = replay_play(g, change, s, how, &elapsed);
        *p = all_same(elapsed);
        return done;
    }
    *p = all_same(elapsed);
    if (g->played) {
        *p = all_same(of_run(g->scene->r->end, elapsed, g->played));
        if (locks == GRAPH_PROGRAMS_LOCKS)
            take_mean(g, change, s, order, is_vain(g, &woken), p);
    }
    return true;
}

bool graph_plays_locks(const struct retime *g,
                       const struct retime_change *change,
                       const struct spend *s)
{
    struct replay_how how = {GRAPH_RECORDED, GRAPH_PROGRAMS_LOCKS, 0, NULL,
                             NULL};
    uint64_t elapsed;

    return !g->take || replay_play(g, change, s, how, &elapsed);
}

bool graph_play_all_locks(const struct retime *g,
                          const struct retime_change *change,
                          const struct spend *s, uint64_t *elapsed)
{
    struct replay_how how = {GRAPH_RECORDED, GRAPH_ALL_LOCKS, 0, NULL, NULL};

    if (!g->unchanged || !replay_play(g, change, s, how, elapsed))
        return false;
    *elapsed =
        replay_later(*elapsed, (int64_t)(g->scene->r->end - g->unchanged));
    return true;
}
