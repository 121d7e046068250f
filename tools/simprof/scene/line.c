/* line.c - see line.h. */
#include "tools/simprof/scene/line.h"

#include <string.h>

#include "tools/simprof/scene/words.h"

/* The first of the lines in that function. */
static bool line_in(json_t *lines, const char *function, json_t *to)
{
    json_t *row;
    size_t k;

    json_array_foreach(lines, k, row)
    {
        const char *line = scene_text(row, "line, function"),
                   *of = strstr(line, ", ");

        if (*line == '<' || !of || strcmp(of + 2, function))
            continue;
        if (to)
            scene_put(to, "line", "%.*s", (int)(of - line), line);
        return true;
    }
    return false;
}

bool line_hottest(struct scene *s, const char *function, json_t *to)
{
    return line_in(scene_rows(s, SCENE_LINES), function, to);
}

bool line_of(struct scene *s, const char *function, json_t *to)
{
    return line_in(scene_rows(s, SCENE_CALLING_LINES), function, to) ||
           line_hottest(s, function, to);
}

static json_t *parent_of(json_t *calls, const json_t *row)
{
    const json_t *parent = json_object_get(row, "parent");

    return json_is_integer(parent)
               ? json_array_get(calls, (size_t)json_integer_value(parent))
               : NULL;
}

/* The nearest function around a call that has lines; NULL: none has, or the
 * function is among them, whose outer call counts instead. */
static const char *caller_of(struct scene *s, json_t *calls, json_t *row)
{
    const char *function = scene_text(row, "function"), *found = NULL;

    while ((row = parent_of(calls, row))) {
        const char *name = scene_text(row, "function");

        if (!strcmp(name, function))
            return NULL;
        if (!found && line_of(s, name, NULL))
            found = name;
    }
    return found;
}

bool line_of_caller(struct scene *s, const char *function, json_t *to)
{
    json_t *calls = scene_rows(s, SCENE_CALLTREE), *row, *sum = json_object();
    const char *most = NULL;
    int64_t best = -1;
    bool found;
    size_t k;

    json_array_foreach(calls, k, row)
    {
        const char *caller;
        int64_t cycles;

        if (strcmp(scene_text(row, "function"), function) ||
            !(caller = caller_of(s, calls, row)))
            continue;
        cycles = scene_number(sum, caller) + scene_number(row, "incl_cycles");
        json_object_set_new(sum, caller, json_integer(cycles));
        if (cycles > best) {
            best = cycles;
            most = caller;
        }
    }
    found = most && line_of(s, most, to);
    json_decref(sum);
    return found;
}
