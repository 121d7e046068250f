/* methods.c - see methods.h. What each of the methods counts stands above it,
 * with where it comes from; what is left out of one is said there.
 */
#include "tools/analysis/methods/methods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"
#include "tools/analysis/methods/knots.h"

#define FRACTION 20 /* bits behind the point of shares of cycles */
#define HALF (RETIME_UNIT / 2)

/* ---- stacks and functions ------------------------------------------------ */

static struct methods_function *function_of(struct methods *m, uint32_t number)
{
    bool fresh;
    uint32_t *at = hash_at(&m->at, number, &fresh);

    if (fresh) {
        *at = (uint32_t)m->functions;
        m->function =
            grow(m->function, &m->room, m->functions + 1, sizeof *m->function);
        m->function[m->functions++] =
            (struct methods_function){.function = number};
    }
    return &m->function[*at];
}

/* Is a function in the callers of a frame? */
static bool called_by(const struct methods *m, uint32_t frame,
                      uint32_t function)
{
    const struct frames *f = &m->scene->frames;

    for (uint32_t n = frames_at(f, frame)->caller; frames_at(f, n);
         n = frames_at(f, n)->caller)
        if (m->own[n] == function)
            return true;
    return false;
}

void methods_blame(struct methods *m, enum method which, uint32_t stack,
                   uint64_t cycles)
{
    const struct frames *f = &m->scene->frames;
    struct methods_function *last = NULL;

    for (uint32_t n = stack; frames_at(f, n); n = frames_at(f, n)->caller) {
        if (m->own[n] == LOADMAP_UNKNOWN || called_by(m, n, m->own[n]))
            continue;
        last = function_of(m, m->own[n]);
        last->score[which] += cycles;
    }
    if (last)
        last->outermost = true;
}

/* A place knows three functions. */
static void blame_roots(struct methods *m, enum method which,
                        const struct causes *c)
{
    for (size_t n = 0; n < c->roots; n++) {
        const struct place_of *p = &m->places->list[c->root[n].place];

        for (unsigned k = 0; k < PLACES_FUNCTIONS && p->function[k]; k++)
            if (hash_find(&m->at, p->function[k]))
                function_of(m, p->function[k])->score[which] +=
                    c->root[n].cycles;
    }
}

/* ---- running ------------------------------------------------------------- */

/* How many threads run, and how many wait for something that is no lock. */
struct turn {
    uint64_t at;
    int runs, waits;
    uint64_t share, blame; /* sums up to here, in parts of FRACTION bits: of a
                            * cycle for each that runs; of a waiting one */
};

static int by_time(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;

    return x->at < y->at ? -1 : x->at > y->at;
}

static size_t find_turns(const struct scene *s, struct turn *turn)
{
    size_t count = 0;
    int runs = 0, waits = 0;

    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];
        int r = scene_runs(t), w = scene_blocked(t) && !scene_wants_lock(t);

        if (s->thread[t->thread].sampler || !(r || w) || t->to <= t->from)
            continue;
        turn[count++] = (struct turn){.at = t->from, .runs = r, .waits = w};
        turn[count++] = (struct turn){.at = t->to, .runs = -r, .waits = -w};
    }
    if (count)
        qsort(turn, count, sizeof *turn, by_time);
    for (size_t n = 0; n < count; n++) {
        uint64_t ran = n ? turn[n].at - turn[n - 1].at : 0;
        uint64_t each = runs > 0 ? (ran << FRACTION) / (uint64_t)runs : 0;

        turn[n].share = (n ? turn[n - 1].share : 0) + each;
        turn[n].blame = (n ? turn[n - 1].blame : 0) + each * (uint64_t)waits;
        runs += turn[n].runs;
        waits += turn[n].waits;
        turn[n].runs = runs;
        turn[n].waits = waits;
    }
    return count;
}

/* The sums up to a cycle. */
static struct turn sums_at(const struct turn *turn, size_t count,
                           uint64_t cycle)
{
    size_t n = SEARCH_FIRST(0, count, i, turn[i].at > cycle);
    struct turn t = n ? turn[n - 1] : (struct turn){0};
    uint64_t each =
        t.runs > 0 ? ((cycle - t.at) << FRACTION) / (uint64_t)t.runs : 0;

    t.share += each;
    t.blame += each * (uint64_t)t.waits;
    return t;
}

/* What a sample stands for: from one cycle to another. */
static void blame_sample(struct methods *m, const struct turn *turn,
                         size_t count, uint32_t stack, uint64_t from,
                         uint64_t to)
{
    struct turn a = sums_at(turn, count, from), b = sums_at(turn, count, to);

    methods_blame(m, METHOD_CRITICALITY, stack,
                  (b.share - a.share) >> FRACTION);
    methods_blame(m, METHOD_BLAME, stack, (b.blame - a.blame) >> FRACTION);
}

