/* slices_locks.c - see slices_locks.h. */
#include "tools/simprof/reports/html/slices_locks.h"

#include <stdlib.h>

#include "lib/base/grow.h"
#include "tools/analysis/causes/spun.h"
#include "tools/analysis/states/words.h"
#include "tools/simprof/reports/html/deflated.h"

#define MOST 400       /* locks */
#define CHARGES 100000 /* of legs: a page has no room for more */

/* Of a kind of span times, cycles, the longest; the others behind all. */
enum {
    WAITED,
    HELD,
    TAKEN,
    READ_WAITED, /* of those who read */
    READ_TAKEN,
    KINDS,
    CONTENDED = 3 * KINDS,
    READ_CONTENDED,
    DID,
    SPUN_FOR = DID + LOCKS_DID,
    SPUN,
    FIELDS
};

struct adding {
    const struct slices *slices;
    struct slice_sums sums;
    json_t *spans;
    uint32_t *number; /* by lock: the one that it has here, SCENE_NONE: none */
};

static void put(json_t *list, uint64_t n)
{
    json_array_append_new(list, json_integer((json_int_t)n));
}

/* What lies in one slice is added up; an interval may cut the others. A span
 * that ends where its slice does is in that. */
static void add_span(struct adding *a, uint32_t lock, unsigned kind,
                     uint64_t from, uint64_t to)
{
    uint32_t number = a->number[lock], what;
    unsigned k = slices_at(a->slices, from);

    if (number == SCENE_NONE)
        return;
    what = number * FIELDS + 3 * kind;
    if (to <= a->slices->edge[k + 1]) {
        slice_sums_add(&a->sums, what, from, 1);
        slice_sums_add(&a->sums, what + 1, from, to - from);
        slice_sums_most(&a->sums, what + 2, from, to - from);
    } else {
        put(a->spans, (uint64_t)number * KINDS + kind);
        put(a->spans, from);
        put(a->spans, to);
    }
}

/* Cycles, which each slice has its part of. */
static void add_cycles(struct adding *a, uint32_t lock, unsigned field,
                       uint64_t from, uint64_t to)
{
    uint32_t number = a->number[lock];

    for (uint64_t until; number != SCENE_NONE && from < to; from = until) {
        until = a->slices->edge[slices_at(a->slices, from) + 1];
        until = until < to ? until : to;
        slice_sums_add(&a->sums, number * FIELDS + field, from, until - from);
    }
}

static void add_piece(void *arg, uint32_t lock, unsigned is, uint64_t from,
                      uint64_t to)
{
    struct adding *a = arg;

    if (is == LOCKS_WAIT || is == LOCKS_HOLD)
        add_span(a, lock, is == LOCKS_WAIT ? WAITED : HELD, from, to);
    else
        add_cycles(a, lock, DID + is, from, to);
}

static void add_spun(struct adding *a, const struct scene *s,
                     const struct spun *u)
{
    uint64_t begin = a->slices->edge[0];
    uint64_t end = a->slices->edge[a->slices->count];

    for (size_t n = 0; n < s->spins; n++) {
        const struct scene_spin *spin = &s->spin[n];
        uint32_t lock = spun_lock(u, spin);

        if (lock != SCENE_NONE)
            add_cycles(a, lock, SPUN, spin->from > begin ? spin->from : begin,
                       spin->to < end ? spin->to : end);
    }
}

/* Takings are those of the interval in which they begin. */
static void add_taken(struct adding *a, const struct scene *s,
                      const struct spun *u)
{
    uint64_t begin = a->slices->edge[0];
    uint64_t end = a->slices->edge[a->slices->count];

    for (size_t n = 0; n < s->holds; n++) {
        const struct scene_hold *h = &s->hold[n];
        uint32_t number = a->number[h->lock];

        if (h->taken < begin || h->taken >= end || number == SCENE_NONE)
            continue;
        add_span(a, h->lock, TAKEN, h->taken, h->given < end ? h->given : end);
        slice_sums_add(&a->sums, number * FIELDS + CONTENDED, h->taken,
                       scene_hold_waited(s, h));
        slice_sums_add(&a->sums, number * FIELDS + SPUN_FOR, h->taken,
                       spun_before(u, h));
        if (!h->shared)
            continue;
        add_span(a, h->lock, READ_TAKEN, h->taken,
                 h->given < end ? h->given : end);
        slice_sums_add(&a->sums, number * FIELDS + READ_CONTENDED, h->taken,
                       scene_hold_waited(s, h));
    }
}

