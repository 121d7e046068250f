/* ranks.c - roots of idle time by what changing them would bring. What CPUs
 * wait for at a time need not be what holds up the run: in a pipeline each
 * waits for the stage before it, and all of them for the slowest.
 */
#define _GNU_SOURCE /* qsort_r */
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/advise/advise.h"

#define ROOTS 12u   /* of idle time, and of the path, for which it is asked */
#define LITTLE 100u /* one part in so many of the run */
#define NEAR 10u    /* percent: not told apart by what is predicted */
#define HALF (ADVISE_UNIT / 2)

/* ---- what a root's change is --------------------------------------------- */

/* The function that a place's change is about: the innermost one of the
 * program's own, with the libraries that it calls; if several call that, the
 * one that does here. *whole: with what it calls; then it is not all that a
 * thread does. LOADMAP_UNKNOWN: none of the program's own. */
static uint32_t function_of(const struct advise *a, const struct place_of *p,
                            bool *whole)
{
    bool own = false;

    for (unsigned k = 0; k < PLACES_FUNCTIONS; k++) {
        uint32_t f = p->function[k];

        if (f == LOADMAP_UNKNOWN)
            break;
        if (!advise_is_own(a, f) && !own) {
            *whole = true;
            continue;
        }
        own = true;
        if (!advise_is_own(a, f) ||
            (*whole && (advise_begins(a, f) || advise_leads(a, f))))
            break;
        if (!advise_has_callers(a, f))
            return f;
        if (advise_begins(a, f))
            break;
        *whole = true;
    }
    return LOADMAP_UNKNOWN;
}

/* False: there is none. What a sleep is asked for is behind functions that it
 * calls. */
static bool change_of(const struct advise *a, const struct causes_root *r,
                      struct advise_candidate *c)
{
    bool whole = r->is == ROOT_SLEEPS;

    *c = (struct advise_candidate){.factor = HALF};
    switch (r->is) {
    case ROOT_MASK:
        c->kind = ADVISE_AFFINITY;
        snprintf(c->spec, sizeof c->spec, "affinity:all=all");
        return true;
    case ROOT_DEVICE:
        c->kind = ADVISE_DEVICE;
        snprintf(c->spec, sizeof c->spec, "device:disk latency=x0.5");
        return true;
    case ROOT_RUNS:
    case ROOT_SLEEPS:
        if (places_of_system(a->places, r->place))
            return false;
        c->function = function_of(a, &a->places->list[r->place], &whole);
        return advise_change(a, c->function, whole, HALF, c);
    default:
        return false;
    }
}

/* Sleeps that its callees ask for are scaled with a function, too. */
static bool is_about(const struct advise *a, const struct causes_root *r,
                     const struct advise_candidate *c)
{
    const uint32_t *f = a->places->list[r->place].function;
    bool below = f[1] == c->function || f[2] == c->function;

    return (r->is == ROOT_RUNS &&
            (f[0] == c->function || (below && c->whole))) ||
           (r->is == ROOT_SLEEPS && (f[0] == c->function || below));
}

/* Of what a function's change brings, what is done as a root says. */
static int64_t part_of(const struct advise *a, const struct causes_root *r,
                       const struct advise_candidate *c)
{
    const struct causes *done = a->scene->samples ? &a->done : &a->path.c;
    uint64_t here = 0, all = 0;

    if (c->kind != ADVISE_FUNCTION)
        return c->predicted;
    for (size_t n = 0; n < done->roots; n++) {
        const struct causes_root *d = &done->root[n];

        if (!is_about(a, d, c))
            continue;
        all += d->cycles;
        if (d->is == r->is && places_same(a->places, d->place, r->place))
            here += d->cycles;
    }
    /* What it calls further in than places tell. */
    if (c->whole && c->function < a->r->map.functions && a->scene->samples &&
        a->inside[c->function] > all)
        all = a->inside[c->function];
    if (!all) /* such as a wait that ends by its time: no sample is of it */
        return r->is == ROOT_RUNS ? 0 : c->predicted;
    return (int64_t)((__int128)c->predicted * here / all);
}

/* ---- all of them --------------------------------------------------------- */

/* Of the time of a program: does a change of it change others, too? What that
 * brings of this time is not known. */
static bool changes_others(const struct advise *a,
                           const struct advise_candidate *c)
{
    return c->kind != ADVISE_FUNCTION ||
           loadmap_image(&a->r->map, c->function) <= 0;
}

/* Of what a library does it is not known that it takes half as long with half
 * of its caller. */
static bool of_library(const struct advise *a, const struct causes_root *r)
{
    return !advise_is_own(a, a->places->list[r->place].function[0]);
}

/* The first function of the program's own at a place. */
static uint32_t own_of(const struct advise *a, uint32_t place)
{
    const struct place_of *p = &a->places->list[place];

    for (unsigned k = 0; k < PLACES_FUNCTIONS; k++)
        if (p->function[k] != LOADMAP_UNKNOWN &&
            advise_is_own(a, p->function[k]))
            return p->function[k];
    return LOADMAP_UNKNOWN;
}

