/* convoys.c - see convoys.h. */
#include "tools/analysis/causes/convoys.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"

#define MANY 8 /* passes in a row */

/* A wait that a thread ended. */
struct end {
    uint64_t cycle;
    uint32_t stay;
};

/* A thread was let go on at a place. */
struct let_go {
    uint64_t cycle, runs;
    uint64_t row; /* passes up to it, without a break */
};

struct find {
    struct locks *l;
    const struct scene *s;
    struct places *places;
    struct hash at;      /* of convoys, by functions */
    struct hash last_at; /* of `last`, by place and thread */
    struct let_go *last;
    size_t lasts, lasts_room;
};

/* When the thread of a wait that has ended ran again; when it ended, if it did
 * not. */
static uint64_t dispatched(const struct scene *s, uint32_t stay)
{
    const struct scene_thread *who = &s->thread[s->stay[stay].thread];
    size_t end = who->first + who->stays;

    for (size_t n = stay + 1; n < end && !scene_blocked(&s->stay[n]); n++)
        if (scene_runs(&s->stay[n]))
            return s->stay[n].from;
    return s->stay[stay].to;
}

static struct locks_convoy *convoy_at(struct find *f, uint32_t place)
{
    struct locks *l = f->l;
    bool fresh;
    uint32_t *at = hash_at(&f->at, f->places->list[place].function[0], &fresh);

    if (fresh) {
        *at = (uint32_t)l->convoys;
        l->convoy = grow(l->convoy, &l->convoys_room, l->convoys + 1,
                         sizeof *l->convoy);
        l->convoy[l->convoys++] = (struct locks_convoy){.place = place};
    }
    return &l->convoy[*at];
}

static uint64_t last_key(const struct find *f, uint32_t place, uint32_t thread)
{
    return (uint64_t)f->places->list[place].function[0] << 32 | thread;
}

/* Cycles between two that a thread of a program spent in the system, running,
 * or without a CPU. A thread of the kernel is in the system by nature. */
static uint64_t in_system(const struct scene *s, uint32_t thread, uint64_t from,
                          uint64_t to)
{
    const struct scene_thread *who = &s->thread[thread];
    size_t end = who->first + who->stays, n;
    uint64_t sum = 0;
    bool user = false;

    n = SEARCH_FIRST(who->first, end, i, s->stay[i].to > from);
    for (; n < end && s->stay[n].from < to; n++) {
        const struct scene_stay *t = &s->stay[n];
        uint64_t begin = t->from > from ? t->from : from;
        uint64_t until = t->to < to ? t->to : to;

        user |= t->state == STATE_USER;
        if (t->state == STATE_SYSTEM || t->state == STATE_RUNNABLE)
            sum += until - begin;
    }
    return user ? sum : 0;
}

/* What the one who passes on did since it was let go on itself. */
static void add_pass(struct find *f, struct locks_convoy *c, uint32_t giver,
                     const struct let_go *let, uint64_t until)
{
    uint64_t held = until > let->runs ? until - let->runs : 0;
    uint64_t system = in_system(f->s, giver, let->runs, until);

    c->passes++;
    c->handing += let->runs - let->cycle + system;
    c->held += held - system;
}

static void add_end(struct find *f, const struct end *e)
{
    const struct scene_stay *t = &f->s->stay[e->stay];
    uint32_t place = places_waits(f->places, t->stack, t->from);
    uint32_t waker = f->s->wake[t->wake].waker;
    struct let_go taker = {e->cycle, dispatched(f->s, e->stay), 0};
    const uint32_t *n;
    struct locks_convoy *c;
    uint32_t *at;
    bool fresh;

    if (place == PLACES_NOWHERE)
        return;
    c = convoy_at(f, place);
    c->waits++;
    n = hash_find(&f->last_at, last_key(f, place, waker));
    if (n) {
        c->relays++;
        c->relayed +=
            e->cycle > f->last[*n].cycle ? e->cycle - f->last[*n].cycle : 0;
    }
    if (n && t->from <= f->last[*n].cycle) {
        taker.row = f->last[*n].row + 1;
        add_pass(f, c, waker, &f->last[*n], e->cycle);
        if (taker.row > c->longest)
            c->longest = taker.row;
    }
    at = hash_at(&f->last_at, last_key(f, place, t->thread), &fresh);
    if (fresh) {
        *at = (uint32_t)f->lasts;
        f->last = grow(f->last, &f->lasts_room, f->lasts + 1, sizeof *f->last);
        f->lasts++;
    }
    f->last[*at] = taker;
}

static int by_cycle(const void *a, const void *b)
{
    const struct end *x = a, *y = b;

    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    return x->stay < y->stay ? -1 : x->stay > y->stay;
}

static int most_waits(const void *a, const void *b)
{
    const struct locks_convoy *x = a, *y = b;

    if (x->waits != y->waits)
        return x->waits < y->waits ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

void convoys_find(struct locks *l, const struct scene *s, struct places *p,
                  uint64_t from, uint64_t to)
{
    struct find f = {.l = l, .s = s, .places = p};
    struct end *end = grow_zero(s->stays + 1, sizeof *end);
    size_t ends = 0;

    for (uint32_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];

        if ((t->state == STATE_LOCK || t->state == STATE_QUEUE) &&
            t->wake != SCENE_NONE && s->wake[t->wake].by == WAKE_BY_THREAD &&
            t->to >= from && t->to < to)
            end[ends++] = (struct end){t->to, n};
    }
    if (ends)
        qsort(end, ends, sizeof *end, by_cycle);
    for (size_t n = 0; n < ends; n++)
        add_end(&f, &end[n]);
    if (l->convoys)
        qsort(l->convoy, l->convoys, sizeof *l->convoy, most_waits);
    hash_free(&f.at);
    hash_free(&f.last_at);
    free(f.last);
    free(end);
}

bool locks_is_convoy(const struct locks_convoy *c)
{
    return c->longest >= MANY && 2 * c->passes >= c->waits &&
           c->handing >= c->held;
}
