/* shares.c - see shares.h. */
#include "tools/analysis/retime/shares.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "lib/base/mix.h"

#define UNIT 65536
#define MOST 1000000 /* samples of others that a stretch's own count beside */

typedef unsigned __int128 wide;

struct count {
    uint32_t all, of[RETIME_SPECS];
};

/* Samples of stretches that are alike: n of each, of which so many are scaled,
 * say by how much the stretches differ. */
struct kind {
    struct count sum;
    uint32_t stretches;
    uint64_t squares;             /* of n */
    uint64_t apart[RETIME_SPECS]; /* squares of these by n, in units */
};

struct shares {
    const struct retime *g;
    struct hash own_at,
        alike_at; /* by operation and interval; by what is around it */
    struct count *count;
    size_t counts, room;
    struct kind *kind;
    size_t kinds, kinds_room;
};

struct shares *shares_open(const struct retime *g)
{
    struct shares *s = grow_zero(1, sizeof *s);

    s->g = g;
    return s;
}

void shares_close(struct shares *s)
{
    hash_free(&s->own_at);
    hash_free(&s->alike_at);
    free(s->count);
    free(s->kind);
    free(s);
}

/* Where a wait was ended, or, of sleeps until a word is written, where these
 * are. */
static uint32_t woken_at(const struct retime *g, const struct graph_op *wait)
{
    const struct scene_stay *t = &g->scene->stay[wait->stay];

    return wait->poll == GRAPH_NONE ? g->scene->wake[t->wake].stack : t->stack;
}

/* Its kind, and the lock, or the call stack, that it is about. */
static uint64_t sign(const struct retime *g, const struct graph_op *o)
{
    const struct scene *s = g->scene;
    uint32_t of = 0;

    if (o->is == GRAPH_ASK || o->is == GRAPH_TAKE || o->is == GRAPH_GIVE)
        of = s->hold[o->hold].lock;
    else if (o->is == GRAPH_WAIT)
        of = s->stay[o->stay].stack;
    else if (o->is == GRAPH_WAKE && o->target != GRAPH_NONE)
        of = woken_at(g, &g->op[o->target]);
    return (uint64_t)o->is << 32 | of;
}

/* A run's length, to a quarter. */
static uint64_t length(const struct graph_op *run)
{
    uint64_t cycles = run->to - run->from;
    unsigned halved = 0;

    for (; cycles >= 8; cycles /= 2)
        halved++;
    return (uint64_t)halved << 8 | cycles;
}

/* The key of runs that are alike. */
static uint64_t around(const struct shares *s, const struct graph_op *run)
{
    const struct graph_thread *t = &s->g->thread[run->thread];
    const struct graph_op *first = s->g->op + t->first, *before = run - 1;
    uint64_t key = (uint64_t)run->thread << 8 |
                   (s->g->scene->stay[run->stay].state == STATE_SYSTEM);

    while (before > first && before->is == GRAPH_DISPATCH)
        before--;
    if (before >= first)
        key = mix64(key ^ sign(s->g, before));
    if (run + 1 < first + t->ops)
        key = mix64(key ^ sign(s->g, run + 1));
    return mix64(key ^ length(run));
}

static void add(struct count *c, int k)
{
    c->all++;
    if (k >= 0)
        c->of[k]++;
}

/* One of several that are alike, before (false) or after another sample. */
static void count_own(struct kind *of, const struct count *own, bool after)
{
    uint64_t n = own->all;

    if (!n)
        return;
    of->squares += after ? n * n : -n * n;
    for (unsigned k = 0; k < RETIME_SPECS; k++) {
        uint64_t apart = (uint64_t)own->of[k] * own->of[k] * UNIT / n;

        of->apart[k] += after ? apart : -apart;
    }
}

/* The key of a run's part in an interval of the account. */
static uint64_t own(const struct shares *s, const struct graph_op *run,
                    uint64_t slot)
{
    return mix64(((uint64_t)(run - s->g->op) + 1) ^ slot << 32);
}

void shares_add(struct shares *s, const struct graph_op *run, uint64_t slot,
                int k)
{
    bool fresh;
    uint32_t *at = hash_at(&s->own_at, own(s, run, slot), &fresh);
    struct kind *alike;
    struct count *o;
    bool first = fresh;

    if (fresh) {
        *at = (uint32_t)s->counts;
        s->count = grow(s->count, &s->room, s->counts + 1, sizeof *s->count);
        s->count[s->counts++] = (struct count){0};
    }
    o = &s->count[*at];
    at = hash_at(&s->alike_at, around(s, run), &fresh);
    if (fresh) {
        *at = (uint32_t)s->kinds;
        s->kind = grow(s->kind, &s->kinds_room, s->kinds + 1, sizeof *s->kind);
        s->kind[s->kinds++] = (struct kind){0};
    }
    alike = &s->kind[*at];
    alike->stretches += first;
    count_own(alike, o, false);
    add(o, k);
    count_own(alike, o, true);
    add(&alike->sum, k);
}

/* Beside how many samples of all that are alike do a stretch's own count? As
 * many as say as little of it: the spread of single samples, by that of the
 * stretches (a binomial with a beta's spread, by its moments). Where these are
 * no more apart than samples happen to be, most. */
static uint64_t beside(const struct kind *a, int k)
{
    wide all = a->sum.all, of = a->sum.of[k], n = all * all;
    wide apart = a->apart[k] - of * of * UNIT / all;
    wide chance = of * (all - of) * (a->stretches - 1) * UNIT / n;
    wide times;

    if (apart > a->apart[k] || apart <= chance || n <= a->squares)
        return MOST;
    times = of * (all - of) * (n - a->squares) * UNIT /
            (n * all * (apart - chance));
    return times > MOST ? MOST : times ? (uint64_t)times : 1;
}

bool shares_part(const struct shares *s, const struct graph_op *run,
                 uint64_t slot, int k, uint64_t cycles, uint64_t *part)
{
    const uint32_t *at = hash_find(&s->own_at, own(s, run, slot));
    const uint32_t *alike = hash_find(&s->alike_at, around(s, run));
    const struct kind *a = alike ? &s->kind[*alike] : NULL;
    const struct count *o = at ? &s->count[*at] : &(struct count){0};
    wide times;

    if (!a)
        return false;
    times = beside(a, k);
    *part = (uint64_t)(cycles *
                       ((wide)o->of[k] * a->sum.all + times * a->sum.of[k]) /
                       ((o->all + times) * a->sum.all));
    return true;
}
