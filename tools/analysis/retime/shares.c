/* shares.c - see shares.h. */
#include "tools/analysis/retime/shares.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/hash.h"
#include "lib/base/mix.h"

#define ALIKE 2 /* a stretch's own samples count beside so many */

struct count {
    uint32_t all, of[RETIME_SPECS];
};

struct shares {
    const struct retime *g;
    struct hash own_at,
        alike_at; /* by operation and interval; by what is around it */
    struct count *count;
    size_t counts, room;
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
    return key;
}

static void add(struct shares *s, uint32_t *at, bool fresh, int k)
{
    if (fresh) {
        *at = (uint32_t)s->counts;
        s->count = grow(s->count, &s->room, s->counts + 1, sizeof *s->count);
        s->count[s->counts++] = (struct count){0};
    }
    s->count[*at].all++;
    if (k >= 0)
        s->count[*at].of[k]++;
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

    add(s, at, fresh, k);
    at = hash_at(&s->alike_at, around(s, run), &fresh);
    add(s, at, fresh, k);
}

bool shares_part(const struct shares *s, const struct graph_op *run,
                 uint64_t slot, int k, uint64_t cycles, uint64_t *part)
{
    const uint32_t *at = hash_find(&s->own_at, own(s, run, slot));
    const uint32_t *alike = hash_find(&s->alike_at, around(s, run));
    const struct count *a = alike ? &s->count[*alike] : NULL;
    const struct count *o = at ? &s->count[*at] : &(struct count){0};

    if (!a)
        return false;
    *part =
        (uint64_t)((unsigned __int128)cycles *
                   ((uint64_t)o->of[k] * a->all + (uint64_t)ALIKE * a->of[k]) /
                   ((uint64_t)(o->all + ALIKE) * a->all));
    return true;
}
