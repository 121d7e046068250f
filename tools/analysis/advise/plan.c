/* plan.c - which runs are made, as many as there is time for: the unchanged
 * one, the candidates, unchanged ones with other seeds, the best candidate with
 * those, pairs.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lib/base/grow.h"
#include "tools/analysis/advise/advise.h"

#define FRESH (ADVISE_SEEDS + 1) /* the first of the others */
#define PART 100                 /* a gain is one part in so many, or more */

struct work {
    struct advise *a;
    uint32_t factor;
    const struct advise_rerun *again;
    struct advise_plan *p;
    char *why;
    double started, one; /* s of the host: now; of a run, with all jobs busy */
    unsigned seeds;      /* pairs of runs */
    int64_t *base;       /* unchanged, so many */
    int64_t *fresh;      /* the same, with the others */
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Sets of so many runs that there is time for. */
static size_t affords(const struct work *w)
{
    double left = w->p->seconds - (now() - w->started);

    return left > 0 && w->one > 0 ? (size_t)(left / w->one / w->seeds) : 0;
}

static bool try(const struct work *w, const char *const *change, size_t changes,
                uint32_t from, int64_t *cycles)
{
    struct advise_trial t = {change, changes, from, from + w->seeds - 1,
                             cycles};

    return advise_try(w->again, &t, w->why);
}

/* The run as it was: does it come out again, and how long does that take? */
static bool repeat(struct work *w)
{
    static const char *const none[] = {"none"};
    struct advise_trial t = {none, 1, 1, 0, &w->p->repeated};
    double begun = now();

    if (!advise_try(w->again, &t, w->why))
        return false;
    w->one = (now() - begun) / w->again->jobs;
    if (w->p->repeated < 0) {
        snprintf(w->why, ADVISE_WHY,
                 "%s: done again its program does not end as it did; are its "
                 "files where they were%s?",
                 w->again->experiment,
                 w->again->more   ? ", and does simrun take what --with says"
                 : w->again->user ? ""
                                  : "; --with='--initrd=FILE' gives a RAM disk "
                                    "anew");
        return false;
    }
    if (affords(w) >= 4)
        return true;
    snprintf(w->why, ADVISE_WHY,
             "%s: %u runs are the least, and take longer than %u s; give "
             "--budget=%.0f or more",
             w->again->experiment, 4 * w->seeds, w->p->seconds,
             5.0 * w->seeds * w->one + begun - w->started + 2);
    return false;
}

bool advise_brings(const struct advise_plan *p, const struct advise_gain *g)
{
    int64_t mean = g->gain.mean, half = (int64_t)g->gain.half,
            null = (int64_t)p->null.gain.half;

    return g->gain.spread && mean - half > 0 && mean > null &&
           mean > g->base / PART;
}

/* ---- one change ---------------------------------------------------------- */

static bool try_each(struct work *w)
{
    struct advise *a = w->a;
    size_t most = affords(w) - 2; /* unchanged ones, and the best again */
    const char **change;
    int64_t *cycles;
    bool good;

    if (most > w->p->most)
        most = w->p->most;
    if (most > a->candidates)
        most = a->candidates;
    change = grow_zero(most + 1, sizeof *change);
    cycles = grow_zero((most + 1) * w->seeds, sizeof *cycles);
    change[0] = "none";
    for (size_t n = 0; n < most; n++)
        change[n + 1] = a->candidate[n].spec;
    good = try(w, change, most + 1, 1, cycles);
    for (size_t n = 0; good && n < most; n++) {
        a->candidate[n].tried = true;
        a->candidate[n].measured =
            advise_compare(cycles, cycles + (n + 1) * w->seeds, w->seeds);
    }
    memcpy(w->base, cycles, w->seeds * sizeof *cycles);
    w->p->tried = good ? most : 0;
    free(cycles);
    free(change);
    return good;
}

/* What is not told apart: a tenth of a gain, or a fiftieth of the run. */
static int64_t tolerance(int64_t gain, int64_t base)
{
    return gain / 10 > base / 50 ? gain / 10 : base / 50;
}

/* A lock is held by one or the other, a thread does one thing and another: a
 * function says more that brings most of it. */
static bool says_less(const struct advise_candidate *c)
{
    return c->kind == ADVISE_LOCK || c->thread;
}

/* Of a lock one that runs while that is held; of a thread one that it runs. */
static bool says_more(const struct work *w, const struct advise_candidate *c,
                      const struct advise_candidate *best)
{
    return c->kind == ADVISE_FUNCTION && !says_less(c) &&
           (best->kind == ADVISE_LOCK
                ? advise_is_held(w->a, c->function, best->lock)
                : advise_is_below(w->a, c->function, best->function));
}

static void find_function(struct work *w)
{
    const struct advise_candidate *c = w->a->candidate, *best;
    size_t most = SIZE_MAX;

    if (w->p->best == SIZE_MAX || !says_less(&c[w->p->best]))
        return;
    best = &c[w->p->best];
    for (size_t n = 0; n < w->p->tried; n++)
        if (c[n].measured.gain.count == w->seeds &&
            best->measured.gain.mean > 0 &&
            c[n].measured.gain.mean >= best->measured.gain.mean / 4 * 3 &&
            (most == SIZE_MAX ||
             c[n].measured.gain.mean > c[most].measured.gain.mean +
                                           tolerance(c[most].measured.gain.mean,
                                                     c[most].measured.base)) &&
            says_more(w, &c[n], best))
            most = n;
    if (most != SIZE_MAX)
        w->p->best = most;
}

/* Of a function that brings something the one that it calls, if that alone
 * brings as much, and is no library's. */
static void find_callee(struct work *w)
{
    const struct advise_candidate *c = w->a->candidate;
    size_t best = w->p->best;

    for (size_t n = 0; best != SIZE_MAX && n < w->p->tried; n++)
        if (n != best && c[n].kind == ADVISE_FUNCTION &&
            c[best].kind == ADVISE_FUNCTION && !c[n].thread &&
            advise_is_own(w->a, c[n].function) &&
            c[n].measured.gain.count == w->seeds &&
            c[n].measured.gain.mean >= c[best].measured.gain.mean -
                                           tolerance(c[best].measured.gain.mean,
                                                     c[best].measured.base) &&
            !advise_helps_several(w->a, c[n].function) &&
            advise_is_below(w->a, c[n].function, c[best].function))
            best = n;
    w->p->best = best;
}

/* The first of those that bring as much as the one that brings most, and not
 * too little if that does not: it is predicted to bring more, or says more. */
static void find_best(struct work *w)
{
    const struct advise_candidate *c = w->a->candidate;
    int64_t most = INT64_MIN;

    for (size_t n = 0; n < w->p->tried; n++)
        if (c[n].measured.gain.count == w->seeds &&
            c[n].measured.gain.mean > most)
            most = c[n].measured.gain.mean;
    for (size_t n = w->p->tried; n--;)
        if (c[n].measured.gain.count == w->seeds &&
            c[n].measured.gain.mean >=
                most - tolerance(most, c[n].measured.base) &&
            (c[n].measured.gain.mean > c[n].measured.base / PART ||
             most <= c[n].measured.base / PART))
            w->p->best = n;
    find_function(w);
    find_callee(w);
}

/* Unchanged runs with other seeds, and the best change with those. */
static bool confirm(struct work *w)
{
    const char *change[] = {"none", "none"};
    int64_t cycles[2 * ADVISE_SEEDS];
    bool best = w->p->best != SIZE_MAX;

    if (best)
        change[1] = w->a->candidate[w->p->best].spec;
    if (!try(w, change, best ? 2 : 1, FRESH, cycles))
        return false;
    memcpy(w->fresh, cycles, w->seeds * sizeof *cycles);
    w->p->null = advise_compare(w->base, w->fresh, w->seeds);
    if (best)
        w->p->confirmed = advise_compare(cycles, cycles + w->seeds, w->seeds);
    return true;
}

/* ---- two changes --------------------------------------------------------- */

/* Of a change that brings less than half of what it ranks as or the path has of
 * it, or nothing, another cause may have taken over. */
static bool is_short(const struct work *w, size_t n)
{
    const struct advise_candidate *c = &w->a->candidate[n];
    uint64_t expected = c->rank > c->on_path ? c->rank : c->on_path;

    return c->measured.gain.count == w->seeds && c->kind != ADVISE_CPUS &&
           expected > w->a->path.c.total / PART &&
           (c->measured.gain.mean < (int64_t)(expected / 2) ||
            !advise_brings(w->p, &c->measured));
}

static const struct advise_candidate *tried(const struct work *w,
                                            const char *spec)
{
    for (size_t n = 0; n < w->p->tried; n++)
        if (strcmp(w->a->candidate[n].spec, spec) == 0)
            return &w->a->candidate[n];
    return NULL;
}

/* Have two changes been tried together, in the other order? */
static bool is_pair(const struct work *w, const char *one, const char *other)
{
    for (size_t n = 0; n < w->p->pairs; n++)
        if (!strcmp(w->p->pair[n].one, other) &&
            !strcmp(w->p->pair[n].other, one))
            return true;
    return false;
}

/* What comes first once that change is made, alone and with it. */
static bool try_second(struct work *w, const struct advise_candidate *first)
{
    struct advise_pair *p = &w->p->pair[w->p->pairs];
    const struct advise_candidate *known;
    char both[2 * ADVISE_SPEC + 4];
    const char *change[] = {p->other, both};
    int64_t cycles[2 * ADVISE_SEEDS];

    if (!advise_second(w->again, first->spec, w->factor, p->other, w->why))
        return false;
    if (!p->other[0] || is_pair(w, first->spec, p->other))
        return true;
    snprintf(p->one, sizeof p->one, "%s", first->spec);
    snprintf(both, sizeof both, "%s; %s", p->one, p->other);
    if (!try(w, change, 2, 1, cycles))
        return false;
    known = tried(w, p->other);
    p->alone[0] = first->measured;
    p->alone[1] =
        known ? known->measured : advise_compare(w->base, cycles, w->seeds);
    p->measured = advise_compare(w->base, cycles + w->seeds, w->seeds);
    w->p->pairs++;
    return true;
}

bool advise_is_together(const struct advise_plan *plan,
                        const struct advise_pair *p)
{
    int64_t one = p->alone[0].gain.mean, other = p->alone[1].gain.mean,
            both = p->measured.gain.mean, little = p->measured.base / PART;

    return advise_brings(plan, &p->measured) && one < both / 2 &&
           other < both / 2 && one > -little && other > -little &&
           both > (one > 0 ? one : 0) + (other > 0 ? other : 0) + little;
}

static bool try_pairs(struct work *w)
{
    bool good = true;

    for (size_t n = 0; good && n < w->p->tried; n++)
        if (w->p->pairs < ADVISE_PAIRS && affords(w) > 2 && is_short(w, n))
            good = try_second(w, &w->a->candidate[n]);
    return good;
}

bool advise_run(struct advise *a, const struct advise_rerun *again,
                struct advise_plan *p, char why[ADVISE_WHY])
{
    int64_t base[ADVISE_SEEDS], fresh[ADVISE_SEEDS];
    struct work w = {.a = a,
                     .factor = p->factor,
                     .again = again,
                     .p = p,
                     .why = why,
                     .started = now(),
                     .seeds = p->seeds,
                     .base = base,
                     .fresh = fresh};

    p->best = SIZE_MAX;
    if (!repeat(&w) || !try_each(&w))
        return false;
    find_best(&w);
    return confirm(&w) && try_pairs(&w);
}
