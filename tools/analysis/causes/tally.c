/* tally.c - see tally.h. */
#define _GNU_SOURCE /* qsort_r */
#include "tools/analysis/causes/tally.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "lib/base/search.h"

void tally_open(struct tally *t, struct causes *c, const struct scene *s,
                struct places *p)
{
    *t = (struct tally){.c = c, .places = p, .scene = s};
}

/* ---- where a thread runs ------------------------------------------------- */

/* The sample of a piece of running: the next one, which stands for the cycles
 * up to it, else the last. NULL: the stretch has none. */
static const struct scene_spot *sample_of(const struct scene *s, uint32_t stay,
                                          uint64_t until)
{
    const struct scene_thread *t = &s->thread[s->stay[stay].thread];
    size_t end = t->spot + t->spots, n;
    uint64_t from = s->stay[stay].since, to = s->stay[stay].until;

    n = SEARCH_FIRST(t->spot, end, i, s->spot[i].cycle >= until);
    for (size_t k = n; k < end && s->spot[k].cycle <= to; k++)
        if (s->spot[k].sample)
            return &s->spot[k];
    for (size_t k = n; k > t->spot && s->spot[k - 1].cycle >= from; k--)
        if (s->spot[k - 1].sample)
            return &s->spot[k - 1];
    return NULL;
}

/* The hold of a lock by a thread, for which the last hop of a chain waits, up
 * to giving it back, at a cycle; NULL: it waits for something else, or there is
 * no record of it. */
static const struct scene_hold *hold_of(const struct scene *s,
                                        const struct chain *chain,
                                        uint32_t thread, uint64_t cycle)
{
    const struct chain_hop *hop =
        chain && chain->hops ? &chain->hop[chain->hops - 1] : NULL;
    uint32_t lock = !hop                      ? SCENE_NONE
                    : hop->spin               ? hop->spin->lock
                    : hop->stay == SCENE_NONE ? SCENE_NONE
                                              : s->stay[hop->stay].lock;
    size_t n = SEARCH_FIRST(
        0, s->holds, i,
        s->hold[i].thread > thread ||
            (s->hold[i].thread == thread && s->hold[i].taken > cycle));

    while (lock != SCENE_NONE && n-- > 0 && s->hold[n].thread == thread)
        if (s->hold[n].lock == lock)
            return s->hold[n].done >= cycle ? &s->hold[n] : NULL;
    return NULL;
}

/* The same of a thread that others wait for. While it has a lock for which they
 * do, it is not where a sample behind that has it, if there is one before. */
static const struct scene_spot *sample_of_root(const struct scene *s,
                                               const struct chain *chain,
                                               uint32_t stay, uint64_t until)
{
    const struct scene_spot *next = sample_of(s, stay, until), *x = next;
    uint32_t thread = s->stay[stay].thread;
    const struct scene_hold *h = hold_of(s, chain, thread, until);
    uint64_t since = s->stay[stay].since;

    if (!next || !h || next->cycle <= h->given)
        return next;
    since = h->taken > since ? h->taken : since;
    while (x > &s->spot[s->thread[thread].spot] && x[-1].cycle >= since)
        if ((--x)->sample)
            return x;
    return next;
}

/* What its records say that it came to next. */
static const struct scene_spot *next_of(const struct scene *s, uint32_t thread,
                                        uint64_t until)
{
    const struct scene_thread *t = &s->thread[thread];
    size_t end = t->spot + t->spots;
    size_t n = SEARCH_FIRST(t->spot, end, i, s->spot[i].cycle >= until);

    while (n < end && s->spot[n].sample)
        n++;
    return n < end ? &s->spot[n] : NULL;
}

/* ---- roots --------------------------------------------------------------- */

/* A mask is set at one place, by whichever thread: what that began with does
 * not count. */
