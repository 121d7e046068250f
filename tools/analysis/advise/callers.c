/* callers.c - who stands behind a root: a function, or the one that calls it.
 * What several functions call for work or a sleep of theirs is only a means;
 * the one that has most of it is the cause, as the report `causes` has it in
 * the same row.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/grow.h"
#include "tools/analysis/advise/advise.h"

#define ELSEWHERE 200u     /* one part in so many: a helper of several */
#define MORE 4u            /* a caller has a quarter more of it than the next */
#define CALLERS 32u        /* told apart */
#define TO_USER "user_run" /* of the guest's kernel */
#define SKIPPED 50u /* one stack in so many, or fewer, has lost a function */

bool advise_is_own(const struct advise *a, uint32_t function)
{
    return own_is(a->places->own, function);
}

/* ---- what threads begin with --------------------------------------------- */

/* The level of a place at which a thread began: what a library's function has
 * called; -1: it is further out. */
static int beginning(const struct advise *a, const struct place_of *p)
{
    for (int k = 0; k + 1 < PLACES_FUNCTIONS; k++)
        if (p->function[k + 1] != LOADMAP_UNKNOWN &&
            advise_is_own(a, p->function[k]) &&
            !advise_is_own(a, p->function[k + 1]))
            return k;
    return -1;
}

static bool begins_in(const struct advise *a, const struct causes *c,
                      uint32_t function)
{
    uint64_t begins = 0, all = 0;

    for (size_t n = 0; n < c->roots; n++) {
        const uint32_t *f = a->places->list[c->root[n].place].function;

        for (unsigned k = 0; k + 1 < PLACES_FUNCTIONS; k++) {
            if (f[k] != function || f[k + 1] == LOADMAP_UNKNOWN)
                continue;
            all += c->root[n].cycles;
            if (!advise_is_own(a, f[k + 1]))
                begins += c->root[n].cycles;
            break;
        }
    }
    return begins > all / SKIPPED;
}

static uint64_t begun_key(uint32_t function, bool given)
{
    return (uint64_t)function << 1 | given;
}

/* Does a kernel's function go to user mode, or call one that does? Half of it
 * would be half of all system calls, which stand on its stack. */
static void find_entries(struct advise *a)
{
    long system = recording_system(a->r);
    const struct frames *f = &a->scene->frames;
    const uint32_t *function = a->places->function;
    bool fresh;

    if (system < 0)
        return;
    for (uint32_t n = 1; n < f->count; n++)
        if (!strcmp(loadmap_name(&a->r->map, function[n]), TO_USER) &&
            loadmap_image(&a->r->map, function[n]) == system)
            for (uint32_t at = n; at; at = f->place[at].caller)
                *hash_at(&a->entries, function[at], &fresh) = 1;
}

/* Of each function that a library calls, in how many stacks an own one stands
 * further out, that gave it to the library to be called; and in how many none
 * does. Of a library's own function in how many it was called, and how many it
 * begins. */
void advise_find_begun(struct advise *a)
{
    const uint32_t *function = a->places->function;
    const struct frames *f = &a->scene->frames;
    bool fresh;

    find_entries(a);
    for (uint32_t n = 1; n < f->count; n++) {
        uint32_t at = f->place[n].caller;
        bool given = false;

        if (!advise_is_own(a, function[n]) && at)
            ++*hash_at(&a->begun, begun_key(function[n], true), &fresh);
        for (uint32_t out = at; out; out = f->place[out].caller)
            if (!f->place[out].caller && !advise_is_own(a, function[out]))
                ++*hash_at(&a->begun, begun_key(function[out], false), &fresh);
        if (!at || !advise_is_own(a, function[n]) ||
            advise_is_own(a, function[at]))
            continue;
        for (; at && !given; at = f->place[at].caller)
            given = advise_is_own(a, function[at]);
        ++*hash_at(&a->begun, begun_key(function[n], given), &fresh);
    }
}

/* Does a library call it for another own function, in all stacks but few? */
static bool is_given(const struct advise *a, uint32_t function)
{
    const uint32_t *given = hash_find(&a->begun, begun_key(function, true)),
                   *bare = hash_find(&a->begun, begun_key(function, false));

    return given && (!bare || *bare <= *given / SKIPPED);
}