/* Criticality stacks (Du Bois and others, 2013): the time of each moment is
 * shared among those that run then. Blame shifting (Tallent and Mellor-Crummey,
 * 2009 and 2010): the time of those that wait is, the same way; of those that
 * wait for a lock it is its holder's, where that lets them go on. */
static void blame_running(struct methods *m)
{
    const struct scene *s = m->scene;
    struct turn *turn = grow_zero(2 * s->stays + 1, sizeof *turn);
    size_t count = find_turns(s, turn);

    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];
        const struct scene_thread *who = &s->thread[t->thread];
        size_t end = who->spot + who->spots;
        size_t k = SEARCH_FIRST(who->spot, end, i, s->spot[i].cycle > t->from);
        uint64_t from = t->from;

        if (!scene_runs(t) || who->sampler)
            continue;
        for (; k < end && s->spot[k].cycle <= t->to; k++) {
            if (!s->spot[k].sample)
                continue;
            blame_sample(m, turn, count, s->spot[k].stack, from,
                         s->spot[k].cycle);
            from = s->spot[k].cycle;
        }
    }
    free(turn);
}

/* ---- waiting ------------------------------------------------------------- */

static void blame_waiting(struct methods *m)
{
    const struct scene *s = m->scene;

    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];
        const struct scene_wake *w =
            t->wake == SCENE_NONE ? NULL : &s->wake[t->wake];

        if (!scene_blocked(t) || s->thread[t->thread].sampler)
            continue;
        methods_blame(m, METHOD_OFF_CPU, t->stack, t->to - t->from);
        if (scene_wants_lock(t) && w && w->by == WAKE_BY_THREAD)
            methods_blame(m, METHOD_BLAME, w->stack, t->to - t->from);
    }
}

/* The last wait of a thread that began by a cycle. */
static const struct scene_stay *wait_by(const struct scene *s, uint32_t thread,
                                        uint64_t cycle)
{
    const struct scene_thread *t = &s->thread[thread];
    size_t end = t->first + t->stays;
    size_t n = SEARCH_FIRST(t->first, end, i, s->stay[i].from > cycle);

    for (; n > t->first; n--)
        if (scene_blocked(&s->stay[n - 1]))
            return &s->stay[n - 1];
    return NULL;
}

/* Samples of idle transitions (guest/prof/idle), one of every cycle: of an idle
 * CPU's time where the thread waits that left it, and where the one waited that
 * ends it. */
static void blame_idle(struct methods *m)
{
    const struct scene *s = m->scene;

    for (size_t n = 0; n < s->stints; n++) {
        const struct scene_stint *t = &s->stint[n];
        const struct scene_stay *left =
            t->left == SCENE_NONE ? NULL : wait_by(s, t->left, t->from);
        const struct scene_stay *came =
            t->came == SCENE_NONE ? NULL : wait_by(s, t->came, t->to);

        if (left)
            methods_blame(m, METHOD_TO_IDLE, left->stack, t->to - t->from);
        if (came)
            methods_blame(m, METHOD_FROM_IDLE, came->stack, t->to - t->from);
    }
}

/* Critical lock analysis (Chen and Stenstrom, 2012): locks by their share of
 * the critical path; a function has it in proportion to the waits that it
 * ended. */
static void blame_locks(struct methods *m, const struct path *path)
{
    const struct scene *s = m->scene;
    uint64_t *waited = grow_zero(s->locks + 1, sizeof *waited);

    for (int pass = 0; pass < 2; pass++)
        for (size_t n = 0; n < s->stays; n++) {
            const struct scene_stay *t = &s->stay[n];
            uint64_t cycles = t->to - t->from;

            if (!scene_wants_lock(t) || t->wake == SCENE_NONE)
                continue;
            if (pass == 0)
                waited[t->lock] += cycles;
            else if (waited[t->lock])
                methods_blame(
                    m, METHOD_LOCKS, s->wake[t->wake].stack,
                    (uint64_t)((unsigned __int128)cycles * path->lock[t->lock] /
                               waited[t->lock]));
        }
    free(waited);
}

/* ---- by playing it again ------------------------------------------------- */

static uint64_t halved(const struct methods *m, const struct retime *g,
                       uint32_t function, bool awake, bool *known)
{
    struct retime_change c = retime_change_none();
    struct retime_prediction p;
    char why[256];

    c.count = 1;
    c.scaled[0] = (struct retime_scaled){
        .callees = true, .awake = awake, .millionths = HALF};
    snprintf(c.scaled[0].name, sizeof c.scaled[0].name, "%s",
             loadmap_name(&m->r->map, function));
    *known = retime_predict(g, &c, &p, why, sizeof why);
    return *known ? p.elapsed : retime_recorded(g);
}