static uint32_t root_of(struct tally *t, enum chain_root is, uint32_t place)
{
    struct causes *c = t->c;
    uint32_t *at;
    bool fresh;

    if (is == ROOT_MASK)
        place = places_short(t->places, place);
    at = hash_at(&t->root_at, (uint64_t)is << 32 | place, &fresh);
    if (fresh) {
        *at = (uint32_t)c->roots;
        c->root = grow(c->root, &c->roots_room, c->roots + 1, sizeof *c->root);
        c->root[c->roots++] = (struct causes_root){.is = is, .place = place};
    }
    return *at;
}

void tally_charge(struct tally *t, enum chain_root is, uint32_t place,
                  uint64_t cycles)
{
    uint32_t at;

    if (!cycles)
        return;
    at = root_of(t, is, place);
    t->c->root[at].cycles += cycles;
    if (t->slices)
        slice_sums_add(t->slices, at, t->cycle, cycles);
}

void tally_lay(struct tally *t, enum chain_root is, uint32_t place,
               uint64_t cycle, uint64_t cycles)
{
    if (cycles)
        slice_sums_add(t->slices, root_of(t, is, place), cycle, cycles);
}

static uint64_t slot_of(const struct tally *t, uint64_t end)
{
    uint64_t interval = t->scene->r->interval;

    return interval && end ? (end - 1) / interval : 0;
}

static uint64_t owed_key(uint32_t id, uint64_t slot)
{
    return (uint64_t)id << 32 | (uint32_t)slot;
}

static void owe(struct tally *t, uint32_t thread, uint64_t until,
                uint64_t cycles)
{
    uint64_t slot = slot_of(t, until);
    uint32_t id = t->scene->thread[thread].id;
    bool fresh;
    uint32_t *at = hash_at(&t->owed_at, owed_key(id, slot), &fresh);

    if (fresh) {
        *at = (uint32_t)t->count;
        t->owed = grow(t->owed, &t->room, t->count + 1, sizeof *t->owed);
        t->owed[t->count++] =
            (struct tally_owed){.thread = thread, .slot = slot};
    }
    t->owed[*at].cycles += cycles;
}

static enum chain_root root_of_part(enum ends_part part, enum chain_root other)
{
    return part == ENDS_START      ? ROOT_START
           : part == ENDS_END      ? ROOT_END
           : part == ENDS_HANDOVER ? ROOT_HANDOVER
                                   : other;
}

/* What a thread is to be charged with that runs, and where. */
static enum chain_root runs_as(struct tally *t, const struct scene_spot *spot,
                               uint32_t *place)
{
    enum ends_part part = t->ends
                              ? ends_running(t->ends, spot->thread, spot->stack,
                                             spot->cycle, place)
                              : ENDS_NEITHER;
    bool system;

    if (part != ENDS_NEITHER)
        return root_of_part(part, ROOT_RUNS);
    *place = places_runs(t->places, spot->stack, spot->cycle, &system);
    return system ? ROOT_SYSTEM : ROOT_RUNS;
}

/* The same of one that does not run. */
static enum chain_root waits_as(struct tally *t, const struct chain *chain,
                                uint32_t thread, uint64_t cycle,
                                uint32_t *place)
{
    enum ends_part part =
        t->ends && chain->root == ROOT_WAKEUP
            ? ends_woken(t->ends, thread, chain->stack, cycle, place)
            : ENDS_NEITHER;

    if (part == ENDS_NEITHER)
        *place = places_waits(t->places, chain->stack, cycle);
    return root_of_part(part, chain->root);
}

static void charge_sample(struct tally *t, const struct scene_spot *sample,
                          uint64_t cycles)
{
    uint32_t place;
    enum chain_root is = runs_as(t, sample, &place);

    tally_charge(t, is, place, cycles);
    if (t->by_stack && is == ROOT_RUNS)
        t->by_stack[sample->stack] += cycles;
}

/* A piece of running, up to a cycle, at the end of a chain; NULL: of none. */
static void charge_running(struct tally *t, const struct chain *chain,
                           uint32_t thread, uint32_t stay, uint64_t until,
                           uint64_t cycles)
{
    const struct scene_spot *sample = NULL;

    if (t->scene->samples && stay != SCENE_NONE)
        sample = sample_of_root(t->scene, chain, stay, until);
    if (sample)
        charge_sample(t, sample, cycles);
    else
        owe(t, thread, until, cycles);
}

