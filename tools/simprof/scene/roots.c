/* roots.c - see roots.h. */
#include "tools/simprof/scene/roots.h"

#include <stdlib.h>
#include <string.h>

#include "tools/simprof/scene/words.h"

#define FUNCTIONS 8
#define NAME 400

static json_t *new_row(json_t *rows, json_t *parent, int depth,
                       const char *name)
{
    json_t *row = json_object();

    json_object_set_new(row, "incl_idle", json_integer(0));
    json_object_set_new(row, "node",
                        json_integer((json_int_t)json_array_size(rows)));
    json_object_set_new(row, "parent",
                        parent ? json_integer(scene_number(parent, "node"))
                               : json_null());
    json_object_set_new(row, "depth", json_integer(depth));
    scene_put(row, "function", "%s", name);
    json_array_append_new(rows, row);
    return row;
}

static json_t *child_of(json_t *rows, json_t *parent, int depth,
                        const char *name)
{
    json_t *row;
    size_t k;

    json_array_foreach(rows, k, row)
    {
        if (k && scene_number(row, "parent") == scene_number(parent, "node") &&
            !strcmp(scene_text(row, "function"), name))
            return row;
    }
    return new_row(rows, parent, depth, name);
}

static void add(json_t *row, int64_t cycles)
{
    json_object_set_new(row, "incl_idle",
                        json_integer(scene_number(row, "incl_idle") + cycles));
}

/* "f < its caller < its caller" into names, the outermost first. */
static int functions_of(char *stack, const char *name[FUNCTIONS])
{
    int count = 0;

    while (*stack && count < FUNCTIONS) {
        size_t n = scene_first_name(stack);
        char *next = stack + (scene_next_name(stack) - stack);

        name[count++] = stack;
        stack[n] = '\0';
        stack = next;
    }
    for (int i = 0, j = count - 1; i < j; i++, j--) {
        const char *swap = name[i];

        name[i] = name[j];
        name[j] = swap;
    }
    return count;
}

static void add_root(json_t *rows, json_t *all, const json_t *cause)
{
    const char *name[FUNCTIONS], *line = scene_text(cause, "line");
    char *stack = strdup(scene_text(cause, "functions")), leaf[NAME];
    int64_t cycles = scene_number(cause, "cycles");
    int count = stack ? functions_of(stack, name) : 0, depth = 1;
    json_t *at = all;

    add(all, cycles);
    for (int i = 0; i < count; i++, depth++) {
        at = child_of(rows, at, depth, name[i]);
        add(at, cycles);
    }
    snprintf(leaf, sizeof leaf, "<%s%s%.300s>", scene_text(cause, "what"),
             *line ? " " : "", line);
    add(child_of(rows, at, depth, leaf), cycles);
    free(stack);
}

json_t *scene_roots(const json_t *causes)
{
    json_t *rows = json_array(), *all;
    const json_t *cause;
    size_t k;

    if (!json_array_size(causes))
        return rows;
    all = new_row(rows, NULL, 0, "<Total>");
    json_array_foreach(causes, k, cause)
    {
        add_root(rows, all, cause);
    }
    return rows;
}