bool advise_is_entry(const struct advise *a, uint32_t function)
{
    const uint32_t *called = hash_find(&a->begun, begun_key(function, true)),
                   *begins = hash_find(&a->begun, begun_key(function, false));

    return hash_find(&a->entries, function) ||
           (!advise_is_own(a, function) && begins &&
            (!called || *begins > *called));
}

bool advise_begins(const struct advise *a, uint32_t function)
{
    return advise_is_own(a, function) && !is_given(a, function) &&
           (begins_in(a, &a->path.c, function) ||
            begins_in(a, &a->causes, function) ||
            begins_in(a, &a->done, function));
}

bool advise_leads(const struct advise *a, uint32_t function)
{
    for (size_t n = 0; n < a->done.roots; n++) {
        const uint32_t *f = a->places->list[a->done.root[n].place].function;

        for (unsigned k = 0; k + 1 < PLACES_FUNCTIONS; k++)
            if (f[k + 1] == function && f[k] != LOADMAP_UNKNOWN &&
                advise_begins(a, f[k]))
                return true;
    }
    return false;
}

static bool same_file(const struct advise *a, uint32_t f, uint32_t g)
{
    const struct function *x = loadmap_function(&a->r->map, f),
                          *y = loadmap_function(&a->r->map, g);

    return x && y && x->source && y->source && !strcmp(x->source, y->source);
}

/* Do threads of that program begin with other functions as well? Then all that
 * is done in one of them says who is meant. */
static bool others_begin(const struct advise *a, uint32_t function)
{
    for (size_t n = 0; n < a->done.roots; n++) {
        const struct place_of *p = &a->places->list[a->done.root[n].place];
        int k = beginning(a, p);

        if (k >= 0 && p->function[k] != function &&
            same_file(a, p->function[k], function) &&
            strcmp(loadmap_name(&a->r->map, p->function[k]), "main"))
            return true;
    }
    return false;
}

/* ---- callers ------------------------------------------------------------- */

struct callers {
    uint32_t first;      /* the caller that has most of it */
    uint64_t most, next; /* cycles: its own, those of the second */
    uint64_t others;     /* all but the first's */
};

static struct callers callers_in(const struct causes *c, const struct places *p,
                                 uint32_t function)
{
    uint32_t caller[CALLERS];
    uint64_t cycles[CALLERS] = {0}, all = 0;
    struct callers is = {.first = LOADMAP_UNKNOWN};
    unsigned count = 0;

    for (size_t n = 0; n < c->roots; n++) {
        const uint32_t *f = p->list[c->root[n].place].function;
        unsigned k = 0, at = 0;

        while (k + 1 < PLACES_FUNCTIONS && f[k] != function)
            k++;
        if (k + 1 == PLACES_FUNCTIONS || f[k + 1] == LOADMAP_UNKNOWN)
            continue;
        while (at < count && caller[at] != f[k + 1])
            at++;
        if (at == CALLERS)
            continue;
        count += at == count;
        caller[at] = f[k + 1];
        cycles[at] += c->root[n].cycles;
        all += c->root[n].cycles;
    }
    for (unsigned n = 0; n < count; n++) {
        if (cycles[n] > is.most) {
            is.next = is.most;
            is.most = cycles[n];
            is.first = caller[n];
        } else if (cycles[n] > is.next) {
            is.next = cycles[n];
        }
    }
    is.others = all - is.most;
    return is;
}

static bool are_several(const struct causes *c, const struct callers *k)
{
    return k->others > c->total / ELSEWHERE;
}

bool advise_helps_several(const struct advise *a, uint32_t function)
{
    struct callers k = callers_in(&a->path.c, a->places, function);

    return are_several(&a->path.c, &k);
}

bool advise_has_callers(const struct advise *a, uint32_t function)
{
    const struct causes *list[] = {&a->causes, &a->path.c, &a->done};

    for (unsigned n = 0; n < 3; n++) {
        struct callers k = callers_in(list[n], a->places, function);

        if (are_several(list[n], &k))
            return true;
    }
    return false;
}

/* Can all that it does be what is changed? */
static bool is_blamed(const struct advise *a, uint32_t function)
{
    return function != LOADMAP_UNKNOWN && advise_is_own(a, function) &&
           (!advise_begins(a, function) || others_begin(a, function));
}

/* Is it a function that several call, and one that can be blamed has more of it
 * than the others, of idle time or on the path? Only the C library calls what
 * threads begin with. */