/* One thread's share of a root. */
static void charge_thread(struct tally *t, const struct chain *chain,
                          uint32_t thread, const struct chain_now *now,
                          const struct tally_piece *piece, uint64_t cycles)
{
    enum chain_root is;
    uint32_t place;

    if (chain->root == ROOT_RUNS) {
        charge_running(t, chain, thread, now->stay[thread], piece->to, cycles);
        return;
    }
    is = waits_as(t, chain, thread, now->cycle, &place);
    tally_charge(t, is, place, cycles);
}

/* Cut at samples and at intervals of the account. */
void tally_ran(struct tally *t, uint32_t stay, uint64_t from, uint64_t to)
{
    const struct scene *s = t->scene;
    uint32_t thread = s->stay[stay].thread;
    const struct scene_thread *who = &s->thread[thread];
    size_t end = who->spot + who->spots, n;

    n = SEARCH_FIRST(who->spot, end, i, s->spot[i].cycle > from);
    while (from < to) {
        uint64_t until = to, interval = s->r->interval;

        while (n < end && (!s->spot[n].sample || s->spot[n].cycle <= from))
            n++;
        if (n < end && s->spot[n].cycle < until)
            until = s->spot[n].cycle;
        if (interval && (from / interval + 1) * interval < until)
            until = (from / interval + 1) * interval;
        charge_running(t, NULL, thread, stay, until, until - from);
        from = until;
    }
}

/* ---- the account pays ---------------------------------------------------- */

static bool pays(const struct recording *r, const struct record *k)
{
    unsigned is = r->reason_is[record_get_oracle_reason(k)];

    return k->cycle <= r->settled && is != REASON_NAP && is != REASON_OFF;
}

static void pay_row(struct tally *t, const struct record *k, bool sum)
{
    const uint32_t *at =
        hash_find(&t->owed_at, owed_key(k->thread, slot_of(t, k->cycle)));
    struct tally_owed *o = at ? &t->owed[*at] : NULL;
    uint64_t twelfths = record_get_oracle_twelfths(k), before;

    if (!o)
        return;
    if (sum) {
        o->twelfths += twelfths;
        return;
    }
    before = (uint64_t)((unsigned __int128)o->cycles * o->done / o->twelfths);
    o->done += twelfths;
    t->cycle = k->cycle ? k->cycle - 1 : 0;
    tally_charge(
        t, ROOT_RUNS, places_pc(t->places, record_get_oracle_pc(k), k->cycle),
        (uint64_t)((unsigned __int128)o->cycles * o->done / o->twelfths) -
            before);
}

static void pay(struct tally *t)
{
    struct recording *r = t->c->r;
    struct record k;
    struct recfile f;

    for (int sum = 1; sum >= 0 && t->count; sum--) {
        if (!recording_records(r, REC_ORACLE, &f))
            break;
        while (recfile_next(&f, &k))
            if (pays(r, &k))
                pay_row(t, &k, sum);
        recording_done(r, &f);
    }
    for (size_t n = 0; n < t->count; n++) {
        t->cycle = t->owed[n].slot * r->interval;
        if (!t->owed[n].done)
            tally_charge(t, ROOT_RUNS, PLACES_NOWHERE, t->owed[n].cycles);
    }
}

/* ---- shapes -------------------------------------------------------------- */

static uint32_t link_of(struct tally *t, uint32_t number, uint32_t word)
{
    bool fresh;
    uint32_t *at =
        hash_at(&t->shape_link, (uint64_t)number << 32 | word, &fresh);

    if (fresh)
        *at = (uint32_t)t->shape_link.used;
    return *at;
}

static uint32_t same_place(const struct tally *t, uint32_t place)
{
    return t->places->list[place].functions;
}

