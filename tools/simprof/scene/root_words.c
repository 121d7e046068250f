/* root_words.c - see root_words.h. */
#include "tools/simprof/scene/root_words.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "tools/simprof/scene/words.h"

static const struct {
    const char *key, *does, *noun;
    bool apart; /* it stands behind all else, as in `causes` */
} words[] = {
#define ROOT(name, key, text, does, noun, apart) {key, does, noun, apart},
#include "tools/analysis/causes/roots.def"
#undef ROOT
};
#define WORDS (sizeof words / sizeof words[0])

static size_t kind_of(const json_t *row)
{
    const char *what = scene_text(row, "what");
    size_t k = 0;

    while (k < WORDS - 1 && strcmp(what, words[k].key))
        k++;
    return k; /* what is not in the table is unknown, its last row */
}

const char *root_function(const json_t *row, unsigned n,
                          char out[ROOT_FUNCTION])
{
    const char *at = scene_text(row, "functions");

    for (; n && *at; n--)
        at = scene_next_name(at);
    snprintf(out, ROOT_FUNCTION, "%.*s", (int)scene_first_name(at), at);
    return out;
}

const char *root_does(const json_t *row)
{
    return words[kind_of(row)].does;
}

const char *root_briefly(const json_t *row)
{
    const char *what = scene_text(row, "what");

    return !strcmp(what, "mask")  ? "forbids CPUs"
           : !strcmp(what, "cpu") ? "has no CPU"
                                  : what;
}

const char *root_noun(const json_t *row)
{
    return words[kind_of(row)].noun;
}

json_t *root_shared_functions(struct scene *s)
{
    json_t *calls = scene_rows(s, SCENE_CALLTREE), *row;
    json_t *shared = json_object(), *called = json_object();
    size_t k;

    json_array_foreach(calls, k, row)
    {
        json_t *parent =
            json_array_get(calls, (size_t)scene_number(row, "parent"));
        const char *name = scene_text(row, "function"),
                   *caller = scene_text(parent, "function"),
                   *other = json_string_value(json_object_get(called, name));

        if (*name == '<' || !*caller || *caller == '<')
            continue;
        if (!other)
            json_object_set_new(called, name, json_string(caller));
        else if (strcmp(other, caller))
            json_object_set_new(shared, name, json_true());
    }
    json_decref(called);
    return shared;
}

bool root_is_shared(const json_t *row, const json_t *shared)
{
    char name[ROOT_FUNCTION], other[ROOT_FUNCTION];

    return !strcmp(scene_text(row, "what"), "runs") &&
           *root_function(row, 2, other) &&
           json_object_get(shared, root_function(row, 0, name));
}

/* ---- one row for each thing to change ------------------------------------ */

static const char *name_of(const json_t *row, const json_t *shared,
                           char out[ROOT_FUNCTION])
{
    return root_function(row, root_is_shared(row, shared), out);
}

static bool is_same(const json_t *a, const json_t *b, const json_t *shared)
{
    char name[ROOT_FUNCTION], other[ROOT_FUNCTION];

    return !strcmp(scene_text(a, "what"), scene_text(b, "what")) &&
           !strcmp(scene_text(a, "line"), scene_text(b, "line")) &&
           root_is_shared(a, shared) == root_is_shared(b, shared) &&
           !strcmp(name_of(a, shared, name), name_of(b, shared, other));
}

/* Of the first `most` functions, how many both have. */
static json_int_t in_common(const json_t *a, const json_t *b, json_int_t most)
{
    char name[ROOT_FUNCTION], other[ROOT_FUNCTION];
    json_int_t n = 0;

    while (n < most && !strcmp(root_function(a, (unsigned)n, name),
                               root_function(b, (unsigned)n, other)))
        n++;
    return n;
}

static void join(json_t *to, const json_t *row)
{
    double percent = json_number_value(json_object_get(to, "idle_percent")) +
                     json_number_value(json_object_get(row, "idle_percent"));

    json_object_set_new(
        to, "cycles",
        json_integer(scene_number(to, "cycles") + scene_number(row, "cycles")));
    json_object_set_new(to, "idle_percent", json_real(percent));
    json_object_set_new(
        to, "spun",
        json_integer(scene_number(to, "spun") + scene_number(row, "spun")));
    json_object_set_new(
        to, ROOT_COMMON,
        json_integer(in_common(to, row, scene_number(to, ROOT_COMMON))));
}

static bool stands_apart(const json_t *row)
{
    return words[kind_of(row)].apart;
}

/* It has more than rows of its part in front of it, perhaps. */
static void move_up(json_t *rows, size_t at)
{
    json_t *row = json_array_get(rows, at), *before;
    size_t to = at;

    for (; to && (before = json_array_get(rows, to - 1)); to--)
        if (stands_apart(before) != stands_apart(row) ||
            scene_number(before, "cycles") >= scene_number(row, "cycles"))
            break;
    if (to == at)
        return;
    json_incref(row);
    json_array_remove(rows, at);
    json_array_insert_new(rows, to, row);
}

json_t *root_joined(const json_t *causes, const json_t *shared)
{
    json_t *rows = json_array();
    const json_t *row;
    size_t k, at;

    json_array_foreach(causes, k, row)
    {
        json_t *own;

        for (at = 0; at < json_array_size(rows); at++)
            if (is_same(json_array_get(rows, at), row, shared))
                break;
        if (at < json_array_size(rows)) {
            join(json_array_get(rows, at), row);
            move_up(rows, at);
            continue;
        }
        own = json_deep_copy(row);
        json_object_set_new(own, ROOT_COMMON, json_integer(INT32_MAX));
        json_array_append_new(rows, own);
    }
    return rows;
}