/* Coz (Curtsinger and Berger, 2015): code is sped up by half by delaying all
 * others while it runs. That comes to the same as speeding it up, but for what
 * it sleeps, which no delay makes shorter. */
static void blame_virtual(struct methods *m, const struct retime *g)
{
    for (size_t n = 0; n < m->functions; n++) {
        struct methods_function *f = &m->function[n];
        bool known;
        uint64_t cycles = halved(m, g, f->function, true, &known);

        if (cycles < retime_recorded(g))
            f->score[METHOD_VIRTUAL] = retime_recorded(g) - cycles;
    }
}

void methods_predict(struct methods *m, const struct retime *g)
{
    for (size_t n = 0; n < m->functions; n++) {
        struct methods_function *f = &m->function[n];
        uint64_t cycles = halved(m, g, f->function, false, &f->has_gain);

        f->gain = (int64_t)(retime_recorded(g) - cycles);
    }
}

/* ---- all of it ----------------------------------------------------------- */

/* Without those that begin a stack; by number, which is that of their first
 * stack. */
static void drop_outermost(struct methods *m)
{
    size_t kept = 0;

    for (size_t n = 0; n < m->functions; n++)
        if (!m->function[n].outermost)
            m->function[kept++] = m->function[n];
    m->functions = kept;
    hash_free(&m->at);
    for (size_t n = 0; n < kept; n++) {
        bool fresh;

        *hash_at(&m->at, m->function[n].function, &fresh) = (uint32_t)n;
    }
}

void methods_find(struct methods *m, const struct scene *s,
                  struct places *places, const struct causes *causes,
                  const struct path *path, const struct retime *g)
{
    *m = (struct methods){.r = s->r, .scene = s, .places = places};
    m->own = grow_zero(s->frames.count + 1, sizeof *m->own);
    for (uint32_t n = 0; n < s->frames.count; n++)
        m->own[n] = places_own(places, n);
    blame_running(m);
    blame_waiting(m);
    blame_idle(m);
    blame_locks(m, path);
    knots_blame(m);
    drop_outermost(m);
    blame_roots(m, METHOD_CAUSES, causes);
    blame_roots(m, METHOD_PATH, &path->c);
    blame_virtual(m, g);
}

void methods_free(struct methods *m)
{
    free(m->function);
    free(m->own);
    hash_free(&m->at);
    *m = (struct methods){0};
}

/* ---- ranks --------------------------------------------------------------- */

/* Twice the rank, from the least on, equal ones in the middle. */
static double rank_of(const struct methods *m, size_t of, int which)
{
    double below = 0, same = 0;

    for (size_t n = 0; n < m->functions; n++) {
        const struct methods_function *a = &m->function[n],
                                      *b = &m->function[of];
        int64_t x = which < 0 ? a->gain : (int64_t)a->score[which];
        int64_t y = which < 0 ? b->gain : (int64_t)b->score[which];

        if (!a->has_gain)
            continue;
        below += x < y;
        same += x == y;
    }
    return 2 * below + same + 1;
}

bool methods_correlation(const struct methods *m, enum method which,
                         double *correlation)
{
    double count = 0, xy = 0, xx = 0, yy = 0;

    for (size_t n = 0; n < m->functions; n++)
        count += m->function[n].has_gain;
    for (size_t n = 0; n < m->functions; n++) {
        double x = rank_of(m, n, (int)which) - (count + 1);
        double y = rank_of(m, n, -1) - (count + 1);

        if (!m->function[n].has_gain)
            continue;
        xy += x * y;
        xx += x * x;
        yy += y * y;
    }
    if (count < METHODS_LEAST || xx == 0 || yy == 0)
        return false;
    *correlation = xy / sqrt(xx * yy);
    return true;
}

uint32_t methods_first(const struct methods *m, enum method which)
{
    uint32_t best = SCENE_NONE;

    for (uint32_t n = 0; n < m->functions; n++)
        if (m->function[n].score[which] &&
            (best == SCENE_NONE ||
             m->function[n].score[which] > m->function[best].score[which]))
            best = n;
    return best;
}

unsigned methods_place_of_best(const struct methods *m, enum method which)
{
    const struct methods_function *best = NULL;
    unsigned place = 1;

    for (size_t n = 0; n < m->functions; n++)
        if (m->function[n].has_gain && m->function[n].gain > 0 &&
            (!best || m->function[n].gain > best->gain))
            best = &m->function[n];
    if (!best || !best->score[which])
        return 0;
    for (size_t n = 0; n < m->functions; n++)
        place += m->function[n].score[which] > best->score[which];
    return place;
}