static uint32_t shape_number(struct tally *t, const struct tally_piece *piece,
                             const struct chain *chain, uint32_t place)
{
    const struct scene *s = t->scene;
    /* Numbers of links are small. */
    uint32_t number = link_of(t, UINT32_MAX - piece->class, chain->root);

    for (unsigned n = 0; n < chain->hops; n++) {
        const struct scene_stay *stay = chain->hop[n].stay == SCENE_NONE
                                            ? NULL
                                            : &s->stay[chain->hop[n].stay];

        number = link_of(t, number, stay ? stay->state : 0);
        if (!stay)
            continue;
        number = link_of(
            t, number,
            chain->hop[n].spin ? scene_spin_object(s, chain->hop[n].spin)
            : scene_blocked(stay) && stay->state != STATE_TIMER ? stay->object
                                                                : 0);
        number = link_of(
            t, number,
            same_place(t, places_waits(t->places, stay->stack, stay->from)));
    }
    return link_of(t, number, same_place(t, place));
}

/* Where the root of a chain is, for words; what it is may change by that. */
static uint32_t root_place(struct tally *t, struct chain *chain,
                           const struct chain_now *now, uint64_t until,
                           bool *on_its_way)
{
    const struct scene_spot *spot = NULL;
    uint32_t place;

    *on_its_way = false;
    if (!chain->threads)
        return places_waits(t->places, chain->stack, now->cycle);
    if (chain->root != ROOT_RUNS) {
        chain->root = waits_as(t, chain, chain->thread[0], now->cycle, &place);
        return place;
    }
    if (t->scene->samples)
        spot =
            sample_of_root(t->scene, chain, now->stay[chain->thread[0]], until);
    if (spot) {
        enum chain_root is = runs_as(t, spot, &place);

        chain->root = is == ROOT_SYSTEM ? ROOT_RUNS : is;
        return place;
    }
    spot = next_of(t->scene, chain->thread[0], until);
    *on_its_way = spot != NULL;
    return spot ? places_waits(t->places, spot->stack, spot->cycle)
                : PLACES_NOWHERE;
}

static void add_shape(struct tally *t, const struct tally_piece *piece,
                      const struct chain *found, const struct chain_now *now)
{
    struct causes *c = t->c;
    struct chain chain = *found;
    bool on_its_way, fresh;
    uint32_t place = root_place(t, &chain, now, piece->to, &on_its_way);
    uint32_t number = shape_number(t, piece, &chain, place);
    uint32_t *at = hash_at(&t->shape_at, number, &fresh);
    struct causes_shape *s;

    if (fresh) {
        *at = (uint32_t)c->shapes;
        c->shape =
            grow(c->shape, &c->shapes_room, c->shapes + 1, sizeof *c->shape);
        c->shapes++;
    }
    s = &c->shape[*at];
    if (fresh || piece->cycles > s->longest) {
        uint64_t cycles = s->cycles;

        *s = (struct causes_shape){piece->class, cycles,     piece->cycles,
                                   chain,        now->cycle, piece->cpu,
                                   place,        on_its_way};
    }
    s->cycles += piece->cycles;
}

/* ---- all of it ----------------------------------------------------------- */

void tally_add(struct tally *t, const struct tally_piece *piece,
               const struct chain *chain, const struct chain_now *now)
{
    unsigned n = chain->threads ? chain->threads : 1;
    uint64_t given = 0;

    if (!piece->cycles)
        return;
    t->c->by_class[piece->cpu][piece->class] += piece->cycles;
    t->c->total += piece->cycles;
    t->cycle = piece->from;
    for (unsigned k = 0; k < n && !t->shapes; k++) {
        uint64_t upto = piece->cycles * (k + 1) / n;

        if (chain->threads)
            charge_thread(t, chain, chain->thread[k], now, piece, upto - given);
        else
            tally_charge(t, chain->root, PLACES_NOWHERE, upto - given);
        given = upto;
    }
    add_shape(t, piece, chain, now);
}