static void add_reads(struct adding *a, const struct scene *s)
{
    uint64_t begin = a->slices->edge[0];
    uint64_t end = a->slices->edge[a->slices->count];

    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];
        uint64_t from = t->from > begin ? t->from : begin;
        uint64_t to = t->to < end ? t->to : end;

        if (t->shared && scene_wants_lock(t) && from < to)
            add_span(a, t->lock, READ_WAITED, from, to);
    }
}

/* Numbers are given in the order of the scene's, which decides between equals.
 */
static json_t *number_locks(struct adding *a, struct recording *r,
                            const struct scene *s, const struct locks *l)
{
    json_t *names = json_array();
    char text[WORDS_TEXT];
    uint32_t next = 0;

    a->number = grow_zero(s->locks + 1, sizeof *a->number);
    for (size_t n = 0; n < l->known && n < MOST; n++)
        a->number[l->order[n]] = 1;
    for (uint32_t n = 0; n < s->locks; n++) {
        const struct scene_lock *lock = &s->lock[n];

        a->number[n] = a->number[n] ? next++ : SCENE_NONE;
        if (a->number[n] == SCENE_NONE)
            continue;
        json_array_append_new(
            names,
            json_pack("[s, i, i]",
                      words_object(r, lock->kind, lock->object, lock->at, text),
                      (int)scene_process_of(s, n), (int)l->lock[n].threads));
    }
    return names;
}

static void put_leg(json_t *list, uint32_t leg)
{
    json_array_append_new(
        list, json_integer(leg == SCENE_NONE ? -1 : (json_int_t)leg));
}

static void put_legs(json_t *to, const struct adding *a, const struct scene *s,
                     struct places *places)
{
    json_t *legs = json_array(), *last = json_array();
    struct path_legs p;

    path_legs_find(&p, s, places, a->slices);
    for (size_t n = 0; n < p.count && p.charges <= CHARGES; n++) {
        const struct path_leg *leg = &p.leg[n];
        uint64_t locks = 0;

        for (size_t k = leg->first; k < leg->first + leg->locks; k++)
            locks += a->number[p.charge[k].lock] != SCENE_NONE;
        put(legs, leg->slice);
        put_leg(legs, leg->next);
        put(legs, leg->cycles);
        put(legs, locks);
        for (size_t k = leg->first; k < leg->first + leg->locks; k++) {
            if (a->number[p.charge[k].lock] == SCENE_NONE)
                continue;
            put(legs, a->number[p.charge[k].lock]);
            put(legs, p.charge[k].cycles);
        }
    }
    for (unsigned k = 0; k < a->slices->count; k++)
        put_leg(last, p.last[k]);
    if (p.charges > CHARGES) {
        json_decref(legs);
        legs = json_null();
    }
    json_object_set_new(to, "legs", legs);
    json_object_set_new(to, "last", last);
    path_legs_free(&p);
}

json_t *html_locks(struct recording *r, const struct scene *scene,
                   struct places *places, const struct slices *slices)
{
    struct adding a = {.slices = slices, .spans = json_array()};
    const struct locks_listener listener = {&a, add_piece};
    bool recorded = text_lines_get(&r->log, "record-locks") != NULL;
    struct locks l, again;
    struct spun u;
    json_t *is;

    slice_sums_open(&a.sums, slices);
    locks_find(&l, scene, places, SCENE_NONE, 0);
    is = json_pack("{s:o, s:b, s:I}", "names", number_locks(&a, r, scene, &l),
                   "recorded", recorded, "all", (json_int_t)l.known);
    locks_listen(&again, scene, places, SCENE_NONE, 0, &listener);
    spun_open(&u, scene);
    add_spun(&a, scene, &u);
    add_taken(&a, scene, &u);
    spun_close(&u);
    add_reads(&a, scene);
    slice_sums_sort(&a.sums);
    json_object_set_new(is, "sums", html_packed(&a.sums));
    json_object_set_new(is, "spans", a.spans);
    put_legs(is, &a, scene, places);
    slice_sums_free(&a.sums);
    free(a.number);
    locks_free(&again);
    locks_free(&l);
    return is;
}