static bool is_means(const struct advise *a, uint32_t function)
{
    const struct causes *list[] = {&a->causes, &a->path.c, &a->done};
    struct callers k[3];
    bool several = false;

    if (function == LOADMAP_UNKNOWN || advise_begins(a, function))
        return false;
    for (unsigned n = 0; n < 3; n++) {
        k[n] = callers_in(list[n], a->places, function);
        several |= are_several(list[n], &k[n]);
    }
    for (unsigned n = 0; several && n < 2; n++)
        if (k[n].most && k[n].most - k[n].next > k[n].next / MORE &&
            is_blamed(a, k[n].first))
            return true;
    return false;
}

int advise_blamed(const struct advise *a, const struct place_of *p)
{
    int level = 0;

    for (int k = 0; k + 1 < PLACES_FUNCTIONS; k++)
        if (is_means(a, p->function[k]))
            level = is_blamed(a, p->function[k + 1]) ? k + 1 : ADVISE_NOBODY;
    return level;
}

uint64_t advise_idle_for(const struct advise *a,
                         const struct advise_candidate *c)
{
    struct callers k = callers_in(&a->causes, a->places, c->function);
    uint64_t sum = 0;

    if (c->kind == ADVISE_FUNCTION && are_several(&a->causes, &k))
        return k.most;
    for (size_t n = 0; n < a->causes.roots; n++) {
        const struct causes_root *r = &a->causes.root[n];
        const uint32_t *f = a->places->list[r->place].function;
        bool is = c->kind != ADVISE_FUNCTION;

        for (unsigned i = 0; i < PLACES_FUNCTIONS; i++)
            is |= f[i] == c->function;
        sum += is && !causes_is_apart(r->is) ? r->cycles : 0;
    }
    return sum;
}

/* ---- what threads do ----------------------------------------------------- */

static void add_done(struct advise *a, struct hash *at, size_t *room,
                     enum chain_root is, uint32_t place, uint64_t cycles)
{
    struct causes *c = &a->done;
    bool fresh;
    uint32_t *n = hash_at(at, (uint64_t)is << 32 | place, &fresh);

    if (fresh) {
        *n = (uint32_t)c->roots;
        c->root = grow(c->root, room, c->roots + 1, sizeof *c->root);
        c->root[c->roots++] = (struct causes_root){.is = is, .place = place};
    }
    c->root[*n].cycles += cycles;
    c->total += cycles;
}

/* Of every function of a stack, once: `seen` has for each the last stack that
 * it was in, by `number`. */
static void add_inside(struct advise *a, uint32_t stack, uint64_t cycles,
                       size_t *seen, size_t number)
{
    const struct frames *f = &a->scene->frames;
    const uint32_t *function = a->places->function;

    for (uint32_t n = frames_at(f, stack) ? stack : 0; n;
         n = f->place[n].caller) {
        if (function[n] >= a->r->map.functions || seen[function[n]] == number)
            continue;
        seen[function[n]] = number;
        a->inside[function[n]] += cycles;
    }
}

void advise_find_done(struct advise *a)
{
    const struct scene *s = a->scene;
    uint64_t ran = 0, samples = 0;
    struct hash at = {0};
    size_t room = 0, *seen;
    bool system;

    a->inside = grow_zero(a->r->map.functions + 1, sizeof *a->inside);
    seen = grow_zero(a->r->map.functions + 1, sizeof *seen);
    for (size_t n = 0; n < s->stays; n++) {
        const struct scene_stay *t = &s->stay[n];

        if (scene_runs(t)) {
            ran += t->to - t->from;
        } else if (t->state == STATE_TIMER) {
            add_done(a, &at, &room, ROOT_SLEEPS,
                     places_waits(a->places, t->stack, t->from),
                     t->to - t->from);
            add_inside(a, t->stack, t->to - t->from, seen, n + 1);
        }
    }
    for (size_t n = 0; n < s->spots; n++)
        samples += s->spot[n].sample;
    a->sample = samples ? ran / samples : 0;
    for (size_t n = 0; n < s->spots; n++) {
        if (!s->spot[n].sample)
            continue;
        add_inside(a, s->spot[n].stack, ran / samples, seen, s->stays + n + 1);
        add_done(
            a, &at, &room, ROOT_RUNS,
            places_runs(a->places, s->spot[n].stack, s->spot[n].cycle, &system),
            ran / samples);
    }
    free(seen);
    hash_free(&at);
}
