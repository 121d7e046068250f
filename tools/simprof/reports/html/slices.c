/* slices.c - see slices.h. */
#include "tools/simprof/reports/html/slices.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/grow.h"
#include "lib/base/text.h"
#include "tools/analysis/causes/causes.h"
#include "tools/analysis/profile/offcpu.h"
#include "tools/analysis/profile/sliced.h"
#include "tools/simprof/reports/causes/causes_words.h"
#include "tools/simprof/reports/html/deflated.h"
#include "tools/simprof/reports/html/slices_locks.h"
#include "tools/simprof/reports/html/slices_threads.h"
#include "tools/simprof/reports/html/slices_truth.h"
#include "tools/simprof/session/rows.h"

#define MOST 240           /* slices */
#define FEWEST 8           /* ... however many bytes they have */
#define NODES 4000         /* of calls */
#define BYTES (900 * 1024) /* of what is packed */
#define NAME 1024
#define WORD 64

/* ---- causes -------------------------------------------------------------- */

struct causes_told {
    struct scene scene;
    struct places places;
    struct causes c;
    struct slice_sums sums, spins;
};

static void read_causes(struct causes_told *t, struct recording *r,
                        const struct slices *slices)
{
    struct causes_choice choice = {.cpu = -1,
                                   .thread = SCENE_NONE,
                                   .slices = &t->sums,
                                   .spins = &t->spins};
    struct naps naps;

    *t = (struct causes_told){.sums = {0}};
    slice_sums_open(&t->sums, slices);
    slice_sums_open(&t->spins, slices);
    scene_read(&t->scene, r);
    places_open(&t->places, r, &t->scene);
    if (t->scene.stays)
        naps_read(&naps, &t->scene, r);
    else /* the report gives no rows */
        naps_of_stints(&naps, &t->scene, 0, 0);
    causes_find(&t->c, &t->scene, &naps, &t->places, &choice);
    naps_free(&naps);
    slice_sums_sort(&t->sums);
    slice_sums_sort(&t->spins);
}

static void close_causes(struct causes_told *t)
{
    causes_free(&t->c);
    places_close(&t->places);
    scene_free(&t->scene);
    slice_sums_free(&t->sums);
    slice_sums_free(&t->spins);
}

/* The number of a text in a list of texts, where it is put if it is new. */
static size_t number_in(json_t *list, const char *text)
{
    size_t n;
    json_t *is;

    json_array_foreach(list, n,
                       is) if (!strcmp(json_string_value(is), text)) return n;
    json_array_append_new(list, json_string(text));
    return n;
}

/* What was charged, then what was of spins. */
static const struct causes_root *charge_of(const struct causes *c, size_t n)
{
    return n < c->charges ? &c->charged[n] : &c->charged_spins[n - c->charges];
}

/* Roots of the same functions are one: the first of them. */
static size_t root_of(const struct causes_told *t, size_t n)
{
    const struct causes_root *is = charge_of(&t->c, n);
    size_t root = 0;

    while (root < n &&
           (charge_of(&t->c, root)->is != is->is ||
            !places_same(&t->places, is->place, charge_of(&t->c, root)->place)))
        root++;
    return root;
}

static void put_causes(json_t *to, const struct causes_told *t)
{
    static const char *const key[] = {
#define ROOT(name, key, text, does, noun, apart) key,
#include "tools/analysis/causes/roots.def"
#undef ROOT
    };
    static const bool stands_apart[] = {
#define ROOT(name, key, text, does, noun, apart) apart,
#include "tools/analysis/causes/roots.def"
#undef ROOT
    };
    json_t *roots = json_array(), *charges[] = {json_array(), json_array()},
           *lines = json_array(), *whats = json_array(), *apart = json_array();

    for (size_t n = 0; n < t->c.charges + t->c.charges_spins; n++) {
        const struct causes_root *is = charge_of(&t->c, n);
        size_t root = root_of(t, n), k = n >= t->c.charges;

        if (root == n)
            json_array_append_new(
                roots, json_pack("[s, s]", key[is->is],
                                 places_functions(t->c.places, is->place)));
        else
            json_array_append_new(roots, json_null());
        json_array_append_new(charges[k], json_integer((json_int_t)root));
        json_array_append_new(charges[k],
                              json_integer((json_int_t)number_in(
                                  lines, places_line(t->c.places, is->place))));
    }
    for (size_t n = 0; n < sizeof key / sizeof key[0]; n++)
        json_array_append_new(whats, json_string(key[n]));
    for (size_t n = 0; n < sizeof key / sizeof *key; n++)
        if (stands_apart[n])
            json_array_append_new(apart, json_string(key[n]));
    json_object_set_new(to, "apart", apart);
    json_object_set_new(to, "whats", whats);
    json_object_set_new(to, "roots", roots);
    json_object_set_new(to, "charges", charges[0]);
    json_object_set_new(to, "charges_spins", charges[1]);
    json_object_set_new(to, "lines", lines);
    json_object_set_new(to, "causes", html_packed(&t->sums));
    json_object_set_new(to, "spins", html_packed(&t->spins));
}

