/* root_words.c - see root_words.h. */
#include "tools/simprof/scene/root_words.h"

#include <stdio.h>
#include <string.h>

#include "tools/simprof/scene/words.h"

static const struct {
    const char *key, *does, *noun;
} words[] = {
#define ROOT(name, key, text, does, noun) {key, does, noun},
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

    for (; n && *at; n--) {
        at += strcspn(at, "<");
        at += *at == '<';
    }
    snprintf(out, ROOT_FUNCTION, "%.*s", (int)strcspn(at, "<"), at);
    return out;
}

const char *root_does(const json_t *row)
{
    return words[kind_of(row)].does;
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