/* What libraries do for a function, of which it is not foretold what half of it
 * brings since that is in doubt, is the function's: with it, it brings that. */
static void foretell_with_libraries(const struct advise *a,
                                    struct causes_root *r)
{
    uint32_t function = own_of(a, r->place);
    struct advise_candidate c = {.factor = HALF, .function = function};
    uint64_t library = 0, all = 0;

    for (size_t n = 0; n < a->done.roots; n++) {
        const struct causes_root *d = &a->done.root[n];

        if (d->is != ROOT_RUNS || own_of(a, d->place) != function)
            continue;
        all += d->cycles;
        library += of_library(a, d) ? d->cycles : 0;
    }
    if (!library || !advise_change(a, function, true, HALF, &c))
        return;
    advise_predict(a, &c);
    if (a->inside[function] > all)
        all = a->inside[function];
    if (c.doubt == RETIME_HOLDS)
        return;
    r->gain += (int64_t)((__int128)c.predicted * library / all);
}

static void foretell(const struct advise *a, struct causes_root *r)
{
    struct advise_candidate c;

    if (causes_is_apart(r->is) || r->foretold || !change_of(a, r, &c))
        return;
    if (a->r->windowed && changes_others(a, &c))
        return;
    advise_predict(a, &c);
    if (c.doubt != RETIME_HOLDS && of_library(a, r))
        return;
    r->foretold = true;
    r->doubtful = c.doubt != RETIME_HOLDS;
    r->gain = part_of(a, r, &c);
    if (r->is == ROOT_RUNS && c.kind == ADVISE_FUNCTION && !c.whole &&
        !a->r->windowed && a->scene->samples)
        foretell_with_libraries(a, r);
}

/* The root of a place, or a new one. */
static struct causes_root *root_of(struct advise *a,
                                   const struct causes_root *of)
{
    struct causes *c = &a->causes;

    for (size_t n = 0; n < c->roots; n++)
        if (c->root[n].is == of->is &&
            places_same(a->places, c->root[n].place, of->place))
            return &c->root[n];
    c->root = grow(c->root, &c->roots_room, c->roots + 1, sizeof *c->root);
    c->root[c->roots] = (struct causes_root){.is = of->is, .place = of->place};
    return &c->root[c->roots++];
}

/* Cycles of CPUs that were idle, or on which threads spun, until it was over.
 */
static uint64_t waited(const struct causes_root *r)
{
    return r->cycles + r->spun;
}

/* Those of `also` that bring something join the roots. */
static void foretell_also(struct advise *a, const struct causes *also)
{
    struct causes *c = &a->causes;
    int64_t little = (int64_t)(recording_span(a->r) / LITTLE);

    for (size_t n = 0; n < also->roots && n < ROOTS; n++) {
        const struct causes_root *of = &also->root[n];
        struct causes_root *r;

        if (of->is != ROOT_RUNS && of->is != ROOT_SLEEPS)
            continue;
        r = root_of(a, of);
        foretell(a, r);
        if (!waited(r) && r->gain < little)
            c->roots--;
    }
}

static void foretell_all(struct advise *a)
{
    struct causes *c = &a->causes;

    for (size_t n = 0; n < c->roots && n < ROOTS; n++)
        foretell(a, &c->root[n]);
    foretell_also(a, &a->path.c);
    foretell_also(a, &a->path.taken);
}

static int by_rank(const void *x, const void *y, void *places)
{
    const struct causes_root *one = x, *other = y;
    int apart = (int)causes_is_apart(one->is) - (int)causes_is_apart(other->is);

    if (apart)
        return apart;
    if (one->rank != other->rank)
        return one->rank < other->rank ? 1 : -1;
    if (waited(one) != waited(other))
        return waited(one) < waited(other) ? 1 : -1;
    if (one->is != other->is)
        return one->is < other->is ? -1 : 1;
    return places_order(places, one->place, other->place);
}

static uint64_t rank_of(const struct advise *a, const struct causes_root *r)
{
    uint64_t idle = r->cycles / a->r->cpus;

    if (r->foretold && !of_library(a, r))
        idle /= 2;
    return r->foretold && r->gain > (int64_t)idle ? (uint64_t)r->gain : idle;
}

/* Of two that rank nearly the same, the one that CPUs wait longer for. */
static void order_near(struct causes *c)
{
    for (size_t round = 0; round < c->roots; round++)
        for (size_t n = 0; n + 1 < c->roots; n++) {
            struct causes_root *r = &c->root[n], first = *r;

            if (causes_is_apart(r[1].is) || waited(&r[1]) <= waited(r) ||
                r[1].rank < r->rank - r->rank * NEAR / 100)
                continue;
            *r = r[1];
            r[1] = first;
        }
}

void advise_rank(struct advise *a)
{
    struct causes *c = &a->causes;

    foretell_all(a);
    for (size_t n = 0; n < c->roots; n++)
        c->root[n].rank = rank_of(a, &c->root[n]);
    if (c->roots)
        qsort_r(c->root, c->roots, sizeof *c->root, by_rank, a->places);
    order_near(c);
    c->ranked = true;
}