/* ---- functions and calls ------------------------------------------------- */

struct names {
    struct recording *r;
    json_t *list;
    struct hash at;
};

static void add_number(json_t *list, uint64_t n)
{
    json_array_append_new(list, json_integer((json_int_t)n));
}

static uint32_t name_of(struct names *n, uint32_t function)
{
    char text[NAME];
    bool fresh;
    uint32_t *at = hash_at(&n->at, function, &fresh);

    if (fresh) {
        *at = (uint32_t)json_array_size(n->list);
        snprintf(text, sizeof text, "%s", samples_name(n->r, function));
        text_printable(text);
        json_array_append_new(n->list, json_string(text));
    }
    return *at;
}

/* Functions are numbered in the order of cells. */
static void put_account(json_t *to, struct sliced *s, struct names *names)
{
    json_t *cells = json_array(), *reasons = json_array();

    for (size_t i = 0; i < s->cells; i++) {
        add_number(cells, s->cell[i].cpu);
        add_number(cells, name_of(names, s->cell[i].function));
        add_number(cells, s->cell[i].reason);
    }
    for (unsigned i = 0; i < names->r->reasons; i++)
        json_array_append_new(reasons, json_string(names->r->reason[i]));
    json_object_set_new(to, "cells", cells);
    json_object_set_new(to, "reasons", reasons);
    json_object_set_new(to, "account", html_packed(&s->account));
}

/* Only nodes that have something, or have one below them that has. */
static void put_calls(json_t *to, struct sliced *s, struct names *names)
{
    const struct stacktree *t = &s->calls;
    bool *used = grow_zero(t->count, sizeof *used);
    uint32_t *number = grow_zero(t->count, sizeof *number), count = 0;
    json_t *nodes = json_array(), *metrics = json_array();

    for (size_t i = 0; i < s->stacks.count; i++)
        used[s->stacks.list[i].what / t->metrics] = true;
    for (size_t n = t->count; n-- > 1;)
        used[t->node[n].parent] |= used[n];
    for (uint32_t n = 0; n < t->count; n++) {
        if (n && !used[n])
            continue;
        number[n] = count++;
        add_number(nodes, n ? number[t->node[n].parent] : 0);
        json_array_append_new(
            nodes, json_integer(t->node[n].frame == SLICED_REST
                                    ? -1
                                    : (int)name_of(names, n ? t->node[n].frame
                                                            : SAMPLES_TOTAL)));
    }
    for (size_t i = 0; i < s->stacks.count; i++) {
        struct slice_sum *k = &s->stacks.list[i];

        k->what =
            number[k->what / t->metrics] * t->metrics + k->what % t->metrics;
    }
    slice_sums_sort(&s->stacks);
    for (unsigned m = 0; m < t->metrics; m++)
        json_array_append_new(metrics, json_string(s->metric.list[m].name));
    json_object_set_new(to, "nodes", nodes);
    json_object_set_new(to, "metrics", metrics);
    json_object_set_new(to, "stacks", html_packed(&s->stacks));
    free(used);
    free(number);
}

/* ---- states -------------------------------------------------------------- */

static void add_state(json_t *slice, const json_t *row)
{
    const char *state = json_string_value(json_object_get(row, "state"));
    json_int_t n = json_integer_value(json_object_get(row, "cycles"));

    if (state)
        json_object_set_new(
            slice, state,
            json_integer(json_integer_value(json_object_get(slice, state)) +
                         n));
}

/* Slices have one length, but for the first and the last. */
static void add_states(json_t *states, struct recording *r,
                       const char *experiment, const struct slices *s,
                       uint64_t from, uint64_t to, uint64_t step)
{
    char option[3][WORD];
    const char *word[] = {"timeline", option[0], option[1], option[2]};
    struct refusal why = {.text = ""};
    json_t *rows, *row;
    size_t k;

    snprintf(option[0], WORD, "--step=%" PRIu64, step);
    snprintf(option[1], WORD, "--from=%" PRIu64, from);
    snprintf(option[2], WORD, "--to=%" PRIu64, to);
    rows = rows_read(r, experiment, 4, word, &why);
    json_array_foreach(rows, k, row)
    {
        uint64_t at =
            (uint64_t)json_integer_value(json_object_get(row, "from_cycle"));

        add_state(json_array_get(states, slices_at(s, at)), row);
    }
    json_decref(rows);
}