static int more_first(uint64_t x, uint64_t y)
{
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Rows of the same functions together, most first. */
static void put_together(struct tally *t)
{
    struct causes *c = t->c;
    uint64_t *most = grow_zero(c->roots + 1, sizeof *most);
    size_t rows = 0;

    for (size_t n = 0; n < c->roots; n++) {
        size_t k = 0;

        while (k < rows &&
               (c->root[k].is != c->root[n].is ||
                !places_same(t->places, c->root[k].place, c->root[n].place)))
            k++;
        if (k == rows) {
            most[rows] = c->root[n].cycles;
            c->root[rows++] = c->root[n];
            continue;
        }
        c->root[k].cycles += c->root[n].cycles;
        if (c->root[n].cycles > most[k] ||
            (c->root[n].cycles == most[k] &&
             places_order(t->places, c->root[n].place, c->root[k].place) < 0)) {
            most[k] = c->root[n].cycles;
            c->root[k].place = c->root[n].place;
        }
    }
    c->roots = rows;
    free(most);
}

/* What no function is behind stands behind what they do. */
static int apart_last(enum chain_root x, enum chain_root y)
{
    return (int)causes_is_apart(x) - (int)causes_is_apart(y);
}

/* Of equal ones by name: that is the same for every part of a run. */
static int root_order(const void *a, const void *b, void *places)
{
    const struct causes_root *x = a, *y = b;

    if (apart_last(x->is, y->is))
        return apart_last(x->is, y->is);
    if (x->cycles + x->spun != y->cycles + y->spun)
        return more_first(x->cycles + x->spun, y->cycles + y->spun);
    if (x->is != y->is)
        return x->is < y->is ? -1 : 1;
    return places_order(places, x->place, y->place);
}

static int shape_order(const void *a, const void *b)
{
    const struct causes_shape *x = a, *y = b;

    if (apart_last(x->chain.root, y->chain.root))
        return apart_last(x->chain.root, y->chain.root);
    if (x->cycles != y->cycles)
        return more_first(x->cycles, y->cycles);
    return x->at < y->at ? -1 : x->at > y->at;
}

static void put_in_order(struct causes *c, struct places *places)
{
    if (c->roots)
        qsort_r(c->root, c->roots, sizeof *c->root, root_order, places);
    if (c->shapes)
        qsort(c->shape, c->shapes, sizeof *c->shape, shape_order);
}

static void join_root(struct causes *c, const struct causes_root *of,
                      struct places *places)
{
    size_t n = 0;

    while (n < c->roots && (c->root[n].is != of->is ||
                            !places_same(places, c->root[n].place, of->place)))
        n++;
    if (n == c->roots) {
        c->root = grow(c->root, &c->roots_room, c->roots + 1, sizeof *c->root);
        c->root[c->roots++] =
            (struct causes_root){.is = of->is, .place = of->place};
    }
    c->root[n].spun += of->cycles;
}

void tally_join(struct causes *c, const struct causes *spun, struct places *p)
{
    for (unsigned cpu = 0; cpu < c->cpus; cpu++)
        for (unsigned k = 0; k < CAUSES_CLASSES; k++)
            c->by_class[cpu][k] += spun->by_class[cpu][k];
    c->spun = spun->total;
    for (size_t n = 0; n < spun->roots; n++)
        join_root(c, &spun->root[n], p);
    for (size_t n = 0; n < spun->shapes; n++) {
        c->shape =
            grow(c->shape, &c->shapes_room, c->shapes + 1, sizeof *c->shape);
        c->shape[c->shapes++] = spun->shape[n];
    }
    if (spun->roots || spun->shapes)
        put_in_order(c, p);
}

void tally_close(struct tally *t)
{
    struct causes *c = t->c;

    pay(t);
    if (t->slices) {
        c->charges = c->roots;
        c->charged = grow_zero(c->roots + 1, sizeof *c->charged);
        if (c->roots)
            memcpy(c->charged, c->root, c->roots * sizeof *c->charged);
    }
    put_together(t);
    put_in_order(c, t->places);
    hash_free(&t->root_at);
    hash_free(&t->shape_at);
    hash_free(&t->owed_at);
    hash_free(&t->shape_link);
    free(t->owed);
}