static json_t *states_of(struct recording *r, const char *experiment,
                         const struct slices *s)
{
    json_t *states = json_array();
    uint64_t first = s->edge[1], last = s->edge[s->count];

    for (unsigned k = 0; k < s->count; k++)
        json_array_append_new(states, json_object());
    add_states(states, r, experiment, s, s->edge[0], first, first - s->edge[0]);
    if (first < last)
        add_states(states, r, experiment, s, first, last,
                   s->edge[2] - s->edge[1]);
    return states;
}

/* ---- all of it ----------------------------------------------------------- */

static unsigned waits_of(struct recording *r)
{
    unsigned bits = OFFCPU_ALL_BLOCKED;

    for (unsigned n = STATE_LOCK; n < STATE_ENDED; n++)
        bits |= 1u << n;
    return offcpu_blocked(r) ? bits : 0;
}

static uint64_t size_of(struct slice_sums *const *sums, size_t count)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < count; i++)
        bytes += html_packed_size(sums[i]);
    return bytes;
}

/* Fewer slices, until they are no more than a page has room for. */
static void fit(struct sliced *s, struct causes_told *causes)
{
    struct slice_sums *const sums[] = {&s->account, &s->stacks, &causes->sums,
                                       &causes->spins, &s->ran};
    size_t count = sizeof sums / sizeof sums[0];

    while (s->slices.count > FEWEST && size_of(sums, count) > BYTES)
        slices_halve(&s->slices, sums, count);
}

static int by_number(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

/* All functions that there are, in the order of the load map, which decides
 * between equal rows of reports. */
static void name_all(struct names *names, const struct sliced *s,
                     const struct html_truth *t)
{
    size_t count = 0;
    uint32_t *all =
        grow_zero(s->cells + s->calls.count + t->functions + 1, sizeof *all);

    for (size_t i = 0; i < s->cells; i++)
        all[count++] = s->cell[i].function;
    for (uint32_t n = 1; n < s->calls.count; n++)
        if (s->calls.node[n].frame != SLICED_REST)
            all[count++] = s->calls.node[n].frame;
    for (size_t n = 0; n < t->functions; n++)
        all[count++] = t->function[n];
    if (count)
        qsort(all, count, sizeof *all, by_number);
    for (size_t i = 0; i < count; i++)
        name_of(names, all[i]);
    free(all);
}

static uint32_t number_for(void *arg, uint32_t function)
{
    return name_of(arg, function);
}

static void put_all(json_t *is, struct names *names, struct sliced *s,
                    struct causes_told *causes, struct html_truth *truth)
{
    html_truth_read(truth, names->r, &s->slices);
    name_all(names, s, truth);
    put_account(is, s, names);
    put_calls(is, s, names);
    put_causes(is, causes);
    json_object_set_new(
        is, "locks",
        html_locks(names->r, &causes->scene, &causes->places, &s->slices));
    json_object_set_new(is, "threads", html_threads(names->r, s));
    json_object_set_new(is, "truth",
                        html_truth_json(truth, names->r, number_for, names));
}

json_t *html_slices(struct recording *r, const struct options *o, uint64_t from,
                    uint64_t to, bool crowded)
{
    json_t *is, *edges = json_array();
    struct names names = {r, json_array(), {0}};
    struct html_truth truth = {.counters = 0};
    struct causes_told causes;
    struct slices slices;
    struct sliced s;

    if (!slices_open(&slices, r, from, to, MOST)) {
        json_decref(edges);
        json_decref(names.list);
        return json_null();
    }
    recording_within(r, from, to < r->end ? to : UINT64_MAX);
    if (!crowded)
        html_truth_open(&truth, r, o);
    sliced_read(&s, r, &slices, waits_of(r), NODES);
    read_causes(&causes, r, &s.slices);
    fit(&s, &causes);
    for (unsigned k = 0; k <= s.slices.count; k++)
        add_number(edges, s.slices.edge[k]);
    is = json_pack("{s:o, s:o}", "edges", edges, "functions", names.list);
    put_all(is, &names, &s, &causes, &truth);
    close_causes(&causes);
    json_object_set_new(is, "states", states_of(r, o->experiment, &s.slices));
    html_truth_free(&truth);
    sliced_free(&s);
    hash_free(&names.at);
    return is;
}
